"""The parts of an explanation: strata, rules with their join orders, relations, indexes, placement.

Law: they are plain values of texts and numbers, with relations and rules as they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidelog.plan.plan_text import columns_text


@dataclass(frozen=True, slots=True)
class StepNumbers:
    """What a step did: how often it was entered, rows visited, rows that passed, and rows expected per entry.

    ``visited`` and ``expected`` are None for filters; ``expected`` also if nothing was known when the plan was made.
    """

    step: str
    entered: int
    visited: int | None
    passed: int
    expected: float | None = None


@dataclass(frozen=True, slots=True)
class DemandPlan:
    """A relation that is evaluated on demand: the columns that are known when it is queried, and what it then holds.

    ``whole`` is the reason if all of it is evaluated nevertheless, and empty otherwise.
    """

    relation: str
    asked: tuple[tuple[int, ...], ...] = ()
    values: int = 0  # that are demanded
    whole: str = ""


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """What is visited when a fact of the trigger changes, in order; ``crossed`` relations are scanned completely.

    ``numbers``, those of the trigger and then of each step, are present if the explanation was made with ``analyze``.
    """

    trigger: str
    steps: tuple[str, ...]
    crossed: tuple[str, ...] = ()
    numbers: tuple[StepNumbers, ...] = ()
    replaced: bool = False  # the rule has another plan now


@dataclass(frozen=True, slots=True)
class RulePlan:
    """A rule and its join orders."""

    label: str
    text: str
    orders: tuple[JoinOrder, ...]


@dataclass(frozen=True, slots=True)
class StratumPlan:
    """Relations evaluated together, and the rules that derive them.

    ``rebuilt`` is the reason why the last epoch that visited them built them again (D26), and empty if it did not.
    """

    number: int
    relations: tuple[str, ...]
    recursive: bool
    rules: tuple[RulePlan, ...]
    rebuilt: str = ""


@dataclass(frozen=True, slots=True)
class RelationPlan:
    """A relation with its columns (name: type); ``stratum`` is None for relations without rules."""

    name: str
    columns: tuple[str, ...]
    stratum: int | None
    facts: int


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """An index, by column numbers from 1, the last of them in order if it is ``ordered``, and the rules that use it."""

    relation: str
    columns: tuple[int, ...]
    rules: tuple[str, ...]
    ordered: bool = False

    @property
    def key(self) -> str:
        """The columns by which facts are found.

        >>> IndexPlan("edge", (1, 2), ()).key, IndexPlan("edge", (1, 2), (), ordered=True).key
        ('columns 1, 2', 'column 1 and the order of column 2')
        """
        if not self.ordered:
            return columns_text(self.columns)
        *equal, last = self.columns
        return f"{columns_text(equal)} and the order of column {last}" if equal else f"the order of column {last}"


@dataclass(frozen=True, slots=True)
class PlacementPlan:
    """Where each relation lives on several partitions, and what each rule sends: one sentence per name or label."""

    partitions: int
    relations: Mapping[str, str]
    rules: Mapping[str, str]
