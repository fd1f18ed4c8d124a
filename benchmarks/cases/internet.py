"""Policy routing over graphs of autonomous systems: builds, links that fail, policies that change.

Law: every size is measured in a separate process. What the engine holds after the build, while the first link of each
kind is down, and after all links have come back and the leak has gone, is what three searches per destination find
(`benchmarks/data/internet_judge.py`). While routes leak, the searches do not apply; a state of a few systems is
certified then. An *advert* is one route announced along one link: a support of a rule whose head and body are at
different systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.apart import call_apart, peak
from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.graphs import Cells
from benchmarks.data.internet import LEAK, PATHS, POLICY, TOP, Internet, internet, link_facts
from benchmarks.data.internet_judge import next_hops
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Value, median_of
from benchmarks.subject import Step, Subject, warm_up

SIZES = {1_000: 1_000, 5_000: 200, 20_000: 50}
"""Systems, and how many of them are destinations: about a million routes each."""
QUICK = {200: 20}
FAILURES, SEED = 25, 7
PLACES = {"one partition": 1, "4 partitions, by system": 4, "4 partitions, by destination": 4}
"""Each system on one of the partitions, as `@` asks for; or each destination, which is what is chosen without `@`."""
TOLD = ("u2", "p1", "d4", "u4")
NOTHING: Cells = np.zeros((0, 2), dtype=np.int64)
CERTIFIED = 200
"""The most systems for which the state under a leak is certified; a certificate takes longer than a build."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one epoch cost."""

    milliseconds: float
    adverts: int
    messages: int
    rounds: int
    routes: int

    @classmethod
    def of(cls, step: Step) -> Cost:
        """The cost of a step; routes are the next hops that it changed or made."""
        told = step.epoch.statistics
        adverts = sum(count for rule, count in told.supports.items() if rule in TOLD)
        return cls(
            1e3 * step.whole.cpu, adverts, told.messages, told.exchanges, len(step.epoch.changes["next"].inserted)
        )


def sizes(options: Options) -> Iterator[Record]:
    """Each size on one partition and on several, placed in two ways."""
    for systems, destinations in (QUICK if options.quick else SIZES).items():
        for place in PLACES:
            found = call_apart(
                "benchmarks.cases.internet:measure",
                systems=systems,
                destinations=destinations,
                place=place,
                failures=5 if options.quick else FAILURES,
            )
            yield from records(found)


def records(found: dict[str, Any]) -> Iterator[Record]:
    """What a process found, as records: the build, and each kind of change."""
    facts = {name: found[name] for name in ("systems", "destinations", "place", "links", "routes", "facts")}
    title = f"{found['systems']:,} systems, {found['place']}"
    values = (
        Value("build", found["build"]["milliseconds"] / 1e3, "s", "cpu"),
        Value("bytes per route", found["bytes"] / found["routes"], "bytes"),
        Value("peak", found["peak"] / 2**20, "MiB"),
        Value("paths", found["paths"] / 1e3, "s", "cpu"),
        *(Value(name, found["build"][name], name) for name in ("adverts", "messages", "rounds")),
        Value("longest path", found["longest"], "systems"),
    )
    yield Record("build", title, values, facts)
    for what, costs in found["changes"].items():
        yield Record("change", f"{title}: {what}", tuple(_values(costs)), {**facts, "what": what, "times": len(costs)})


def _values(costs: Sequence[dict[str, float]]) -> Iterator[Value]:
    for name in Cost.__dataclass_fields__:
        each = [cost[name] for cost in costs]
        unit = "ms" if name == "milliseconds" else name
        yield median_of(name, each, unit, clock="cpu" if unit == "ms" else "")
        yield Value(f"most {name}", max(each), unit, clock="cpu" if unit == "ms" else "")


def measure(systems: int, destinations: int, place: str, failures: int) -> dict[str, Any]:
    """Build, let links fail and come back, let a policy change and change back; the routes are judged."""
    warm_up()
    graph = internet(systems)
    asked = np.sort(np.random.default_rng(SEED).choice(systems, destinations, replace=False))
    before = peak()
    subject = subject_at(place)
    build = Cost.of(subject.insert(graph.facts(asked)))
    held = {"facts": subject.engine.fact_count, "bytes": subject.engine.memory, "peak": peak() - before}
    judge(subject, graph, asked)
    changes = {what: [asdict(cost) for cost in costs] for what, costs in all_changes(subject, graph, asked, failures)}
    judge(subject, graph, asked)
    return {
        "systems": systems,
        "destinations": destinations,
        "place": place,
        "links": len(graph.provided) + len(graph.peering),
        "routes": len(subject.engine["next"]),
        **held,
        "build": asdict(build),
        "changes": changes,
        **paths(subject),
    }


