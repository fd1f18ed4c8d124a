"""The nodes and the arrows of a program's graph.

Law: an arrow points from the relation that is read to the one that is derived from it.
"""

from __future__ import annotations

from dataclasses import dataclass

BASE = 0  # the stratum of relations that no rule derives


@dataclass(frozen=True, slots=True)
class RelationNode:
    """A relation: its stratum (0: no rule derives it), how many rules derive it, how many facts it has, if known."""

    name: str
    stratum: int
    rules: int = 0
    recursive: bool = False
    facts: int | None = None


@dataclass(frozen=True, slots=True)
class ReadEdge:
    """``source`` is read for ``target`` by rules with these labels; ``kind`` is the strictest way."""

    source: str
    target: str
    kind: str
    labels: tuple[str, ...] = ()
