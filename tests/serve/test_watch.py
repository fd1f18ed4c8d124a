"""`tidelog serve --watch`: edited files of a folder become epochs."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.serve.test_command import typed
from tidelog import Engine
from tidelog.cli.act import watch_folder
from tidelog.cli.act.watch_folder import FolderWatch
from tidelog.client import connect
from tidelog.errors import EngineError

PROGRAM = """.decl edge(x: number, y: number)
.decl node(x: number)
.decl reach(x: number, y: number)
reach(x, y) :- edge(x, y).
reach(x, z) :- edge(x, y), reach(y, z).
edge(1, 2).
"""


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_folder, "PAUSE", 0.01)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "watched"
    found.mkdir()
    (found / "p.dl").write_text(PROGRAM)
    return found


@contextmanager
def watched(folder: Path, settle: float = 0.05) -> Iterator[tuple[Engine, FolderWatch]]:
    state = folder.parent / "state"
    program = PROGRAM if not state.exists() else ""
    with Engine(program, path=state, strict=True) as db:
        watch = FolderWatch(folder, folder / "p.dl", settle=settle)
        watch.check(db)
        watch.start(db)
        try:
            yield db, watch
        finally:
            watch.stop()


def eventually(holds: Callable[[], object], seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_a_save_is_one_epoch(folder: Path) -> None:
    (folder / "edge.facts").write_text("2\t3\n")
    with watched(folder) as (db, watch):
        eventually(lambda: db.epoch_number == 2)
        assert sorted(db["edge"]) == [(1, 2), (2, 3)]
        (folder / "edge.facts").write_text("3\t4\n")
        far = "edge(2, 3).\n.decl far(x: number)\nfar(x) :- reach(x, 4)."
        (folder / "p.dl").write_text(PROGRAM.replace("edge(1, 2).", far))
        (folder / "node.csv").write_text("7\n")
        eventually(lambda: db.epoch_number == 3)
        assert (sorted(db["edge"]), sorted(db["far"]), list(db["node"])) == ([(2, 3), (3, 4)], [(2,), (3,)], [(7,)])
        assert db.log()[-1].note == "edited: edge.facts, node.csv, p.dl"
        time.sleep(0.2)
        assert (db.epoch_number, watch.health()["state"]) == (3, "running")
        assert db.verify()


def test_a_wrong_file_leaves_the_state_and_is_tried_again(folder: Path) -> None:
    (folder / "edge.facts").write_text("2\t3\n")
    with watched(folder) as (db, watch):
        eventually(lambda: db.epoch_number == 2)
        (folder / "edge.facts").write_text("2\tx\n")
        (folder / "node.facts").write_text("1\n")
        eventually(lambda: watch.health()["state"] == "refused")
        assert watch.health()["detail"].startswith("TL10")
        (folder / "p.dl").write_text(PROGRAM + "wrong(x) :- reach(y, y).\n")
        eventually(lambda: "TL201" in watch.health()["detail"])
        assert (db.epoch_number, len(db["node"])) == (2, 0)
        (folder / "p.dl").write_text(PROGRAM)
        (folder / "edge.facts").write_text("2\t4\n")
        eventually(lambda: db.epoch_number == 3)
        assert (sorted(db["edge"]), list(db["node"])) == ([(1, 2), (2, 4)], [(1,)])
        assert watch.health()["state"] == "running"
        (folder / "egde.facts").write_text("2\t4\n")
        eventually(lambda: "TL1402" in watch.health()["detail"])
        (folder / "egde.facts").unlink()
        eventually(lambda: watch.health()["state"] == "running")
        assert db.epoch_number == 3


def test_a_file_that_is_being_written_is_not_read(folder: Path) -> None:
    with watched(folder, settle=0.4) as (db, _):
        eventually(lambda: db.epoch_number == 2)
        rows = [f"{i}\t{i + 1}\n" for i in range(100, 130)]
        with (folder / "edge.facts").open("w") as file:
            for row in rows:
                file.write(row[:2])
                file.flush()
                time.sleep(0.02)
                file.write(row[2:])
                file.flush()
        eventually(lambda: db.epoch_number == 3)
        assert len(db["edge"]) == 31
        time.sleep(0.5)
        assert db.epoch_number == 3


def test_a_file_that_changes_while_it_is_read_is_not_applied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "edge.facts").write_text("2\t3\n")
    read, changed = watch_folder.read_folder, threading.Event()

    def late(*args: object) -> object:
        found = read(*args)  # type: ignore[arg-type]
        if not changed.is_set():
            changed.set()
            (folder / "edge.facts").write_text("5\t6\n")
        return found

    monkeypatch.setattr(watch_folder, "read_folder", late)
    with watched(folder) as (db, _):
        eventually(lambda: db.epoch_number == 2)
        assert sorted(db["edge"]) == [(1, 2), (5, 6)]


def test_a_removed_file_takes_its_facts_along(folder: Path) -> None:
    (folder / "edge.facts").write_text("1\t2\n2\t3\n")
    (folder / "node.facts").write_text("1\n")
    with watched(folder) as (db, _):
        eventually(lambda: db.epoch_number == 2)
        (folder / "edge.facts").unlink()
        eventually(lambda: db.epoch_number == 3)
        assert (list(db["edge"]), list(db["node"])) == ([(1, 2)], [(1,)])  # of the program's text
        (folder / "node.facts").rename(folder / "node.csv")
        eventually(lambda: db.epoch_number == 4)
        assert list(db["node"]) == [(1,)]


def test_a_restart_applies_what_was_edited_meanwhile_and_nothing_else(folder: Path) -> None:
    (folder / "edge.facts").write_text("2\t3\n")
    (folder / "node.facts").write_text("1\n")
    with watched(folder) as (db, _):
        eventually(lambda: db.epoch_number == 2)
        with db.epoch() as e:
            e.insert("edge", [(8, 9)])  # by a client: stays until the file is edited
    with watched(folder) as (db, _):
        time.sleep(0.3)
        assert (db.epoch_number, len(db["edge"])) == (3, 3)
    (folder / "node.facts").unlink()
    with watched(folder) as (db, _):
        eventually(lambda: db.epoch_number == 4)
        assert (len(db["node"]), len(db["edge"])) == (0, 3)
        (folder / "edge.facts").write_text("4\t5\n")
        eventually(lambda: db.epoch_number == 5)
        assert sorted(db["edge"]) == [(1, 2), (4, 5)]


def test_files_that_directives_name_are_watched(folder: Path) -> None:
    with watched(folder) as (db, _):
        eventually(lambda: db.epoch_number == 2)
        (folder / "data").mkdir()
        (folder / "data" / "e-1.csv").write_text("6,7\n")
        (folder / "p.dl").write_text(PROGRAM + '.input edge(filename="data/e-*.csv", IO=csv)\n')
        eventually(lambda: (6, 7) in db["edge"])
        (folder / "data" / "e-2.csv").write_text("7,8\n")
        eventually(lambda: (7, 8) in db["edge"])
        outside = os.path.relpath(folder.parent / "outside.csv", folder)
        (folder.parent / "outside.csv").write_text("9,9\n")
        (folder / "p.dl").write_text(PROGRAM + f'.input edge(filename="{outside}", IO=csv)\n')
        eventually(lambda: not any("input" in d.kind and "data" in str(d.params) for d in db.program.directives))
        assert (9, 9) not in db["edge"]


def test_what_cannot_be_watched(tmp_path: Path, folder: Path) -> None:
    with Engine(PROGRAM, path=tmp_path / "state") as db:
        with pytest.raises(EngineError, match="not a folder"):
            FolderWatch(tmp_path / "none", None).check(db)
        (folder / "q.dl").write_text(PROGRAM)
        with pytest.raises(EngineError, match="several programs") as raised:
            FolderWatch(folder, None).check(db)
        assert raised.value.code == "TL4893"


def test_the_command_watches(folder: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with typed(str(folder / "p.dl"), "--state", str(state), "-F", str(folder), "--watch", str(folder)) as server:
        token = (state / "tokens" / "write").read_text().strip()
        with connect(server.url, token) as db:
            eventually(lambda: db.epoch_number == 2)
            (folder / "edge.facts").write_text("2\t3\n")
            eventually(lambda: db.epoch_number == 3)
            assert len(db["reach"]) == 3
            assert db.statistics()["sources"][0]["state"] == "running"


def test_columns_change_before_edited_facts(folder: Path) -> None:
    (folder / "node.facts").write_text("7\n")
    with watched(folder) as (db, _):
        eventually(lambda: db.epoch_number == 2)
        (folder / "p.dl").write_text(PROGRAM.replace("node(x: number)", 'node(x: number, name: symbol = "none")'))
        (folder / "node.facts").write_text("8\teight\n")
        eventually(lambda: db.epoch_number == 4)
        assert list(db["node"]) == [(8, "eight")]
        with Engine(path=folder.parent / "state", at=3) as past:
            assert list(past["node"]) == [(7, "none")]
