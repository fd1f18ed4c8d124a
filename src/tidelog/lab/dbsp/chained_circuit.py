"""The incremental circuit with as few indexes as possible: facts nested by chains of join orders.

Law: the state is that of ``incremental_circuit`` after every step. The facts of a predicate are kept once for each
chain of its join orders (`chains`), in dictionaries within dictionaries; a rewrite that knows the columns of a join
order finds its facts below the node that these columns lead to. A predicate that gets new join orders is nested again.
What the paper leaves to future work: Figure 3 keeps a fact once for each join order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from tidelog.lab.dbsp.chains import Chain, fewest_chains
from tidelog.lab.dbsp.clause import Atom
from tidelog.lab.dbsp.incremental_circuit import IncrementalCircuit
from tidelog.lab.dbsp.kit import Kit, Picker, Rewrite, Values, picker
from tidelog.lab.dbsp.nested import Delta, without_zeros
from tidelog.lab.dbsp.trace import History, Trace, amend

Key = tuple[int, Values]
Node = dict[Any, Any]
"""A node leads from the values of the next columns to nodes; the last one from facts to their histories."""


class Nest:
    """The facts of one predicate and width, nested along one chain of searches.

    >>> nest = Nest((frozenset({1}), frozenset({0, 1})))
    >>> nest.put((5, 6, 7), 0, 1); nest.put((4, 6, 7), 2, 1)
    >>> sorted(nest.below(1, (6,))), list(nest.below(2, (5, 6)))
    ([((4, 6, 7), ((2, 1),)), ((5, 6, 7), ((0, 1),))], [((5, 6, 7), ((0, 1),))])
    """

    def __init__(self, chain: Chain) -> None:
        columns = [sorted(after - before) for before, after in zip((frozenset(), *chain), chain, strict=False)]
        self._pickers = [picker(tuple(each)) for each in columns]
        self._from_key = [self._parts(sorted(search), columns[: depth + 1]) for depth, search in enumerate(chain)]
        self.root: Node = {}

    @staticmethod
    def _parts(search: list[int], columns: list[list[int]]) -> list[Picker]:
        """From a key, whose values are in the order of their columns, to the values of each level."""
        return [picker(tuple(search.index(column) for column in each)) for each in columns]

    def put(self, args: Values, time: int, weight: int) -> None:
        """A change of one fact; nodes that nothing is left of are removed."""
        path = [self.root]
        parts = [pick(args) for pick in self._pickers]
        for part in parts:
            path.append(path[-1].setdefault(part, {}))
        history = amend(path[-1].get(args, ()), time, weight)
        if history:
            path[-1][args] = history
            return
        del path[-1][args]
        for node, part in zip(reversed(path[:-1]), reversed(parts), strict=True):
            if node[part]:
                return
            del node[part]

    def below(self, depth: int, key: Values) -> Iterator[tuple[Values, History]]:
        """The facts that have a key in the columns of the chain's search of this depth, with their histories."""
        node = self.root
        for pick in self._from_key[depth - 1]:
            found = node.get(pick(key))
            if found is None:
                return
            node = found
        yield from _leaves(node, len(self._pickers) - depth)


def _leaves(node: Node, levels: int) -> Iterator[tuple[Values, History]]:
    if not levels:
        yield from node.items()
        return
    for further in node.values():
        yield from _leaves(further, levels - 1)


class Nests:
    """The facts of one predicate and width: a nest for each chain, and where each join order finds its facts."""

    def __init__(self, orders: Mapping[int, tuple[int, ...]], histories: Iterable[tuple[Values, History]]) -> None:
        chains = fewest_chains(frozenset(mask) for mask in orders.values())
        self.nests = [Nest(chain) for chain in chains]
        places = {search: (at, n + 1) for at, chain in enumerate(chains) for n, search in enumerate(chain)}
        self._places = {order: places[frozenset(mask)] for order, mask in orders.items()}
        self.keys: list[tuple[int, Picker]] = [(order, picker(mask)) for order, mask in orders.items()]
        for args, history in histories:
            for time, weight in history:
                self.put(args, time, weight)

    def put(self, args: Values, time: int, weight: int) -> None:
        """A change of one fact, in every nest."""
        for nest in self.nests:
            nest.put(args, time, weight)

    def find(self, order: int, key: Values) -> Iterator[tuple[Values, History]]:
        """The facts with a key."""
        at, depth = self._places[order]
        return self.nests[at].below(depth, key)


