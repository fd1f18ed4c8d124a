"""The truth of facts that depend on their own negation, found again from the instances of their rules.

Law (`graph.well_founded`): the instances are certified before, as facts of positive rules. True and false atoms are
found from nothing, by the definition of the well-founded model: an atom is true if an instance has only true literals;
it is false if it is in the greatest set of atoms none of which has an instance whose literals could all hold outside
the set. Nothing of the engine's evaluation is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from tidelog.program.graph.well_founded import TRUE_FACT, TRUTH, UNDEFINED_FACT, model_of
from tidelog.program.values.term import GroundRule
from tidelog.verify.normal import Clause
from tidelog.verify.relations import Row
from tidelog.verify.report import NOT_CLOSED, UNFOUNDED, Ground, Violation, label_of

Body = tuple[Ground, frozenset[Ground], frozenset[Ground]]  # head, what must be true, what must be false


class Models:
    """The models of the components of a program, each found once."""

    def __init__(self, rows_of: Callable[[str], Iterable[Row]]) -> None:
        self._rows_of = rows_of
        self._found: dict[tuple[GroundRule, ...], Mapping[Ground, int]] = {}

    def wrong_truth(self, clause: Clause, held: Collection[Row]) -> Violation | None:
        """The first error in the truth held for the facts of a relation, if any."""
        model = model_of(clause.rule)
        assert model is not None
        truth = self._found.get(model.ground)
        if truth is None:
            truth = self._found[model.ground] = well_founded(_instances(model.ground, self._rows_of))
        relation = clause.rule.head.predicate.removeprefix(TRUTH)
        wanted = {(*row, value) for (name, row), value in truth.items() if name == relation}
        for row in wanted - set(held):
            return Violation(NOT_CLOSED, (relation, row[:-1]), label_of(clause.rule))
        for row in set(held) - wanted:
            return Violation(UNFOUNDED, (relation, row[:-1]), detail="has another truth in the well-founded model")
        return None


def _instances(rules: Iterable[GroundRule], rows_of: Callable[[str], Iterable[Row]]) -> list[Body]:
    found = []
    for rule in rules:
        for row in rows_of(rule.relation):
            at, atoms = rule.width, {True: set[Ground](), False: set[Ground]()}
            for name, positive, width in rule.literals:
                atoms[positive].add((name, row[at : at + width]))
                at += width
            found.append(((rule.head, row[: rule.width]), frozenset(atoms[True]), frozenset(atoms[False])))
    return found


def well_founded(bodies: Iterable[Body]) -> dict[Ground, int]:
    """The truth of all atoms that are not false.

    >>> a, b, c = (("a", ()), ("b", ()), ("c", ()))
    >>> none = frozenset()
    >>> sorted(well_founded([(a, none, frozenset([b])), (b, none, frozenset([a])), (c, frozenset([c]), none)]).items())
    [(('a', ()), 0), (('b', ()), 0)]
    """
    true: set[Ground] = set()
    left = set(bodies)
    while True:
        possible = _least((head, needed) for head, needed, _ in left)
        left = {body for body in left if body[1] <= possible}
        certain = _least((head, needed) for head, needed, absent in left if absent.isdisjoint(possible))
        kept = {body for body in left if body[2].isdisjoint(certain)}
        if len(kept) == len(left) and certain == true:
            return {atom: TRUE_FACT if atom in true else UNDEFINED_FACT for atom in possible}
        true, left = certain, kept


def _least(rules: Iterable[tuple[Ground, frozenset[Ground]]]) -> set[Ground]:
    """The least model of positive rules."""
    waiting: dict[Ground, list[int]] = defaultdict(list)
    heads, missing, found, new = list[Ground](), list[int](), set[Ground](), list[Ground]()
    for place, (head, needed) in enumerate(rules):
        heads.append(head)
        missing.append(len(needed))
        for atom in needed:
            waiting[atom].append(place)
        if not needed and head not in found:
            found.add(head)
            new.append(head)
    while new:
        for place in waiting.get(new.pop(), ()):
            missing[place] -= 1
            if not missing[place] and heads[place] not in found:
                found.add(heads[place])
                new.append(heads[place])
    return found
