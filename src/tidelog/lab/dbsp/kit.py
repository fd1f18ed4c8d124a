"""The grounding kit: rules as data that steer rewrites from one body atom to the next (DYRE paper, section 4.2).

Law: *provenance* names how far a rewrite has come. Here it is the sequence of body atoms already matched, so two
beginnings have the same provenance exactly when they are the same beginning; rules that begin alike share their
rewrites, and permuted bodies stay apart. (The paper adds up numbers of atoms, and a sum does not distinguish ``P, Q``
from ``Q, P``; see ``summed``.) Provenances form a tree: a direction is an edge of it, a grounding signal hangs a head
on a node, a join order says by which columns an edge looks up its facts. A rewrite is a node with the values of its
variables, in order of first occurrence. The kit only ever grows by what distinct rules bring; which parts are in force
is determined by the weights in the circuit's streams.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeAlias

from tidelog.lab.dbsp.clause import Atom, Clause, Not, Variable, normal_form, variables

Values: TypeAlias = tuple[Hashable, ...]
Rewrite: TypeAlias = tuple[int, Values]
Identify: TypeAlias = Callable[[tuple[Atom, ...]], Hashable]
Picker: TypeAlias = Callable[[tuple[Any, ...]], tuple[Any, ...]]

ROOT = 0


def prefix(atoms: tuple[Atom, ...]) -> Hashable:
    """The identification in use: the beginning of the body itself.

    >>> p, q = ("P", (Variable(0),)), ("Q", (Variable(0),))
    >>> prefix((p, q)) == prefix((q, p))
    False
    """
    return atoms


def summed(atoms: tuple[Atom, ...]) -> Hashable:
    """The paper's identification (Definition 4.2): the sum of one number per atom. Kept to show that it is ambiguous.

    >>> p, q = ("P", (Variable(0),)), ("Q", (Variable(0),))
    >>> summed((p, q)) == summed((q, p))
    True
    """
    return sum(map(hash, atoms))


def picker(positions: tuple[int, ...]) -> Picker:
    """The function that takes the given positions of a tuple.

    >>> picker((2, 0))("abc"), picker((1,))("abc"), picker(())("abc")
    (('c', 'a'), ('b',), ())
    """
    if len(positions) > 1:
        return itemgetter(*positions)
    if positions:
        (position,) = positions
        return lambda values: (values[position],)
    return lambda values: ()


@dataclass(frozen=True, slots=True)
class Order:
    """A join order: facts of ``predicate`` with ``arity`` columns, looked up by the columns ``mask``."""

    predicate: Hashable
    arity: int
    mask: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Advance:
    """How a rewrite meets the next atom: which key it looks up, what must agree, what it learns.

    ``key`` picks from the rewrite's values followed by ``constants``; ``bound`` picks the same columns from a fact;
    ``fresh`` picks the values of new variables from a fact; ``repeats`` are columns that must be equal. A negated atom
    is met where no fact has the key: it learns nothing, and its key has all columns.
    """

    predicate: Hashable
    arity: int
    order: int
    constants: Values
    key: Picker
    bound: Picker
    fresh: Picker
    repeats: tuple[tuple[int, int], ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class HeadTemplate:
    """How a finished rewrite becomes a fact: ``terms`` picks from its values followed by ``constants``."""

    predicate: Hashable
    constants: Values
    terms: Picker


class Kit:
    """Numbers for provenances, join orders and heads, and the projections of the four joins.

    >>> x, y, z = (Variable(name) for name in "xyz")
    >>> rule = Clause(("R", (x, z)), (("P", (x, y)), ("R", (y, z))))
    >>> kit = Kit()
    >>> kit.directions(rule), kit.signal(rule), kit.join_orders(rule)
    ([(0, 1), (1, 2)], (2, 0), [('P', 0), ('R', 1)])
    >>> kit.orders[1].mask
    (0,)
    """

    def __init__(self, identify: Identify = prefix) -> None:
        self.orders: list[Order] = []
        self.has_negation = False
        self._identify = identify
        self._nodes: dict[Hashable, int] = {identify(()): ROOT}
        self._advances: list[Advance | None] = [None]
        self._order_numbers: dict[Order, int] = {}
        self._order_pickers: list[tuple[int, Picker]] = []
        self._heads: dict[Hashable, int] = {}
        self._headings: list[HeadTemplate] = []

    def directions(self, clause: Clause) -> list[tuple[int, int]]:
        """``dir``: from each provenance of the body to the next (Definition 4.3)."""
        nodes = [ROOT, *self._path(normal_form(clause).literals)]
        return list(pairwise(nodes))

    def signal(self, clause: Clause) -> tuple[int, int]:
        """``sig``: the provenance of the whole body, with the head (Definition 4.4)."""
        normal = normal_form(clause)
        return [ROOT, *self._path(normal.literals)][-1], self._head(normal)

    def join_orders(self, clause: Clause) -> list[tuple[Hashable, int]]:
        """``jorder``: for each body atom its predicate and the columns known when its turn comes (Definition 4.6)."""
        return [(a.predicate, a.order) for n in self._path(normal_form(clause).literals) if (a := self._advances[n])]

    def is_negated(self, node: int) -> bool:
        """Whether a rewrite gets this provenance by not matching a fact."""
        return self._advance(node).negated

    # the projections of gatekeep, product, ground and index

    def propose(self, node: int, values: Values, child: int) -> tuple[Hashable, Rewrite]:
        """gatekeep: a rewrite proposed for the next atom, under the atom's predicate."""
        return self._advance(child).predicate, (child, values)

    def propose_by_key(self, node: int, values: Values, child: int) -> tuple[tuple[int, Values], Rewrite]:
        """gatekeep of the indexed circuit: the same, under the key that the fact must have."""
        advance = self._advance(child)
        return (advance.order, advance.key(values + advance.constants)), (child, values)

    def unify(self, predicate: Hashable, candidate: Rewrite, args: Values) -> Rewrite | None:
        """product: the rewrite extended by a fact, if the two agree."""
        child, values = candidate
        advance = self._advance(child)
        if len(args) != advance.arity or advance.bound(args) != advance.key(values + advance.constants):
            return None
        return self.extend(predicate, candidate, args)

    def extend(self, key: Hashable, candidate: Rewrite, args: Values) -> Rewrite | None:
        """product of the indexed circuit: the key has seen to it that rewrite and fact agree on what was known."""
        child, values = candidate
        advance = self._advance(child)
        for first, second in advance.repeats:
            if args[first] != args[second]:
                return None
        return child, values + advance.fresh(args)

    def ground(self, node: int, values: Values, head: int) -> Atom:
        """ground: the head of a rule, its variables replaced by the rewrite."""
        heading = self._headings[head]
        return heading.predicate, heading.terms(values + heading.constants)

    def place(self, predicate: Hashable, args: Values, order: int) -> tuple[tuple[int, Values], Values] | None:
        """index: a fact under the columns of a join order; None where it has another number of columns."""
        arity, columns = self._order_pickers[order]
        return ((order, columns(args)), args) if len(args) == arity else None

    # numbering

    def _advance(self, node: int) -> Advance:
        advance = self._advances[node]
        assert advance is not None, "no direction leads to the root"
        return advance

    def _path(self, body: tuple[Atom, ...]) -> list[int]:
        return [self._node(body[: length + 1]) for length in range(len(body))]

    def _node(self, atoms: tuple[Atom, ...]) -> int:
        identity = self._identify(atoms)
        if identity not in self._nodes:
            self._nodes[identity] = len(self._advances)
            self._advances.append(self._to_advance(variables(atoms[:-1]), atoms[-1]))
        return self._nodes[identity]

    def _head(self, clause: Clause) -> int:
        known = variables(clause.body)
        if (clause.head, len(known)) not in self._heads:
            self._heads[clause.head, len(known)] = len(self._headings)
            positions, constants = _sources(clause.head[1], known)
            self._headings.append(HeadTemplate(clause.head[0], constants, picker(positions)))
        return self._heads[clause.head, len(known)]

    def _order(self, order: Order) -> int:
        if order not in self._order_numbers:
            self._order_numbers[order] = len(self.orders)
            self.orders.append(order)
            self._order_pickers.append((order.arity, picker(order.mask)))
        return self._order_numbers[order]

    def _to_advance(self, known: tuple[Variable, ...], atom: Atom) -> Advance:
        marked, terms = atom
        predicate, negated = (marked.predicate, True) if isinstance(marked, Not) else (marked, False)
        self.has_negation |= negated
        mask = tuple(n for n, t in enumerate(terms) if not isinstance(t, Variable) or t in known)
        first = {term: n for n, term in reversed(list(enumerate(terms)))}
        positions, constants = _sources(tuple(terms[n] for n in mask), known)
        return Advance(
            predicate,
            len(terms),
            self._order(Order(predicate, len(terms), mask)),
            constants,
            key=picker(positions),
            bound=picker(mask),
            fresh=picker(tuple(n for n, t in enumerate(terms) if n not in mask and first[t] == n)),
            repeats=tuple((first[t], n) for n, t in enumerate(terms) if n not in mask and first[t] != n),
            negated=negated,
        )


def _sources(terms: Values, known: tuple[Variable, ...]) -> tuple[tuple[int, ...], Values]:
    """The position of each term in the values of ``known`` followed by the constants, and those constants."""
    constants = tuple(term for term in terms if not isinstance(term, Variable))
    numbers = iter(range(len(known), len(known) + len(constants)))
    return tuple(known.index(t) if isinstance(t, Variable) else next(numbers) for t in terms), constants
