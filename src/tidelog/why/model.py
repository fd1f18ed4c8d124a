"""Reasons for the truth of facts that depend on their own negation.

Law (`graph.well_founded`): what a fact depends on is followed through the instances of rules, and the well-founded
model of these alone is found round by round; it is that of the whole component, as nothing outside is read. A true fact
has an instance of literals that became true before it. A false fact belongs to an unfounded set: each of its instances
has a literal that was false before, or an atom of the set. An undefined fact has an instance without a false literal,
one of whose literals is undefined. So a proof of truth is never circular, one of falsehood may be circular through
atoms, and one of undefinedness ends in a cycle through negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.program.elaborate.ground_cycles import HIDDEN
from tidelog.program.graph.well_founded import TRUE_FACT, TRUTH, model_of
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import NUMBER, POSSIBLE, Atom, Const, GroundRule, Literal, Negation, Term
from tidelog.why.ledger import FactKey, Ledger

UNKNOWN = f"{HIDDEN}undefined/"  # begins the name of an atom that is undefined in every model


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a rule, as the fact that records it."""

    key: FactKey
    head: FactKey
    literals: tuple[tuple[FactKey, bool], ...]  # each with whether it is positive


@dataclass(frozen=True, slots=True)
class Reason:
    """An instance that makes a fact true or undefined; for a false fact the literals at which its instances fail."""

    truth: bool | None  # None: undefined
    instance: Instance | None = None
    failing: tuple[tuple[FactKey, bool], ...] = ()


