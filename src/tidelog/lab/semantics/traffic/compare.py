"""Algorithms side by side: one line per network and event, one column per algorithm.

Law: all algorithms of a line start from the same facts and see the same changes under the same kind of schedule. A
link failure and its recovery are measured on a network that is at rest. What a table says is what `measure` counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tidelog.lab.semantics.schedule import schedule_by_name
from tidelog.lab.semantics.traffic.measure import Cost, Judge, Scratch, measure
from tidelog.lab.semantics.traffic.registry import algorithm_by_name
from tidelog.lab.semantics.traffic.topology import Link, Topology
from tidelog.program import Program

EVENTS = ("load", "failure", "recovery")
UNKNOWN = Cost(state="unknown")


@dataclass(frozen=True, slots=True)
class Line:
    """One event on one network under every algorithm."""

    network: str
    event: str
    costs: Mapping[str, Cost]


def compare(
    program: Program,
    topology: Topology,
    link: Link,
    algorithms: Sequence[str],
    *,
    limit: int,
    cost: bool = False,
    schedule: str = "fifo",
    judge: Judge | None = None,
) -> list[Line]:
    """Load the topology, let the link fail, let it come back: what each algorithm sends."""
    facts = topology.facts(cost=cost)
    epochs = [topology.failure(link, cost=cost), topology.recovery(link, cost=cost)]
    judged = Scratch(program) if judge is None else judge
    found = {
        name: measure(algorithm_by_name(name), schedule_by_name(schedule), program, facts, epochs, limit, judged)
        for name in algorithms
    }
    label = f"{topology.name} ({len(topology.nodes)} nodes, {len(topology.links)} links)"
    return [Line(label, event, {n: _at(costs, i) for n, costs in found.items()}) for i, event in enumerate(EVENTS)]


def _at(costs: Sequence[Cost], event: int) -> Cost:
    """What came after an epoch that did not end is unknown; a program that was refused is refused throughout."""
    if costs[-1].state == "refused":
        return costs[-1]
    return costs[event] if event < len(costs) else UNKNOWN


def table_text(lines: Iterable[Line], algorithms: Sequence[str], measured: str) -> str:
    """A Markdown table of one measure: messages, bytes, updates or rounds."""
    rows = [["network", "event", *algorithms], ["---", "---", *(["---:"] * len(algorithms))]]
    last = ""
    for line in lines:
        name, last = ("" if line.network == last else line.network), line.network
        rows.append([name, line.event, *(line.costs[algorithm].text(measured) for algorithm in algorithms)])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in rows)
