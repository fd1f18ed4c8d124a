"""A stratum in a partition: its rules as code, and the plans that a change of each relation triggers.

Law: a plan is triggered by a change of the atom it was made for, in the phase in which that change counts: a positive
atom of a lower stratum by facts lost (retract) or gained (assert), a negated one the other way round, an atom of the
own stratum by facts suspended or made present.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.kernel.layout import LIVE_ROWS
from tidelog.partition.code.assemble import Choice
from tidelog.partition.code.fold import Fold
from tidelog.partition.code.gather import Gather
from tidelog.partition.code.instance_model import ModelPart
from tidelog.partition.code.pick import Pick
from tidelog.plan.plan_rule import RulePlanner
from tidelog.plan.steps import Expose, Plan
from tidelog.plan.strata import demand_levels
from tidelog.program import Atom, Literal, Negation, Rule
from tidelog.program.values.scope import atoms
from tidelog.rewrite.names import is_requested_result

Bounds = dict[str, tuple[int, int]]


@dataclass(slots=True)
class RuleCode:
    """A core rule in a partition: its delta plans with the places of their code; none before it is planned."""

    rule: Rule
    number: int
    planning: RulePlanner
    plans: tuple[Plan, ...] = ()
    places: list[int] = field(default_factory=list)
    same: frozenset[str] = frozenset()  # the relations of the stratum that the code was assembled for
    sizes: dict[str, int] = field(default_factory=dict)  # of relations that the order depends on, when it was chosen
    choice: Choice | None = None
    fold: Fold | Gather | Pick | ModelPart | None = None
    everywhere: bool = False  # fires on every partition, and each keeps the heads that it owns
    sends: bool = False  # may send messages to other partitions
    supports: int = 0  # held at the last committed epoch; -1: not counted yet
    written: list[tuple[Plan, int, int]] = field(
        default_factory=list
    )  # plans, the newest last; place and length of code
    past: list[tuple[Plan, Cells]] = field(default_factory=list)  # counts of plans whose code has been removed

    @property
    def source(self) -> str:
        """The relation that an aggregate rule ranges over."""
        atom = self.rule.body[0]
        assert isinstance(atom, Atom)
        return atom.predicate

    @property
    def sources(self) -> tuple[str, ...]:
        """The relations with the instances that determine a model; none for other rules."""
        return self.fold.sources if isinstance(self.fold, ModelPart) else ()

    @property
    def reads(self) -> list[str]:
        """The relations of the body."""
        return [atom.predicate for atom in atoms(self.rule.body)]

    @property
    def indexes(self) -> set[tuple[str, tuple[int, ...]]]:
        """The indexes that the rule needs, by relation and columns."""
        return self.fixed_indexes.union(*(plan.indexes for plan in self.plans))

    @property
    def fixed_indexes(self) -> set[tuple[str, tuple[int, ...]]]:
        """The indexes of groups that are looked up, which no other can replace."""
        found = {step.index for plan in self.plans for step in plan.steps if isinstance(step, Expose)}
        if isinstance(self.fold, Pick):
            found.update((name, key) for name in (self.source, self.rule.head.predicate) for key in self.fold.domains)
        elif isinstance(self.fold, Fold | Gather) and self.fold.group and self._reads_groups:
            found.add((self.source, self.fold.group))
        return found

    @property
    def _reads_groups(self) -> bool:
        """Whether the rows of a group are looked up to recompute it."""
        return isinstance(self.fold, Gather) or is_requested_result(self.rule.head.predicate)

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
    relations: list[int]  # the numbers of those that trigger anything


@dataclass(slots=True)
class Watch:
    """The bounds of sizes of relations, by number, within which the plans of a stratum are kept."""

    bounds: list[tuple[int, int, int]]

    def is_crossed(self, directory: Cells) -> bool:
        """Whether a relation has left its bounds."""
        size_of = directory.item
        for number, low, high in self.bounds:  # noqa: SIM110  # every epoch pays for this
            if not low <= size_of(number, LIVE_ROWS) <= high:
                return True
        return False


@dataclass(frozen=True, slots=True)
class Features:
    """The tasks of a stratum's rules besides firing their plans."""

    choices: tuple[Choice, ...]  # min and max
    folds: tuple[RuleCode, ...]  # count, sum and mean over lower strata
    demanded_folds: tuple[RuleCode, ...]  # aggregates whose groups the stratum itself demands
    sends: bool  # whether a rule may send messages to other partitions
    multiplies: bool  # whether one that sends joins the stratum with itself: many messages for each fact


