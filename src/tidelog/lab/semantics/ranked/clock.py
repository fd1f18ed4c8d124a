"""The Lamport clocks of the nodes: where a fact that enters gets its rank.

Law: a node's clock is above every rank it has seen, its own and those of messages; so a fact that enters is ranked
above the bodies of all supports that the node knows. A clock that is lost may assign a rank that is too low, so that
facts support each other forever; clocks are therefore kept between epochs.
"""

from __future__ import annotations

from collections import Counter

from tidelog.lab.semantics.fact import Node


class Clock(Counter[Node]):
    """The highest rank seen, by node."""

    def see(self, node: Node, rank: int) -> None:
        """A message with this rank has arrived."""
        self[node] = max(self[node], rank)

    def tick(self, node: Node) -> int:
        """A rank above all that the node has seen."""
        self[node] += 1
        return self[node]
