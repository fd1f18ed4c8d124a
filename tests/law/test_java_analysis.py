"""The Java analysis under change: any part of its facts gone, the views are those of a machine that never had them.

Can notice: a fault in deletion, insertion or placement that needs many relations in one stratum. The judge walks the
program as the virtual machine does and reads no rule. Cannot notice: what only many facts bring about.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from tests.testing.answers.java import java
from tidelog import Engine
from tidelog.testing.programs import load_program

PROGRAM = Path(__file__).parents[2] / "programs" / "analysis" / "java.dl"
BODIES = ("Assign", "Load", "Store", "Return", "Static", "Special", "Virtual", "Actual")
"""How relations begin whose facts are what method bodies say: any of them may be missing."""


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_any_statements_may_go_and_come_back(seed: int, partitions: int) -> None:
    rng, case = Random(seed), load_program(PROGRAM)
    whole = {name: set(rows) for name, rows in case.start.relations().items()}
    present = {name: set(rows) for name, rows in whole.items()}
    with Engine(PROGRAM.read_text("utf-8"), partitions=partitions) as db:
        insert(db, {name: rows for name, rows in whole.items() if name != "primitive"})
        for _ in range(5):
            gone, back = changes(rng, whole, present)
            with db.epoch() as epoch:
                for name, rows in gone.items():
                    epoch.delete(name, list(rows))
                for name, rows in back.items():
                    epoch.insert(name, list(rows))
            for name in whole:
                present[name] = (present[name] - gone.get(name, set())) | back.get(name, set())
            expected = java(defaultdict(frozenset, present), after=False)
            assert {name: set(db[name]) for name in expected} == expected


def insert(db: Engine, facts: dict[str, set]) -> None:
    with db.epoch() as epoch:
        for name, rows in facts.items():
            epoch.insert(name, sorted(rows))


def changes(rng: Random, whole: dict[str, set], present: dict[str, set]) -> tuple[dict[str, set], dict[str, set]]:
    """Some present facts of bodies, and some absent ones."""
    gone, back = {}, {}
    for name in sorted(whole):
        if name.startswith(BODIES):
            gone[name] = {row for row in sorted(present[name]) if rng.random() < rng.choice((0.02, 0.3))}
            back[name] = {row for row in sorted(whole[name] - present[name]) if rng.random() < 0.6}
    return gone, back
