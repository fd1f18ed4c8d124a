"""Trace changes to the fact: through the new proof, or through the old proof that broke.

Law: a *scene* is the state of the epoch with some of its changes undone. A fact that was added has a proof in the scene
where nothing is undone; with all but one of its causes undone, it still has one, which depends on that cause. A fact
that was removed has its old proof again in the scene where all causes are undone. A premise that something is absent is
followed into the scene where it is present: the path from a cause may pass through several negations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice

from tidelog.blame.change import Change, FactChanged, Row, RuleChanged
from tidelog.blame.search import UndoneChanges
from tidelog.errors import TidelogError
from tidelog.program import Atom, Const, Wildcard
from tidelog.syntax import parse_body
from tidelog.why import (
    Absence,
    Bounds,
    FactNode,
    GroupNode,
    Ledger,
    Premise,
    Proof,
    WhyNot,
    fact_key,
    fact_types,
    prove,
    refute,
)
from tidelog.why.ledger import FactKey
from tidelog.why.render import line_parts
from tidelog.why.tree import children, walk

Fact = tuple[str, Row]
Scene = Callable[[UndoneChanges], AbstractContextManager[Ledger]]
NEGATIONS = 4  # that a path is followed through
WIDE = Bounds(depth=200, width=2000, nodes=5000)


class ProofTracer:
    """Proofs in scenes, and the paths through them."""

    def __init__(self, scene: Scene, changes: Collection[Change], everything: UndoneChanges) -> None:
        self._scene, self._everything = scene, everything
        self._facts = {(c.relation, row): c for c in changes if isinstance(c, FactChanged) for row in _rows(c)}
        self._rules = {change.label: change for change in changes if isinstance(change, RuleChanged)}

    # Proofs

    def proof(self, undone: Collection[Change], fact: Fact, bounds: Bounds = WIDE) -> Proof | None:
        """The proof of a fact in a scene; None if it is absent, or if the scene is impossible."""
        try:
            with self._scene(frozenset(undone)) as ledger:
                return proof_in(ledger, fact, bounds)
        except TidelogError:
            return None

    def missing(self, fact: Fact) -> WhyNot | None:
        """Why a fact is absent now."""
        with self._scene(frozenset()) as ledger:
            return refute(ledger, key_in(ledger, fact)) if fact[0] in ledger.rules.schema else None

    def named_in(self, proof: Proof) -> set[Change]:
        """The changes that occur in a proof: asserted facts, rules, and retracted facts whose absence it uses."""
        found: set[Change] = set()
        for node in walk(proof.root):
            if isinstance(node, FactNode) and (node.relation, node.values) in self._facts:
                found.add(self._facts[node.relation, node.values])
            if isinstance(node, FactNode | GroupNode) and node.rule in self._rules:
                found.add(self._rules[node.rule])
        return found

    # Candidates

    def candidates(self, before: Sequence[Fact], after: Sequence[Fact]) -> set[Change]:
        """Changes that occur in the new or the old proofs of facts, including those behind negations."""
        found: set[Change] = set()
        waiting: list[tuple[Fact, bool, int]] = [(fact, True, 0) for fact in after]
        waiting += [(fact, False, 0) for fact in before]
        seen: set[tuple[Fact, bool]] = set()
        while waiting:
            fact, is_now, negations = waiting.pop()
            if (fact, is_now) in seen:
                continue
            seen.add((fact, is_now))
            proof = self.proof(self._undone(is_now), fact)
            if proof is None:
                continue
            found |= self.named_in(proof)
            if negations < NEGATIONS:
                there = self._holding(self._undone(not is_now), _absences(proof))
                waiting += [(other, not is_now, negations + 1) for _, other in there]
        return found

    def _undone(self, is_now: bool) -> UndoneChanges:
        return frozenset() if is_now else self._everything

    def _holding(self, undone: UndoneChanges, absences: Iterable[Absence]) -> list[tuple[Absence, Fact]]:
        """Facts that are absent in another scene and hold in this one."""
        known_absences = tuple(absences)
        if not known_absences:
            return []
        try:
            with self._scene(undone) as ledger:
                return [(absence, fact) for absence in known_absences for fact in _matching(ledger, absence)]
        except TidelogError:
            return []

    # Paths

    def path(
        self, change: Change, causes: UndoneChanges, before: Sequence[Fact], after: Sequence[Fact]
    ) -> tuple[str, ...]:
        """The path from a fact to one of its causes; empty if the examined proofs do not show it."""
        starts = [(fact, causes - {change}, causes) for fact in after]
        starts += [(fact, causes, causes - {change}) for fact in before]
        starts += [(fact, frozenset[Change](), causes) for fact in after]  # for a count, one row of many
        for fact, here, there in starts:
            found = self._path(change, fact, here, there, NEGATIONS)
            if found:
                return found
        return ()

    def _path(
        self, change: Change, fact: Fact, here: UndoneChanges, there: UndoneChanges, left: int
    ) -> tuple[str, ...]:
        """The path in a proof of one scene, or, behind an absence, in the other scene."""
        proof = self.proof(here, fact)
        if proof is None:
            return ()
        for nodes in _branches(proof.root):
            if self._is(nodes[-1], change):
                above = nodes if isinstance(change, RuleChanged) else nodes[:-1]
                return (*map(_describe, above), str(change))
        absent = {node.text: nodes for nodes in _branches(proof.root) if isinstance(node := nodes[-1], Absence)}
        for absence, other in self._holding(there, _absences(proof)) if left else ():
            further = self._path(change, other, there, here, left - 1)
            if further:
                return (*map(_describe, absent[absence.text]), *further)
        return ()

    def _is(self, node: Premise, change: Change) -> bool:
        if isinstance(change, RuleChanged):
            return isinstance(node, FactNode | GroupNode) and node.rule == change.label
        same = isinstance(node, FactNode) and isinstance(change, FactChanged) and node.relation == change.relation
        return same and isinstance(node, FactNode) and not node.premises and node.values in _rows(change)


def proof_in(ledger: Ledger, fact: Fact, bounds: Bounds) -> Proof | None:
    """The proof of a fact in a state; None if it is absent."""
    if fact[0] not in ledger.rules.schema:
        return None
    key = key_in(ledger, fact)
    return prove(ledger, key, bounds) if ledger.has(key) else None


def _rows(change: Change) -> list[Row]:
    assert isinstance(change, FactChanged)
    return [row for row in (change.new, change.old) if row is not None]


def key_in(ledger: Ledger, fact: Fact) -> FactKey:
    """A fact of a known relation as cells; columns without a type get the type of the fact's value."""
    name, values = fact
    types = fact_types(values, ledger.rules.schema[name])
    ledger.rules = replace(ledger.rules, schema={**ledger.rules.schema, name: types})
    return fact_key(name, values, types, ledger.dictionary)


