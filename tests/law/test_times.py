"""The law for dates, timestamps and booleans: literals, functions, comparisons and aggregates, on any partitions.

Programs and rules go to the engine as texts, so that printing and reading of the literals take part. Values lie around
1970 and on one day of 2026. What tables bring with them, such as zones, is not tested here.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import Case, run, story
from tests.law.share import share
from tests.law.unkind import engine_on

CASES = share(10, 20)
BLOCK = min(6, CASES)


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_incremental_equals_from_scratch_after_every_epoch(first: int, partitions: int) -> None:
    for seed in range(first, min(first + BLOCK, CASES)):
        case = Case.random(seed + 1000 * partitions, "times")
        try:
            db = run(case, engine_on(partitions)) if partitions > 1 else run(case)
            verdict = db.verify()
            assert verdict, verdict
        except Exception as error:
            raise AssertionError(f"seed {seed}, kind times: {error}\n{case}") from error


def test_messages_may_come_in_any_order_and_in_any_pieces() -> None:
    for seed in range(700, 704):
        run(Case.random(seed, "times"), engine_on(2 + seed % 2, Random(seed)))


def test_a_date_leaves_the_least_of_its_group() -> None:
    story(
        ".decl share(u: symbol, d: date)\n.decl first(u: symbol, d: date)\nfirst(u, min<d>) :- share(u, d).",
        '+share("a", date("2026-06-01")). +share("a", date("1969-12-31")).',
        '-share("a", date("1969-12-31")).',
        '-share("a", date("2026-06-01")).',
    )
