"""Tokens: one for reading, one for writing.

Law: tokens are created at the first start, in files that only their owner may read; a file that others may read is
refused. They are compared in constant time and never appear in an address, a log or a `repr`.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from tidelog.serve import serve_failures as failures

READ, WRITE = "read", "write"  # the names of the files, and what the token in each may do
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{20,200}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a server."""

    read: bytes = field(repr=False)
    write: bytes = field(repr=False)

    def grants(self, token: bytes) -> str | None:
        """The access that a token grants; None if it is unknown. It is always compared with both."""
        reads, writes = hmac.compare_digest(token, self.read), hmac.compare_digest(token, self.write)
        return WRITE if writes else READ if reads else None


def new_tokens() -> Tokens:
    """New random tokens."""
    return Tokens(*(secrets.token_urlsafe(32).encode() for _ in (READ, WRITE)))


def load_tokens(folder: Path) -> Tokens:
    """The tokens in the files of a folder; missing ones are created."""
    try:
        for part in (*reversed(folder.parents), folder):  # `mkdir(parents=True)` would leave the others to the umask
            part.mkdir(mode=0o700, exist_ok=True)
        return Tokens(_load_token(folder / READ), _load_token(folder / WRITE))
    except OSError as error:
        raise failures.BAD_TOKEN_FILE.error(path=folder, what=error.strerror or error) from error


def _load_token(file: Path) -> bytes:
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read_token(file)
    token = secrets.token_urlsafe(32).encode()
    with os.fdopen(descriptor, "wb") as to:
        to.write(token + b"\n")
    return token


def _read_token(file: Path) -> bytes:
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source:
        mode = os.fstat(source.fileno()).st_mode
        if not stat.S_ISREG(mode) or mode & 0o077:
            raise failures.BAD_TOKEN_FILE.error(path=file, what="other users can read or write it")
        token = source.read(1000).strip()
    if not _TOKEN.fullmatch(token):
        raise failures.BAD_TOKEN_FILE.error(path=file, what="it does not contain a token")
    return token
