"""The incremental circuit with facts indexed by join orders: Figure 3 of the DYRE paper.

Law: an index is one more bilinear operator (facts ⋈ join orders), so it follows changes of facts and of rules like the
rest; rewrite and fact meet under the columns that are known when the atom's turn comes, so that a product costs its
matches. The state is that of ``incremental_circuit`` after every step.
The distinct behind the product is left out here: a provenance that names its atoms, under directions that are a set,
leads to each rewrite from one candidate and one fact, so the product's output is a set already (a tested law).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from tidelog.lab.dbsp.clause import Atom, Clause
from tidelog.lab.dbsp.incremental_circuit import IncrementalCircuit, summed_parts
from tidelog.lab.dbsp.kit import Kit, Rewrite, Values
from tidelog.lab.dbsp.nested import Delta, NestedDistinct, NestedJoin
from tidelog.lab.dbsp.zset import ZSet


class IndexedCircuit(IncrementalCircuit):
    """The circuit to use: the same steps, with a join order per body atom.

    >>> from tidelog.lab.dbsp.clause import Variable
    >>> x, y = Variable("x"), Variable("y")
    >>> circuit = IndexedCircuit()
    >>> rule = Clause(("near", (y,)), (("edge", (0, y)),))
    >>> _ = circuit.step(ZSet.of(rule), ZSet.of(("edge", (0, 1)), ("edge", (1, 2))))
    >>> [atom for atom in circuit.state() if atom[0] == "near"]
    [('near', (1,))]
    >>> circuit.step(ZSet({rule: -1}), ZSet())
    ZSet({('near', (1,)): -1})
    """

    def __init__(self, kit: Kit | None = None) -> None:
        super().__init__(kit)
        self._index: NestedJoin[Hashable, Values, int, Any] = NestedJoin(self._facts.output, self.kit.place)
        self._orders: NestedDistinct[Hashable, int] = NestedDistinct()
        self._new_orders: Delta[tuple[Hashable, int]] = {}

    @property
    def indexes(self) -> int:
        """One for each join order."""
        return len(self.kit.orders)

    def _propose(self) -> Any:
        return self.kit.propose_by_key

    def _extend(self) -> Any:
        return self.kit.extend

    def _take_join_orders(self, rules: ZSet[Clause]) -> None:
        self._new_orders = self._orders.step(0, summed_parts(self.kit.join_orders, rules))

    def _for_product(self, time: int, facts: Delta[Atom]) -> Delta[Any]:
        orders, self._new_orders = self._new_orders, {}
        return self._index.step(time, facts, orders)

    def _fresh_rewrites(self, time: int, products: Delta[Rewrite]) -> Delta[Rewrite]:
        return products

    def _operators(self) -> Iterable[Any]:
        return *super()._operators(), self._index
