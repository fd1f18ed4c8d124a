"""Judges of the timed protocols: what their tables should contain, found by a search over the links.

    python -m tests.lab.network.judge FOLDER [NAME ...]

runs every protocol of `programs/network/timed` that routes or disseminates on the networks of a folder, cuts two links,
and prints messages before and after, and whether the tables were those of the search both times.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tidelog.lab.network.program import Atom, Constant, Program, ProgramFact
from tidelog.lab.network.read import read_program
from tidelog.lab.network.runtime import NetworkRun
from tidelog.lab.semantics.traffic import read_topology

PROGRAMS = Path(__file__).parents[3] / "programs" / "network" / "timed"
Links = frozenset[tuple[str, str]]
Distances = dict[str, dict[str, int]]


def distances(links: Links) -> Distances:
    """Hops between all nodes that a path joins."""
    near: dict[str, set[str]] = {}
    for a, b in links:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    return {start: _reached(near, start) for start in near}


def _reached(near: dict[str, set[str]], start: str) -> dict[str, int]:
    hops, todo = {start: 0}, deque([start])
    while todo:
        node = todo.popleft()
        for other in near[node] - hops.keys():
            hops[other] = hops[node] + 1
            todo.append(other)
    return hops


def routes_are_shortest(net: NetworkRun, links: Links) -> bool:
    """Every node has a route of the right length to every node that it can reach, over a neighbour."""
    found = {(r[0], r[1]): (r[3], r[2]) for rows in net.rows("route").values() for r in rows}
    wanted = {(a, b): hops for a, reached in distances(links).items() for b, hops in reached.items() if a != b}
    both = links | {(b, a) for a, b in links}
    return {pair: hops for pair, (hops, _) in found.items()} == wanted and all(
        (node, following) in both for (node, _), (_, following) in found.items()
    )


def answers_are_shortest(net: NetworkRun, links: Links) -> bool:
    """Every route that was asked for has the right length, and all its hops are links."""
    both = links | {(b, a) for a, b in links}
    hops = distances(links)
    rows = [row for found in net.rows("route").values() for row in found]
    return len(rows) == len(asked(links)) and all(
        row[2] == hops[row[0]][row[1]] and all(pair in both for pair in zip(row[3], row[3][1:], strict=False))
        for row in rows
    )


def states_are_complete(net: NetworkRun, links: Links) -> bool:
    """Every node knows exactly the links of its part of the network."""
    hops = distances(links)
    both = links | {(b, a) for a, b in links}
    return all(
        {(row[1], row[2]) for row in net.rows("state").get(node, ())} == {pair for pair in both if pair[0] in reached}
        for node, reached in hops.items()
    )


def all_are_informed(net: NetworkRun, links: Links) -> bool:
    """Every node that can be reached knows every rumour."""
    return all(
        len(net.rows("rumour").get(node, ())) == net.counters.by_relation["rumours"] for node in distances(links)
    )


def asked(links: Links) -> list[tuple[str, str]]:
    """Which routes are asked for: from each of the first five nodes to the one that sorts opposite."""
    nodes = sorted({end for link in links for end in link})
    return [(node, nodes[-1 - i]) for i, node in enumerate(nodes[:5]) if node != nodes[-1 - i]]


@dataclass(frozen=True)
class Protocol:
    """A program, the events that it is given at a time, how long it needs, and its judge."""

    name: str
    settles: Callable[[int], float]
    judge: Callable[[NetworkRun, Links], bool]
    events: Callable[[Links, int], Iterable[Atom]] = lambda links, number: ()


def _queries(links: Links, number: int) -> Iterable[Atom]:
    for a, b in asked(links):
        yield Atom("query", (Constant(a), Constant(b), Constant(number)), Constant(a))


def _rumour(links: Links, number: int) -> Iterable[Atom]:
    node = sorted({end for link in links for end in link})[number]
    yield Atom("rumour", (Constant(node), Constant(number), Constant("news")), Constant(node))


PROTOCOLS = (
    Protocol("route_request", lambda _: 31.0, answers_are_shortest, _queries),
    Protocol("sequenced_routes", lambda diameter: 5.0 * diameter + 29, routes_are_shortest),
    Protocol("link_state_flooding", lambda _: 38.0, states_are_complete),
    Protocol("rumours", lambda diameter: 12.0 * diameter + 40, all_are_informed, _rumour),
)


@dataclass(frozen=True)
class Verdict:
    """Messages until the tables were compared, before and after the failure, and whether they were right."""

    before: int
    after: int
    was_right: bool
    is_right: bool


def judge(protocol: Protocol, links: Links, cut: Iterable[tuple[str, str]]) -> Verdict:
    """Run a protocol on a network, cut links, run on; compare both times."""
    program = read_program((PROGRAMS / f"{protocol.name}.olg").read_text(), protocol.name)
    facts = tuple(fact for link in sorted(links) for fact in _facts(program, link))
    net = NetworkRun(program, Program(facts=facts))
    diameter = max(hops for reached in distances(links).values() for hops in reached.values())
    half = _run(protocol, net, links, 1, 1.0 + protocol.settles(diameter))
    before = net.counters.messages
    for link in cut:
        for fact in _facts(program, link):
            net.remove(fact.atom)
    left = links - frozenset(cut)
    diameter = max(hops for reached in distances(left).values() for hops in reached.values())
    end = _run(protocol, net, left, 2, net.now + protocol.settles(diameter))
    return Verdict(before, net.counters.messages - before, half, end)


def _run(protocol: Protocol, net: NetworkRun, links: Links, number: int, until: float) -> bool:
    start = net.now + (1.0 if protocol.name != "route_request" else 0.5)
    for event in protocol.events(links, number):
        net.inject(event, start)
    net.run(until if protocol.name != "route_request" else start + 5)
    net.counters.by_relation["rumours"] = number
    right = protocol.judge(net, links)
    net.run(until + 5)
    return right


def _facts(program: Program, link: tuple[str, str]) -> list[ProgramFact]:
    widths = {len(x.args) for rule in program.rules for x in rule.body if isinstance(x, Atom) and x.relation == "link"}
    extra = (Constant(1),) if 3 in widths else ()
    return [ProgramFact(Atom("link", (Constant(a), Constant(b), *extra), Constant(a))) for a, b in (link, link[::-1])]


def two_links(links: Links) -> list[tuple[str, str]]:
    """The first two links whose loss leaves the network in one piece."""
    chosen: list[tuple[str, str]] = []
    size = len(distances(links))
    for link in sorted(links):
        hops = distances(links - frozenset(chosen) - {link})
        if len(chosen) < 2 and len(hops) == size and all(len(reached) == size for reached in hops.values()):
            chosen.append(link)
    return chosen


def main(folder: Path, names: list[str]) -> None:
    """Print a line for every protocol and network."""
    for file in sorted(folder.glob("*.tsv")):
        if "updates" in file.name or (names and file.stem not in names):
            continue
        links = frozenset(read_topology(file).links)
        cut = two_links(links)
        for protocol in PROTOCOLS:
            verdict = judge(protocol, links, cut)
            right = f"{'yes' if verdict.was_right else 'NO'} | {'yes' if verdict.is_right else 'NO'}"
            size = f"{len(distances(links))} | {len(links)}"
            print(
                f"| {file.stem} | {size} | {protocol.name} | {verdict.before} | {verdict.after} | {right} |", flush=True
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
