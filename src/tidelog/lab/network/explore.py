"""All orders of delivery of a small network: whether they end, and in which tables.

Law: nothing is sampled. From the state after the changes every message that may come next is delivered: on every link
the oldest one, or with `reorder` any. Time stands still, so programs with timers are explored between two ticks; a node
that holds equal tables behaves equally, because states with random streams that differ are not identified.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tidelog.lab.network import network_failures as failures
from tidelog.lab.network.node import Node, NodeUpdate
from tidelog.lab.network.program import Program, Row
from tidelog.lab.network.read import ScriptStep
from tidelog.lab.network.runtime import NetworkRun, Settings

Rows = frozenset[tuple[str, str, Row]]
_Pending = tuple[tuple[str, str, NodeUpdate], ...]


@dataclass(frozen=True, slots=True)
class NetworkExploration:
    """How many states there are, the tables in which orders end, and the length of the longest order."""

    states: int
    ends: frozenset[Rows]
    longest: int


def explore(
    program: Program, topology: Program, changes: Sequence[ScriptStep], *, reorder: bool = False, limit: int = 20_000
) -> NetworkExploration:
    """Bring a network to rest, change facts at once, and follow every order of delivery."""
    network = NetworkRun(program, topology, (), Settings()).run(0.0)
    network.run(1e6 if not network.program.timers else 0.0)
    links = {address: list(near) for address, near in network.links.items()}
    nodes = {address: node.detached(lambda here: links.get(here, [])) for address, node in network.nodes.items()}
    pending: list[tuple[str, str, NodeUpdate]] = []
    for step in changes:
        address, update = network.update_of(step)
        node = nodes[address]
        pending += [(address, target, sent) for target, sent in node.process(update, network.now)[0]]
    return _Explorer(network.now, reorder, limit).explore(nodes, tuple(pending))


class _Explorer:
    def __init__(self, now: float, reorder: bool, limit: int) -> None:
        self.now, self.reorder, self.limit = now, reorder, limit
        self.longest_from: dict[object, int] = {}
        self.ends: set[Rows] = set()

    def explore(self, nodes: dict[str, Node], pending: _Pending) -> NetworkExploration:
        longest = self._follow(nodes, pending)
        return NetworkExploration(len(self.longest_from), frozenset(self.ends), longest)

    def _follow(self, nodes: dict[str, Node], pending: _Pending) -> int:
        """The length of the longest order from a state."""
        state = (_contents(nodes), self._bag(pending))
        if state in self.longest_from:
            return self.longest_from[state]
        if len(self.longest_from) >= self.limit:
            raise failures.STATES.error(limit=self.limit)
        self.longest_from[state] = 0
        if not pending:
            self.ends.add(_rows(nodes))
        longest = 0
        for at in self._choices(pending):
            _, target, update = pending[at]
            rest = pending[:at] + pending[at + 1 :]
            following = dict(nodes)
            if target in nodes:
                following[target] = node = copy.deepcopy(nodes[target])
                sent = node.process(update, self.now)[0]
                rest += tuple((target, other, one) for other, one in sent)
            longest = max(longest, 1 + self._follow(following, rest))
        self.longest_from[state] = longest
        return longest

    def _choices(self, pending: _Pending) -> Iterable[int]:
        seen: set[object] = set()
        for at, (source, target, update) in enumerate(pending):
            key: object = (source, target, update) if self.reorder else (source, target)
            if key not in seen:
                seen.add(key)
                yield at

    def _bag(self, pending: _Pending) -> object:
        """What is under way: sequences per link, or without order a multiset."""
        if self.reorder:
            return tuple(sorted(map(repr, pending)))
        links: dict[tuple[str, str], list[NodeUpdate]] = {}
        for source, target, update in pending:
            links.setdefault((source, target), []).append(update)
        return frozenset((link, tuple(updates)) for link, updates in links.items())


def _contents(nodes: dict[str, Node]) -> object:
    return frozenset(
        (address, name, entry.row, entry.is_asserted, frozenset(entry.supports))
        for address, node in nodes.items()
        for name, table in node.tables.items()
        for entry in table.entries.values()
    )


def _rows(nodes: dict[str, Node]) -> Rows:
    found = ((a, name, row) for a, node in nodes.items() for name, table in node.tables.items() for row in table.rows())
    return frozenset((address, name, row) for address, name, row in found if "/" not in name)
