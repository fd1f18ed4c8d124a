"""The form in which the rules of an engine run: unchanged on one partition, localised on several.

Law: a placement is fixed once its relation was created, and the localised form of a rule depends only on the rule and
on placements; so a rule in force keeps its form while others are added and removed. A form takes effect when its epoch
is committed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidelog.program.graph.choice import choice_of, choice_place
from tidelog.program.values.scope import atoms
from tidelog.rewrite.names import is_auxiliary
from tidelog.rewrite.place.placement import SINGLE, Placement

if TYPE_CHECKING:
    from tidelog.plan.ruleset import Ruleset, Schema
    from tidelog.program import Rule
    from tidelog.rewrite.place.place import PlacedRules


@dataclass(frozen=True, slots=True)
class Form:
    """Rules as they run, by label, with the columns and placements of all relations."""

    core: Mapping[str, Rule] = field(default_factory=dict)
    schema: Schema = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    placed: PlacedRules | None = None  # on several partitions: which rules fire everywhere, and which send

    @property
    def everywhere(self) -> frozenset[str]:
        """The labels of the rules that fire on every partition."""
        return frozenset() if self.placed is None else self.placed.everywhere

    def sends(self, label: str) -> bool:
        """Whether a rule may send messages to other partitions."""
        return self.placed is not None and bool(self.placed.sends[label])


class RelationPlacements:
    """The placements of the relations of one engine."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._known: dict[str, Placement] = {}
        self.heavy: Mapping[str, Collection[int]] = {}  # columns around which relations are placed
        self.form = Form()
        self._rules: Ruleset | None = None  # in force
        self._next: tuple[Ruleset | None, Form] = (None, self.form)
        self._unplaced: tuple[Ruleset | None, frozenset[str]] = (None, frozenset())

    def place_again(self, rules: Ruleset, names: frozenset[str]) -> None:
        """Choose new placements for relations that get other columns, in the form of this rule set."""
        self._unplaced, self._next = (rules, names), (None, self.form)

    def next_form(self, rules: Ruleset) -> Form:
        """The form of a rule set; the most recent one is cached."""
        if self._next[0] is not rules:
            self._next = (rules, self._form(rules))
        return self._next[1]

    def commit(self, rules: Ruleset) -> None:
        """Record the commit of the epoch that put ``rules`` in force."""
        if rules is not self._rules:
            self._rules, self.form = rules, self.next_form(rules)
            self._known.update((name, Placement(column)) for name, column in self.form.places.items())

    def adopt(self, rules: Ruleset, places: Mapping[str, int]) -> None:
        """Adopt the placements of a state that was read."""
        self._known = {name: Placement(column) for name, column in places.items()}
        self._unplaced = (None, frozenset())
        self._rules, self._next = None, (None, self.form)
        self.commit(rules)

    @property
    def known(self) -> dict[str, int]:
        """The placements of all relations that ever existed."""
        return {name: placement.column for name, placement in self._known.items()}

    def core_labels(self, rules: Ruleset) -> dict[str, tuple[str, ...]]:
        """The rules that each of the user's rules needs, in the form in which they run."""
        placed = self.next_form(rules).placed
        if placed is None:
            return dict(rules.core_labels)
        return {
            label: tuple(dict.fromkeys(name for core in made for name in placed.local_labels[core]))
            for label, made in rules.core_labels.items()
        }

    def _form(self, rules: Ruleset) -> Form:
        if self._partitions == 1:
            return Form(rules.core, rules.schema)
        placed = self.placed(rules)
        schema = {**rules.schema, **_copied(placed, rules.schema)}
        places = {name: placement.column for name, placement in placed.placements.items() if name in schema}
        return Form(placed.core, schema, places, placed)

    def placed(self, rules: Ruleset) -> PlacedRules:
        """The localised rules, for the current placements."""
        from tidelog.rewrite.place.heavy import HeavyColumns  # needed only with several partitions
        from tidelog.rewrite.place.place import place

        arities = {name: len(types) for name, types in rules.schema.items()}
        unplaced = self._unplaced[1] if self._unplaced[0] is rules else ()
        known = {
            name: home
            for name, home in self._known.items()
            if home.column < arities.get(name, 0) and name not in unplaced
        }
        before = None if unplaced else self.form.placed  # which kept the form of rules at the former places
        heavy = self.heavy if isinstance(self.heavy, HeavyColumns) else HeavyColumns(self.heavy)
        return place(rules.core, arities, known, _located(rules), sorted(rules.known), before, heavy)


def _copied(placed: PlacedRules, schema: Schema) -> dict[str, tuple[str | None, ...]]:
    """Add the columns of copies, which are those of the copied relations."""
    found = {}
    for label, rule in placed.core.items():
        if label == rule.head.predicate and label not in schema:
            (source,) = atoms(rule.body)
            found[label] = schema[source.predicate]
    return found


def _located(rules: Ruleset) -> dict[str, int]:
    """The location columns that rules mark with `@`; a keyed relation without a mark is placed by a column of its key.

    Chosen relations are placed by the column that their keys share, or on partition 0.
    """
    found: dict[str, int] = {}
    for rule in rules.core.values():
        for atom in (rule.head, *atoms(rule.body)):
            if atom.location is not None and not is_auxiliary(atom.predicate):
                found.setdefault(atom.predicate, atom.location)
    for key in rules.program.keys:
        if key.keys:
            found.setdefault(key.relation, min(key.keys) - 1)
    located = {name: column for name, column in found.items() if name in rules.schema}
    for rule in rules.core.values():
        if choice_of(rule) is not None:
            place = choice_place(rule)
            located[rule.head.predicate] = SINGLE if place is None else place
    return located
