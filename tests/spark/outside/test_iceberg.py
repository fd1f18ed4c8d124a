"""An Iceberg table in by its changes, a view of it out by MERGE, while drivers are killed; snapshots that expire."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.spark.outside import iceberg
from tests.spark.outside.kits import needs, run
from tidelog import Engine

pytestmark = [pytest.mark.spark, pytest.mark.long, needs("iceberg")]


def drive(function: str, place: Path, *arguments: str, killed_after: float | None = None) -> list[str]:
    return run("iceberg", f"{iceberg.__name__}.{function}", place, *arguments, killed_after=killed_after)


def test_every_row_of_an_iceberg_table_counts_once_in_a_merged_view(tmp_path: Path) -> None:
    random = Random(7)
    for number in range(2):
        drive("maintain", tmp_path, f"killed {number}", "30", killed_after=random.uniform(10.0, 30.0))
    held, edges, reachable = map(json.loads, drive("maintain", tmp_path, "last", "4")[1:])
    assert held == edges
    with Engine(iceberg.REACH) as twin, twin.epoch() as epoch:
        epoch.insert("edge", [tuple(row) for row in edges])
    assert [tuple(row) for row in reachable] == sorted(epoch.changes["reach"].inserted)
    assert len(reachable) > len(edges) > 3


def test_snapshots_that_expired_before_they_were_read_are_an_error(tmp_path: Path) -> None:
    drive("maintain", tmp_path, "once", "1")
    assert drive("expire", tmp_path) == ["TL5204", "[[100, 101], [101, 102]]"]
