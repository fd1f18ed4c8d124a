"""The checker finds every corruption that changes the model or breaks the ranks, and passes every one that does not.

Random programs with random changes give states; each is damaged in every way of `corrupt`. Whether a damaged state is
still valid is decided by the naive evaluator. What this cannot notice: a mistake that the checker and the naive
evaluator share, which is the reason for writing them apart.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.law.harness import Case, commit
from tests.verify.corrupt import Subject, corruptions, is_valid
from tidelog.engine.engine import Engine
from tidelog.errors import ProgramError
from tidelog.program import Rule
from tidelog.program.graph.well_founded import cyclic_relations
from tidelog.verify import verify

SEEDS = 15


def subject(seed: int, kind: str) -> tuple[Subject, tuple[Rule, ...]]:
    """A state after some epochs, and rules that were not added to it."""
    case = Case.random(seed, kind, 3)
    db = Engine(case.program)
    for change in case.changes[:-1]:
        commit(db, change, case.program.convention)
    return Subject(db.program, db.state()), case.changes[-1].add_rules if case.changes else ()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["plain", "all"])
def test_verdict_is_right_for_every_state_and_every_corruption(kind: str) -> None:
    tally: Counter[tuple[str, bool]] = Counter()
    for seed in range(SEEDS):
        start, more = subject(seed, kind)
        assert (verdict := verify(start.program, None, start.state)), f"{seed}: {verdict}"
        assert verify(start.program, start.base(), start.state), seed
        for name, damaged in corruptions(Random(seed), start, more):
            if cyclic_relations(damaged.program.rules):
                continue  # an added rule negates in a cycle: its instances are part of the state, but not of this one
            try:
                verdict = verify(damaged.program, None, damaged.state)
            except ProgramError:  # the rule does not go with the others
                continue
            assert bool(verdict) == is_valid(damaged), f"{kind} {seed}, {name}: {verdict}"
            tally[name, bool(verdict)] += 1
    # The test is worth nothing unless most kinds of damage occur both with and without harm.
    assert tally["fact removed", False] >= SEEDS // 4
    assert tally["fact removed", True] > 0
    assert tally["rank raised", True] > 0
    assert tally["ranks levelled", False] > 0
    assert tally["base mark changed", False] > 0


def test_state_with_other_base_facts_than_those_given_is_refused() -> None:
    start, _ = subject(3, "plain")
    base = start.base()
    name = next(n for n, rows in base.items() if rows)
    fewer = {**base, name: frozenset(list(base[name])[1:])}
    assert not verify(start.program, fewer, start.state)
