"""The simulator derives the expected tables of every program, under several algorithms and hostile schedules.

What it can notice: an algorithm, a localisation or a schedule that loses or invents a row on these programs. It leaves
out the algorithms that cannot run a program: those that count derivations on cyclic data, and heights on selections.
"""

from functools import cache

import pytest

from tidelog.lab.semantics.algorithm import as_sets, run
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.schedule import schedule_by_name
from tidelog.lab.semantics.traffic import algorithm_by_name, localised
from tidelog.program import Program
from tidelog.syntax import parse_file

from .oracles import ORACLES, PROGRAMS, base_facts, read_changes

SELECTING = {"distance_vector", "link_state", "multicast_tree", "path_vector", "shortest_path", "spanning_tree"}
SELECTING |= {"best_path", "split_horizon", "link_state_routes", "source_routing", "overlay"}
COUNTABLE = {"distance_vector", "hops", "path_vector", "policy_routing", "multicast_tree"}
SCHEDULES = ["fifo", "newest", "random"]


@cache
def program(name: str) -> Program:
    return localised(parse_file(PROGRAMS / f"{name}.dl"))


@cache
def expected(name: str, epochs: int | None):
    return ORACLES[name](base_facts(name, epochs=epochs))


def found(algorithm, relations):
    rows = {relation: set() for relation in relations}
    for tables in as_sets(algorithm.tables()).values():
        for relation in rows.keys() & tables.keys():
            rows[relation] |= tables[relation]
    return rows


def check_every_epoch(name: str, algorithm, schedule) -> None:
    facts = [Fact(relation, row) for relation, rows in base_facts(name).items() for row in sorted(rows, key=str)]
    algorithm.load(program(name), facts)
    script = read_changes(PROGRAMS / name / "changes.dl")
    for done in range(len(script) + 1):
        run(algorithm, schedule)
        wanted = expected(name, done)
        assert found(algorithm, wanted) == wanted, f"after epoch {done}"
        if done < len(script):
            algorithm.apply(Update(1 if sign == "+" else -1, Fact(r, row)) for sign, r, row in script[done])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", sorted(ORACLES))
def test_ranked_support_maintains_every_program(name: str, schedule: str) -> None:
    check_every_epoch(name, algorithm_by_name("ranked"), schedule_by_name(schedule, 7))


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_delete_and_rederive_maintains_every_program(name: str) -> None:
    check_every_epoch(name, algorithm_by_name("dred"), schedule_by_name("fifo"))


@pytest.mark.parametrize("name", sorted(ORACLES.keys() - SELECTING))
def test_heights_maintain_every_program_without_selection(name: str) -> None:
    check_every_epoch(name, algorithm_by_name("heights"), schedule_by_name("random", 3))


@pytest.mark.parametrize("name", sorted(COUNTABLE))
def test_multisets_maintain_every_program_with_finitely_many_derivations(name: str) -> None:
    check_every_epoch(name, algorithm_by_name("psn"), schedule_by_name("random", 5))
