"""The state of an engine as a value: every fact with its rank and counts, the core rules, and the strata.

Law: the invariants I1 and I2 are about this state, which is exposed so that they can be checked from outside.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tidelog.program import Rule

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class FactState:
    """Rank, number of supports, number of supports of lower rank, and whether the fact is asserted."""

    rank: int
    all: int
    low: int
    base: bool


class StreamedFacts(Mapping[Row, FactState]):
    """The facts of a relation that are read again on every iteration."""

    @property
    @abstractmethod
    def all_asserted(self) -> bool:
        """Whether all of them are asserted; known without reading them."""


@dataclass(frozen=True, slots=True)
class EngineState:
    """All facts of all relations, auxiliary ones included. Relations that are in no stratum have no rules.

    With several partitions ``facts`` holds every fact once (of a mirrored relation with the lowest of its ranks), and
    ``parts`` the facts of each partition. Rules in ``everywhere`` fire on every partition, for the heads it holds.
    """

    facts: Mapping[str, Mapping[Row, FactState]]
    rules: tuple[Rule, ...]
    strata: tuple[frozenset[str], ...]
    schema: Mapping[str, tuple[str | None, ...]]
    parts: tuple[Mapping[str, Mapping[Row, FactState]], ...] = ()
    mirrored: frozenset[str] = field(default_factory=frozenset)
    everywhere: frozenset[str] = field(default_factory=frozenset)
