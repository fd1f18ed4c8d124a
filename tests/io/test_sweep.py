"""Files behind DataFrames are removed when their end is announced, or when they are old and a writer starts."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tidelog import Engine
from tidelog.io.sweep import KEPT, sweep_views


def view_files(state: Path, name: str, age: float) -> Path:
    folder = state / "views" / name
    folder.mkdir(parents=True)
    file = folder / "part-0.parquet"
    file.touch()
    moment = time.time() - age
    for path in (file, folder):
        os.utime(path, (moment, moment))
    return folder


def test_old_files_are_swept_when_a_writer_opens_the_state(tmp_path: Path) -> None:
    state = tmp_path / "s"
    Engine("n(1).", path=state).close()
    old, young = view_files(state, "old", KEPT + 60), view_files(state, "young", 60)
    Engine(path=state, at=1).close()
    assert old.exists()  # who only reads removes nothing
    with Engine(path=state, at=1) as reader:
        assert reader.release() == 0
    assert young.exists()
    with Engine(path=state) as db:
        assert not old.exists()
        assert young.exists()
        assert db.release(older_than=3600) == 0
        assert db.release() == 1
    assert not young.exists()
    assert list((state / "views").iterdir()) == []


def test_a_place_without_files_and_one_that_cannot_be_listed_are_left(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert sweep_views(str(tmp_path), 0) == sweep_views(str(tmp_path / "file"), 0) == sweep_views("nowhere://x", 0) == 0
