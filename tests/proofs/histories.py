"""States of the engine after changes of facts and rules, for programs that the extracted checker supports."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.law.harness import commit
from tidelog.engine.engine import Engine
from tidelog.program import Program
from tidelog.program.values.state import EngineState
from tidelog.testing import random_changes, random_program

CORE = frozenset(
    {
        "comparisons",
        "constants",
        "declarations",
        "derived_facts",
        "disjunction",
        "duplicate_rules",
        "labelled_facts",
        "negated_wildcards",
        "negation",
        "nullary",
        "recursion",
        "rule_changes",
        "self_joins",
        "text_facts",
        "wildcards",
    }
)


def random_history(seed: int, partitions: int = 1, epochs: int = 4) -> Iterator[tuple[Program, EngineState]]:
    """Program and state of a random program at its start and after each of some epochs."""
    rng = Random(seed)
    program = random_program(rng, CORE)
    changes = random_changes(rng, program, epochs, CORE)
    with Engine(program, partitions=partitions) as db:
        yield db.program, db.state()
        for change in changes:
            commit(db, change, program.convention)
            yield db.program, db.state()