class ChainJoin:
    """The product of rewrites with facts: a rewrite looks into a nest, a fact for rewrites under its keys."""

    def __init__(self, kit: Kit, candidates: Trace[Key, Rewrite], facts: Trace[Hashable, Values]) -> None:
        self._kit, self._candidates, self._facts = kit, candidates, facts
        self._nests: dict[tuple[Hashable, int], Nests] = {}
        self._orders = 0
        self._pending: dict[int, Delta[Rewrite]] = {}

    def step(self, time: int, candidates: Delta[Any], facts: Delta[Atom]) -> Delta[Rewrite]:
        """The change of the rewrites at one inner time; the trace of candidates holds theirs already."""
        self._pending.setdefault(time, {})
        for ((order, key), candidate), weight in candidates.items():
            nests = self._nests.get(self._owner(order))
            for args, history in nests.find(order, key) if nests else ():
                self._add(candidate, args, time, weight, history)
        self._take(time, facts)
        return without_zeros(self._pending.pop(time))

    def next_time(self) -> int | None:
        """The first inner time at which something is pending."""
        return min(self._pending, default=None)

    def renest(self) -> None:
        """Nest the facts of predicates with new join orders again."""
        new = self._kit.orders[self._orders :]
        self._orders = len(self._kit.orders)
        for predicate, arity in {(order.predicate, order.arity) for order in new}:
            orders = {n: o.mask for n, o in enumerate(self._kit.orders) if (o.predicate, o.arity) == (predicate, arity)}
            held = self._facts.groups.get(predicate, {}).items()
            self._nests[predicate, arity] = Nests(orders, ((args, h) for args, h in held if len(args) == arity))

    @property
    def indexes(self) -> int:
        """How many nests there are."""
        return sum(len(nests.nests) for nests in self._nests.values())

    def _owner(self, order: int) -> tuple[Hashable, int]:
        known = self._kit.orders[order]
        return known.predicate, known.arity

    def _take(self, time: int, facts: Delta[Atom]) -> None:
        for (predicate, args), weight in facts.items():
            nests = self._nests.get((predicate, len(args)))
            if nests is None:
                continue
            nests.put(args, time, weight)
            for order, pick in nests.keys:
                group = self._candidates.groups.get((order, pick(args)), {})
                for candidate, history in group.items():
                    self._add(candidate, args, time, weight, history)

    def _add(self, candidate: Rewrite, args: Values, time: int, weight: int, history: History) -> None:
        rewrite = self._kit.extend(None, candidate, args)
        if rewrite is None:
            return
        for other_time, other_weight in history:
            out = self._pending.setdefault(max(time, other_time), {})
            out[rewrite] = out.get(rewrite, 0) + weight * other_weight


class ChainedCircuit(IncrementalCircuit):
    """The circuit whose facts are kept once for each chain of join orders.

    >>> from tidelog.lab.dbsp.clause import Clause, Variable
    >>> from tidelog.lab.dbsp.zset import ZSet
    >>> x, y = Variable("x"), Variable("y")
    >>> circuit = ChainedCircuit()
    >>> rule = Clause(("near", (y,)), (("edge", (0, y)),))
    >>> _ = circuit.step(ZSet.of(rule), ZSet.of(("edge", (0, 1)), ("edge", (1, 2))))
    >>> [atom for atom in circuit.state() if atom[0] == "near"], circuit.indexes
    ([('near', (1,))], 1)
    """

    def __init__(self, kit: Kit | None = None) -> None:
        super().__init__(kit)
        self._product: Any = ChainJoin(self.kit, self._candidates, self._facts.output)

    @property
    def indexes(self) -> int:
        """How many indexes hold facts."""
        return int(self._product.indexes)

    def _propose(self) -> Callable[..., Any]:
        return self.kit.propose_by_key

    def _take_join_orders(self, rules: Any) -> None:
        for rule in rules:
            self.kit.join_orders(rule)
        self._product.renest()

    def _fresh_rewrites(self, time: int, products: Delta[Rewrite]) -> Delta[Rewrite]:
        return products
