"""Queries: a body whose variables are the columns of the answer.

Law (D24): a query sees the last committed epoch and waits for no epoch. What can be looked up is looked up (`look_up`),
on several partitions also atom by atom (`walk`). Any other query is run as a rule that is added, read and rolled back:
on the partitions if no thread has the turn, otherwise on copies of the relations that it names. Indexes built for it
are kept (`query_indexes`). A query to a program with relations on demand makes them derive more; it has its turn
between epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.base.asyncio_thread import finished
from tidelog.engine.base.own_limits import beyond, within
from tidelog.engine.core.core import Core
from tidelog.engine.read.look_up import at_one_epoch
from tidelog.engine.read.members import may_be_undefined, undefined, undefined_counts
from tidelog.engine.read.question import ANSWERS, GIVEN, PLAIN, Question, make_ready, read_query
from tidelog.engine.read.typos import check_question
from tidelog.engine.read.view import Rows
from tidelog.io.columns import encode_value
from tidelog.kernel.cells import Cells
from tidelog.partition.base.limits import Limits
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.plan.plan_rule import value_type
from tidelog.plan.strata import group_strata
from tidelog.plan.work import EpochWork, RuleForm, StrataChange
from tidelog.program.graph.dependency import AGGREGATE, rule_dependencies
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.runtime.base.interrupts import Guard
from tidelog.runtime.one.embedded import EmbeddedRuntime
from tidelog.runtime.protocol.facts import Facts
from tidelog.runtime.protocol.runtime import Runtime


class Answer(NamedTuple):
    """Answers, and the committed epoch to which they belong."""

    rows: Rows
    epoch: int


def query(core: Core, text: str) -> Rows:
    """The answers to a query: one column per variable, in order of appearance."""
    core.must_be_open()
    return _ask(core, text, (), ()).rows


def answer(
    core: Core, text: str, bind: tuple[str, ...] = (), values: Sequence[object] = (), limits: Limits | None = None
) -> Answer:
    """The answers to a query with their epoch; ``limits`` apply to the query alone and raise an error."""
    core.must_be_open()
    return _ask(core, text, bind, values, limits)


async def aquery(core: Core, text: str) -> Rows:
    """The same for asyncio: the answers are computed on another thread while the loop continues."""
    return await finished(lambda: query(core, text))


class PreparedQuery:
    """A query that is parsed and checked once and can be run with values for some of its variables."""

    def __init__(self, core: Core, text: str, bind: tuple[str, ...]) -> None:
        self._core, self.text, self.bind = core, text, bind
        self.columns = self._ready().names

    def __call__(self, /, *values: object, **named: object) -> Rows:
        """The answers for these values, one for each variable of ``bind``, in order or by name: ``asked(Who="ann")``.

        There is one column per other variable.
        """
        self._core.must_be_open()
        given = {**dict(zip(self.bind, values, strict=False)), **named}
        if len(values) + len(named) != len(self.bind) or given.keys() != {*self.bind}:
            found = len(values) + len(named)
            raise failures.NOT_THE_VALUES.error(wanted=len(self.bind), names=", ".join(self.bind), found=found)
        return _ask(self._core, self.text, self.bind, [given[name] for name in self.bind]).rows

    async def later(self, /, *values: object, **named: object) -> Rows:
        """The same for asyncio: the answers are computed on another thread while the loop continues."""
        return await finished(lambda: self(*values, **named))

    def _ready(self) -> Question:
        program = self._core.rules.program
        rule, names = read_query(self.text, program.convention, program.prefixes)
        for name in self.bind:
            if name not in names:
                raise failures.NOT_A_VARIABLE.error(name=name, known=", ".join(names) or "none")
        return make_ready(self._core, rule, self.bind)

    def __repr__(self) -> str:
        return f"PreparedQuery({self.text!r}, bind={self.bind!r})"


def prepare(core: Core, text: str, bind: str | Sequence[str] = ()) -> PreparedQuery:
    """A query to be asked often, with values for the variables in ``bind``: ``db.prepare("v(X, Y)", bind="X")(77)``."""
    core.must_be_open()
    names = bind.replace(",", " ").split() if isinstance(bind, str) else bind
    return PreparedQuery(core, text, tuple(dict.fromkeys(names)))


def _ask(
    core: Core, text: str, bind: tuple[str, ...], values: Sequence[object], limits: Limits | None = None
) -> Answer:
    rule, _ = read_query(text, core.rules.program.convention, core.rules.program.prefixes)
    if any(atom.predicate not in core.rules.schema for atom in atoms(rule_literals(rule))):
        check_question(core, rule)
    question = make_ready(core, rule, bind)
    types = question.parameter_types
    given = [encode_value(v, t or "number", core.dictionary) for v, t in zip(values, types, strict=True)]
    if question.look_up is not None:
        cells, epoch = at_one_epoch(core, partial(question.look_up.answer, core, given))
        return Answer(Rows("answers", question.names, question.types, core.dictionary, cells), epoch)
    return Answer(*run(core, lambda: make_ready(core, rule, bind), given, limits))


def _refuse_undefined(core: Core, question: Question) -> None:
    """Refuse to aggregate relations with undefined facts; a negation reads them (`question.make_ready`)."""
    edges = [edge for rule in question.own_rules.values() for edge in rule_dependencies(rule)]
    strict, new = set[str](), {edge.source for edge in edges if edge.kind == AGGREGATE}
    while new:  # what is projected first is read as well
        strict |= new
        new = {edge.source for edge in edges if edge.target in new} - strict
    for relation in sorted(strict):
        if may_be_undefined(core, relation) and len(found := undefined(core, relation)):
            fact = core.fact_writer(relation)(found.rows()[0])
            raise failures.UNDEFINED_READ.error(relation=relation, count=len(found), fact=fact, reader="the query")


def undefined_behind(core: Core, text: str) -> dict[str, int]:
    """How many undefined facts the relations have that a query reads, by relation."""
    if not core.rules.cyclic:
        return {}
    rule, _ = read_query(text, core.rules.program.convention, core.rules.program.prefixes)
    own = make_ready(core, rule, ()).own_rules.values()
    return undefined_counts(core, (edge.source for each in own for edge in rule_dependencies(each)))


def run(
    core: Core, ready: Callable[[], Question], given: Sequence[int] = (), limits: Limits | None = None
) -> tuple[Rows, int]:
    """The answers that the rules of a query derive, and their epoch; ``ready`` prepares it for the rules in force."""
    if not core.rules.cyclic:
        return _run(core, ready, given, limits)

    def checked() -> tuple[Rows, int]:
        _refuse_undefined(core, ready())
        return _run(core, ready, given, limits)

    return at_one_epoch(core, checked)[0]  # what is checked is what is read


def _run(core: Core, ready: Callable[[], Question], given: Sequence[int], limits: Limits | None) -> tuple[Rows, int]:
    if core.writing.take():
        try:
            return _on_partitions(core, ready(), given, limits)
        finally:
            core.writing.give_back()
    found = core.read(lambda facts: _on_replica(core, facts, ready, given, limits))
    if found is not None:
        return found
    with core.writing:  # on Spark, and where there is no room for copies
        return _on_partitions(core, ready(), given, limits)


def _on_replica(
    core: Core, facts: Facts, ready: Callable[[], Question], given: Sequence[int], limits: Limits | None
) -> tuple[Rows, int] | None:
    """Run the query on copies while an epoch has the turn; None if there are no copies."""
    while core.runtime.session is None and core.rules.demand is None:  # on-demand facts are derived where they are kept
        question = ready()
        names = {atom.predicate for own in question.own_rules.values() for atom in atoms(own.body)} - {GIVEN}
        derived = {own.head.predicate for own in question.own_rules.values()}
        replica = core.replicas.of_questions
        with replica.at_last_epoch(names - derived, facts, lambda: core.number) as copies:
            if copies is None:
                break
            if question.base is core.rules:
                with _texts_dropped(copies.dictionary):
                    cells = _on_copies(copies, question, given, beyond(limits, copies) or core.runtime.limits)
                    return _rows(question, cells, copies.dictionary, core.dictionary), replica.epoch
    return None


def _on_partitions(core: Core, question: Question, values: Sequence[int], limits: Limits | None) -> tuple[Rows, int]:
    with _texts_dropped(core.dictionary) if question.may_make_texts else nullcontext():
        cells = _walk(core, question, values) if core.runtime.partitions > 1 else None
        if cells is None:
            with within(lambda: core.runtime, limits) if limits else nullcontext():
                work = core.planner.work(core.rules, question.rules, _inserts(values), {}, is_question=True)
                cells = _answers(core.runtime, work, len(question.names))
        return _rows(question, cells, core.dictionary, core.dictionary), core.number


def _walk(core: Core, question: Question, values: Sequence[int]) -> Cells | None:
    from tidelog.engine.read.walk import walk  # imports everything that explains facts

    return walk(core, question, values)


@contextmanager
def _texts_dropped(dictionary: Dictionary) -> Iterator[None]:
    """Drop the dictionary entries of a query when it ends; if memory is short, they may stay."""
    dictionary.begin()
    try:
        yield
    finally:
        with suppress(MemoryError):
            dictionary.drop()


def _rows(question: Question, cells: Cells, made_in: Dictionary, kept_in: Dictionary) -> Rows:
    """The answers, with their own copies of texts made for them, which are dropped from the dictionary."""
    texts = [i for i, type_ in enumerate(question.types) if type_ not in PLAIN]
    shown = made_in.showing(cells[:, texts].ravel().tolist()) if len(texts) and made_in.entries.created() else made_in
    rows = Rows("answers", question.names, question.types, kept_in if shown is made_in else shown, cells)
    rows.own_texts = 0 if shown is made_in else shown.entries.memory
    return rows


def _on_copies(copies: EmbeddedRuntime, question: Question, values: Sequence[int], limits: Limits) -> Cells:
    own, schema, functions = question.own_rules, question.rules.schema, question.rules.functions
    named = {atom.predicate for rule in own.values() for atom in (rule.head, *atoms(rule.body))}
    types = {name: schema[name] for name in named if name in schema}
    forms = tuple(RuleForm(rule, types, value_type(rule, schema, functions)) for rule in own.values())
    arities = {name: len(columns) for name, columns in types.items()}
    strata = StrataChange(group_strata(list(own.values()), ()))
    work = EpochWork(arities, _inserts(values), added=forms, strata=strata, is_question=True)
    copies.set_limits(limits)
    try:
        return _answers(copies, work, len(question.names))
    finally:
        copies.set_limits(Limits())


def _inserts(values: Sequence[int]) -> dict[str, Cells]:
    return {GIVEN: np.array([values], np.int64)} if values else {}


def _answers(runtime: Runtime, work: EpochWork, columns: int) -> Cells:
    with Guard(runtime):
        changes = runtime.run(work).changes
        try:
            return changes.get(ANSWERS, (np.zeros((0, columns), np.int64),))[0]
        finally:
            runtime.rollback()
