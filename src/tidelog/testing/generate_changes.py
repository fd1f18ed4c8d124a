"""Random sequences of epochs for a generated program, which add and remove facts and rules.

Law: every epoch leaves a program that `is_acceptable`; a rule that would violate this is omitted from its epoch. Epochs
also insert present facts and delete absent ones, mention one fact with both signs (D3), empty whole relations, restore
removed rules, and turn recursion into negation between relations that shared a stratum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

from tidelog.program import Program, Rule
from tidelog.testing.changes import EpochChanges, GroundFact, State
from tidelog.testing.generate import FEATURES, is_acceptable
from tidelog.testing.generate_rules import random_rule
from tidelog.testing.generate_values import Relation, random_row, vocabulary
from tidelog.testing.occurrences import dependencies
from tidelog.testing.strata import strata


def random_changes(
    rng: Random, program: Program, epochs: int, features: frozenset[str] = FEATURES
) -> list[EpochChanges]:
    """The changes of the given number of epochs; the first starts from the program and the facts of its text."""
    source = _Source(rng, features, vocabulary(program), State.start(program))
    return [source.epoch() for _ in range(epochs)]


@dataclass
class _Source:
    """The source of epochs: the current state, and the rules that may be added again."""

    rng: Random
    features: frozenset[str]
    relations: list[Relation]
    state: State
    removed: list[Rule] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def epoch(self) -> EpochChanges:
        changes = EpochChanges(tuple(self.inserts()), tuple(self.deletes()))
        if "rule_changes" in self.features and self.rng.random() < 0.5:
            changes = self.with_rule_changes(changes)
        gone = [rule for rule in self.state.program.rules if rule.label in changes.remove_labels]
        self.removed = [rule for rule in self.removed + gone if rule.label not in {r.label for r in changes.add_rules}]
        self.state = self.state.after(changes)
        return changes

    def assertable(self) -> list[Relation]:
        kinds = ("base", "derived") if "derived_facts" in self.features else ("base",)
        return [relation for relation in self.relations if relation.kind in kinds]

    def inserts(self) -> Iterator[GroundFact]:
        for relation in self.rng.choices(self.assertable(), k=self.rng.choice([0, 1, 1, 2, 4, 8])):
            yield relation.name, random_row(self.rng, relation.types)

    def deletes(self) -> Iterator[GroundFact]:
        present = sorted(self.state.facts, key=repr)
        yield from self.rng.sample(present, k=min(len(present), self.rng.choice([0, 0, 1, 1, 2, 3])))
        if self.rng.random() < 0.1:
            relation = self.rng.choice(self.assertable())
            yield relation.name, random_row(self.rng, relation.types)
        if present and self.rng.random() < 0.07:
            emptied = self.rng.choice(present)[0]
            yield from (fact for fact in present if fact[0] == emptied)

    def with_rule_changes(self, changes: EpochChanges) -> EpochChanges:
        """The changes with rules removed and added, as far as the result is acceptable."""
        removals, additions = self.negated_cycle() if self.rng.random() < 0.2 else self.swap()
        kept = [rule for rule in self.state.program.rules if rule.label not in removals]
        accepted: list[Rule] = []
        for rule in additions:
            labelled = replace(rule, label=f"n{next(self.numbers)}")
            if is_acceptable([*kept, *accepted, labelled]):
                accepted.append(labelled)
        return replace(changes, add_rules=tuple(accepted), remove_labels=tuple(sorted(removals)))

    def swap(self) -> tuple[set[str], list[Rule]]:
        """Remove some rules and add others: new ones, copies of present ones, and ones that were removed before."""
        rules = self.state.program.rules
        out = {str(rule.label) for rule in self.rng.sample(rules, k=min(len(rules), self.rng.choice([0, 0, 1, 1, 2])))}
        new = [self.new_rule() for _ in range(self.rng.choice([0, 1, 1, 2]))]
        if "duplicate_rules" in self.features and self.rng.random() < 0.25:
            new += [rule for rule in rules if not rule.head.predicate.startswith("a")][:1]
        if self.removed and self.rng.random() < 0.4:
            back = self.rng.choice(self.removed)
            self.removed.remove(back)
            new.append(back)
        return out, new

    def new_rule(self) -> Rule:
        derived = [relation for relation in self.relations if relation.kind == "derived"]
        return random_rule(self.rng, self.rng.choice(derived), self.relations, self.relations, self.features)

    def negated_cycle(self) -> tuple[set[str], list[Rule]]:
        """Of two relations in one stratum, let the first stop reading the stratum and the second negate the first."""
        rules = self.state.program.rules
        cycles = [sorted(s) for s in strata(rules) if len(s) > 1 and all(name.startswith("d") for name in s)]
        if not cycles or "negation" not in self.features:
            return self.swap()
        cycle = self.rng.choice(cycles)
        first, second = self.rng.sample(cycle, k=2)
        out = {
            str(r.label) for r in rules if r.head.predicate == first and {p for p, _ in dependencies(r)} & set(cycle)
        }
        known = {relation.name: relation for relation in self.relations}
        ground = [relation for relation in self.relations if relation.kind == "base"]
        rule = random_rule(self.rng, known[second], ground, [known[first]], self.features)
        for _ in range(20):
            if (first, True) in dependencies(rule):
                break
            rule = random_rule(self.rng, known[second], ground, [known[first]], self.features)
        return out, [rule]
