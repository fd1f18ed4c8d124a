"""Messages and bytes per algorithm when a link fails and comes back.

Law: all algorithms start from the same facts and see the same changes. An epoch that goes over the limit of messages is
stopped, and what follows it is unknown. The numbers do not show time or lost messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.networks import PATH_VECTOR, REACHABILITY, topologies
from benchmarks.options import Options
from benchmarks.record import Record, Value
from tidelog.lab.semantics.algorithm import Tables
from tidelog.lab.semantics.fact import Fact
from tidelog.lab.semantics.schedule import Fifo
from tidelog.lab.semantics.traffic import (
    FIGURE,
    FIGURE_BOTH_WAYS,
    FIGURE_LINK,
    Cost,
    Line,
    Topology,
    algorithm_by_name,
    compare,
    localised,
    measure,
    read_changes,
)
from tidelog.lab.semantics.traffic.measure import USUAL_SIZE
from tidelog.syntax import parse_program

ON_CYCLES = ("ranked", "heights", "dred", "base-facts", "psn-extended", "psn")
SELECTING = ("ranked", "dred", "base-facts", "psn-extended", "psn")
REPLAYED = ("ranked", "psn", "dred")
LIMIT, QUICK_LIMIT, LARGEST = 20_000, 500, 1_000
ENDED = ("right", "wrong")
JUDGED_UP_TO = 12
"""Networks with more nodes are judged by hop distances, since evaluation from scratch would take too long."""


def failures(program: str, algorithms: Sequence[str], cost: bool, options: Options) -> Iterator[Record]:
    """Load every network, let a link fail, let it come back."""
    limit = options.chosen("limit", LIMIT, QUICK_LIMIT)
    parsed = localised(parse_program(program))
    for topology in topologies(options.topologies, options.chosen("largest", LARGEST), options.quick):
        judge = hop_distances if cost and len(topology.nodes) > JUDGED_UP_TO else None
        lines = compare(parsed, topology, _link(topology), algorithms, limit=limit, cost=cost, judge=judge)
        for line in lines:
            yield traffic_record(line, limit)


def _link(topology: Topology) -> tuple[str, str]:
    """The link that fails: one without which the network still hangs together."""
    return FIGURE_LINK if topology in (FIGURE, FIGURE_BOTH_WAYS) else min(topology.links - topology.bridges())


def traffic_record(line: Line, limit: int) -> Record:
    """What one event on one network cost under every algorithm; what was refused or is unknown has no value."""
    values = [
        Value(f"{name} {unit}", getattr(cost, unit), unit)
        for name, cost in line.costs.items()
        for unit in ("messages", "bytes", "updates", "rounds")
        if cost.state not in ("refused", "unknown")
    ]
    facts = {
        "network": line.network,
        "event": line.event,
        "states": {name: cost.state for name, cost in line.costs.items()},
        "limit": limit,
        "bytes per message": USUAL_SIZE,
        "judged up to": JUDGED_UP_TO,
    }
    return Record("traffic", f"{line.network}, {line.event}", tuple(values), facts)


def hop_distances(base: frozenset[Fact], tables: Tables) -> bool:
    """Whether the least costs are the distances that breadth-first search finds; every link costs one."""
    near: dict[object, set[object]] = {}
    for _, (source, target, _cost) in base:
        near.setdefault(source, set()).add(target)
    found = {row for relations in tables.values() for row in relations.get("least", ())}
    return found == {(source, d, c) for source in near for d, c in _search(near, source).items() if d != source}


def _search(near: dict[object, set[object]], source: object) -> dict[object, int]:
    distance, todo = {source: 0}, deque([source])
    while todo:
        here = todo.popleft()
        for node in near.get(here, set()) - distance.keys():
            distance[node] = distance[here] + 1
            todo.append(node)
    return distance


def replay(options: Options) -> Iterator[Record]:
    """Changes of a network replayed month by month, up to the month that does not end."""
    assert options.replay is not None, "chosen only when it is given"
    program = localised(parse_program(PATH_VECTOR))
    months, limit = read_changes(options.replay, cost=True), options.chosen("limit", LIMIT, QUICK_LIMIT)
    for name in REPLAYED:
        costs = measure(algorithm_by_name(name), Fifo(), program, (), months.values(), limit, hop_distances)
        yield replay_record(name, list(zip(months, costs[1:], strict=False)))


def replay_record(name: str, points: Sequence[tuple[str, Cost]]) -> Record:
    """Sums over the months that ended; the repetitions are the months."""
    ended = [(month, cost) for month, cost in points if cost.state in ENDED]
    stopped = [f"{month}: {cost.text('messages')} messages" for month, cost in points[len(ended) :]]
    values = []
    for unit in ("messages", "bytes"):
        each = tuple(getattr(cost, unit) for _, cost in ended)
        values.append(Value(unit, sum(each), unit, runs=each))
    return Record("replay", name, tuple(values), {"months": [month for month, _ in ended], "stopped": stopped})


GROUP = Group(
    {
        "reachability": Case("a link fails under reachability", partial(failures, REACHABILITY, ON_CYCLES, False)),
        "path-vector": Case(
            "a link fails under a path vector with a_MIN", partial(failures, PATH_VECTOR, SELECTING, True)
        ),
        "replay": Case("a network's history, month by month", replay, needs="replay"),
    }
)
