"""The clocks of the nodes, from which ranks are assigned.

Law: a node's clock contains the greatest depth and the greatest clock that the node has assigned or seen in messages. A
new fact is one deeper than the body of its first support, so a late fact gets the same depth as an early one. A revived
fact is one deeper than everything that its node has seen, so all its supports are of lower rank. A clock that is lost
may assign a depth that is too low, so that facts support each other forever; clocks are therefore kept between epochs.
"""

from __future__ import annotations

from tidelog.lab.semantics.fact import Node
from tidelog.lab.semantics.ranked.rank import GROUND, Rank


class Clock(dict[Node, Rank]):
    """The greatest depth and the greatest clock, by node."""

    def __missing__(self, node: Node) -> Rank:
        return GROUND

    def see(self, node: Node, rank: Rank) -> None:
        """A message with this rank has arrived."""
        top = self[node]
        self[node] = Rank(max(top.depth, rank.depth), max(top.clock, rank.clock))

    def rank_above(self, node: Node, depth: int) -> Rank:
        """A rank one deeper than ``depth`` that the node assigns now."""
        rank = Rank(depth + 1, self[node].clock + 1)
        self.see(node, rank)
        return rank
