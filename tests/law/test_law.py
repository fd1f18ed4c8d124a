"""The central law: incremental equals from scratch, after every epoch, under changes of facts and of rules.

Random programs (all features of the language) and random epochs go to the engine and to the naive evaluator.
After every epoch: equal facts; I1 and I2 recomputed from outside; the change feed is the difference of the two models.
The same net change is also applied in one batch, one by one and in shuffled order (D3): equal facts and `all` counts.

What this notices: any wrong fact, count or rank order of small programs, whatever the schedule of joins that led there.
What it cannot notice: what both sides have in common (parser, checks, the meaning of functions, the rewrites as far as
`violations` reads core rules); what needs many facts (growth of large tables, slices of long epochs: see
`test_slices.py`); time and memory; ranks themselves, which are checked for validity and never compared.

TIDELOG_CASES says how many cases of each kind (default 40; the laws of single features take a share: `share.py`),
TIDELOG_SEED from which seed on. A failure names its seed: `python -m tests.law.soak --seed N --kind KIND` repeats and
shrinks it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest

from tests.law.harness import Case, check_against, commit, counts_of, run
from tests.law.share import CASES
from tidelog.engine.engine import Engine
from tidelog.testing import EpochChanges, State, states

FIRST = int(os.environ.get("TIDELOG_SEED", "0"))
BLOCK = 20  # seeds per test: small enough to spread over cores
BLOCKS = range(FIRST, FIRST + CASES, BLOCK)


def seeds(first: int) -> range:
    return range(first, min(first + BLOCK, FIRST + CASES))


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", BLOCKS)
def test_incremental_equals_from_scratch_after_every_epoch(first: int, kind: str) -> None:
    for seed in seeds(first):
        case = Case.random(seed, kind)
        try:
            run(case)
        except Exception as error:
            raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", BLOCKS[::8])
def test_batching_and_order_do_not_matter(first: int, kind: str) -> None:
    for seed in seeds(first):
        case = Case.random(10**6 + seed, kind, epochs=3)
        try:
            compare_orders(case, Random(seed))
        except Exception as error:
            raise AssertionError(f"seed {10**6 + seed}, kind {kind}: {error}\n{case}") from error


def compare_orders(case: Case, rng: Random) -> None:
    """The net change of a case in one batch, one by one, shuffled, and as the case itself says."""
    start, end = (states(State.start(case.program), case.changes))[:: len(case.changes)]
    units = net_change(start, end)
    shuffled = rng.sample(units, k=len(units))
    model, expected = end.model(), None
    for sequence in (case.changes, [joined(units)], units, shuffled, in_groups(shuffled, rng)):
        db = Engine(case.program)
        for change in sequence:
            commit(db, change, case.program.convention)
        check_against(db, model)
        counts = counts_of(db)
        assert expected is None or counts == expected
        expected = counts


def net_change(start: State, end: State) -> list[EpochChanges]:
    """One change per fact, and the rules all at once: in between they might not be stratified."""
    rules = EpochChanges(
        add_rules=tuple(rule for rule in end.program.rules if rule not in start.program.rules),
        remove_labels=tuple(str(rule.label) for rule in start.program.rules if rule not in end.program.rules),
    )
    come = [EpochChanges(inserts=(fact,)) for fact in sorted(end.facts - start.facts, key=repr)]
    gone = [EpochChanges(deletes=(fact,)) for fact in sorted(start.facts - end.facts, key=repr)]
    return [*come, *gone, *([rules] if rules else [])]


def joined(changes: list[EpochChanges]) -> EpochChanges:
    parts = ("inserts", "deletes", "add_rules", "remove_labels")
    return replace(EpochChanges(), **{part: tuple(x for c in changes for x in getattr(c, part)) for part in parts})


def in_groups(changes: list[EpochChanges], rng: Random) -> list[EpochChanges]:
    groups: list[list[EpochChanges]] = [[]]
    for change in changes:
        if rng.random() < 0.3:
            groups.append([])
        groups[-1].append(change)
    return [joined(group) for group in groups]
