"""Placements: where the facts of a relation are kept.

Law: the placement of a relation is fixed when the relation is created and never changes; rules that need it elsewhere
read a copy, an auxiliary relation that is maintained like any other. The two constants for a placement that is not a
column are defined here; the kernel, which imports no other package, has the same two numbers (`kernel.layout`, compared
by a test).
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

SINGLE = -1  # all facts on partition 0
MIRRORED = -2  # all facts on every partition
COPY = re.compile(r"__(?P<source>.+)_(?:by_(?P<column>\d+)|on_all|on_one)")  # as `place.copy_name` builds them


@dataclass(frozen=True, slots=True)
class Placement:
    """By the hash of a column (from 0), all on partition 0 (`SINGLE`), or all on every partition (`MIRRORED`)."""

    column: int

    @property
    def is_mirrored(self) -> bool:
        """Whether every partition holds the whole relation."""
        return self.column == MIRRORED

    @property
    def is_single(self) -> bool:
        """Whether partition 0 holds the whole relation."""
        return self.column == SINGLE

    def __str__(self) -> str:
        if self.is_mirrored:
            return "on every partition"
        return "on partition 0" if self.is_single else f"by column {self.column + 1}"


def copied(name: str, relations: Container[str]) -> tuple[str, Placement] | None:
    """The relation that a relation copies, and the placement of the copy; None if it is not a copy.

    >>> copied("__edge_by_2", {"edge"}), copied("__edge_on_all", {"edge"}), copied("__edge_by_2", {"__edge_by_2"})
    (('edge', Placement(column=1)), ('edge', Placement(column=-2)), None)
    """
    found = COPY.fullmatch(name)
    if found is None or name in relations or found["source"] not in relations:
        return None
    column = found["column"]
    place = int(column) - 1 if column else MIRRORED if name.endswith("_all") else SINGLE
    return found["source"], Placement(place)
