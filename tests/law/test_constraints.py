"""Constraints under random histories: an epoch is refused exactly if the judge says that it violates one.

Random programs as in `test_law.py`; bodies of some of their rules become constraints, at the start or on the way, that
refuse or warn. The judge evaluates every constraint from scratch, over the facts and rules after the epoch. A refused
epoch leaves no trace, and the error names every violated constraint with the number of violations; one that is not
refused is an epoch like any other.
What this notices: a violation that is missed or made up, a wrong count, a trace of what was refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.law.harness import Case, check, commit
from tests.law.share import share
from tidelog import ConstraintError, ConstraintWarning, Engine, ProgramError
from tidelog.program import Constraint, Program, Rule
from tidelog.program.graph.constraint import constraint_rule
from tidelog.program.values.rule import REFUSE, WARN
from tidelog.program.values.term import Aggregate
from tidelog.testing import EpochChanges, State, violations

CASES = share(12, 8)
BLOCK = min(5, CASES)


def random_constraints(rng: Random, program: Program) -> list[Rule]:
    """Constraints with the bodies of rules; nothing reads them, so that any program stays stratified."""
    plain = [r for r in program.rules if r.body and not any(isinstance(a, Aggregate) for a in r.head.args)]
    chosen = rng.sample(plain, k=min(len(plain), rng.randint(1, 4)))
    return [
        constraint_rule(rule.body, f"c{i}", Constraint(rng.choice([REFUSE, REFUSE, WARN])))
        for i, rule in enumerate(chosen)
    ]


def found(state: State) -> dict[tuple[str, str], int]:
    """How often each constraint of a state is violated, by label and severity."""
    severities = {r.label: r.constraint.severity for r in state.program.rules if r.constraint is not None}
    counts = violations(state.program, state.relations())
    return {(label, severities[label]): len(rows) for label, rows in counts.items() if rows}


def governed(case: Case, rng: Random) -> Case:
    """A case with constraints: those that hold at the start stand there, the others come on the way."""
    start = State.start(case.program)
    constraints = random_constraints(rng, case.program)
    program, changes = case.program, list(case.changes)
    for rule in constraints:
        violated = found(State(replace(program, rules=(*program.rules, rule), facts=()), start.facts))
        if (rule.label, REFUSE) not in violated and rng.random() < 0.7:
            program = replace(program, rules=(*program.rules, rule))
        else:
            at = rng.randrange(len(changes))
            changes[at] = replace(changes[at], add_rules=(*changes[at].add_rules, rule))
    return Case(program, tuple(changes))


def run_governed(case: Case, make: Callable[[Program], Engine]) -> tuple[int, int]:
    """The law on one case; how many epochs were refused, and how many violations were warned of."""
    state, refused, warned = State.start(case.program), 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstraintWarning)
        db = make(case.program)
    for change in case.changes:
        gone = {label for label in change.remove_labels if label not in {r.label for r in state.program.rules}}
        change = replace(change, remove_labels=tuple(label for label in change.remove_labels if label not in gone))
        after, before = state.after(change), db.state()
        expected = found(after)
        try:
            told, broken = attempt(db, change, case.program.convention)
        except ProgramError:  # what was made to follow an epoch that is refused may not fit without it
            assert refused
            assert db.state() == before
            continue
        assert broken == {label: count for (label, severity), count in expected.items() if severity == REFUSE}
        if broken:
            refused += 1
            assert db.state() == before
            continue
        old = found(state)
        assert told >= {label for (label, severity) in expected.keys() - old.keys() if severity == WARN}
        warned, state = warned + len(told), after
        check(db, state)
        assert db.verify()
    assert all(not name.startswith("__") for name in db.relations)
    db.close()
    return refused, warned


def attempt(db: Engine, change: EpochChanges, convention: str) -> tuple[set[str], dict[str, int]]:
    """Commit; the constraints that were warned of, and those that refused it with their counts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            epoch = commit(db, change, convention)
        except ConstraintError as error:
            return set(), {violated.constraint: violated.count for violated in error.violations}
    assert len([w for w in caught if w.category is ConstraintWarning]) == len(epoch.violations)
    return {violated.constraint for violated in epoch.violations}, {}


@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("partitions", [1, 3])
def test_an_epoch_is_refused_exactly_if_it_violates_a_constraint(first: int, kind: str, partitions: int) -> None:
    refused = 0
    for seed in range(first, min(first + BLOCK, CASES)):
        rng = Random(seed)
        case = governed(Case.random(7 * 10**6 + seed, kind), rng)
        try:
            refused += run_governed(case, lambda program: Engine(program, partitions=partitions))[0]
        except Exception as error:
            raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error
    assert refused  # else nothing was tried


def test_constraints_go_on_after_a_restart(tmp_path: Path) -> None:
    for seed in range(4):
        case = governed(Case.random(8 * 10**6 + seed, "plain"), Random(seed))
        folder = tmp_path / str(seed)

        def reopened(program: Program, folder: Path = folder) -> Engine:
            Engine(program, path=folder).close()
            return Engine(path=folder)

        run_governed(case, reopened)
