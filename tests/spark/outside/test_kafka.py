"""Topics of Kafka in as JSON and Avro, a feed out to a topic, while drivers are killed: every message counts once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.spark.outside.broker import broker
from tests.spark.outside.kits import needs, run
from tidelog import Engine

pytestmark = [pytest.mark.spark, pytest.mark.long, needs("kafka", "broker")]
EDGES, NAMES = 90, [(n, f"name {n}") for n in range(8)]


def drive(function: str, place: Path, *arguments: str, killed_after: float | None = None) -> list[str]:
    return run("kafka", f"tests.spark.outside.kafka.{function}", place, *arguments, killed_after=killed_after)


def test_every_message_counts_once_in_topics_in_and_out(tmp_path: Path) -> None:
    random = Random(11)
    with broker(tmp_path / "broker") as address:
        drive("produce", tmp_path, address, "edges", str(EDGES))
        for _ in range(3):
            drive("maintain", tmp_path, address, killed_after=random.uniform(4.0, 16.0))
        held, called, reach = (
            [tuple(row) for row in json.loads(line)] for line in drive("maintain", tmp_path, address)[1:]
        )
        first = told(drive("show", tmp_path, address))
        (torn,) = drive("tear", tmp_path, address)
        second = told(drive("show", tmp_path, address))
    from tests.spark.outside.kafka import RULES, changes

    counts: Counter[tuple[int, int]] = Counter()
    for a, b, op in changes("edges", EDGES):
        counts[a, b] += 1 if op == "insert" else -1
    assert held == sorted(edge for edge, count in counts.items() if count)
    with Engine(RULES) as twin, twin.epoch() as epoch:
        epoch.insert("edge", held)
        epoch.insert("name", NAMES)
    assert called == sorted(epoch.changes["called"].inserted)
    assert reach == sorted(epoch.changes["reach"].inserted)
    assert sums(first) == dict.fromkeys(reach, 1)
    assert 0 < int(torn) < 15
    assert len(second) == len(first) + 15  # a path of five edges
    assert sums(second) == {**sums(first), **{(100 + a, 101 + b): 1 for a in range(5) for b in range(a, 5)}}


def told(lines: list[str]) -> list[tuple[int, int, int, int]]:
    """The messages, none of which is there twice, with keys that are their facts."""
    found: list[tuple[int, int, int, int]] = []
    for line in lines:
        key, value = json.loads(line)
        fact: dict[str, Any] = {name: value[name] for name in ("X", "Y")}
        assert key == fact
        assert value.keys() == {"X", "Y", "change", "epoch"}
        found.append((value["X"], value["Y"], value["change"], value["epoch"]))
    assert len(set(found)) == len(found)
    return found


def sums(messages: list[tuple[int, int, int, int]]) -> dict[tuple[int, int], int]:
    counts: Counter[tuple[int, int]] = Counter()
    for x, y, change, _ in messages:
        counts[x, y] += change
    return {fact: count for fact, count in counts.items() if count}
