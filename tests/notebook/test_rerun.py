"""A cell that creates an engine and is run again replaces its engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tidelog import Engine
from tidelog.engine.engine import core_of


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell()
    shell.user_ns["__name__"] = shell.user_global_ns["__name__"] = "__main__"
    yield shell
    for value in list(shell.user_ns.values()):
        if isinstance(value, Engine):
            value.close()
    shell.history_manager.end_session()


def run(shell: InteractiveShell, cell: str) -> None:
    shell.run_cell(cell, store_history=True).raise_error()


def test_cell_that_is_run_again_replaces_its_engines(shell: InteractiveShell, tmp_path: Path) -> None:
    cell = f"""
from tidelog import Engine
db, other = (Engine("p(X) :- q(X).", path="{tmp_path}/" + name) for name in "ab")
with db.epoch() as epoch:
    epoch.insert("q", [(len(db["q"]),)])
"""
    run(shell, cell)
    first = shell.user_ns["db"], shell.user_ns["other"]
    run(shell, cell)
    run(shell, cell)
    assert [core_of(db).closed for db in first] == [True, True]
    assert set(shell.user_ns["db"]["p"]) == {(0,), (1,), (2,)}


def test_engines_of_other_cells_and_of_memory_are_left_alone(shell: InteractiveShell, tmp_path: Path) -> None:
    run(shell, f"from tidelog import Engine\none = Engine('p(1).', path='{tmp_path}/one')")
    memory = "from tidelog import Engine\nkept = globals().get('kept', []) + [Engine('p(1).')]"
    run(shell, memory)
    run(shell, memory)
    run(shell, f"two = Engine('p(1).', path='{tmp_path}/two')")
    assert [list(db["p"]) for db in (*shell.user_ns["kept"], shell.user_ns["one"], shell.user_ns["two"])] == [
        [(1,)]
    ] * 4
    run(shell, f"try:\n    Engine(path='{tmp_path}/one')\nexcept Exception as error:\n    found = str(error)")
    assert "still has it open; close that engine" in shell.user_ns["found"]
