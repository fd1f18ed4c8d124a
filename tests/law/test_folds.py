"""The law on folds: compiled groups beside groups in Python, on the same random programs.

Programs with all features count, add up, average and choose over facts that are added and removed. Both ways are
compared with the naive evaluator after every epoch, and with each other: facts and numbers of supports. That programs
fold at all is counted.
"""

from __future__ import annotations

from contextlib import nullcontext
from random import Random
from unittest.mock import patch

import pytest

from tests.law.harness import Case, counts_of, run
from tests.law.plain_folds import PlainGroups, plain_folds
from tests.law.share import share
from tests.law.test_rollback import run_with_trouble
from tests.law.unkind import engine_on
from tidelog.partition.memory.groups import Groups

BLOCK = 8


def cases(first: int) -> list[tuple[int, Case]]:
    return [(seed, Case.random(seed, "all")) for seed in range(13 * 10**6 + first, 13 * 10**6 + first + BLOCK)]


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("first", range(0, share(16, 16), BLOCK))
def test_compiled_and_plain_folds_lead_to_the_same_facts_and_counts(first: int, partitions: int) -> None:
    for seed, case in cases(first):
        make = engine_on(partitions)
        try:
            compiled = counts_of(run(case, make))
            with plain_folds():
                plain = counts_of(run(case, make))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}\n{case}") from error
        assert compiled == plain, f"seed {seed}\n{case}"


@pytest.mark.parametrize("plain", [True, False])
def test_failed_epochs_leave_no_trace_in_groups(plain: bool) -> None:
    with plain_folds() if plain else nullcontext():
        failed = [run_with_trouble(Case.random(seed, "all"), Random(seed)) for seed in range(3300, 3306)]
    assert sum(failed) > 10


@pytest.mark.parametrize("kind", [Groups, PlainGroups])
def test_random_programs_fold(kind: type[Groups] | type[PlainGroups]) -> None:
    with (
        plain_folds() if kind is PlainGroups else nullcontext(),
        patch.object(kind, "begin", autospec=True, side_effect=kind.begin) as begun,
    ):
        for _, case in cases(0):
            run(case)
    assert begun.call_count > 10