def subject_at(place: str) -> Subject:
    """An engine with the policy, placed as requested."""
    policy = POLICY.replace("@", "") if place.endswith("by destination") else POLICY
    return Subject(policy, **({} if PLACES[place] == 1 else {"partitions": PLACES[place]}))


def judge(subject: Subject, graph: Internet, destinations: Cells) -> None:
    """Refuse next hops that searches do not find."""
    found = {(x, d): y for x, d, y in subject.rows("next").tolist()}
    if found != next_hops(graph, destinations.tolist()):
        raise Disagreement(f"next hops over {graph.systems:,} systems differ from those that searches find")


def all_changes(
    subject: Subject, graph: Internet, destinations: Cells, failures: int
) -> Iterator[tuple[str, list[Cost]]]:
    """Links that fail and come back, one epoch each; a leak that begins and ends."""
    draw = np.random.default_rng(SEED)
    for what, provided, peering in _links(graph, draw, failures):
        failed = [(link.reshape(-1, 2), NOTHING) for link in provided]
        failed += [(NOTHING, link.reshape(-1, 2)) for link in peering]
        outages, returns = [], []
        for i, link in enumerate(failed):
            outages.append(Cost.of(subject.delete(link_facts(*link))))
            if i == 0:
                judge(subject, without(graph, *link), destinations)
            returns.append(Cost.of(subject.insert(link_facts(*link))))
        yield f"{what} fails", outages
        yield f"{what} comes back", returns
    begun, ended = [], []
    for system in _leaking(graph, draw):
        begun.append(_leak(subject, int(system)))
        if graph.systems <= CERTIFIED:
            certify(subject)
        ended.append(_stop(subject))
    yield "a system leaks routes (a rule comes)", begun
    yield "the leak ends (the rule goes)", ended


def without(graph: Internet, provided: Cells, peering: Cells) -> Internet:
    """The graph without these links."""
    return Internet(graph.systems, _except(graph.provided, provided), _except(graph.peering, peering))


def _except(links: Cells, gone: Cells) -> Cells:
    return links[~(links[:, None] == gone[None]).all(axis=2).any(axis=1)]


def certify(subject: Subject) -> None:
    """Refuse a state that is not the model of its rules."""
    if not subject.engine.verify():
        raise Disagreement("the routes are not those that the rules derive while one of them leaks")


def _links(graph: Internet, draw: np.random.Generator, number: int) -> Iterator[tuple[str, Cells, Cells]]:
    high = graph.provided[(graph.provided[:, 1] < TOP) & (graph.customers[graph.provided[:, 0]] > 0)]
    yield "a link to a provider", draw.choice(graph.provided, number, replace=False), NOTHING
    yield (
        "a link between the top and one who sells on",
        draw.choice(high, min(number, len(high)), replace=False),
        NOTHING,
    )
    yield "a link between peers", NOTHING, draw.choice(graph.peering, number, replace=False)


def _leaking(graph: Internet, draw: np.random.Generator) -> Cells:
    """Three systems with providers and peers."""
    both = np.intersect1d(graph.provided[:, 0], graph.peering)
    return draw.choice(both, 3, replace=False)


def _leak(subject: Subject, system: int) -> Cost:
    label, _, rule = LEAK.format(system=system).partition(": ")
    return Cost.of(subject.step(lambda epoch: epoch.add_rule(rule, label)))


def _stop(subject: Subject) -> Cost:
    return Cost.of(subject.step(lambda epoch: epoch.remove_rule(LEAK.partition(":")[0])))


def paths(subject: Subject) -> dict[str, float]:
    """Rules for whole paths come: what they cost, and the longest."""
    named = [line.split(": ", 1) for line in PATHS.strip().splitlines()]
    step = subject.step(lambda epoch: [epoch.add_rule(rule, label) for label, rule in named])
    longest = max(len(row[2]) - 1 for row in subject.engine["path"])
    return {"paths": 1e3 * step.whole.cpu, "longest": longest}


GROUP = Group(
    {"sizes": Case("policy routing over 1,000, 5,000 and 20,000 systems, links and policies changing", sizes)}
)