class Reasons:
    """The reasons for facts of the components, found for what each fact that is asked for depends on."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._rules: dict[str, list[GroundRule]] = {}
        for model in filter(None, map(model_of, ledger.rules.core.values())):
            for ground in model.ground:
                known = self._rules.setdefault(ground.head, [])
                if ground not in known:
                    known.append(ground)
        self._found: dict[FactKey, Reason] = {}

    def knows(self, key: FactKey) -> bool:
        """Whether a fact is one of a component."""
        return key[0] in self._rules

    def of(self, key: FactKey) -> Reason:
        """The reason for the truth of a fact."""
        if key not in self._found:
            self._find(key)
        return self._found[key]

    def _find(self, root: FactKey) -> None:
        """Find the reasons for a fact and all that it depends on."""
        bodies: dict[FactKey, list[Instance]] = {}
        waiting = [root]
        while waiting:
            key = waiting.pop()
            if key not in bodies:
                bodies[key] = list(self._instances(key))
                waiting += (atom for instance in bodies[key] for atom, _ in instance.literals)
        found: dict[FactKey, Reason] = {}
        while True:
            before = len(found)
            _add_true(bodies, found)
            _add_false(bodies, found)
            if len(found) == before:
                break
        self._found |= found
        for key, instances in bodies.items():
            if key not in found:
                self._found[key] = Reason(None, next(i for i in instances if not _is_false(i, found)))

    def _instances(self, key: FactKey) -> Iterator[Instance]:
        for ground in self._rules.get(key[0], ()):
            for row in self.ledger.keys(ground.relation, dict(enumerate(key[1]))):
                self.ledger.spend()
                at, literals = ground.width, list[tuple[FactKey, bool]]()
                for name, positive, width in ground.literals:
                    literals.append(((name, row[1][at : at + width]), positive))
                    at += width
                yield Instance(row, key, tuple(literals))


def _add_true(bodies: dict[FactKey, list[Instance]], found: dict[FactKey, Reason]) -> None:
    """Add what follows from the facts found, in the order in which it follows."""
    readers, missing = dict[FactKey, list[Instance]](), dict[FactKey, int]()
    new: list[Instance] = []
    for key, instances in bodies.items():
        for instance in instances if key not in found else ():
            left = [atom for atom, positive in instance.literals if not _has_truth(atom, positive, found)]
            missing[instance.key] = len(left)
            for atom in left:
                readers.setdefault(atom, []).append(instance)
            if not left:
                new.append(instance)
    for instance in new:  # grows
        if instance.head not in found:
            found[instance.head] = Reason(True, instance)
            for reader in readers.get(instance.head, ()):
                if (instance.head, True) in reader.literals:
                    missing[reader.key] -= 1
                    if not missing[reader.key]:
                        new.append(reader)


def _add_false(bodies: dict[FactKey, list[Instance]], found: dict[FactKey, Reason]) -> None:
    """Add the greatest unfounded set: all that cannot be founded by instances without a false literal."""
    readers, missing = dict[FactKey, list[Instance]](), dict[FactKey, int]()
    founded, new = {key for key, reason in found.items() if reason.truth}, list[Instance]()
    for instances in bodies.values():
        for instance in instances:
            if not _is_false(instance, found):
                needed = {atom for atom, positive in instance.literals if positive and atom not in founded}
                missing[instance.key] = len(needed)
                for atom in needed:
                    readers.setdefault(atom, []).append(instance)
                if not needed:
                    new.append(instance)
    for instance in new:  # grows
        if instance.head not in founded:
            founded.add(instance.head)
            for reader in readers.get(instance.head, ()):
                missing[reader.key] -= 1
                if not missing[reader.key]:
                    new.append(reader)
    unfounded = [key for key in bodies if key not in founded and key not in found]
    known = set(unfounded)
    for key in unfounded:
        failing = (_failing(instance, found, known) for instance in bodies[key])
        found[key] = Reason(False, failing=tuple(dict.fromkeys(failing)))


def _failing(instance: Instance, found: dict[FactKey, Reason], unfounded: set[FactKey]) -> tuple[FactKey, bool]:
    """The literal at which an instance fails, best one that was false before."""
    for atom, positive in instance.literals:
        reason = found.get(atom)
        if reason is not None and reason.truth is not positive and atom not in unfounded:
            return atom, positive
    return next((atom, positive) for atom, positive in instance.literals if positive and atom in unfounded)


def _has_truth(atom: FactKey, positive: bool, found: dict[FactKey, Reason]) -> bool:
    reason = found.get(atom)
    return reason is not None and reason.truth is positive


def _is_false(instance: Instance, found: dict[FactKey, Reason]) -> bool:
    return any(_has_truth(atom, not positive, found) for atom, positive in instance.literals)


def two_valued_rules(by_head: Mapping[str, Sequence[Rule]], relation: str) -> list[Rule]:
    """The rules of a relation of a component as they are written, over true facts: each fails for a false fact.

    A negation with ``_`` reads the truth of the projection.
    """
    found = []
    models = [model for rule in by_head.get(f"{TRUTH}{relation}", ()) if (model := model_of(rule)) is not None]
    for ground in (ground for model in models for ground in model.ground if ground.head == relation):
        for rule in by_head.get(ground.relation, ()) if not ground.relation.endswith("/given") else ():
            if any(name.startswith(UNKNOWN) for name, _, _ in ground.literals):
                continue
            at, body = ground.width, [_over_true_facts(literal) for literal in rule.body]
            for name, positive, width in ground.literals:
                if not positive:
                    body.append(Negation(_true_atom(name, rule.head.args[at : at + width])))
                at += width
            found.append(replace(rule, head=Atom(relation, rule.head.args[: ground.width]), body=tuple(body)))
    return found


def _over_true_facts(literal: Literal) -> Literal:
    if isinstance(literal, Atom) and literal.predicate.startswith(POSSIBLE):
        return replace(literal, predicate=literal.predicate.removeprefix(POSSIBLE))
    return literal


def _true_atom(name: str, args: tuple[Term, ...]) -> Atom:
    return Atom(f"{TRUTH}{name}", (*args, Const(TRUE_FACT, NUMBER))) if name.startswith(HIDDEN) else Atom(name, args)
