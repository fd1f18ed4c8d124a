"""The tables to follow, as described by the catalog of the database: columns, types, keys, replica identity.

Law: anything that could make a relation differ from its table is refused here, by name, before anything is changed in
the database. The columns are those in the option, otherwise those that the relation declares, otherwise all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidelog.follow import follow_failures as failures
from tidelog.follow.connect import database_errors, place_of
from tidelog.follow.options import FollowOptions, TableOption
from tidelog.follow.types import ColumnKind, kind_of
from tidelog.io.match_names import comparable_names, find_names

if TYPE_CHECKING:
    from psycopg import Connection

TABLE = """
SELECT c.oid, n.nspname, c.relname, c.relkind::text, c.relpersistence::text, c.relreplident::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(%s)
"""
COLUMNS = """
WITH RECURSIVE base(att, typ) AS (
  SELECT attnum, atttypid FROM pg_attribute WHERE attrelid = %(table)s AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT b.att, t.typbasetype FROM base b JOIN pg_type t ON t.oid = b.typ WHERE t.typtype = 'd')
SELECT a.attnum, a.attname, a.atttypid, a.atttypmod, b.typ, format_type(a.atttypid, a.atttypmod), a.attgenerated <> ''
FROM pg_attribute a JOIN base b ON b.att = a.attnum JOIN pg_type t ON t.oid = b.typ AND t.typtype <> 'd'
WHERE a.attrelid = %(table)s ORDER BY a.attnum
"""
KEYS = """
SELECT i.indkey::int2[], i.indnkeyatts, i.indisprimary, i.indisreplident,
  (SELECT bool_and(a.attnotnull) FROM pg_attribute a WHERE a.attrelid = i.indrelid
    AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
FROM pg_index i WHERE i.indrelid = %s AND i.indisunique AND i.indimmediate AND i.indisvalid
  AND i.indpred IS NULL AND i.indexprs IS NULL
ORDER BY i.indisprimary DESC, i.indexrelid
"""
KINDS_OF_TABLES = {
    "v": "a view",
    "m": "a materialized view",
    "f": "a foreign table",
    "S": "a sequence",
    "i": "an index",
}


@dataclass(frozen=True, slots=True)
class FollowedColumn:
    """A column that is followed; ``type`` and ``modifier`` as the stream sends them."""

    name: str
    type: int
    modifier: int
    kind: ColumnKind


@dataclass(frozen=True, slots=True)
class FollowedTable:
    """A followed table; ``key``: which of the followed columns are its key, which identifies the changed row."""

    relation: str
    oid: int
    schema: str
    name: str
    columns: tuple[FollowedColumn, ...]
    key: tuple[int, ...]
    is_partitioned: bool = False
    has_old_rows: bool = False  # the stream has the whole old row

    @property
    def key_is_all(self) -> bool:
        """Whether the key is the whole row."""
        return len(self.key) == len(self.columns)

    @property
    def title(self) -> str:
        """The table as messages name it."""
        return f"{self.schema}.{self.name}"

    @property
    def fingerprint(self) -> str:
        """The columns and types, as a text; if it differs, the follower needs a new snapshot."""
        columns = ",".join(f"{c.name} {c.type} {c.modifier} {c.kind.type}" for c in self.columns)
        return f"{self.relation}={self.oid}({columns})"


@dataclass(frozen=True, slots=True)
class RelationColumns:
    """The columns of a relation: their declared names and their types, where the engine knows them."""

    names: tuple[str, ...] | None
    types: tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True)
class _Column:
    number: int
    name: str
    type: int
    modifier: int
    base: int
    text: str
    generated: bool


@dataclass(frozen=True, slots=True)
class _Index:
    columns: tuple[int, ...]
    primary: bool
    identity: bool
    not_null: bool


def inspect(
    connection: Connection[tuple[Any, ...]], options: FollowOptions, option: TableOption, relation: RelationColumns
) -> FollowedTable:
    """The table to follow, from the catalog; raises if it cannot be followed."""
    with database_errors(options.dsn, f"to inspect `{option.table}`"):
        entry = connection.execute(TABLE, (option.table,)).fetchone()
        if entry is None:
            raise failures.NO_TABLE.error(table=option.table, where=place_of(options.dsn))
        oid, schema, name, kind, persistence, identity = entry
        columns = [_Column(*row) for row in connection.execute(COLUMNS, {"table": oid})]
        indexes = [_make_index(*row) for row in connection.execute(KEYS, (oid,))]
    title = f"{schema}.{name}"
    _check_kind(title, kind, persistence)
    selection = _select_columns(title, option, columns, relation)
    types = relation.types or (None,) * len(selection)
    followed = tuple(
        _follow_column(title, option.relation, column, type_, options)
        for column, type_ in zip(selection, types, strict=True)
    )
    key = _key(title, selection, followed, indexes, identity)
    return FollowedTable(option.relation, oid, schema, name, followed, key, kind == "p", identity == "f")


def _make_index(columns: Sequence[int], count: int, primary: bool, identity: bool, not_null: bool) -> _Index:
    return _Index(tuple(columns)[:count], primary, identity, not_null)


def _check_kind(title: str, kind: str, persistence: str) -> None:
    if kind not in "rp":
        raise failures.NOT_A_TABLE.error(table=title, what=KINDS_OF_TABLES.get(kind, "no table"))
    if persistence != "p":
        raise failures.NOT_A_TABLE.error(table=title, what="unlogged" if persistence == "u" else "temporary")


def _select_columns(
    title: str, option: TableOption, columns: Sequence[_Column], relation: RelationColumns
) -> list[_Column]:
    """The columns to follow, in the order of the relation's columns."""
    by_name = {column.name: column for column in columns}
    names = option.columns or _match_columns(tuple(by_name), relation.names or ())
    fits = all(name in by_name for name in names) and len(set(names)) == len(names)
    if not fits or (relation.types is not None and len(relation.types) != len(names)):
        need = f"{len(relation.types)} columns" if relation.types is not None and fits else ", ".join(names)
        raise failures.COLUMNS.error(table=title, relation=option.relation, found=", ".join(by_name), wanted=need)
    return [by_name[name] for name in names]


def _match_columns(columns: tuple[str, ...], names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a table for a relation (D36): matched by name, or by position if no name is shared.

    If only some names are shared, it returns the names of the relation, and the caller reports those that are missing.

    >>> _match_columns(("source", "dest"), ("Dest", "source")), _match_columns(("a", "b"), ("x", "y"))
    (('dest', 'source'), ('a', 'b'))
    >>> _match_columns(("a", "b"), ("a", "c"))
    ('a', 'c')
    """
    places = find_names(names, columns) if names else None
    if places is not None:
        return tuple(columns[place] for place in places)
    own, others = comparable_names(columns, names)
    return columns if set(own).isdisjoint(others) else tuple(names)


def _follow_column(
    title: str, relation: str, column: _Column, declared: str | None, options: FollowOptions
) -> FollowedColumn:
    kind = kind_of(column.base, declared, options.numeric)
    if kind is None or column.generated:
        type_text = f"{column.text} generated" if column.generated else column.text
        raise failures.TYPE.error(column=column.name, table=title, type=type_text)
    if declared not in (None, kind.type):
        raise failures.OTHER_TYPE.error(
            column=column.name, table=title, type=column.text, own=kind.type, relation=relation, wanted=declared
        )
    return FollowedColumn(column.name, column.type, column.modifier, kind)


def _key(
    title: str,
    selection: Sequence[_Column],
    followed: Sequence[FollowedColumn],
    indexes: Sequence[_Index],
    identity: str,
) -> tuple[int, ...]:
    """Which of the followed columns identify a row."""
    if identity == "d" and not any(index.primary for index in indexes):
        raise failures.NO_IDENTITY.error(table=title, why="it has no primary key", identity="FULL")
    if identity == "n":
        raise failures.NO_IDENTITY.error(table=title, why="its replica identity is NOTHING", identity="DEFAULT")
    names = {"d": [i for i in indexes if i.primary], "i": [i for i in indexes if i.identity]}
    for index in names.get(identity, [i for i in indexes if i.not_null]):
        places = {column.number: place for place, column in enumerate(selection)}
        if all(number in places and followed[places[number]].kind.exact for number in index.columns):
            return tuple(places[number] for number in index.columns)
    raise failures.NO_KEY.error(table=title, columns=", ".join(column.name for column in selection))
