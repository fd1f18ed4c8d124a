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
    for part, kills in (("first", 2), ("second", 1), ("third", 0)):
        drive("change", tmp_path, part, "8")
        for _ in range(kills):
            drive("maintain", tmp_path, killed_after=random.uniform(0.0, 12.0))
        if part == "second":
            drive("maintain", tmp_path)
    held = [tuple(row) for row in json.loads(drive("maintain", tmp_path)[1])]
    edges, reachable = ([tuple(row) for row in json.loads(line)] for line in drive("show", tmp_path))
    assert held == edges
    with Engine(delta.REACH) as twin, twin.epoch() as epoch:
        epoch.insert("edge", edges)
    assert reachable == sorted(epoch.changes["reach"].inserted)
    assert len(reachable) > len(edges) > 5