@dataclass(slots=True, eq=False)
class Stratum:
    """Relations evaluated together and the rules that derive them."""

    relations: frozenset[str]
    rules: dict[str, RuleCode] = field(default_factory=dict)
    order: int = 0
    _tables: tuple[Triggers, Triggers, Triggers] | None = None
    _features: Features | None = None
    _read: tuple[frozenset[str], frozenset[str]] | None = None
    watch: Watch | None = None  # None before the first use

    @property
    def features(self) -> Features:
        """The tasks of a visit besides firing plans, computed when rules or plans have changed."""
        if self._features is None:
            codes = self.rules.values()
            choices = tuple(code.choice for code in codes if code.choice is not None)
            folded = [code for code in codes if code.fold is not None]
            folds = tuple(code for code in folded if code.source not in self.relations)
            asked = tuple(code for code in folded if code.source in self.relations)
            sends = [code for code in codes if code.sends]
            multiplies = any(sum(map(self.reads, code.rule.body)) > 1 for code in sends)
            self._features = Features(choices, folds, asked, bool(sends), multiplies)
        return self._features

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The min and max of the stratum."""
        return self.features.choices

    @property
    def folds(self) -> tuple[RuleCode, ...]:
        """The count, sum and mean over lower strata."""
        return self.features.folds

    @property
    def demanded_folds(self) -> tuple[RuleCode, ...]:
        """The aggregates whose groups the stratum itself demands."""
        return self.features.demanded_folds

    @property
    def demand_levels(self) -> dict[str, int]:
        """By label, for each aggregate whose groups are demanded: how many others its groups may wait for."""
        return demand_levels({code.label: code.rule for code in self.rules.values()}, self.relations)

    @property
    def sends(self) -> bool:
        """Whether a rule of the stratum may send messages to other partitions."""
        return self.features.sends

    def may_lose(self, shrinking: AbstractSet[str], changing: AbstractSet[str]) -> bool:
        """Whether the stratum may lose supports, if only the ``shrinking`` of the ``changing`` relations lose facts."""
        features = self.features
        if features.choices or features.folds or features.demanded_folds:
            return True
        if self._read is None:
            bodies = [literal for code in self.rules.values() for literal in code.rule.body]
            positive = frozenset(literal.predicate for literal in bodies if isinstance(literal, Atom))
            negated = frozenset(literal.atom.predicate for literal in bodies if isinstance(literal, Negation))
            self._read = (positive, negated)
        positive, negated = self._read
        return not (shrinking.isdisjoint(self.relations | positive) and changing.isdisjoint(negated))

    def reads(self, literal: Literal) -> bool:
        """Whether a literal of a body reads a relation of the stratum itself."""
        return isinstance(literal, Atom) and literal.predicate in self.relations

    def forget_tables(self) -> None:
        """Drop the tables: the rules have changed."""
        self._tables = self.watch = self._features = self._read = None

    def replace_plans(self, numbers: dict[str, int]) -> None:
        """Update the places of replaced plans; the tables stay, since the machine may be firing them."""
        before = self._tables
        self.forget_tables()
        if before is not None:
            for old, new in zip(before, self.tables(numbers), strict=True):
                old.plans[:] = new.plans
            self._tables = before

    def watch_over(self, numbers: dict[str, int], bounds_of: Callable[[dict[str, int]], Bounds]) -> Watch:
        """Compute the bounds beyond which plans are outgrown."""
        found: Bounds = {}
        for code in self.rules.values():
            for name, (low, high) in bounds_of(code.sizes).items():
                known = found.get(name, (low, high))
                found[name] = (max(low, known[0]), min(high, known[1]))
        self.watch = Watch([(numbers[name], low, high) for name, (low, high) in found.items()])
        return self.watch

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
    return Triggers(ranges, np.array(plans, np.int64), list(by_relation))
