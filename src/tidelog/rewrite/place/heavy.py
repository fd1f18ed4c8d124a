"""Placements around heavy keys: a relation is moved from a heavy column only if that divides the work.

Law: a placement determines what is sent, never what is derived. A column is *heavy* if one of its values has enough
facts that its owner would have far more than its share. A rule is *bound* to a heavy key if, as it is placed, it reads
a relation by a heavy column of it, there or from a copy, or derives one placed by such a column: then the owner of the
key does the work, wherever the facts are kept. So of the relations that are free to move

- one that a bound rule reads, with the key in a heavy column, stays: its copy would be just as heavy,
- one that a rule would read whole, on one partition or on all of them, stays, and so does one that would be joined with
  a copy of another on all of them that is not small beside it,
- one that only bound rules derive, with the key in a heavy column, stays: it would be sent without dividing any work.

But if the relations that join it by the key are small in comparison, they are put on every partition: then the rule is
placed by another column, and no rule is bound. All other relations are placed as if none of their columns were heavy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.program import Rule
from tidelog.program.graph.dependency import dependencies
from tidelog.program.graph.strata import strata_of_edges
from tidelog.rewrite.place.infer import infer
from tidelog.rewrite.place.placement import MIRRORED, Placement
from tidelog.rewrite.place.sites import Shape, SiteChoice, body_atoms, site_of


class HeavyColumns(dict[str, frozenset[int]]):
    """The heavy columns of each relation; ``small`` maps a relation to those that are small in comparison."""

    def __init__(
        self, columns: Mapping[str, Collection[int]], small: Mapping[str, Collection[str]] | None = None
    ) -> None:
        super().__init__({name: frozenset(found) for name, found in columns.items()})
        self._small = small or {}

    def is_small(self, name: str, beside: str) -> bool:
        """Whether a relation may be put on every partition for the sake of another."""
        return name in self._small.get(beside, ())


def place_around(
    rules: Sequence[Rule],
    arities: Mapping[str, int],
    known: Mapping[str, Placement],
    located: Mapping[str, Placement],
    base: Collection[str],
    heavy: HeavyColumns,
) -> dict[str, Placement]:
    """A placement for every relation: ``known`` ones are kept, except that small ones may be put on every partition.

    >>> from tidelog.syntax import parse_program
    >>> rules = parse_program("r1: lab(X, Y, L) :- edge(X, Y), label(X, L).").rules
    >>> found = {"edge": 2, "lab": 3, "label": 2}, {"label": Placement(0)}, {}, ()
    >>> heavy = HeavyColumns({"edge": {0}, "lab": {0}})
    >>> print({name: str(home) for name, home in place_around(rules, *found, heavy).items()})
    {'label': 'by column 1', 'edge': 'by column 1', 'lab': 'by column 1'}
    >>> small = HeavyColumns({"edge": {0}, "lab": {0}}, {"edge": {"label"}})
    >>> print({name: str(home) for name, home in place_around(rules, *found, small).items()})
    {'label': 'on every partition', 'edge': 'by column 2', 'lab': 'by column 2'}
    """
    fixed = {**located, **known}
    movable = set(arities).difference(located, _recursive(rules))
    tried = _Try({name: columns for name, columns in heavy.items() if name not in fixed})
    while True:
        homes = infer(rules, arities, {**fixed, **tried.mirrored}, base, tried.free)
        if not tried.free:
            return homes
        following = tried.following(_BoundRules(rules, homes, heavy, tried.free), movable, heavy)
        if following is None:
            return homes
        tried = following


def _recursive(rules: Sequence[Rule]) -> set[str]:
    strata = strata_of_edges(rules, dependencies(rules))
    return {name for stratum in strata if stratum.recursive for name in stratum.relations}


@dataclass(frozen=True, slots=True)
class _Try:
    """The relations that are free to leave heavy columns, and those put on every partition for the ones ``helped``."""

    free: Mapping[str, frozenset[int]]
    mirrored: Mapping[str, Placement] = field(default_factory=dict)
    helped: frozenset[str] = frozenset()

    def following(self, bound: _BoundRules, movable: Collection[str], heavy: HeavyColumns) -> _Try | None:
        """The next attempt; None if no rule is bound."""
        for name, partners in bound.partners.items():
            small = all(other in movable and heavy.is_small(other, name) for other in partners)
            if name not in self.helped and name not in bound.whole and partners and small:
                mirrored = dict.fromkeys(sorted(partners), Placement(MIRRORED))
                return _Try(self.free, {**self.mirrored, **mirrored}, self.helped | {name})
        stay = bound.stay
        return _Try({name: columns for name, columns in self.free.items() if name not in stay}) if stay else None


class _BoundRules:
    """The use that rules bound to heavy keys make of relations that are free to move, under some placements.

    ``partners`` maps each relation that they read to those that join it by the key; ``whole`` are those that stay even
    if they were on every partition, and ``stay`` all that are to stay.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        homes: Mapping[str, Placement],
        heavy: HeavyColumns,
        free: Mapping[str, frozenset[int]],
    ) -> None:
        self._heavy, self._free = heavy, free
        self.partners: dict[str, set[str]] = defaultdict(set)
        self.whole: set[str] = set()
        derived: dict[str, list[bool]] = defaultdict(list)
        for rule in rules:
            shape, choice = site_of(rule, homes)
            keys = set(self._keys(rule, shape, choice, homes))
            self._note(rule, shape, choice, keys)
            derived[rule.head.predicate].append(self._has(rule.head.predicate, shape.head, keys))
        self.stay = {*self.partners, *self.whole, *(name for name, bound in derived.items() if all(bound))}

    def _keys(self, rule: Rule, shape: Shape, choice: SiteChoice, homes: Mapping[str, Placement]) -> Iterator[int]:
        """The terms of a rule that hold heavy keys in its atoms or its head."""
        for atom, read, want in zip(body_atoms(rule), shape.reads, choice.wants, strict=True):
            place = homes[atom.predicate].column if want is None else want
            if place in self._heavy.get(atom.predicate, ()):
                yield read.args[place]
        head = rule.head.predicate
        if (place := homes[head].column) in self._heavy.get(head, ()):
            yield shape.head[place]

    def _note(self, rule: Rule, shape: Shape, choice: SiteChoice, keys: Collection[int]) -> None:
        names = [atom.predicate for atom in body_atoms(rule)]
        atoms = list(zip(names, shape.reads, choice.wants, strict=True))
        for name, read, want in atoms:
            if name not in self._free:
                continue
            heavy = {read.args[column] for column in self._free[name]}
            joined = {n: w for n, r, w in atoms if r is not read and not heavy.isdisjoint(r.args)}
            if not heavy.isdisjoint(keys):
                self.partners[name].update(joined)
                if not joined or name in joined:
                    self.whole.add(name)
            elif _is_whole(want) or any(_is_whole(w) and not self._heavy.is_small(n, name) for n, w in joined.items()):
                self.whole.add(name)

    def _has(self, name: str, args: Sequence[int], keys: Collection[int]) -> bool:
        """Whether a relation that is free to go has one of the keys in a heavy column."""
        return any(args[column] in keys for column in self._free.get(name, ()))


def _is_whole(want: int | None) -> bool:
    """Whether an atom reads a copy that is on one partition or on all of them."""
    return want is not None and want < 0
