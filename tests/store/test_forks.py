"""A store in a forked child: the lock is the parent's, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.test_forks import in_child
from tidelog.errors import StateError
from tidelog.store.base.files import FileStore


def test_a_store_of_the_parent_is_not_written_by_a_child(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.lock()
    store.append("log/1", [b"one"], 0)

    def write() -> list[str]:
        codes = []
        for act in (
            lambda: store.append("log/1", [b"two"], 3),
            lambda: store.write("note", [b"two"]),
            lambda: store.cut("log/1", 1),
            store.lock,
        ):
            with pytest.raises(StateError) as error:
                act()
            codes.append(error.value.code)
        store.unlock()
        return codes

    assert in_child(write) == ["TL5186", "TL5186", "TL5186", "TL5108"]
    store.append("log/1", [b"two"], 3)
    assert bytes(store.read("log/1")) == b"onetwo"
    with pytest.raises(StateError):
        FileStore(tmp_path).lock()
    store.unlock()
    FileStore(tmp_path).lock()
