"""Runs of cases: a separate engine, one epoch after another, and the expectations that do not hold.

Law: a case passes if everything under each ``then:`` holds. An epoch that is refused fails the case, unless the case
expects that; the state is then as before the epoch. A relation that the program does not know is a mistake.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidelog.engine.base.facts import written_rows
from tidelog.engine.engine import Engine
from tidelog.engine.read.view import fact_writer
from tidelog.engine.write.script import take_script
from tidelog.errors import ConstraintError, TidelogError, TidelogWarning
from tidelog.io.fact_text import FactWriter
from tidelog.program import SOUFFLE, Atom, Program, Wildcard
from tidelog.program.functions.calendar import in_utc
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.types.ground import ground_value, in_column
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.syntax import Epoch, FactChange, InstanceAdded, RuleAdded, print_atom
from tidelog.trial.cases import CONTAINS, EMPTY, EQUALS, GOLDEN, LACKS, REFUSED, Case, Expectation
from tidelog.trial.golden import Golden

Row = tuple[Any, ...]
Rows = Mapping[str, frozenset[Row]]
SHOWN = 8
ANYTHING = object()


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a test: a program, the rows of its files, its functions."""

    program: Program
    data: Sequence[tuple[str, Any]] = ()
    functions: tuple[Function, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpectationFailure:
    """An expectation that does not hold: its line, and the actual result."""

    line: int
    message: str


@dataclass(slots=True)
class Outcome:
    """The result of a case; for coverage, the rules and facts ``seen`` after each step and the refusing constraints."""

    case: Case
    broken: list[ExpectationFailure] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    seen: list[tuple[Program, Rows]] = field(default_factory=list)
    refusals: set[str] = field(default_factory=set)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return not self.broken


def run_case(case: Case, subject: Subject, golden: Golden | None = None, *, watched: bool = True) -> Outcome:
    """Run a case; ``watched``: keep the data from which coverage is computed."""
    outcome = Outcome(case)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TidelogWarning)  # reported by `tidelog check`
        try:
            _Run(case, subject, golden, outcome, watched).run()
        except TidelogError as error:
            outcome.broken.append(ExpectationFailure(case.line, str(error)))
    return outcome


@dataclass(slots=True)
class _Run:
    case: Case
    subject: Subject
    golden: Golden | None
    outcome: Outcome
    watched: bool

    def run(self) -> None:
        with Engine(self.subject.program, functions=self.subject.functions) as db:
            given = _by_relation(self.case.given)
            self._know(db, given)
            with db.epoch() as epoch:
                for name, rows in self.subject.data:
                    epoch.insert(name, rows)
                for name, rows in given.items():
                    epoch.write(1, name, written_rows(name, rows))
            self._watch(db)
            for number, step in enumerate(self.case.steps, 1):
                refusal = self._apply(db, step.epochs)
                self._compare(db, number, step.then, refusal)
                self._watch(db)

    def _apply(self, db: Engine, epochs: Iterable[Epoch]) -> TidelogError | None:
        """Apply the epochs up to the first that is refused; returns the reason."""
        for changes in epochs:
            self._know(db, [change.atom.predicate for change in changes if isinstance(change, FactChange)], changes)
            try:
                with db.epoch() as epoch:
                    take_script(epoch, tuple(changes))
            except TidelogError as error:
                self.outcome.refusals |= refused_by(error)
                return error
        return None

    def _know(self, db: Engine, names: Iterable[str], changes: Epoch = ()) -> None:
        """Refuse a relation that neither the program nor the rules of the epoch name, as a mistake of the case."""
        added = [change.rule for change in changes if isinstance(change, RuleAdded)]
        known = {atom.predicate for rule in added for atom in (rule.head, *atoms(rule_literals(rule)))}
        instances = any(isinstance(change, InstanceAdded) for change in changes)
        for name in dict.fromkeys(names):
            if name not in db and name not in known and not instances:
                self.outcome.broken.append(ExpectationFailure(self.case.line, f"the program has no relation `{name}`"))

    def _compare(self, db: Engine, number: int, then: Sequence[Expectation], refusal: TidelogError | None) -> None:
        if refusal is not None and not any(expected.verb == REFUSED for expected in then):
            line = then[0].line if then else self.case.line
            self.outcome.broken.append(ExpectationFailure(line, f"an epoch was refused: {refusal}"))
        for expected in then:
            message = self._difference(db, number, expected, refusal)
            if message:
                self.outcome.broken.append(ExpectationFailure(expected.line, message))

    def _difference(self, db: Engine, number: int, expected: Expectation, refusal: TidelogError | None) -> str:
        if expected.verb == REFUSED:
            return refused_otherwise(expected.name, refusal)
        rows = {name: frozenset(db[name]) for name in {expected.name, *(a.predicate for a in expected.atoms)}}
        if expected.verb == GOLDEN:
            return self._golden(number, expected.name, rows[expected.name])
        return difference(expected, rows, {name: fact_writer(db[name], name, db.convention) for name in rows})

    def _golden(self, number: int, name: str, rows: frozenset[Row]) -> str:
        if self.golden is None:
            return ""
        message, written = self.golden.compare(self.case.name, number, name, rows)
        self.outcome.accepted += written
        return message

    def _watch(self, db: Engine) -> None:
        if self.watched:
            names = db.relations
            self.outcome.seen.append((db.program, {name: frozenset(db[name]) for name in names}))


