"""Who may read a state: a folder that Tidelog makes is its user's alone, and one that was there says it itself."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tidelog import Engine
from tidelog.io.parquet import write_rows
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.serve.tokens import load_tokens


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def rights(folder: Path) -> tuple[set[int], set[int]]:
    """Those of a folder and all folders in it, and of all files."""
    found = [folder, *folder.rglob("*")]
    modes = [(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in found]
    return {mode for is_folder, mode in modes if is_folder}, {mode for is_folder, mode in modes if not is_folder}


def use(folder: Path, partitions: int) -> None:
    """Everything that writes into a state folder."""
    with Engine("p(X, N) :- e(X, N).", path=folder, partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("e", [(i, f"name {i}") for i in range(10)])
        db.snapshot()
        with db.epoch() as e:
            e.insert("e", [(11, "more")])
    with Engine(path=folder, partitions=partitions) as db, db.epoch() as e:
        e.delete("e", [(11, "more")])


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("partitions", [1, 2])
def test_a_new_state_folder_is_its_users_alone_whatever_the_umask(partitions: int, mask: int, tmp_path: Path) -> None:
    with umask(mask):
        use(tmp_path / "above" / "state", partitions)
    assert rights(tmp_path / "above" / "state") == ({0o700}, {0o600})
    assert stat.S_IMODE((tmp_path / "above").stat().st_mode) == 0o777 & ~mask


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755, 0o770])
@pytest.mark.parametrize("partitions", [1, 2])
def test_a_folder_that_was_there_keeps_its_rights_and_gives_them_to_what_is_in_it(
    partitions: int, mode: int, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(mode)
    with umask(0o022):
        use(folder, partitions)
    assert rights(folder) == ({mode}, {mode & 0o666})


@pytest.mark.parametrize(("mode", "mask"), [(0o700, 0o022), (0o755, 0o022), (0o755, 0o077)])
def test_view_files_are_open_to_nobody_whom_their_folder_keeps_out(mode: int, mask: int, tmp_path: Path) -> None:
    tmp_path.chmod(mode)
    with umask(mask):
        write_rows(f"{tmp_path}/views/one/part-0.parquet", np.array([[1]]), ["number"], ["x"], Dictionary())
    assert rights(tmp_path / "views") == ({mode & ~mask}, {mode & ~mask & 0o666})


def test_tokens_that_come_first_leave_the_folder_to_its_user(tmp_path: Path) -> None:
    with umask(0o022):
        load_tokens(tmp_path / "state" / "tokens")
        use(tmp_path / "state", 1)
    assert rights(tmp_path / "state") == ({0o700}, {0o600})
