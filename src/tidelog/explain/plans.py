"""What an explanation is made of: strata, rules with their join orders, relations, indexes, placement.

Law: plain values of texts and numbers, with relations and rules as they are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidelog.plan.plan_text import columns_text


@dataclass(frozen=True, slots=True)
class StepNumbers:
    """What a step did: how often it was entered, rows visited, rows that passed; and rows expected for each entry.

    ``visited`` and ``expected`` are None for filters; ``expected`` also where nothing was known when the plan was made.
    """

    step: str
    entered: int
    visited: int | None
    passed: int
    expected: float | None = None


@dataclass(frozen=True, slots=True)
class DemandPlan:
    """A relation that is evaluated on demand: the columns that are known where it is asked, and what it then holds.

    ``whole`` says why all of it is evaluated nevertheless; it is empty where it is not.
    """

    relation: str
    asked: tuple[tuple[int, ...], ...] = ()
    values: int = 0  # that are asked for
    whole: str = ""


@dataclass(frozen=True, slots=True)
class JoinOrder:
    """What is visited when a fact of the trigger changes, in order; ``crossed`` relations are visited whole.

    ``numbers`` are there where an explanation was asked to analyse: of the trigger, then of each step.
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

    ``rebuilt`` says why the last epoch that came here built them again (D26); it is empty where changes were followed.
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
        """What facts are found by.

        >>> IndexPlan("edge", (1, 2), ()).key, IndexPlan("edge", (1, 2), (), ordered=True).key
        ('columns 1, 2', 'column 1 and the order of column 2')
        """
        if not self.ordered:
            return columns_text(self.columns)
        *equal, last = self.columns
        return f"{columns_text(equal)} and the order of column {last}" if equal else f"the order of column {last}"


@dataclass(frozen=True, slots=True)
class PlacementPlan:
    """Where each relation lives on several partitions, and what each rule sends: a sentence by name or label."""

    partitions: int
    relations: Mapping[str, str]
    rules: Mapping[str, str]
