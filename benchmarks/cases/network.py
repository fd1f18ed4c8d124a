"""Messages and bytes per algorithm when a link fails and comes back.

Law: all algorithms start from the same facts and see the same changes. An epoch that goes over the limit of messages is
stopped, and what follows it is unknown. The numbers do not show time or lost messages.
"""

from __future__ import annotations

import statistics
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.networks import PATH_VECTOR, REACHABILITY, topologies
from benchmarks.options import Options
from benchmarks.record import Record, Value
from tidelog.errors import LimitError
from tidelog.lab.semantics.algorithm import Algorithm, Schedule, Tables, as_sets, run
from tidelog.lab.semantics.errors import StuckError
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.original import Original
from tidelog.lab.semantics.schedule import Fifo, schedule_by_name
from tidelog.lab.semantics.scratch import model_tables
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
    on_lossy_links,
    read_changes,
)
from tidelog.lab.semantics.traffic.measure import USUAL_SIZE
from tidelog.program import Program
from tidelog.syntax import parse_program

ON_CYCLES = ("ranked", "heights", "dred", "base-facts", "psn-extended", "psn")
SELECTING = ("ranked", "dred", "base-facts", "psn-extended", "psn")
REPLAYED = ("ranked", "psn", "dred")
LIMIT, QUICK_LIMIT, LARGEST = 20_000, 500, 1_000
ANY_TIME = ("ranked", "psn", "psn-cancelling", "psn-extended", "psn-original")
LOSABLE = ("psn-lossy", "psn-acknowledged")
IN_ORDER = "in order"
LINKS = {IN_ORDER: "links", "reordered": "random"}
LOSSES = (0.0, 0.01, 0.1)
SEEDS, QUICK_SEEDS, DISTURBED_LIMIT, FLAPS, STEPS_BETWEEN = 20, 3, 3_000, 3, 3
JOIN = "p@1 :- s@2, t@2, r@2. s@2 :- q@3. t@2 :- u@4."
TWO_WAYS = "p@1 :- a@1, b@1. q@2 :- p@1. p@1 :- q@2."
RING = [Fact("link", (x, (x + step) % 4, 1)) for x in range(4) for step in (1, 3)]
B = Fact("b", (1,))


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A program that rests on some facts, and changes that come while earlier ones are still being processed."""

    title: str
    program: str
    facts: Sequence[Fact]
    changes: Sequence[Update]

    def base(self) -> list[Fact]:
        """The facts after all changes."""
        base = Counter(self.facts)
        for sign, fact, _ in self.changes:
            base[fact] += sign
        return list(base.elements())


def _flapping(fact: Fact) -> list[Update]:
    return [Update(sign, fact) for sign in (-1, 1) * FLAPS]


PATHS = Disturbance("path vector, ring of 4", PATH_VECTOR, RING, _flapping(RING[0]))
DISTURBANCES = (
    Disturbance(
        "no recursion",
        JOIN,
        [Fact("q", (3,)), Fact("u", (4,)), Fact("r", (2,))],
        [*_flapping(Fact("q", (3,))), *_flapping(Fact("u", (4,)))],
    ),
    PATHS,
    Disturbance("cycle of two facts", TWO_WAYS, [B], [Update(1, Fact("a", (1,))), Update(-1, B)]),
)
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


def flaps(options: Options) -> Iterator[Record]:
    """A link that fails and comes back three times while updates are under way, on links of different kinds."""
    for case in DISTURBANCES:
        for links in LINKS:
            for name in ANY_TIME:
                schedules = [partial(_plain, name, links, seed) for seed in _seeds(options)]
                yield _disturbed("flaps", case, (links, name), schedules)


def losses(options: Options) -> Iterator[Record]:
    """The path vector on links that lose messages, with and without acknowledgements."""
    for probability in LOSSES:
        for name in LOSABLE:
            schedules = [partial(_lossy, name, probability, seed) for seed in _seeds(options)]
            yield _disturbed("losses", PATHS, (f"{probability:.0%} lost", name), schedules)


def _seeds(options: Options) -> range:
    return range(QUICK_SEEDS if options.quick else SEEDS)


def _plain(name: str, links: str, seed: int) -> tuple[Algorithm, Schedule]:
    """An algorithm on links of a kind; psn-original puts what arrives into queues, which then are out of order, too."""
    algorithm = Original(fifo=links == IN_ORDER) if name == Original.name else algorithm_by_name(name)
    return algorithm, schedule_by_name(LINKS[links], seed)


def _lossy(name: str, probability: float, seed: int) -> tuple[Algorithm, Schedule]:
    return on_lossy_links(name, schedule_by_name(LINKS[IN_ORDER], seed), probability, seed)


def _disturbed(
    kind: str, case: Disturbance, names: tuple[str, str], makers: Sequence[Callable[[], tuple[Algorithm, Schedule]]]
) -> Record:
    """How many of the runs end, and end right, and the messages of those that end."""
    program = localised(parse_program(case.program))
    right = as_sets(model_tables(prepare(program), case.base()))
    ends, messages = [], []
    for make in makers:
        algorithm, schedule = make()
        end = _run_disturbed(algorithm, schedule, program, case)
        if end == "ended":
            end = "right" if as_sets(algorithm.tables()) == right else "wrong"
            messages.append(algorithm.messages)
        ends.append(end)
    counts = {state: ends.count(state) for state in ("right", "wrong", "stuck", "over limit")}
    values = (Value("messages", statistics.mean(messages), "messages", runs=tuple(messages)),) if messages else ()
    facts = {"names": (case.title, *names), "ends": counts, "limit": DISTURBED_LIMIT}
    return Record(kind, ", ".join((case.title, *names)), values, facts)


def _run_disturbed(algorithm: Algorithm, schedule: Schedule, program: Program, case: Disturbance) -> str:
    """Load, make the changes with a few steps between them, and run to the end."""
    algorithm.load(program, case.facts)
    try:
        run(algorithm, schedule, DISTURBED_LIMIT)
        for change in case.changes:
            algorithm.apply([change])
            for _ in range(STEPS_BETWEEN):
                if not algorithm.quiescent():
                    algorithm.step(schedule)
        run(algorithm, schedule, DISTURBED_LIMIT)
    except StuckError:
        return "stuck"
    except LimitError:
        return "over limit"
    return "ended"


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
        "flaps": Case("a link fails and is restored while updates are under way", flaps),
        "losses": Case("the same on links that lose messages", losses),
        "replay": Case("a network's history, month by month", replay, needs="replay"),
    }
)
