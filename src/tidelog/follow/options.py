"""What a user says of the tables to follow and of the views to publish.

Law: names are taken as they are written, quotes included, and looked up in the database as values: none becomes part of
a statement as it came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tidelog.follow import follow_failures as failures
from tidelog.follow.types import Numeric

_NAME = r'(?:"(?:[^"]|"")+"|[^\s"().,=]+)'
_TABLE = re.compile(rf"\s*({_NAME}(?:\.{_NAME})?)\s*(?:\(\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*\))?\s*")
_RELATION = re.compile(r"[A-Za-z_][\w?.]*")
SLOT = "tidelog"
OnBadRow: TypeAlias = Literal["quarantine", "stop"]


@dataclass(frozen=True, slots=True)
class TableOption:
    """A relation and the table that it follows, with some of its columns, or those that fit the relation."""

    relation: str
    table: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PublishOption:
    """A view and the table that it is published in."""

    view: str
    table: str


@dataclass(frozen=True, slots=True)
class Options:
    """All that is said of a database to follow; ``dsn`` is shown nowhere."""

    dsn: str = field(repr=False)
    tables: tuple[TableOption, ...]
    publish: tuple[PublishOption, ...] = ()
    slot: str = SLOT
    publication: str = SLOT
    numeric: Numeric = "text"
    group: int = 1  # the most pending transactions that become one epoch
    jdbc: bool = False  # on Spark, its tasks read the tables of the first snapshot
    on_bad_row: OnBadRow = "quarantine"  # what happens at a row that cannot become a fact


def make_options(
    dsn: str,
    tables: Mapping[str, str],
    publish: Mapping[str, str],
    slot: str,
    publication: str | None,
    numeric: Numeric,
    group: int = 1,
    jdbc: bool = False,
    on_bad_row: OnBadRow = "quarantine",
) -> Options:
    """Options from what a caller gives."""
    if not re.fullmatch(r"[a-z0-9_]{1,63}", slot):
        what = f"the slot name `{slot}` is invalid: use 1 to 63 lower-case letters, digits and `_`"
        raise failures.SETTING.error(what=what)
    if numeric not in ("text", "float"):
        raise failures.SETTING.error(what=f"numeric columns cannot be read as `{numeric}`: use `text` or `float`")
    if not isinstance(group, int) or group < 1:
        raise failures.SETTING.error(what=f"`group` is {group!r}: an epoch must contain at least one transaction")
    if on_bad_row not in ("quarantine", "stop"):
        what = f"`on_bad_row` is `{on_bad_row}`: use `quarantine` or `stop`"
        raise failures.SETTING.error(what=what)
    read = tuple(read_table(relation, table) for relation, table in tables.items())
    out = tuple(PublishOption(view, _read(view, table)[0]) for view, table in publish.items())
    if not read and not out:
        raise failures.SETTING.error(what="the follower has no table to follow and no view to publish")
    return Options(dsn, read, out, slot, publication or slot, numeric, group, jdbc, on_bad_row)


def read_table(relation: str, table: str) -> TableOption:
    """A relation and its table.

    >>> read_table("link", 'public."Link"(source, target)')
    TableOption(relation='link', table='public."Link"', columns=('source', 'target'))
    """
    name, columns = _read(relation, table)
    names = None if columns is None else tuple(_plain(found) for found in re.findall(_NAME, columns))
    return TableOption(relation, name, names)


def _read(relation: str, table: str) -> tuple[str, str | None]:
    found = _TABLE.fullmatch(table)
    if found is None or not _RELATION.fullmatch(relation):
        given = f"{relation}={table}"
        raise failures.OPTION.error(given=given, wanted="it must name a relation and a table")
    return found[1], found[2]


def _plain(name: str) -> str:
    """A name of a column as the catalog has it: in quotes as it is, else in small letters."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def split_option(text: str) -> tuple[str, str]:
    """The two sides of `link=public.link`."""
    left, equals, right = text.partition("=")
    if not equals:
        raise failures.OPTION.error(given=text, wanted="it contains no `=`")
    return left.strip(), right.strip()
