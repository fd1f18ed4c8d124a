"""Keys of relations (`materialize`): one row per key.

Law (D9): on a base relation an inserted row replaces the row that has its key; two rows with one key in an epoch are
an error; on a relation with rules the key is a constraint, and an epoch that violates it is rolled back. Rows are found
by an index on the key columns, so that the cost follows the change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from tidelog.errors import DataError
from tidelog.kernel.cells import Cells, address
from tidelog.kernel.key_lookup import old_rows
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.memory.records import STATE
from tidelog.partition.memory.relations import Relations
from tidelog.program import Program
from tidelog.program.graph.keys import key_columns

Pair = tuple[Cells, Cells]
Show = Callable[[str, Cells], str]  # a row of a relation as text
Find = Callable[[str, tuple[int, ...], Cells], Cells]  # the rows before the epoch that share a key with some rows


def clashing_rows(rows: Cells, columns: Sequence[int]) -> Pair | None:
    """Two different rows with one key, if there are any.

    >>> clashing_rows(np.array([[1, 2], [1, 3], [2, 2]]), (0,))
    (array([1, 2]), array([1, 3]))
    >>> clashing_rows(np.array([[1, 2], [1, 2]]), (0,)) is None
    True
    """
    if len(rows) < 2 or len(columns) == rows.shape[1]:
        return None
    ordered = rows[np.lexsort(rows.T[::-1])]
    ordered = ordered[np.lexsort(ordered[:, list(columns)].T[::-1])]
    one, other = ordered[:-1], ordered[1:]
    same_key = (one[:, list(columns)] == other[:, list(columns)]).all(axis=1)
    found = np.nonzero(same_key & (one != other).any(axis=1))[0]
    return (one[found[0]], other[found[0]]) if len(found) else None


class KeyClash(Exception):
    """Two rows of a base relation with one key, inserted in one epoch: as cells, to be reported by the caller."""

    def __init__(self, name: str, columns: tuple[int, ...], pair: Pair) -> None:
        super().__init__(name, columns, pair)
        self.name, self.columns, self.pair = name, columns, pair

    def as_error(self, show: Show) -> DataError:
        """The error as the user sees it."""
        return failures.KEY_TWICE.error(what=_clash_text(self.name, self.columns, self.pair, show))


def replaced_rows(find: Find, name: str, columns: tuple[int, ...], inserts: Cells) -> Cells:
    """The rows of a base relation that inserted ones replace: those with the key of one and other values."""
    clash = clashing_rows(inserts, columns)
    if clash is not None:
        raise KeyClash(name, columns, clash)
    return _without(find(name, columns, inserts), inserts)


def broken_key(find: Find, name: str, columns: tuple[int, ...], inserted: Cells, deleted: Cells) -> Pair | None:
    """Two rows with one key that a relation would contain after an uncommitted epoch, if there are any."""
    clash = clashing_rows(inserted, columns)
    if clash is not None or not len(inserted):
        return clash
    stayed = _without(find(name, columns, inserted), deleted)
    return clashing_rows(np.concatenate([stayed, inserted]), columns) if len(stayed) else None


def _without(rows: Cells, others: Cells) -> Cells:
    """The rows that are not among the others."""
    if not len(rows) or not len(others):
        return rows
    known = set(map(bytes, np.ascontiguousarray(others)))
    return rows[[bytes(row) not in known for row in np.ascontiguousarray(rows)]]


def base_keys(program: Program) -> dict[str, tuple[int, ...]]:
    """The key columns of the relations without rules."""
    return dict(_keys(program, derived=False))


def keyed_elsewhere(keys: Mapping[str, tuple[int, ...]], places: Mapping[str, int]) -> set[str]:
    """The relations whose rows with one key may have several owners: they are placed by a column outside the key.

    >>> keyed_elsewhere({"link": (0, 1), "host": (0,)}, {"link": 1, "host": 1})
    {'host'}
    """
    return {name for name, columns in keys.items() if places.get(name, -1) >= 0 and places[name] not in columns}


def replace_by_key(
    keys: Mapping[str, tuple[int, ...]], find: Find, inserts: Mapping[str, Cells], deletes: dict[str, Cells]
) -> None:
    """Add to ``deletes`` the rows of base relations that inserted ones replace; KeyClash if two of them share a key."""
    for name, columns in keys.items():
        if name not in inserts:
            continue
        replaced = replaced_rows(find, name, columns, inserts[name])
        if len(replaced):
            if name in deletes:
                replaced = np.unique(np.concatenate([deletes[name], replaced]), axis=0)
            deletes[name] = replaced


def check_keys(program: Program, find: Find, changes: Mapping[str, Pair], show: Show) -> None:
    """Raise an error if an uncommitted epoch violates the key of a relation with rules."""
    for name, columns in _keys(program, derived=True):
        if name not in changes:
            continue
        clash = broken_key(find, name, columns, *changes[name])
        if clash is not None:
            labels = ", ".join(f"`{rule.label}`" for rule in program.rules if rule.head.predicate == name)
            what = _clash_text(name, columns, clash, show)
            raise failures.KEY_BROKEN.error(what=what, name=name, labels=labels)


def check_new_keys(
    before: Program, after: Program, rows: Callable[[str], Cells], changes: Mapping[str, Pair], show: Show
) -> None:
    """Raise an error if the rows that a relation would contain after an epoch violate a key that the epoch adds.

    ``rows`` returns those before the epoch, for relations that existed.
    """
    if after.keys == before.keys:
        return
    known = key_columns(before)
    for name, columns in key_columns(after).items():
        if known.get(name) == columns:
            continue
        inserted, deleted = changes.get(name, (None, None))
        stayed = rows(name) if deleted is None else _without(rows(name), deleted)
        clash = clashing_rows(stayed if inserted is None else np.concatenate([stayed, inserted]), columns)
        if clash is not None:
            raise failures.NEW_KEY_BROKEN.error(what=_clash_text(name, columns, clash, show))


def _keys(program: Program, *, derived: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    if not program.keys:
        return
    heads = {rule.head.predicate for rule in program.rules}
    for relation, columns in key_columns(program).items():
        if (relation in heads) == derived:
            yield relation, columns


def _clash_text(name: str, columns: Sequence[int], clash: Pair, show: Show) -> str:
    key = ", ".join(str(column + 1) for column in columns)
    return f"the key of `{name}` is column {key}, but {show(name, clash[0])} and {show(name, clash[1])}"


def rows_with_keys(relations: Relations, name: str, columns: tuple[int, ...], rows: Cells) -> Cells:
    """The rows present before the epoch that share a key with one of ``rows``."""
    number = relations.numbers.get(name)
    if number is None or not len(rows) or not relations.live(number):
        return rows[:0]
    index = relations.index(number, columns)
    keys = np.ascontiguousarray(np.unique(rows[:, list(columns)], axis=0))
    found = np.empty(len(keys) + 16, np.int64)
    table = relations.directory, relations.indexes
    while (count := old_rows(*table, index, number, address(keys), len(keys), len(columns), found)) < 0:
        found = np.empty(2 * len(found), np.int64)
    return relations.records(number)[found[:count], :STATE].copy()