def _absences(proof: Proof) -> list[Absence]:
    return [node for node in walk(proof.root) if isinstance(node, Absence)]


def _matching(ledger: Ledger, absence: Absence) -> list[Fact]:
    """The first facts of a state that a negated atom excludes; none if the text is not an atom."""
    atom = _atom(absence.text, ledger.rules.program.convention)
    if atom is None or atom.predicate not in ledger.rules.schema:
        return []
    types = ledger.rules.schema[atom.predicate]
    known = {
        column: fact_key(atom.predicate, (arg.value,), (types[column],), ledger.dictionary)[1][0]
        for column, arg in enumerate(atom.args)
        if isinstance(arg, Const)
    }
    return [(atom.predicate, ledger.values(key)) for key in islice(ledger.keys(atom.predicate, known), 1)]


def _atom(text: str, convention: str) -> Atom | None:
    """The atom that a text contains; None for a path or anything else that is not an atom."""
    try:
        (literal,) = parse_body(text, convention=convention)
    except (TidelogError, ValueError):
        return None
    plain = isinstance(literal, Atom) and all(isinstance(arg, Const | Wildcard) for arg in literal.args)
    return literal if plain and isinstance(literal, Atom) else None


def _branches(root: Premise) -> Iterator[tuple[Premise, ...]]:
    """Every node of a tree with its ancestors, in the order of the text."""
    waiting: list[tuple[Premise, ...]] = [(root,)]
    while waiting:
        nodes = waiting.pop()
        yield nodes
        waiting.extend((*nodes, child) for child in reversed(children(nodes[-1])))


def _describe(node: Premise) -> str:
    what, how = line_parts(node)
    return f"{what}  {how}" if how else what
