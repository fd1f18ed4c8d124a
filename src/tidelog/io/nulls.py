"""How nulls in an input are handled: refused, or skipped or replaced according to a policy.

Law (D37): nulls stay outside the language. Without a policy, a null is refused. With `skip`, a row with a null is
skipped; with `COLUMN=VALUE` the nulls of that column are replaced first. Both are counted.
A null is what the source defines as one; in text files, which have no nulls, an empty cell of a column that the policy
applies to. NaN is a float, except in tables of pandas, which has no other null for floats. The absent record `nil` is a
value, so nulls in columns of records are not changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tidelog.errors import DataError, TidelogWarning
from tidelog.errors.warn import warn
from tidelog.io import io_failures as failures
from tidelog.io.columns import arrow_column_type
from tidelog.io.match_names import comparable_names
from tidelog.io.texts import read_text
from tidelog.io.values import column_type, is_null, show_value
from tidelog.program.values.shape import Shape

REFUSE, SKIP = "refuse", "skip"
Policy: TypeAlias = "str | Mapping[str, object]"
Mask: TypeAlias = "npt.NDArray[np.bool_]"


@dataclass(frozen=True, slots=True)
class NullPolicy:
    """How the nulls of an input are handled; ``is_text``: replacements are texts, to be read by the column's type."""

    text: str
    skip: bool = False
    replacements: tuple[tuple[str, object], ...] = ()
    is_text: bool = True

    def places(self, names: Sequence[str], where: str) -> dict[int, object]:
        """The replacements by column; an error for a name that the relation does not have."""
        keys, own = comparable_names([name for name, _ in self.replacements], names)
        by_place: dict[int, object] = {}
        for key, (name, value) in zip(keys, self.replacements, strict=True):
            if key not in own:
                raise self.error(where, f"no column `{name}` among {', '.join(f'`{each}`' for each in names)}")
            by_place[own.index(key)] = value
        return by_place

    def null_columns(self, names: Sequence[str], where: str) -> tuple[int, ...]:
        """The columns of a text file whose empty cells are nulls."""
        replaced = self.places(names, where)
        return tuple(range(len(names))) if self.skip else tuple(sorted(replaced))

    def error(self, where: str, problem: str) -> DataError:
        """The error for a policy that cannot be applied."""
        return failures.NULL_POLICY.error(where=where, problem=problem, policy=self.text)


@dataclass(frozen=True, slots=True)
class NullCounts:
    """The number of rows skipped because of a null, and of replaced nulls by column."""

    skipped: int = 0
    replaced: Mapping[str, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.skipped or any(self.replaced.values()))

    def __add__(self, other: NullCounts) -> NullCounts:
        names = {*self.replaced, *other.replaced}
        replaced = {name: self.replaced.get(name, 0) + other.replaced.get(name, 0) for name in sorted(names)}
        return NullCounts(self.skipped + other.skipped, replaced)

    def __str__(self) -> str:
        """
        >>> str(NullCounts(1, {"mgr": 2}))
        'skipped 1 row with a null, replaced 2 nulls in `mgr`'
        """
        parts = (
            [f"skipped {self.skipped:,} {'row' if self.skipped == 1 else 'rows'} with a null"] if self.skipped else []
        )
        for name, count in self.replaced.items():
            if count:
                parts.append(f"replaced {count:,} {'null' if count == 1 else 'nulls'} in `{name}`")
        return ", ".join(parts) or "no nulls"


@dataclass(frozen=True, slots=True)
class InputReport:
    """For each relation, the nulls and the ignored columns of the tables that an epoch inserted."""

    nulls: dict[str, NullCounts] = field(default_factory=dict)
    ignored: dict[str, tuple[str, ...]] = field(default_factory=dict)  # columns that the relation does not have

    def count(self, relation: str, counts: NullCounts) -> None:
        """Add the counts of skipped and replaced nulls."""
        if counts:
            self.nulls[relation] = self.nulls.get(relation, NullCounts()) + counts

    def ignore(self, relation: str, names: Sequence[str]) -> None:
        """Add ignored columns."""
        if names:
            self.ignored[relation] = tuple(dict.fromkeys((*self.ignored.get(relation, ()), *names)))


def read_policy(policy: Policy | NullPolicy | None, where: str) -> NullPolicy | None:
    """A policy as users write it; None if nulls are refused.

    >>> read_policy("skip", "emp"), read_policy("refuse", "emp")
    (NullPolicy(text='skip', skip=True, replacements=(), is_text=True), None)
    >>> read_policy("mgr=none, skip", "emp").replacements, read_policy({"pay": 0}, "emp").replacements
    ((('mgr', 'none'),), (('pay', 0),))
    """
    if policy is None or isinstance(policy, NullPolicy):
        return policy
    if isinstance(policy, Mapping):
        for name, value in policy.items():
            if not isinstance(name, str) or is_null(value):
                raise NullPolicy(str(policy)).error(where, f"`{name}` has no replacement")
        return NullPolicy(str(dict(policy)), False, tuple(policy.items()), False) if policy else None
    if not isinstance(policy, str):
        raise NullPolicy(show_value(policy)).error(where, f"expected a text or a dict, found {type(policy).__name__}")
    skip, replacements = False, []
    for item in policy.split(","):
        name, equals, value = item.partition("=")
        if equals and name.strip():
            replacements.append((name.strip(), value.strip()))
        elif item.strip() == SKIP:
            skip = True
        elif item.strip() != REFUSE:
            raise NullPolicy(policy).error(where, f"unknown item `{item.strip()}`")
    return NullPolicy(policy, skip, tuple(replacements)) if skip or replacements else None


