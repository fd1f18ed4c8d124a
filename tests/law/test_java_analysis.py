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
from tidelog.program.elaborate.rename import Renaming
from tidelog.testing.programs import load_program

PROGRAM = Path(__file__).parents[2] / "programs" / "analysis" / "java.dl"
COMPONENTS = PROGRAM.with_suffix("") / "components.dl"
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


def test_the_analysis_made_of_components_finds_the_same() -> None:
    """Under the script of changes too, whose rules are for the relations of the instance there."""
    case, text = load_program(PROGRAM), COMPONENTS.read_text("utf-8")
    derived = {rule.head.predicate for rule in case.start.program.rules} | {
        "primitive",
        "copies",
        "copied",
        "privileged",
    }
    instance = Renaming({name: f"java.{name}" for name in derived}, {})
    facts = {name: set(rows) for name, rows in case.start.relations().items() if name != "primitive"}
    with Engine(PROGRAM.read_text("utf-8")) as flat, Engine(text) as made:
        for db in (flat, made):
            insert(db, facts)
        assert found(made, derived, "java.") == found(flat, derived)
        for step in case.epochs:
            for db, rename in ((flat, lambda value: value), (made, instance)):
                with db.epoch() as epoch:
                    for name, row in step.inserts:
                        epoch.insert(name, [row])
                    for name, row in step.deletes:
                        epoch.delete(name, [row])
                    for rule in step.add_rules:
                        epoch.add_rule(rename(rule))
                    for label in step.remove_labels:
                        epoch.remove_rule(label)
            assert found(made, derived, "java.") == found(flat, derived)
        assert len(flat["points_to"]) == len(made["java.points_to"]) > 0
        assert "java.points_to" in str(made.why(("java.points_to", min(made["java.points_to"]))))


def found(db: Engine, names: set[str], before: str = "") -> dict[str, set]:
    return {name: set(db[before + name]) for name in sorted(names) if before + name in db}


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
