"""Placements for relations that have none yet.

Law: a placement determines what is sent, never what is derived. So the inference may choose by cost: it searches for
the placements under which the rules' best sites (`place_sites`) cost least. Recursion comes first, because its messages
are sent in every round: a recursive stratum is placed by its pivots (`place_pivot`) if it has any. Then every other
relation gets, in turn, the placement that costs least given those of the others, until nothing changes. A relation that
is still open costs nothing where it could be placed by the site. The same rules get the same placements, regardless of
the order in which they are written. Known placements never change.
"""

from __future__ import annotations

from collections import ChainMap, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from tidelog.program import Rule
from tidelog.program.graph.dependency import dependencies
from tidelog.program.graph.strata import Stratum, strata_of_edges
from tidelog.rewrite.place.pivot import pivots
from tidelog.rewrite.place.placement import MIRRORED, SINGLE, Placement
from tidelog.rewrite.place.sites import OPEN, Shape, SiteChoice, body_atoms, choose, shape_of

MIRROR = 3  # the cost of a relation that every partition holds
SWEEPS = 4
Columns = Mapping[str, Collection[int]]
NONE: Columns = {}


def infer(
    rules: Sequence[Rule],
    arities: Mapping[str, int],
    fixed: Mapping[str, Placement],
    base: Collection[str] = (),
    heavy: Columns = NONE,
) -> dict[str, Placement]:
    """A placement for every relation: fixed ones unchanged, relations without columns on partition 0.

    The relations of ``base`` may hold any number of facts and are never all on partition 0. No relation is placed by
    one of its ``heavy`` columns, in which many facts share one value; at least one column always remains.

    >>> from tidelog.syntax import parse_program
    >>> rules = parse_program("r1: t(X, Y) :- e(X, Y). r2: t(X, Z) :- t(X, Y), e(Y, Z).").rules
    >>> for name, placement in infer(rules, {"e": 2, "t": 2}, {}).items():
    ...     print(name, placement)
    e on every partition
    t by column 1
    """
    homes = {name: SINGLE for name, arity in arities.items() if not arity}
    homes |= {name: placement.column for name, placement in fixed.items()}
    unknown = {name for name in arities if name not in homes}
    if unknown:
        ordered = sorted(rules, key=lambda rule: rule.label or "")
        _Inference(ordered, arities, homes, unknown, base, heavy).run()
    return {name: Placement(homes[name]) for name in (*fixed, *sorted(arities.keys() - fixed.keys()))}


@dataclass(frozen=True, slots=True, eq=False)
class _WeighedRule:
    """A rule with its cost: its shape, its head, its atoms, and its best sites, as far as they were needed.

    ``choices`` is shared by all rules of one shape; its keys are the placements of the head and of the atoms.
    """

    shape: Shape
    head: str
    reads: tuple[str, ...]
    homes_of: Callable[[Mapping[str, int]], tuple[int, ...]]
    choices: dict[tuple[int, ...], SiteChoice]

    def choice(self, homes: Mapping[str, int]) -> SiteChoice:
        key = self.homes_of(homes)
        if key not in self.choices:
            self.choices[key] = choose(self.shape, key[0], key[1:])
        return self.choices[key]

    def joins(self, name: str) -> bool:
        """Whether the rule reads the relation together with others."""
        return len(self.reads) > 1 and name in self.reads

    def misses(self, name: str, homes: Mapping[str, int]) -> bool:
        """Whether the best site is one by which the relation could not be placed."""
        site = self.choice(homes).site
        reads = zip(self.reads, self.shape.reads, strict=True)
        return any(site not in read.args for other, read in reads if other == name)