def handle_nulls(
    policy: NullPolicy,
    columns: Sequence[Any],
    names: Sequence[str],
    types: Sequence[str | None],
    where: str,
) -> tuple[list[Any], int, NullCounts]:
    """Apply a policy to columns (Arrow, numpy, or lists); returns the columns, the number of rows, and the counts."""
    results, length = list(columns), len(columns[0]) if columns else 0
    replaced: dict[str, int] = {}
    for place, value in policy.places(names, where).items():
        nulls = null_mask(results[place], types[place])
        count = int(nulls.sum())
        if count:
            results[place] = _fill(
                results[place], nulls, _value(policy, value, results[place], types[place], where), policy, where
            )
            replaced[names[place]] = count
    if not policy.skip:
        return results, length, NullCounts(0, replaced)
    bad = np.zeros(length, np.bool_)
    for column, type_ in zip(results, types, strict=True):
        bad |= null_mask(column, type_)
    if not bad.any():
        return results, length, NullCounts(0, replaced)
    rows = np.flatnonzero(~bad)
    return [_take_rows(column, rows) for column in results], len(rows), NullCounts(int(bad.sum()), replaced)


def handle_table_nulls(policy: NullPolicy, table: pa.Table, types: Sequence[str | None], where: str) -> pa.Table:
    """Apply a policy to the rows of a file; the counts are reported."""
    columns, _, counts = handle_nulls(policy, table.columns, table.column_names, types, where)
    report_nulls(where, counts)
    return pa.table(columns, names=table.column_names).replace_schema_metadata(table.schema.metadata)


def handle_row_nulls(
    policy: NullPolicy, rows: list[tuple[Any, ...]], names: Sequence[str], types: Sequence[str | None], where: str
) -> list[tuple[Any, ...]]:
    """Apply a policy to rows that are tuples."""
    if not rows:
        return rows
    columns, _, counts = handle_nulls(policy, [list(c) for c in zip(*rows, strict=True)], names, types, where)
    report_nulls(where, counts)
    return list(zip(*columns, strict=True))


def report_nulls(where: str, counts: NullCounts) -> None:
    """Warn of the nulls of a file that were skipped or replaced."""
    if counts:
        error = failures.NULLS_HANDLED.error(where=where, report=counts)
        warn(TidelogWarning(f"{error.code}: {error}"))


def null_mask(column: Any, type_: str | None) -> Mask:
    """Which rows of a column are null."""
    if isinstance(type_, Shape) or isinstance(column, np.ndarray):
        return np.zeros(len(column), np.bool_)
    if isinstance(column, pa.ChunkedArray):
        mask: Mask = np.asarray(_plain(column).is_null().to_numpy(), np.bool_)
        return mask
    return np.fromiter((is_null(value) for value in column), np.bool_, len(column))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without nulls in its dictionary."""
    if pa.types.is_dictionary(column.type) and any(chunk.dictionary.null_count for chunk in column.chunks):
        return column.cast(column.type.value_type)
    return column


def _value(policy: NullPolicy, value: object, column: Any, type_: str | None, where: str) -> object:
    """The value that replaces nulls; texts are read as cells of a file."""
    if not policy.is_text:
        return value
    own = type_ or _own_type(column, where)
    if own in (None, "symbol"):
        return value
    try:
        return read_text(str(value), own)
    except DataError as error:
        raise policy.error(where, str(error)) from None


def _own_type(column: Any, where: str) -> str | None:
    """The type of a column without its nulls."""
    if isinstance(column, pa.ChunkedArray):
        return None if pa.types.is_null(column.type) else arrow_column_type(column.type, where)
    present = [value for value in column if not is_null(value)]
    return column_type(present, where) if present else None


def _fill(column: Any, nulls: Mask, value: Any, policy: NullPolicy, where: str) -> Any:
    if not isinstance(column, pa.ChunkedArray):
        return [value if null else own for own, null in zip(column, nulls.tolist(), strict=True)]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    try:
        if pa.types.is_null(column.type):
            return pa.chunked_array([pa.array([value] * len(column))])
        return column.fill_null(pa.array([value]).cast(column.type)[0])
    except (pa.ArrowException, TypeError, ValueError):
        raise policy.error(where, f"{show_value(value)} does not fit a column of {column.type}") from None


def _take_rows(column: Any, rows: npt.NDArray[np.int64]) -> Any:
    if isinstance(column, pa.ChunkedArray):
        return _plain(column).take(pa.array(rows))
    return column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows.tolist()]
