"""The expected tables of `programs/network` are right: each is computed again by an algorithm that reads no rule.

The files under `expected/` belong to the topology, those under `expected_after/` to the state at the end of the script.
"""

import pytest

from .oracles import ORACLES, PROGRAMS, base_facts, table_text

PARTS = {"topology.dl", "changes.dl", "expected", "expected_after"}


def tables_on_file(name: str, folder: str) -> dict[str, str]:
    return {path.stem: path.read_text() for path in sorted((PROGRAMS / name / folder).glob("*.csv"))}


@pytest.mark.parametrize("name", sorted(ORACLES))
@pytest.mark.parametrize(("folder", "epochs"), [("expected", 0), ("expected_after", None)])
def test_expected_tables_are_those_of_the_independent_computation(name: str, folder: str, epochs: int | None) -> None:
    tables = ORACLES[name](base_facts(name, epochs=epochs))
    assert tables_on_file(name, folder) == {relation: table_text(rows) for relation, rows in tables.items()}


def test_every_program_has_topology_changes_and_oracle() -> None:
    programs = {path.stem for path in PROGRAMS.glob("*.dl")}
    assert programs == set(ORACLES)
    for name in programs:
        assert {"topology.dl", "changes.dl", "expected", "expected_after"} == {
            p.name for p in (PROGRAMS / name).iterdir()
        }


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_script_changes_at_least_one_table(name: str) -> None:
    assert tables_on_file(name, "expected") != tables_on_file(name, "expected_after")