class _Inference:
    """The inference for one program; ``homes`` gets an entry for each unknown relation."""

    def __init__(
        self,
        rules: Sequence[Rule],
        arities: Mapping[str, int],
        homes: dict[str, int],
        unknown: set[str],
        base: Collection[str],
        heavy: Columns,
    ) -> None:
        self.arities, self.homes, self.unknown, self.base, self.heavy = arities, homes, unknown, base, heavy
        self.strata = strata_of_edges(rules, dependencies(rules))
        self.homes |= dict.fromkeys(unknown, OPEN)
        self.touching: dict[str, list[_WeighedRule]] = defaultdict(list)
        self.choices: dict[Shape, dict[tuple[int, ...], SiteChoice]] = defaultdict(dict)
        for stratum in self.strata:
            for rule in stratum.rules:
                self._note(rule, stratum)

    def run(self) -> None:
        for stratum in self.strata:
            if stratum.recursive and not self.unknown.isdisjoint(stratum.relations):
                self._place_recursive(stratum)
        derived = [name for stratum in self.strata for name in stratum.relations]
        given = sorted(self.unknown.difference(derived))
        self._settle([name for name in (*derived, *given) if name in self.unknown])

    def _note(self, rule: Rule, stratum: Stratum) -> None:
        reads = tuple(atom.predicate for atom in body_atoms(rule))
        names = (rule.head.predicate, *reads)
        near = self.unknown.intersection(names)
        if near and reads:
            shape = shape_of(rule, stratum.relations if stratum.recursive else ())
            weighed = _WeighedRule(shape, names[0], reads, itemgetter(*names), self.choices[shape])
            for name in near:
                self.touching[name].append(weighed)

    def _place_recursive(self, stratum: Stratum) -> None:
        """Place a stratum by the cheapest of its pivots, or without pivots if that is cheaper for all its relations."""
        names = [name for name in stratum.relations if name in self.unknown]
        found = self._pivots(stratum)
        self._settle(names)
        found.append({name: self.homes[name] for name in names})
        self.homes |= min(found, key=lambda homes: self._total(names, {**self.homes, **homes}))
        self.unknown.difference_update(names)

    def _total(self, names: Iterable[str], homes: Mapping[str, int]) -> int:
        """The cost of all rules that mention any of the relations."""
        return sum(w.choice(homes).cost for w in dict.fromkeys(w for name in names for w in self.touching[name]))

    def _pivots(self, stratum: Stratum) -> list[dict[str, int]]:
        columns = {name: tuple(self._columns(name)) for name in stratum.relations}
        return pivots(stratum.rules, columns) if all(columns.values()) else []

    def _columns(self, name: str) -> Iterator[int]:
        """The columns that a relation may be placed by: the one of its placement, or any."""
        home = self.homes[name]
        return iter(self._light(name) if home == OPEN else [c for c in range(self.arities[name]) if c == home])

    def _light(self, name: str) -> list[int]:
        """The columns of a relation that are not heavy."""
        return [column for column in range(self.arities[name]) if column not in self.heavy.get(name, ())]

    def _settle(self, names: Sequence[str]) -> None:
        """Assign each relation its cheapest placement in turn, until none changes or a number of sweeps is reached."""
        waiting = list(names)
        for _ in range(SWEEPS):
            moving = [name for name in waiting if self._moves(name)]
            near = {other for name in moving for w in self.touching[name] for other in (w.head, *w.reads)}
            waiting = [name for name in names if name in near]

    def _moves(self, name: str) -> bool:
        """Move a relation to a better placement if there is one; returns whether it moved."""
        before = self.homes[name]
        options = enumerate(list(self._options(name)))
        best = min((self._cost(name, home), home != before, i, home) for i, home in options)[-1]
        self.homes[name] = best
        return best != before

    def _options(self, name: str) -> Iterator[int]:
        """The possible placements: columns first, so that they win ties; partition 0 for relations aggregated whole."""
        yield from self._light(name)
        if self._may_be_mirrored(name):
            yield MIRRORED
        if name not in self.base and any(w.shape.group == () and name in w.reads for w in self.touching[name]):
            yield SINGLE

    def _may_be_mirrored(self, name: str) -> bool:
        """Whether all rules that join the relation want it on every partition, and it is in no recursion itself."""
        if any(read.recursive for w in self.touching[name] if w.head == name for read in w.shape.reads):
            return False
        homes = ChainMap({name: OPEN}, self.homes)
        joining = [w for w in self.touching[name] if w.joins(name)]
        return bool(joining) and all(w.misses(name, homes) for w in joining)

    def _cost(self, name: str, home: int) -> int:
        """The cost of all rules that mention a relation under this placement, which the relation keeps."""
        self.homes[name] = home
        return sum(w.choice(self.homes).cost for w in self.touching[name]) + (MIRROR if home == MIRRORED else 0)
