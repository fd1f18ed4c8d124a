"""Sites of rules: where a rule fires and reads all its body atoms, and the copies that this requires.

Law: every ground body of a rule is found on exactly one partition. A rule fires at a *site*: the owner of the value of
one term, partition 0, or every partition. At a term's site at least one positive atom is placed by that term (it is the
anchor: only the owner finds it), and every other atom, including negated ones, is placed by the same term or is on
every partition. A rule fires everywhere only if all its atoms are on every partition.

The choice is a pure function of the rule's shape and the placements of its relations. It does not change when other
rules are added or removed, or when a state is reopened. Costs are counted in units of "one relation sent once"; no
sizes are known here. `place_infer` decides the placements of relations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tidelog.program import Aggregate, Atom, Const, Literal, Negation, Rule, Term, Var
from tidelog.program.graph.choice import choice_place
from tidelog.program.values.term import CHOICE
from tidelog.rewrite.place.placement import MIRRORED, SINGLE, Placement

OPEN = -3  # a placement that is not decided yet
NOWHERE = -9  # a head argument that no body atom can be placed by

JOINABLE = (Var, Const)

COPY, COPY_TO_ALL, COPY_TO_ONE = 2, 4, 3
COPY_OF_MIRROR = 1  # every partition keeps its own share of the facts it has: nothing is sent
COPY_OF_NULLARY = 1  # at most one fact
SEND, SEND_TO_ALL = 1, 2
UNDIVIDED = 3  # a join that every partition computes completely
WISH_FOR_MIRROR = 4  # an open relation that would have to be on every partition
IN_RECURSION = 8  # the factor for messages sent in every round


@dataclass(frozen=True, slots=True)
class ShapeAtom:
    """A body atom: its relation and arguments by number, whether it is positive, and in recursion with the head."""

    relation: int
    args: tuple[int, ...]
    positive: bool
    recursive: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """A rule without names: equal terms have equal numbers, every ``_`` has a separate one.

    ``group`` holds the group variables of an aggregate rule; it is None for a plain rule.
    """

    head: tuple[int, ...]
    reads: tuple[ShapeAtom, ...]
    group: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class SiteChoice:
    """A site with what it costs.

    ``wants`` has, for each atom, the placement of the copy that is read, or None if the relation itself is read.
    """

    cost: int
    site: int
    wants: tuple[int | None, ...]
    sends: bool

    @property
    def order(self) -> tuple[int, bool, int]:
        """A key by which the cheaper choice is preferred, then one that sends nothing, then one with fewer copies."""
        return self.cost, self.sends, sum(want is not None for want in self.wants)


def body_atoms(rule: Rule) -> list[Atom]:
    """The positive and negated atoms of a core rule's body, in order."""
    return [atom for literal in rule.body if (atom := _atom(literal)) is not None]


def _atom(literal: Literal) -> Atom | None:
    if isinstance(literal, Negation):
        return literal.atom
    return literal if isinstance(literal, Atom) else None


def shape_of(rule: Rule, recursive: Collection[str]) -> Shape:
    """The shape of a core rule; ``recursive`` names the relations that are in recursion with its head."""
    numbers: dict[object, int] = {}
    relations: dict[str, int] = {}

    def number(term: Term) -> int:
        return numbers.setdefault(term if isinstance(term, JOINABLE) else object(), len(numbers))

    reads = []
    for literal in rule.body:
        if (atom := _atom(literal)) is not None:
            relation = relations.setdefault(atom.predicate, len(relations))
            args = tuple(map(number, atom.args))
            reads.append(ShapeAtom(relation, args, literal is atom, atom.predicate in recursive))
    head = tuple(numbers.get(arg, NOWHERE) if isinstance(arg, JOINABLE) else NOWHERE for arg in rule.head.args)
    aggregate = next((arg for arg in rule.head.args if isinstance(arg, Aggregate)), None)
    if aggregate is None:
        return Shape(head, tuple(reads), None)
    if aggregate.kind == CHOICE:  # computed where the relation that shows it is placed
        place = choice_place(rule)
        return Shape(head, tuple(reads), () if place is None else (head[place],))
    ties = {place for place, _ in aggregate.ties}
    return Shape(head, tuple(reads), tuple(n for i, n in enumerate(head) if n != NOWHERE and i not in ties))


@lru_cache(maxsize=50_000)
def choose(shape: Shape, head: int, homes: tuple[int, ...]) -> SiteChoice:
    """The best site of a rule, given the placements of its head and of the relations of its atoms.

    ``reach(x, z) :- edge(x, y), reach(y, z)`` with reach by its second column, edge everywhere: at z, nothing is sent.

    >>> shape = Shape((0, 2), (ShapeAtom(0, (0, 1), True, False), ShapeAtom(1, (1, 2), True, True)), None)
    >>> choose(shape, 1, (MIRRORED, 1))
    SiteChoice(cost=0, site=2, wants=(None, None), sends=False)
    """
    return min((_at(shape, site, head, homes) for site in _sites(shape, homes)), key=lambda choice: choice.order)


