"""The user's options: the tables to follow and the views to publish.

Law: names are kept as they are written, including quotes, and are looked up in the database as parameters; they never
become part of a statement unquoted.
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
    """A relation, the table it follows, and the selected columns; None for those that match the relation."""

    relation: str
    table: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PublishOption:
    """A view and the table in which it is published."""

    view: str
    table: str


@dataclass(frozen=True, slots=True)
class FollowOptions:
    """All options of a database to follow; ``dsn`` is never shown."""

    dsn: str = field(repr=False)
    tables: tuple[TableOption, ...]
    publish: tuple[PublishOption, ...] = ()
    slot: str = SLOT
    publication: str = SLOT
    numeric: Numeric = "text"
    group: int = 1  # the maximum number of pending transactions in one epoch
    jdbc: bool = False  # on Spark, tasks read the tables of the first snapshot
    on_bad_row: OnBadRow = "quarantine"  # how to handle a row that cannot be converted to a fact


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
) -> FollowOptions:
    """Check the arguments and make options from them."""
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
    table_options = tuple(read_table(relation, table) for relation, table in tables.items())
    publish_options = tuple(PublishOption(view, _parse_table(view, table)[0]) for view, table in publish.items())
    if not table_options and not publish_options:
        raise failures.SETTING.error(what="the follower has no table to follow and no view to publish")
    return FollowOptions(
        dsn, table_options, publish_options, slot, publication or slot, numeric, group, jdbc, on_bad_row
    )


def read_table(relation: str, table: str) -> TableOption:
    """A relation and its table.

    >>> read_table("link", 'public."Link"(source, target)')
    TableOption(relation='link', table='public."Link"', columns=('source', 'target'))
    """
    name, columns = _parse_table(relation, table)
    names = None if columns is None else tuple(_plain(column) for column in re.findall(_NAME, columns))
    return TableOption(relation, name, names)


def _parse_table(relation: str, table: str) -> tuple[str, str | None]:
    match = _TABLE.fullmatch(table)
    if match is None or not _RELATION.fullmatch(relation):
        text = f"{relation}={table}"
        raise failures.OPTION.error(given=text, wanted="it must name a relation and a table")
    return match[1], match[2]


def _plain(name: str) -> str:
    """The name of a column in the catalog: lower-case unless it is quoted."""
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def split_option(text: str) -> tuple[str, str]:
    """The two sides of `link=public.link`."""
    name, equals, value = text.partition("=")
    if not equals:
        raise failures.OPTION.error(given=text, wanted="it contains no `=`")
    return name.strip(), value.strip()