def _row(atom: Atom, types: Sequence[str | None] = ()) -> Row:
    """The values of a written fact, `_` for any, with the types of the columns, if they are known."""
    row = [ANYTHING if isinstance(t, Wildcard) else ground_value(t, FUNCTIONS) for t in atom.args]
    if len(types) != len(row):
        return tuple(row)
    return tuple(v if v is ANYTHING else in_utc(in_column(v, t)) for v, t in zip(row, types, strict=True))


def _by_relation(atoms: Iterable[Atom]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for atom in atoms:
        found.setdefault(atom.predicate, []).append(_row(atom))
    return found


def difference(expected: Expectation, rows: Rows, writers: Mapping[str, FactWriter]) -> str:
    """The difference from an expectation about views; the empty text if it holds."""
    if expected.verb == EMPTY:
        found = rows[expected.name]
        return f"{expected.name} is not empty: {_list_facts(map(writers[expected.name], found))}" if found else ""
    wanted = {atom: _row(atom, writers[atom.predicate].types) for atom in expected.atoms}
    if expected.verb == EQUALS:
        return _unequal(rows[expected.name], wanted, writers[expected.name])
    messages = []
    for atom, row in wanted.items():
        there = [found for found in rows[atom.predicate] if _fits(found, row)]
        if expected.verb == CONTAINS and not there:
            messages.append(f"{print_atom(atom, writers[atom.predicate].convention or SOUFFLE)} is missing")
        elif expected.verb == LACKS and there:
            messages.append(f"{_list_facts(map(writers[atom.predicate], there))} should not be present")
    return "; ".join(messages)


def _unequal(rows: frozenset[Row], expected: Mapping[Atom, Row], write: FactWriter) -> str:
    convention = write.convention or SOUFFLE
    missing = [atom for atom, row in expected.items() if not any(_fits(found, row) for found in rows)]
    extra = [found for found in rows if not any(_fits(found, row) for row in expected.values())]
    parts = [([print_atom(atom, convention) for atom in missing], "missing")]
    parts.append((list(map(write, extra)), "should not be present"))
    return "; ".join(f"{_list_facts(texts)} {word}" for texts, word in parts if texts)


def _fits(row: Row, pattern: Row) -> bool:
    pairs = zip(row, pattern, strict=True)
    return len(row) == len(pattern) and all(w is ANYTHING or f is w or f == w for f, w in pairs)  # NaN equals itself


def _list_facts(facts: Iterable[str]) -> str:
    texts = sorted(facts)
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + more


def refused_by(refusal: TidelogError) -> set[str]:
    """The constraints that refused an epoch."""
    return {violated.constraint for violated in refusal.violations} if isinstance(refusal, ConstraintError) else set()


def refused_otherwise(by: str, refusal: TidelogError | None) -> str:
    """The difference from an expected refusal by a code or a name."""
    if refusal is None:
        return "no epoch was refused"
    names = {refusal.code, *re.findall(r"`([^`]*)`", str(refusal))}
    names |= refused_by(refusal)
    return "" if not by or by in names else f"the epoch was refused for another reason: {refusal}"