def site_of(rule: Rule, placements: Mapping[str, Placement]) -> tuple[Shape, SiteChoice]:
    """The shape of a core rule that is localised, and where it fires."""
    # A rule for a pool of candidates reads the relation that its root derives: that is recursion, too.
    shape = shape_of(rule, (rule.head.predicate, rule.root.head.predicate))
    homes = tuple(placements[atom.predicate].column for atom in body_atoms(rule))
    return shape, choose(shape, placements[rule.head.predicate].column, homes)


def _sites(shape: Shape, homes: Sequence[int]) -> Iterator[int]:
    """The sites to choose from; a rule with one atom fires where the atom lives."""
    if shape.group is not None:
        return _aggregate_sites(shape.group, homes[0])
    if len(shape.reads) == 1 and shape.reads[0].positive and homes[0] != OPEN:
        return iter([shape.reads[0].args[homes[0]] if homes[0] >= 0 else homes[0]])
    return _plain_sites(shape, homes)


def _plain_sites(shape: Shape, homes: Sequence[int]) -> Iterator[int]:
    """The sites of a plain rule: everywhere, and those with a positive atom that can be the anchor."""
    yield MIRRORED
    positive = [(read, home) for read, home in zip(shape.reads, homes, strict=True) if read.positive]
    if any(home == SINGLE for _, home in positive):
        yield SINGLE
    yield from sorted({term for read, _ in positive for term in read.args})


def _aggregate_sites(group: Sequence[int], home: int) -> Iterator[int]:
    """The sites of an aggregate rule: all rows of a group must be on one partition, or all rows on every one."""
    if home == MIRRORED:
        yield MIRRORED
    elif home == SINGLE or not group:
        yield SINGLE
    yield from group


def _at(shape: Shape, site: int, head: int, homes: Sequence[int]) -> SiteChoice:
    wants = [_copy_column(read, home, site) for read, home in zip(shape.reads, homes, strict=True)]
    if site >= 0:
        _anchor(shape.reads, homes, site, wants)
    sends = site != MIRRORED and not _is_at(shape.head, head, site)
    return SiteChoice(
        _copying(shape, homes, wants) + _wishing(shape, homes, site) + _firing(shape, site, head, sends),
        site,
        tuple(wants),
        sends,
    )


def _copy_column(read: ShapeAtom, home: int, site: int) -> int | None:
    """The placement of the copy that an atom reads at a site; None if it reads its relation itself."""
    if home in (MIRRORED, OPEN) or _is_at(read.args, home, site):
        return None
    if site < 0:
        return site
    return read.args.index(site) if site in read.args else MIRRORED


def _is_at(args: Sequence[int], home: int, site: int) -> bool:
    """Whether a fact with these arguments lives at the site."""
    if home == OPEN:
        return site in args
    return args[home] == site if home >= 0 else home == site


def _anchor(reads: Sequence[ShapeAtom], homes: Sequence[int], site: int, wants: list[int | None]) -> None:
    """Ensure that a positive atom is placed by the site: if all atoms with its term are mirrored, one is copied."""
    having = [i for i, read in enumerate(reads) if read.positive and site in read.args]
    if all(homes[i] == MIRRORED for i in having):
        wants[having[0]] = reads[having[0]].args.index(site)


def _copying(shape: Shape, homes: Sequence[int], wants: Sequence[int | None]) -> int:
    """The cost of the copies, each counted once."""
    cost: dict[tuple[int, int], int] = {}
    for read, home, want in zip(shape.reads, homes, wants, strict=True):
        if want is not None:
            cost[read.relation, want] = _copy_cost(read, home, want) * (IN_RECURSION if read.recursive else 1)
    return sum(cost.values())


def _copy_cost(read: ShapeAtom, home: int, want: int) -> int:
    if home == MIRRORED:
        return COPY_OF_MIRROR
    if not read.args:
        return COPY_OF_NULLARY
    return {MIRRORED: COPY_TO_ALL, SINGLE: COPY_TO_ONE}.get(want, COPY)


def _wishing(shape: Shape, homes: Sequence[int], site: int) -> int:
    """The cost of open relations: placed by the site they cost nothing; partition 0 is the site of an aggregate."""
    wishes = {r.relation for r, home in zip(shape.reads, homes, strict=True) if home == OPEN and site not in r.args}
    return 0 if site == SINGLE and shape.group is not None else WISH_FOR_MIRROR * len(wishes)


def _firing(shape: Shape, site: int, head: int, sends: bool) -> int:
    """The cost of messages to the head's owner, and of a join that is not divided."""
    if site == MIRRORED:
        return UNDIVIDED if sum(read.positive for read in shape.reads) > 1 else 0
    factor = IN_RECURSION if any(read.recursive for read in shape.reads) else 1
    return (SEND_TO_ALL if head == MIRRORED else SEND) * factor if sends else 0


def moved(literal: Literal, name: str) -> Literal:
    """The literal reading a copy of its relation."""
    if isinstance(literal, Negation):
        return replace(literal, atom=replace(literal.atom, predicate=name, location=None))
    assert isinstance(literal, Atom)
    return replace(literal, predicate=name, location=None)
