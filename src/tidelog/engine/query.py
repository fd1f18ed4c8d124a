"""Queries: a body whose variables are the columns of the answer.

Law (D24): a query sees the last committed epoch and waits for no epoch. What can be looked up is looked up
(`look_up`). The rest is a rule that is added, read and taken back: on the partitions if nobody has the turn, else on
copies of the relations that it names. Indexes that it needed stay (`partition.kept`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from tidelog.engine import failures
from tidelog.engine.core import Core
from tidelog.engine.on_thread import finished
from tidelog.engine.question import ANSWERS, GIVEN, Question, make_ready
from tidelog.engine.view import Rows
from tidelog.io.columns import encode_value
from tidelog.kernel.cells import Cells
from tidelog.partition.limits import Limits
from tidelog.plan.build import value_type
from tidelog.plan.strata import group_strata
from tidelog.plan.work import EpochWork, RuleForm
from tidelog.program import Atom, Rule, Var
from tidelog.program.scope import atoms, literal_variables
from tidelog.runtime.embedded import EmbeddedRuntime
from tidelog.runtime.interrupts import Guard
from tidelog.runtime.runtime import Runtime
from tidelog.syntax import parse_rule


def query(core: Core, text: str) -> Rows:
    """The answers to a query: one column per variable, in order of appearance."""
    core.must_be_open()
    return _ask(core, text, (), ())


async def aquery(core: Core, text: str) -> Rows:
    """The same for asyncio: the answers are found on another thread, and the loop goes on."""
    return await finished(lambda: query(core, text))


class Prepared:
    """A query that was read and checked once, to be asked with values in the place of some of its variables."""

    def __init__(self, core: Core, text: str, bind: tuple[str, ...]) -> None:
        self._core, self.text, self.bind = core, text, bind
        self.columns = self._ready().names

    def __call__(self, *values: object) -> Rows:
        """The answers for these values, one for each variable of ``bind``: one column per other variable."""
        self._core.must_be_open()
        if len(values) != len(self.bind):
            raise failures.NOT_THE_VALUES.error(wanted=len(self.bind), names=", ".join(self.bind), found=len(values))
        return _ask(self._core, self.text, self.bind, values)

    async def later(self, *values: object) -> Rows:
        """The same for asyncio: the answers are found on another thread, and the loop goes on."""
        return await finished(lambda: self(*values))

    def _ready(self) -> Question:
        rule, names = read_query(self.text, self._core.rules.program.convention)
        for name in self.bind:
            if name not in names:
                raise failures.NOT_A_VARIABLE.error(name=name, known=", ".join(names) or "none")
        return make_ready(self._core, rule, self.bind)

    def __repr__(self) -> str:
        return f"Prepared({self.text!r}, bind={self.bind!r})"


def prepare(core: Core, text: str, bind: str | Sequence[str] = ()) -> Prepared:
    """A query to be asked often, with values for the variables in ``bind``: ``db.prepare("v(X, Y)", bind="X")(77)``."""
    core.must_be_open()
    names = bind.replace(",", " ").split() if isinstance(bind, str) else bind
    return Prepared(core, text, tuple(dict.fromkeys(names)))


def _ask(core: Core, text: str, bind: tuple[str, ...], values: Sequence[object]) -> Rows:
    rule, _ = read_query(text, core.rules.program.convention)
    question = make_ready(core, rule, bind)
    types = question.given_types
    given = [encode_value(v, t or "number", core.dictionary) for v, t in zip(values, types, strict=True)]
    if question.look_up is not None:
        cells = question.look_up.answer(core, given)
    else:
        question, cells = _run(core, rule, bind, given)
    return Rows("answers", question.names, question.types, core.dictionary, cells)


def _run(core: Core, rule: Rule, bind: tuple[str, ...], given: Sequence[int]) -> tuple[Question, Cells]:
    """The answers that the rule of a question derives."""
    if core.writing.take():
        try:
            return _on_partitions(core, make_ready(core, rule, bind), given)
        finally:
            core.writing.give_back()
    while core.runtime.session is None:
        question = make_ready(core, rule, bind)
        names = {atom.predicate for own in question.own_rules.values() for atom in atoms(own.body)} - {GIVEN}
        derived = {own.head.predicate for own in question.own_rules.values()}
        with core.replicas.of_questions.at_last_epoch(
            names - derived, core.runtime.facts, lambda: core.number
        ) as copies:
            if copies is None:
                break
            if question.base is core.rules:
                return question, _on_copies(copies, question, given, core.runtime.node.partition.machine.limits)
    with core.writing:  # on Spark, and where there is no room for copies
        return _on_partitions(core, make_ready(core, rule, bind), given)


def _on_partitions(core: Core, question: Question, given: Sequence[int]) -> tuple[Question, Cells]:
    work = core.planner.work(core.rules, question.rules, _inserts(given), {}, is_question=True)
    return question, _answers(core.runtime, work, len(question.names))


def _on_copies(copies: EmbeddedRuntime, question: Question, given: Sequence[int], limits: Limits) -> Cells:
    own, schema, functions = question.own_rules, question.rules.schema, question.rules.functions
    named = {atom.predicate for rule in own.values() for atom in (rule.head, *atoms(rule.body))}
    types = {name: schema[name] for name in named if name in schema}
    forms = tuple(RuleForm(rule, types, value_type(rule, schema, functions)) for rule in own.values())
    arities = {name: len(columns) for name, columns in types.items()}
    strata = group_strata(list(own.values()), ())
    work = EpochWork(arities, _inserts(given), added=forms, strata=strata, is_question=True)
    copies.set_limits(limits)
    try:
        return _answers(copies, work, len(question.names))
    finally:
        copies.set_limits(Limits())


def _inserts(given: Sequence[int]) -> dict[str, Cells]:
    return {GIVEN: np.array([given], np.int64)} if given else {}


def _answers(runtime: Runtime, work: EpochWork, columns: int) -> Cells:
    with Guard(runtime):
        changes = runtime.run(work).changes
        try:
            return changes.get(ANSWERS, (np.zeros((0, columns), np.int64),))[0]
        finally:
            runtime.rollback()


@lru_cache(maxsize=1024)
def read_query(text: str, convention: str) -> tuple[Rule, tuple[str, ...]]:
    """The rule of a query and the names of its variables."""
    body = text.strip().removeprefix("?").rstrip().removesuffix(".")
    rule = parse_rule(f"answers() :- {body}.", convention=convention)
    found: list[Var] = []
    for literal in rule.body:
        literal_variables(literal, found)
    variables = list(dict.fromkeys(found))
    head = Atom(ANSWERS, tuple(variables), span=rule.head.span)
    return Rule(head, rule.body, ANSWERS, rule.span), tuple(v.name for v in variables)
