"""A query: its text parsed as a rule, checked against the rules in force, and the method of answering it.

Law: a query is a rule whose head contains its variables, in order of appearance; variables with given values are the
columns of one more relation in its body, which holds one row. A prepared query is valid until the rules or types of the
engine change. A query of one relation, with only constants and variables, needs no rule: it is a look-up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tidelog.engine.core.core import Core
from tidelog.engine.read.look_up import matching
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.ids import symbol_id
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Atom, Const, Rule, Var, Wildcard
from tidelog.program.elaborate.read_undefined import true_reading
from tidelog.program.functions.arguments import must_be
from tidelog.program.values.scope import atoms, literal_variables
from tidelog.rewrite.names import QUESTION, is_auxiliary
from tidelog.syntax import parse_body
from tidelog.syntax.prefixes import Prefixes

ANSWERS, GIVEN = f"{QUESTION}answers", f"{QUESTION}given"
PLAIN = frozenset(("number", "unsigned", "float", "boolean", "date", "timestamp"))  # types whose cells are not ids
REMEMBERED = 512  # questions
_FIRST_MARK, _LAST_MARK = re.compile(r"\A\s*\?-?"), re.compile(r"(?<=\))\s*\?\s*\.?\s*$")


@lru_cache(maxsize=1024)
def read_query(text: str, convention: str, prefixes: Prefixes = ()) -> tuple[Rule, tuple[str, ...]]:
    """The rule of a query and the names of its variables."""
    must_be(text, str, "text", "a query such as `reach(0, X)`")
    body = parse_body(_without_mark(text), convention=convention, prefixes=prefixes)
    found: list[Var] = []
    for literal in body:
        literal_variables(literal, found)
    variables = list(dict.fromkeys(found))
    head = Atom(ANSWERS, tuple(variables))
    return Rule(head, body, ANSWERS), tuple(v.name for v in variables)


def _without_mark(text: str) -> str:
    """A question without the marks of a prompt: `?p(X)`, Prolog's `?- p(X).`, or `p(X)?`.

    >>> _without_mark("?- p(X)."), _without_mark("p(X)?"), _without_mark("?p(X) ?.")
    ('   p(X).', 'p(X)', ' p(X)')
    """
    text = _LAST_MARK.sub("", text)
    return _FIRST_MARK.sub(lambda found: " " * len(found[0]), text, count=1)


@dataclass(frozen=True, slots=True)
class LookUp:
    """A query of one relation: the columns that are bound, by a cell or by the place of a given value.

    ``answers`` are the columns of the answer, ``same`` pairs of columns that must agree; if a column is in neither,
    several facts may have the same answer.
    """

    relation: str
    columns: tuple[int, ...]
    key: tuple[int, ...]
    parameters: tuple[tuple[int, int], ...]  # place in the key, and number of the given value
    answers: tuple[int, ...]
    same: tuple[tuple[int, int], ...]
    is_whole: bool  # no two facts have the same answer

    def answer(self, core: Core, values: Sequence[int]) -> Cells:
        """The rows of the answer."""
        key = list(self.key)
        for place, which in self.parameters:
            key[place] = values[which]
        found = matching(core, self.relation, self.columns, key)
        for one, other in self.same:
            found = found[found[:, one] == found[:, other]]
        if not self.answers:
            return np.zeros((min(1, len(found)), 0), np.int64)
        found = found[:, list(self.answers)]
        return found if self.is_whole or len(found) < 2 else np.unique(found, axis=0)


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is ready to run; it was checked against the rules ``base``; ``rules`` include its own."""

    names: tuple[str, ...]
    base: Ruleset
    rules: Ruleset
    look_up: LookUp | None = None
    may_make_texts: bool = True  # whether its evaluation could enter texts, records or lists into the dictionary

    @property
    def types(self) -> tuple[str | None, ...]:
        """The types of the columns of the answer."""
        return self.rules.schema[ANSWERS]

    @property
    def parameter_types(self) -> tuple[str | None, ...]:
        """The types of the given values."""
        return self.rules.schema.get(GIVEN, ())

    @property
    def own_rules(self) -> dict[str, Rule]:
        """The rules that only the question needs."""
        return {label: rule for label, rule in self.rules.core.items() if label not in self.base.core}


