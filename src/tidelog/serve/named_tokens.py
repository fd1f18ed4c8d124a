"""Named tokens: a file that lists their permissions and expiry.

Law: the file contains digests, never tokens. A server reads it again when it changes; if it is then invalid or readable
by others, no named token is valid until it is corrected. Tokens are random and 256 bits long: digests need no salt.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import re
import secrets
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidelog.serve import serve_failures as failures
from tidelog.serve.grants import ALL, READ, SCOPES, Grant

FILE = "tokens.toml"
NAME = re.compile(r"[A-Za-z0-9_.@-]{1,100}")
DIGEST = re.compile(r"[0-9a-f]{64}")
RIGHTS = {"scopes", "read", "write", "rate"}
FIELDS = {"sha256", "expires", *RIGHTS}


@dataclass(frozen=True, slots=True)
class NamedToken:
    """One entry of the file."""

    digest: str
    grant: Grant
    expires: datetime.datetime | None = None

    def is_expired(self, now: datetime.datetime) -> bool:
        """Whether it is no longer valid."""
        return self.expires is not None and now >= self.expires


def digest_of(token: bytes) -> str:
    """The form in which the file contains a token."""
    return hashlib.sha256(token).hexdigest()


def new_token(grant: Grant, expires: datetime.datetime | None = None) -> tuple[str, NamedToken]:
    """A new random token, and its entry."""
    token = secrets.token_urlsafe(32)
    return token, NamedToken(digest_of(token.encode()), grant, expires)


def read_named(file: Path) -> dict[str, NamedToken]:
    """The tokens of a file by name; none if it does not exist."""
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source:
            mode = os.fstat(source.fileno()).st_mode
            if not stat.S_ISREG(mode) or mode & 0o077:
                raise _invalid(file, "other users can read or write it")
            entries = tomllib.load(source)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise _invalid(file, error) from error
    found = {name: _entry(file, name, entry) for name, entry in entries.items()}
    if len({token.digest for token in found.values()}) < len(found):
        raise _invalid(file, "two names have the same token")
    return found


def write_named(file: Path, tokens: Mapping[str, NamedToken]) -> None:
    """Replace the file as a whole."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as to:
            to.write("".join(map(_text, tokens.items())))
            to.flush()
            os.fsync(to.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _entry(file: Path, name: str, entry: Any) -> NamedToken:
    if not NAME.fullmatch(name) or not isinstance(entry, dict):
        raise _invalid(file, f"`{name[:80]}` is not the name of a table with a token")
    unknown = sorted(entry.keys() - FIELDS)
    if unknown:
        raise _invalid(file, f"`{name}` has an unknown field `{unknown[0]}`; known: {', '.join(sorted(FIELDS))}")
    digest, expires = entry.get("sha256"), entry.get("expires")
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest):
        raise _invalid(file, f"`sha256` of `{name}` is not a SHA-256 digest of 64 lower-case hexadecimal digits")
    if expires is not None and (not isinstance(expires, datetime.datetime) or expires.tzinfo is None):
        raise _invalid(file, f"`expires` of `{name}` is not a time with a zone such as 2027-01-01T00:00:00Z")
    rights = {field: value for field, value in entry.items() if field in RIGHTS}
    return NamedToken(digest, read_grant(file, name, rights), expires)


def read_grant(file: Path, name: str, entry: Any) -> Grant:
    """What a table of a file allows."""
    if not isinstance(entry, dict) or entry.keys() - RIGHTS:
        raise _invalid(file, f"`{name[:80]}` is not a table with {', '.join(sorted(RIGHTS))}")
    rate = entry.get("rate")
    scopes = _texts(file, name, entry, "scopes", (READ,))
    for scope in scopes:
        if scope not in SCOPES:
            raise _invalid(file, f"`{name}` has an unknown scope `{scope}`; known: {', '.join(SCOPES)}")
    if rate is not None and (isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < 1e9):
        raise _invalid(file, f"`rate` of `{name}` is not a positive number of requests per second")
    reads, writes = (_texts(file, name, entry, field, ALL) for field in ("read", "write"))
    return Grant(name, frozenset(scopes), reads, writes, rate)


def _texts(file: Path, name: str, entry: Mapping[str, Any], field: str, default: tuple[str, ...]) -> tuple[str, ...]:
    found = entry.get(field, list(default))
    if not isinstance(found, list) or not all(isinstance(each, str) and each for each in found):
        raise _invalid(file, f"`{field}` of `{name}` is not a list of texts")
    return tuple(found)


def _invalid(file: Path, what: object) -> Exception:
    return failures.BAD_TOKEN_LIST.error(path=file, what=what)


def _text(item: tuple[str, NamedToken]) -> str:
    """One entry as TOML."""
    name, token = item
    grant = token.grant
    lines = [f'["{name}"]', f'sha256 = "{token.digest}"', f"scopes = {_list(s for s in SCOPES if s in grant.scopes)}"]
    lines += [
        f"{field} = {_list(own)}" for field, own in (("read", grant.reads), ("write", grant.writes)) if own != ALL
    ]
    if token.expires is not None:
        lines.append(f"expires = {token.expires.isoformat()}")
    if grant.rate is not None:
        lines.append(f"rate = {grant.rate!r}")
    return "\n".join(lines) + "\n\n"


def _list(texts: Any) -> str:
    escaped = (each.replace("\\", "\\\\").replace('"', '\\"') for each in texts)
    return "[" + ", ".join(f'"{each}"' for each in escaped) + "]"
