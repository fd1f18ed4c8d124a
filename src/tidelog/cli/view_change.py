"""What an epoch did to a relation, short enough to be told: two counts and a few rows.

Law: counts are exact; rows are the first few of each kind, and an ellipsis stands for the rest.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidelog.engine.epoch import Epoch
from tidelog.engine.view import Rows
from tidelog.io.texts import show_fact

Row = tuple[Any, ...]
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ViewChange:
    """What an epoch did to one relation: two counts and a few rows of each kind."""

    inserted: int
    deleted: int
    some_inserted: tuple[Row, ...] = ()
    some_deleted: tuple[Row, ...] = ()


def view_change(inserted: Sequence[Row] | Rows, deleted: Sequence[Row] | Rows) -> ViewChange:
    """The change of a relation from the rows that came and went."""
    some_inserted, some_deleted = (
        tuple(rows.head(EXAMPLES) if isinstance(rows, Rows) else rows[:EXAMPLES]) for rows in (inserted, deleted)
    )
    return ViewChange(len(inserted), len(deleted), some_inserted, some_deleted)


def view_changes(epoch: Epoch, wanted: Container[str] | None = None) -> dict[str, ViewChange]:
    """What an epoch changed, by relation: in all relations, or in those wanted."""
    return {
        name: view_change(change.inserted, change.deleted)
        for name, change in epoch.changes.items()
        if wanted is None or name in wanted
    }


def change_lines(changes: Mapping[str, ViewChange]) -> Iterator[str]:
    """A line per relation: how many rows came and went, with a few of them."""
    width = max(map(len, changes), default=0)
    for name, change in changes.items():
        yield f"  {name:<{width}}  +{change.inserted:,} -{change.deleted:,}  {examples(name, change)}".rstrip()


def examples(name: str, change: ViewChange) -> str:
    """A few rows that came and went.

    >>> examples("p", ViewChange(4, 1, ((1,), (2,), (3,)), ((9,),)))
    '+p(1) +p(2) +p(3) ... -p(9)'
    """
    parts = []
    for sign, rows, total in (
        ("+", change.some_inserted, change.inserted),
        ("-", change.some_deleted, change.deleted),
    ):
        parts += [sign + show_fact(name, row) for row in rows]
        parts += ["..."] if total > len(rows) else []
    return " ".join(parts)
