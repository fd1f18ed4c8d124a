"""Tokens in files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tidelog.errors import ServerError
from tidelog.serve.grants import READ, READER, WRITE, WRITER
from tidelog.serve.tokens import load_tokens, new_tokens


def test_tokens_are_made_once_and_readable_by_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "tokens"
    before = os.umask(0)
    try:
        made = load_tokens(folder)
    finally:
        os.umask(before)
    assert made == load_tokens(folder)
    assert made.read != made.write
    assert [(folder / name).stat().st_mode & 0o777 for name in (READ, WRITE)] == [0o600, 0o600]
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / WRITE).read_bytes().strip() == made.write


def test_a_token_grants_what_it_is_for() -> None:
    made = new_tokens()
    assert [made.grant(token) for token in (made.read, made.write, b"", b"x" * 43)] == [READER, WRITER, None, None]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_token_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    load_tokens(tmp_path)
    (tmp_path / READ).chmod(mode)
    with pytest.raises(ServerError, match="other users can read or write it") as raised:
        load_tokens(tmp_path)
    assert raised.value.code == "TL8030"


def test_a_file_that_holds_no_token_is_refused(tmp_path: Path) -> None:
    load_tokens(tmp_path)
    (tmp_path / WRITE).write_text("short\n")
    with pytest.raises(ServerError, match="does not contain a token"):
        load_tokens(tmp_path)
    (tmp_path / WRITE).unlink()
    (tmp_path / WRITE).symlink_to(tmp_path / READ)
    with pytest.raises(ServerError):
        load_tokens(tmp_path)
