"""A summary of what an epoch changed in a relation: two counts and a few rows.

Law: counts are exact; rows are the first few of each kind, followed by an ellipsis if there are more.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidelog.engine.read.view import fact_writer
from tidelog.engine.write.epoch import Epoch
from tidelog.io.fact_text import FactWriter

Row = tuple[Any, ...]
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ViewChange:
    """What an epoch did to one relation: two counts and a few facts of each kind."""

    inserted: int
    deleted: int
    some_inserted: tuple[str, ...] = ()
    some_deleted: tuple[str, ...] = ()


def view_change(
    inserted: Sequence[Row], deleted: Sequence[Row], write_inserted: FactWriter, write_deleted: FactWriter
) -> ViewChange:
    """The change of a relation, from its added and removed rows."""
    some_inserted, some_deleted = map(write_inserted, inserted[:EXAMPLES]), map(write_deleted, deleted[:EXAMPLES])
    return ViewChange(len(inserted), len(deleted), tuple(some_inserted), tuple(some_deleted))


def view_changes(epoch: Epoch, convention: str, names: Container[str] | None = None) -> dict[str, ViewChange]:
    """What an epoch changed, by relation: in all relations, or in the ones named."""
    found: dict[str, ViewChange] = {}
    for name, change in epoch.changes.items():
        if names is None or name in names:
            both = change.inserted, change.deleted
            found[name] = view_change(*both, *(fact_writer(rows, name, convention) for rows in both))
    return found


def change_lines(changes: Mapping[str, ViewChange]) -> Iterator[str]:
    """One line per relation: the number of rows added and removed, with a few of them."""
    width = max(map(len, changes), default=0)
    for name, change in changes.items():
        yield f"  {name:<{width}}  +{change.inserted:,} -{change.deleted:,}  {examples(change)}".rstrip()


def examples(change: ViewChange) -> str:
    """A few added and removed rows.

    >>> examples(ViewChange(4, 1, ("p(1)", "p(2)", "p(3)"), ("p(9)",)))
    '+p(1) +p(2) +p(3) ... -p(9)'
    """
    parts = []
    for sign, rows, total in (
        ("+", change.some_inserted, change.inserted),
        ("-", change.some_deleted, change.deleted),
    ):
        parts += [sign + row for row in rows]
        parts += ["..."] if total > len(rows) else []
    return " ".join(parts)
