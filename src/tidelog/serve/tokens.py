"""The tokens of a server: one for reading, one for everything, named ones, and those of identity providers.

Law: the first two are created at the first start, in files that only their owner may read; a file that others may
read is refused. They are compared in constant time and never appear in an address, a log or a `repr`. Files that change
while the server runs take effect within a second.
"""

from __future__ import annotations

import datetime
import hmac
import logging
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tidelog.errors import TidelogError
from tidelog.serve import serve_failures as failures
from tidelog.serve.grants import READ, READER, WRITE, WRITER, Grant
from tidelog.serve.issuers import FILE as ISSUERS
from tidelog.serve.issuers import Issuers
from tidelog.serve.named_tokens import FILE, NamedToken, digest_of, read_named

LOG = logging.getLogger("tidelog.serve")
FRESH = 1.0  # seconds after which the files are examined again
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{20,200}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a server at one moment."""

    read: bytes = field(repr=False)
    write: bytes = field(repr=False)
    named: Mapping[str, NamedToken] = field(default_factory=dict, repr=False)  # by digest

    def grant(self, token: bytes) -> Grant | None:
        """The permissions of a token; None if it is unknown. It is always compared with both of the first two."""
        is_read, is_write = hmac.compare_digest(token, self.read), hmac.compare_digest(token, self.write)
        if is_read or is_write:
            return WRITER if is_write else READER
        named = self.named.get(digest_of(token)) if self.named else None
        if named is not None and named.is_expired(datetime.datetime.now(datetime.UTC)):
            raise failures.EXPIRED_TOKEN.error(name=named.grant.name, when=named.expires)
        return None if named is None else named.grant


class TokenFolder:
    """The tokens in the files of a folder, which may change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.clock: Callable[[], float] = time.monotonic
        self._examined = self.clock()
        self._issuers: Issuers | None = None
        self._stamps = self._stamp()
        self._tokens = load_tokens(folder)
        self._issuers = Issuers(folder)
        self._stamps = self._stamp()

    def grant(self, token: bytes) -> Grant | None:
        """The permissions of a token; None if it is unknown."""
        if self.clock() - self._examined >= FRESH:
            self._examined = self.clock()
            self._reload()
        found = self._tokens.grant(token)
        return self._issuers.grant(token) if found is None and self._issuers is not None else found

    def close(self) -> None:
        """Request no more keys of issuers."""
        if self._issuers is not None:
            self._issuers.close()

    def _reload(self) -> None:
        stamps = self._stamp()
        if stamps == self._stamps:
            return
        self._stamps = stamps
        tokens = self._tokens
        self.close()
        self._issuers = None
        try:
            self._tokens = load_tokens(self._folder)
            self._issuers = Issuers(self._folder)
            self._stamps = self._stamp()
            LOG.info("the tokens have changed")
        except TidelogError as error:
            LOG.error("the tokens have changed, but %s; other tokens are refused until this is corrected", error)
            self._tokens = Tokens(tokens.read, tokens.write)

    def _stamp(self) -> list[tuple[int, int, int] | None]:
        names = (READ, WRITE, FILE, ISSUERS, *([] if self._issuers is None else self._issuers.files))
        return [_stamp(self._folder / name) for name in names]


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """A value that changes when a file is written, replaced or made readable."""
    try:
        status = file.lstat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_ctime_ns


def new_tokens() -> Tokens:
    """New random tokens."""
    read, write = (secrets.token_urlsafe(32).encode() for _ in (READ, WRITE))
    return Tokens(read, write)


def load_tokens(folder: Path) -> Tokens:
    """The tokens in the files of a folder; missing ones are created."""
    try:
        for part in (*reversed(folder.parents), folder):  # `mkdir(parents=True)` would leave the others to the umask
            part.mkdir(mode=0o700, exist_ok=True)
        named = {token.digest: token for token in read_named(folder / FILE).values()}
        return Tokens(_load_token(folder / READ), _load_token(folder / WRITE), named)
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
