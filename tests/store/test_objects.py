"""The same state on a `pyarrow.fs` file system, where files cannot grow."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import fs

from tests.store.stories import EPOCHS, PROGRAM, expected, facts_of
from tidelog import Engine
from tidelog.errors import StateError
from tidelog.store import ObjectStore, open_store


def test_a_state_on_another_file_system_behaves_as_on_local_files(tmp_path: Path) -> None:
    place = ObjectStore(fs.LocalFileSystem(), str(tmp_path / "state"))
    for number, change in enumerate(EPOCHS, 2):
        with Engine(PROGRAM, path=place) if number == 2 else Engine(path=place) as db:
            with db.epoch() as e:
                change(e)
            if number == 4:
                db.snapshot()
    states = expected()
    assert len(place.names("log")) == len(states) - 1  # every epoch is a separate file
    for number in range(1, len(states)):
        assert facts_of(Engine(path=place, at=number)) == states[number]
    assert len(Engine(path=place, at=-1).changes("reach")) > 5
    log = tmp_path / "state" / "log" / "000000000006.log"
    log.write_bytes(log.read_bytes()[:-1])
    with pytest.raises(StateError, match=r"log/000000000006\.log is damaged: it ends 1 bytes before the end"):
        Engine(path=place)


def test_leftovers_on_another_file_system_are_cleaned_up(tmp_path: Path) -> None:
    place = ObjectStore(fs.LocalFileSystem(), str(tmp_path))
    Engine("p(1).", path=place).close()
    (tmp_path / "log" / "000000000002.log.tmp").write_bytes(b"half")
    Engine(path=place).close()
    assert place.names("log") == ["000000000001.log"]
    assert not (tmp_path / "log" / "000000000002.log.tmp").exists()


def test_a_uri_names_a_store(tmp_path: Path) -> None:
    assert open_store(f"file://{tmp_path}").appends
    assert not open_store("mock:///state").appends if hasattr(fs, "_MockFileSystem") else True
    with pytest.raises(StateError, match="cannot be used as a state folder"):
        open_store("nonsense://bucket/state")
