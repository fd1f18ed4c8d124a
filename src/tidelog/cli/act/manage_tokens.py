"""Named tokens: added, listed and revoked in the file that a server reads."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from pathlib import Path

import typer

from tidelog.cli.base.show import console
from tidelog.serve import serve_failures as failures
from tidelog.serve.grants import ALL, SCOPES, Grant
from tidelog.serve.named_tokens import FILE, NAME, NamedToken, new_token, read_named, write_named

DAYS = re.compile(r"(\d{1,5})d")


@dataclass(frozen=True, slots=True)
class TokenOptions:
    """The options of the command line."""

    scopes: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    expires: str | None = None
    rate: float | None = None


def add_token(folder: Path, name: str | None, options: TokenOptions) -> None:
    """Create a token, store its entry and print it."""
    if name is None or not NAME.fullmatch(name):
        raise failures.BAD_TOKEN_OPTION.error(what="`tidelog token add` needs a name, such as `alice`")
    expires = None if options.expires is None else expiry(options.expires, datetime.datetime.now(datetime.UTC))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = read_named(folder / FILE)
    if name in known:
        raise failures.TOKEN_EXISTS.error(name=name, folder=folder)
    grant = Grant(name, frozenset(options.scopes), options.reads, options.writes, options.rate)
    token, entry = new_token(grant, expires)
    write_named(folder / FILE, {**known, name: entry})
    console(stderr=True).print(f"token `{name}` added to {folder / FILE}; it is printed only once:", soft_wrap=True)
    typer.echo(token)


def list_tokens(folder: Path) -> None:
    """Print the named tokens, one per line."""
    now = datetime.datetime.now(datetime.UTC)
    for name, entry in sorted(read_named(folder / FILE).items()):
        typer.echo(f"{name}\t{_description(entry, now)}")


def revoke_token(folder: Path, name: str | None) -> None:
    """Remove the entry of a token."""
    known = read_named(folder / FILE)
    if name is None or name not in known:
        raise failures.NO_SUCH_TOKEN.error(name=name or "", folder=folder, known=", ".join(sorted(known)) or "none")
    write_named(folder / FILE, {other: entry for other, entry in known.items() if other != name})
    typer.echo(f"token `{name}` revoked")


def expiry(text: str, now: datetime.datetime) -> datetime.datetime:
    """When a token expires.

    >>> now = datetime.datetime(2026, 11, 18, 12, tzinfo=datetime.UTC)
    >>> str(expiry("30d", now)), str(expiry("2027-01-01", now))
    ('2026-12-18 12:00:00+00:00', '2027-01-01 00:00:00+00:00')
    """
    if days := DAYS.fullmatch(text):
        return (now + datetime.timedelta(days=int(days[1]))).replace(microsecond=0)
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise failures.BAD_TOKEN_OPTION.error(what=f"`{text}` is not an expiry") from None
    if found.tzinfo is None and len(text) > len("2027-01-01"):
        raise failures.BAD_TOKEN_OPTION.error(what=f"`{text}` has no time zone, such as `Z`")
    return found if found.tzinfo is not None else found.replace(tzinfo=datetime.UTC)


def _description(entry: NamedToken, now: datetime.datetime) -> str:
    grant = entry.grant
    parts = [" ".join(scope for scope in SCOPES if scope in grant.scopes)]
    limited = (("reads", grant.reads), ("writes", grant.writes))
    parts += [f"{word} {' '.join(own)}" for word, own in limited if own != ALL]
    if grant.rate is not None:
        parts.append(f"{grant.rate:g} requests per second")
    if entry.expires is not None:
        parts.append(f"{'expired' if entry.is_expired(now) else 'expires'} {entry.expires.isoformat()}")
    return ", ".join(parts)