def make_ready(core: Core, rule: Rule, bind: tuple[str, ...], also: tuple[Rule, ...] = ()) -> Question:
    """Prepare a question for the rules in force; ``rule`` has all its variables in the head, and may need others."""
    known = core.questions.get((rule, bind, also))
    if isinstance(known, Question) and known.base is core.rules:
        return known
    base = core.rules
    names = tuple(arg.name for arg in rule.head.args if isinstance(arg, Var) and arg.name not in bind)
    body = (Atom(GIVEN, tuple(map(Var, bind)), span=rule.head.span), *rule.body) if bind else rule.body
    asked = replace(rule, head=replace(rule.head, args=tuple(map(Var, names))), body=body)
    asked = replace(asked, body=true_reading(body, base.schema)) if base.cyclic else asked
    arities = {ANSWERS: len(names), **({GIVEN: len(bind)} if bind else {})}
    arities |= {each.head.predicate: len(each.head.args) for each in also}
    rules = base.asking((*also, asked), arities)
    found = Question(names, base, rules)
    own = list(found.own_rules.values())
    makes_none = base.demand is None and all(map(_makes_no_texts, own))  # on demand, other rules derive more
    found = replace(found, look_up=_look_up(found, own, core.dictionary), may_make_texts=not makes_none)
    if len(core.questions) >= REMEMBERED:
        core.questions.clear()
    core.questions[rule, bind, also] = found
    return found


def _makes_no_texts(rule: Rule) -> bool:
    """Whether a rule only joins facts, and has no constants that are kept in the dictionary."""
    terms = [*rule.head.args]
    for literal in rule.body:
        if not isinstance(literal, Atom):
            return False
        terms += literal.args
    return all(isinstance(t, Var | Wildcard) or (isinstance(t, Const) and t.type in PLAIN) for t in terms)


def _look_up(question: Question, rules: Sequence[Rule], dictionary: Dictionary) -> LookUp | None:
    """How to look up the answers of these rules; None if that is impossible."""
    if len(rules) != 1 or not all(isinstance(literal, Atom) for literal in rules[0].body):
        return None
    named = [atom for atom in atoms(rules[0].body) if atom.predicate != GIVEN]
    if len(named) != 1 or is_auxiliary(named[0].predicate) or named[0].predicate not in question.base.schema:
        return None
    if named[0].predicate in question.base.restricted | question.rules.restricted:  # holds only what was demanded
        return None
    if not all(isinstance(arg, Var | Wildcard | Const) for arg in named[0].args):
        return None
    given = [arg for atom in atoms(rules[0].body) if atom.predicate == GIVEN for arg in atom.args]
    return _look_up_atom(named[0], given, list(rules[0].head.args), dictionary)


def _look_up_atom(
    atom: Atom, parameters: Sequence[object], head: Sequence[object], dictionary: Dictionary
) -> LookUp | None:
    first: dict[object, int] = {}
    bound: list[tuple[int, int, int]] = []  # column, cell, number of the given value
    same, loose = [], False
    for column, arg in enumerate(atom.args):
        if isinstance(arg, Const):
            # Looking for a text does not enter it into the dictionary.
            cell = symbol_id(arg.value) if isinstance(arg.value, str) else dictionary.encode(arg.value, arg.type)
            bound.append((column, cell, -1))
        elif arg in parameters:
            bound.append((column, 0, parameters.index(arg)))
        elif isinstance(arg, Var) and arg in first:
            same.append((first[arg], column))
        else:
            first[arg] = column
            loose |= arg not in head
    if not {*head, *parameters} <= {*first, *(arg for arg in atom.args if arg in parameters)}:
        return None
    return LookUp(
        atom.predicate,
        tuple(column for column, _, _ in bound),
        tuple(cell for _, cell, _ in bound),
        tuple((place, which) for place, (_, _, which) in enumerate(bound) if which >= 0),
        tuple(first[arg] for arg in head),
        tuple(same),
        not loose,
    )
