"""A Delta table in by its change feed, a view of it out by MERGE, while drivers are killed."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.spark.outside import delta
from tests.spark.outside.kits import needs, run
from tidelog import Engine

pytestmark = [pytest.mark.spark, pytest.mark.long, needs("delta")]


def drive(function: str, place: Path, *arguments: str, killed_after: float | None = None) -> list[str]:
    return run("delta", f"{delta.__name__}.{function}", place, *arguments, killed_after=killed_after)


def test_every_row_of_a_delta_table_counts_once_in_a_merged_view(tmp_path: Path) -> None:
    random = Random(5)
    for number in range(2):
        drive("maintain", tmp_path, f"killed {number}", "30", killed_after=random.uniform(10.0, 30.0))
    held, edges, reachable = (
        [tuple(row) for row in json.loads(line)] for line in drive("maintain", tmp_path, "last", "4")[1:]
    )
    assert held == edges
    with Engine(delta.REACH) as twin, twin.epoch() as epoch:
        epoch.insert("edge", edges)
    assert reachable == sorted(epoch.changes["reach"].inserted)
    assert len(reachable) > len(edges) > 3
