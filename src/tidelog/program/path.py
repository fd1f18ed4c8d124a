"""Regular path expressions: the values that stand in predicate position (D10).

Law: a path denotes a binary relation over the nodes of the graph; this module says only how it is written.
What the operators mean, and how they are expanded, is the business of `rewrite`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.errors import Span


@dataclass(frozen=True, slots=True)
class Label:
    """One step along a relation, or along the triples of ``relation`` whose middle column is ``value``: ``edge[p]``."""

    relation: str
    value: str | int | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Inverse:
    """``^path``: the path walked backwards."""

    path: Path


@dataclass(frozen=True, slots=True)
class Sequence:
    """``a/b``: one path after the other."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Alternative:
    """``a|b``: either path."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """``a & b``: both paths between the same ends."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``path{least,most}``; ``+`` is {1,None}, ``*`` is {0,None}, ``?`` is {0,1}."""

    path: Path
    least: int
    most: int | None


Path: TypeAlias = Label | Inverse | Sequence | Alternative | Conjunction | Repeat
