"""State folders whose ranks are plain clocks, as they were before ranks had depths, open and go on.

The folders in `old/` were written by the code of that time: an embedded engine and one with two partitions, each with a
snapshot, epochs after it, a merge of strata, min inside recursion and negation.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tidelog import Engine
from tidelog.program.functions.table import FUNCTIONS
from tidelog.testing.invariants import violations

OLD = Path(__file__).parent / "old"
NEW_RULES = 6
CHANGES = (
    ("delete", "edge", [(1, 4)]),
    ("insert", "edge", [(1, 2), (3, 4)]),
    ("delete", "edge", [(4, 2), (5, 6)]),
    ("insert", "edge", [(7, 1)]),
    ("delete", "source", [(1,)]),
    ("insert", "source", [(6,)]),
    ("delete", "edge", [(1, 2), (2, 3)]),
)


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    found = tmp_path / request.param
    shutil.copytree(OLD / request.param, found)
    return found


def facts(db: Engine) -> dict[str, list[tuple[object, ...]]]:
    return {name: sorted(db[name]) for name in db.relations}


def fresh(db: Engine) -> Engine:
    """An engine that is given the rules and the asserted facts of another at once."""
    made = Engine(db.program)
    asserted = {n: [row for row, fact in held.items() if fact.base] for n, held in db.state().facts.items()}
    with made.epoch() as e:
        for name in made.relations:
            e.insert(name, asserted.get(name, []))
    return made


@pytest.mark.parametrize("folder", ["alone", "pieces"], indirect=True)
def test_old_state_folder_opens_and_goes_on(folder: Path) -> None:
    partitions = 2 if folder.name == "pieces" else None
    with Engine(path=folder, partitions=partitions) as db:
        assert len(db.rules) == NEW_RULES
        assert len(db["reach"]) == 28
        for kind, name, rows in CHANGES:
            with db.epoch() as e:
                getattr(e, kind)(name, rows)
            assert not violations(db.state(), FUNCTIONS)
            assert facts(db) == facts(fresh(db)), (kind, name, rows)
        last = facts(db)
    with Engine(path=folder, partitions=partitions) as db:
        assert facts(db) == last


@pytest.mark.parametrize("folder", ["alone", "pieces"], indirect=True)
def test_every_epoch_of_an_old_state_folder_can_still_be_read(folder: Path) -> None:
    assert [len(Engine(path=folder, at=epoch)["reach"]) for epoch in range(2, 6)] == [17, 17, 28, 28]
