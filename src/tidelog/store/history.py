"""History: what past epochs did, told from the log.

Law: a fact that comes or goes in an epoch stands in the delta of its relation exactly once, whether facts or rules
changed; so the change feed of a view is its deltas in order, each epoch once, before and after a restart alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidelog.io.columns import decode_column
from tidelog.partition.dictionary import Dictionary
from tidelog.store.delta import Cells, Delta
from tidelog.store.durable import Durable
from tidelog.store.image import deltas_of


class Change(NamedTuple):
    """A fact that came (sign 1) or went (-1) in an epoch."""

    epoch: int
    sign: int
    fact: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An epoch in the log; ``changed`` holds per relation how many facts came and went."""

    epoch: int
    time: float
    seconds: float
    added: tuple[str, ...]
    removed: tuple[str, ...]
    asserted: Mapping[str, int]
    retracted: Mapping[str, int]
    changed: Mapping[str, tuple[int, int]]
    source: str | None
    offset: int | None
    size: int


def view_changes(state: Durable, relation: str, since: int, dictionary: Dictionary) -> Iterator[Change]:
    """The changes of a relation in the epochs after ``since``."""
    for frame in state.frames(since):
        for delta in deltas_of(frame):
            if delta.relation == relation:
                for sign, cells in ((-1, delta.removed[:, 1:]), (1, delta.added[:, :-2])):
                    for fact in _facts(cells, delta, dictionary):
                        yield Change(frame.epoch, sign, fact)


def _facts(cells: Cells, delta: Delta, dictionary: Dictionary) -> list[tuple[Any, ...]]:
    if not delta.arity:
        return [()] * len(cells)
    columns = [decode_column(cells[:, i], type_, dictionary) for i, type_ in enumerate(delta.types)]
    return list(zip(*columns, strict=True))


def log_entries(state: Durable) -> Iterator[LogEntry]:
    """The epochs that are kept, oldest first."""
    segments = state.log.segments
    for frame in state.frames(segments[0] - 1 if segments else 0):
        header = frame.header
        source, offset = next(iter(header.get("offsets", {}).items()), (None, None))
        yield LogEntry(
            frame.epoch,
            header["time"],
            header["seconds"],
            tuple(header.get("rules added", ())),
            tuple(header.get("rules removed", ())),
            header["asserted"],
            header["retracted"],
            {name: (come, gone) for name, (come, gone) in header["changed"].items()},
            source,
            offset,
            frame.size,
        )
