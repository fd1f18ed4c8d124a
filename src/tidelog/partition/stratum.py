"""A stratum as a partition holds it: its rules as code, and which plans a change of a relation triggers.

Law: a plan is triggered by a change of the atom it was made for, in the phase in which that change counts: a positive
atom of a lower stratum by facts lost (retract) or gained (assert), a negated one the other way round, an atom of the
own stratum by facts suspended or made present.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.assemble import Choice
from tidelog.partition.fold import Fold
from tidelog.plan.steps import Plan
from tidelog.program import Atom, Negation, Rule


@dataclass(slots=True)
class RuleCode:
    """A core rule in a partition: its delta plans with the places of their code."""

    rule: Rule
    number: int
    plans: tuple[Plan, ...]
    whole: Plan
    places: list[int] = field(default_factory=list)
    whole_place: int = -1
    choice: Choice | None = None
    fold: Fold | None = None
    everywhere: bool = False  # fires on every partition, and each keeps the heads that it owns
    sends: bool = False  # may send messages to other partitions
    supports: int = 0  # held at the last committed epoch; -1: nobody has counted them yet

    @property
    def source(self) -> str:
        """The relation that an aggregate rule ranges over."""
        atom = self.rule.body[0]
        assert isinstance(atom, Atom)
        return atom.predicate

    @property
    def label(self) -> str:
        """The label of the core rule."""
        assert self.rule.label is not None
        return self.rule.label


@dataclass(slots=True)
class Triggers:
    """For each relation the plans it triggers: ``plans[first:last]``."""

    ranges: list[tuple[int, int, int]]
    plans: Cells

    @property
    def relations(self) -> list[int]:
        """The numbers of the relations that trigger anything."""
        return [number for number, _, _ in self.ranges]


@dataclass(slots=True, eq=False)
class Stratum:
    """Relations evaluated together and the rules that derive them."""

    relations: frozenset[str]
    rules: dict[str, RuleCode] = field(default_factory=dict)
    order: int = 0
    _tables: tuple[Triggers, Triggers, Triggers] | None = None

    @property
    def choices(self) -> list[Choice]:
        """The min and max of the stratum."""
        return [code.choice for code in self.rules.values() if code.choice is not None]

    @property
    def folds(self) -> list[RuleCode]:
        """The count, sum and mean of the stratum."""
        return [code for code in self.rules.values() if code.fold is not None]

    @property
    def sends(self) -> bool:
        """Whether a rule of the stratum may send messages to other partitions."""
        return any(code.sends for code in self.rules.values())

    def forget_tables(self) -> None:
        """The rules have changed."""
        self._tables = None

    def tables(self, numbers: dict[str, int]) -> tuple[Triggers, Triggers, Triggers]:
        """Triggers by lower relations in positive atoms, in negated atoms, and by the stratum's own relations.

        Candidates of a lower stratum count as own as well: they come from the heap, best first.
        """
        if self._tables is None:
            kinds: tuple[dict[int, list[int]], ...] = ({}, {}, {})
            for code in self.rules.values():
                for plan, place in zip(code.plans, code.places, strict=True):
                    kind, relation = self._kind(plan)
                    kinds[kind].setdefault(numbers[relation], []).append(place)
                    if kind == 0 and code.choice is not None:
                        kinds[2].setdefault(numbers[relation], []).append(place)
            lower, negated, own = (_triggers(kind) for kind in kinds)
            self._tables = (lower, negated, own)
        return self._tables

    def _kind(self, plan: Plan) -> tuple[int, str]:
        assert plan.trigger is not None
        literal = plan.rule.body[plan.trigger]
        if isinstance(literal, Negation):
            return 1, literal.atom.predicate
        relation = literal.predicate  # type: ignore[union-attr]  # triggers are atoms
        return (2 if relation in self.relations else 0), relation


def _triggers(by_relation: dict[int, list[int]]) -> Triggers:
    ranges: list[tuple[int, int, int]] = []
    plans: list[int] = []
    for number, places in by_relation.items():
        ranges.append((number, len(plans), len(plans) + len(places)))
        plans += places
    return Triggers(ranges, np.array(plans, np.int64))
