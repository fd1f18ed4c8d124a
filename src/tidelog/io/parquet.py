"""Rows of a view as one Parquet file, written by the partition that holds them.

Law (D5): a file appears whole or not at all and never changes; all files of one view have one schema, whatever values a
partition holds. Lists have no element type, so a list is written as JSON, and the file records which Spark type could
represent all its lists; readable text is written on request. This module needs no PySpark.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tidelog.io import io_failures as failures
from tidelog.io.late import files
from tidelog.io.late import parquet as pq
from tidelog.io.outside import decode_outside, spark_face
from tidelog.io.structures import python_structures
from tidelog.io.texts import show_text
from tidelog.io.vectors import from_vector
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program.values.shape import Shape
from tidelog.program.values.source_types import NATURAL, zone_of

Cells = npt.NDArray[np.int64]
NO_COLUMNS = "present"
CHANGE = "change"
EMPTY, MIXED = "", "mixed"


def change_name(names: Sequence[str]) -> str:
    """The name of the column with +1 or -1.

    >>> change_name(["x", "y"]), change_name(["change"])
    ('change', '_change')
    """
    name = CHANGE
    while name in names:
        name = "_" + name
    return name


def stored_names(names: Sequence[str]) -> list[str]:
    """Names of the columns of a file; names that differ only in case get a number, because Spark ignores case.

    >>> stored_names(["x", "y"]), stored_names(["x", "X"])
    (['x', 'y'], ['x_0', 'X_1'])
    """
    distinct = len({name.lower() for name in names}) == len(names)
    return list(names) if distinct else [f"{name}_{place}" for place, name in enumerate(names)]


def write_rows(
    path: str,
    cells: Cells,
    types: Sequence[str | None],
    names: Sequence[str],
    dictionary: Dictionary,
    *,
    signs: npt.NDArray[np.int8] | None = None,
    lists_as_text: bool = False,
    outside: Sequence[str] = (),
) -> dict[str, str]:
    """Write rows to a new file, a local path or a URI; returns the element types of its columns of lists.

    With ``signs`` the file has one more column, which contains +1 for inserted rows and -1 for deleted ones.
    ``outside`` are the types with which columns are returned, if they have specific ones; lists get them later.
    """
    kinds: dict[str, str] = {}
    arrays: list[pa.Array] = []
    outside_types = outside or (NATURAL,) * len(types)
    for place, (name, type_, own) in enumerate(zip(names, types, outside_types, strict=True)):
        column = np.ascontiguousarray(cells[:, place])
        if type_ == "list":
            array, kinds[name] = _lists(column, dictionary, lists_as_text)
        elif isinstance(type_, Shape) and lists_as_text:
            values = python_structures(column, type_, dictionary)
            array = pa.array([show_text(value, type_) for value in values], pa.string())
        else:
            array = _values(column, type_, own, dictionary, name)
        arrays.append(array)
    titles = stored_names(names)
    if not arrays:
        arrays, titles = [pa.array(np.ones(len(cells), np.bool_))], [NO_COLUMNS]
    if signs is not None:
        arrays, titles = [*arrays, pa.array(signs, pa.int8())], [*titles, change_name(names)]
    _write_whole(path, pa.table(arrays, names=titles))
    return kinds


def write_changes(
    path: str,
    inserted: Cells,
    deleted: Cells,
    types: Sequence[str | None],
    names: Sequence[str],
    dictionary: Dictionary,
    outside: Sequence[str] = (),
) -> dict[str, str]:
    """Write the inserted and the deleted rows of an epoch to one file."""
    signs = np.concatenate([np.full(len(inserted), 1, np.int8), np.full(len(deleted), -1, np.int8)])
    rows = np.concatenate([inserted, deleted])
    return write_rows(path, rows, types, names, dictionary, signs=signs, outside=outside)


def _values(column: Cells, type_: str | None, outside: str, dictionary: Dictionary, name: str) -> pa.Array:
    """A column as Spark reads it: instants have a zone, local times do not."""
    own = spark_face(outside)
    if type_ == "timestamp":
        zone = zone_of(own)
        return from_vector(column, pa.timestamp("us", None if zone is not None and zone[1] is None else "UTC"))
    try:
        return decode_outside(column, type_, own, dictionary)
    except (pa.ArrowInvalid, ValueError) as error:
        raise failures.NARROWER.error(name=name, type=own, error=error) from error


def _lists(column: Cells, dictionary: Dictionary, as_text: bool) -> tuple[pa.Array, str]:
    unique, places = np.unique(column, return_inverse=True)
    values = dictionary.values_of(unique.tolist())
    texts = [show_text(value, "list") if as_text else json.dumps(_numbers(value)) for value in values]
    kind = MIXED if as_text else widest(kind_of(value) for value in values)
    return pa.array(texts, pa.string()).take(pa.array(places.reshape(-1))), kind


def _numbers(value: Any) -> Any:
    """A list with booleans converted to numbers."""
    if isinstance(value, tuple | list):
        return [_numbers(part) for part in value]
    return int(value) if isinstance(value, bool) else value


def kind_of(value: Any) -> str:
    """The Spark type of a value; `mixed` for a list with elements of different kinds.

    >>> kind_of((1, 2)), kind_of((("a",), ())), kind_of((1, "a")), kind_of(())
    ('array<bigint>', 'array<array<string>>', 'mixed', 'array<>')
    """
    if isinstance(value, tuple | list):
        return _array(widest(kind_of(part) for part in value))
    if isinstance(value, str):
        return "string"
    if isinstance(value, float):
        return "double"
    return "bigint" if value < 1 << 63 else "decimal(20,0)"


def widest(kinds: Iterable[str]) -> str:
    """The kind that can hold values of all these kinds.

    >>> widest(["array<>", "array<bigint>"]), widest(["array<double>", "array<bigint>"]), widest([])
    ('array<bigint>', 'mixed', '')
    """
    return reduce(_wider, set(kinds), EMPTY)


def _wider(one: str, other: str) -> str:
    if one == other or EMPTY in (one, other):
        return one or other
    if one.startswith("array<") and other.startswith("array<"):
        return _array(_wider(one[6:-1], other[6:-1]))
    return "decimal(20,0)" if {one, other} == {"bigint", "decimal(20,0)"} else MIXED


def _array(inner: str) -> str:
    return MIXED if inner == MIXED else f"array<{inner}>"


def _write_whole(path: str, table: pa.Table) -> None:
    """Write under a temporary name, then rename; object storage shows a file only when it is complete."""
    try:
        if "://" in path:
            filesystem, place = files.FileSystem.from_uri(path)
        else:
            filesystem, place = files.LocalFileSystem(), path
        folder, _, name = place.rpartition("/")
        half = f"{folder}/.{name}.{os.getpid()}.part"
        if isinstance(filesystem, files.LocalFileSystem):
            _make_folder(Path(folder))
        else:
            filesystem.create_dir(folder, recursive=True)
        pq.write_table(table, half, filesystem=filesystem)
        if isinstance(filesystem, files.LocalFileSystem):
            os.chmod(half, os.stat(half).st_mode & os.stat(folder).st_mode & 0o666)
        filesystem.move(half, place)
    except (OSError, pa.ArrowException) as error:
        raise failures.TABLE_NOT_WRITTEN.error(path=path, error=error) from error


def _make_folder(folder: Path) -> None:
    """Create a folder and its parents, with no more permissions than the existing parent."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True, mode=folder.parent.stat().st_mode & 0o777)
