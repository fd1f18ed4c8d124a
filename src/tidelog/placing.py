"""The form in which the rules of an engine run: as they are on one partition, localised on several.

Law: a placement stands once its relation was made, and the localised form of a rule depends on the rule and on
placements alone; so a rule in force keeps its form while others come and go. A form counts when its epoch is committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidelog.program import Rule
from tidelog.program.scope import atoms
from tidelog.rewrite.place import Placed, place
from tidelog.rewrite.placement import Placement
from tidelog.ruleset import Ruleset, Schema


@dataclass(frozen=True, slots=True)
class Form:
    """Rules as they run, by label, with the columns of all relations and where those live."""

    core: Mapping[str, Rule] = field(default_factory=dict)
    schema: Schema = field(default_factory=dict)
    places: Mapping[str, int] = field(default_factory=dict)
    everywhere: frozenset[str] = frozenset()
    sends: Mapping[str, str] = field(default_factory=dict)


class Placing:
    """Where the relations of one engine live."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._known: dict[str, Placement] = {}
        self.form = Form()
        self._placed: Placed | None = None  # of the form in force
        self._next: tuple[Ruleset | None, Form] = (None, self.form)

    def next_form(self, rules: Ruleset) -> Form:
        """The form of a rule set; the last one is remembered."""
        if self._next[0] is not rules:
            self._next = (rules, self._form(rules))
        return self._next[1]

    def commit(self, rules: Ruleset) -> None:
        """The epoch that made ``rules`` the ones in force is committed."""
        self.form = self.next_form(rules)
        if self._partitions > 1:
            self._placed = self.placed(rules)
        self._known.update((name, Placement(column)) for name, column in self.form.places.items())

    def adopt(self, rules: Ruleset, places: Mapping[str, int]) -> None:
        """Take over the placements of a state that was read."""
        self._known = {name: Placement(column) for name, column in places.items()}
        self._next = (None, self.form)
        self.commit(rules)

    def needed(self, rules: Ruleset) -> dict[str, tuple[str, ...]]:
        """The rules that each rule of the user's needs, as they run."""
        if self._partitions == 1:
            return dict(rules.needed)
        placed = self.placed(rules)
        return {
            label: tuple(dict.fromkeys(name for core in made for name in placed.needed[core]))
            for label, made in rules.needed.items()
        }

    def _form(self, rules: Ruleset) -> Form:
        if self._partitions == 1:
            return Form(rules.core, rules.schema)
        placed = self.placed(rules)
        schema = {**rules.schema, **_copied(placed, rules.schema)}
        places = {name: placement.column for name, placement in placed.placements.items() if name in schema}
        return Form(placed.core, schema, places, placed.everywhere, placed.sends)

    def placed(self, rules: Ruleset) -> Placed:
        """The localised rules, as placements stand."""
        arities = {name: len(types) for name, types in rules.schema.items()}
        known = {name: home for name, home in self._known.items() if home.column < arities.get(name, 0)}
        return place(rules.core, arities, known, _located(rules), sorted(rules.known), self._placed)


def _copied(placed: Placed, schema: Schema) -> dict[str, tuple[str | None, ...]]:
    """The columns of copies are those of what they copy."""
    found = {}
    for label, rule in placed.core.items():
        if label == rule.head.predicate and label not in schema:
            (source,) = atoms(rule.body)
            found[label] = schema[source.predicate]
    return found


def _located(rules: Ruleset) -> dict[str, int]:
    """The location columns that rules give with `@`; a keyed relation without one lives by a column of its key."""
    found: dict[str, int] = {}
    for rule in rules.core.values():
        for atom in (rule.head, *atoms(rule.body)):
            if atom.location is not None and not atom.predicate.startswith("__"):
                found.setdefault(atom.predicate, atom.location)
    for key in rules.program.keys:
        if key.keys:
            found.setdefault(key.relation, min(key.keys) - 1)
    return {name: column for name, column in found.items() if name in rules.schema}
