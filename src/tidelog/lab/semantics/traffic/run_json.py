"""A recorded run as JSON: what `tidelog simulate` saves and what its page plays.

Law: the document holds everything that happened and nothing else; the tables after any step follow from it (see
`record`). Executions of the transition system add their commands, which `trace_json` reads and `trace.check` judges.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tidelog.lab.semantics.algorithm import Algorithm, Message
from tidelog.lab.semantics.executions import Execution
from tidelog.lab.semantics.fact import Fact, Node, Update, order
from tidelog.lab.semantics.trace_json import trace_to_json
from tidelog.lab.semantics.traffic.record import EventRecord, Recorder, nodes_of

FORMAT = "tidelog run 1"

Link = tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class Summary:
    """The run in numbers, and whether its end is that of evaluation from scratch."""

    title: str
    algorithm: str
    schedule: str
    seed: int
    messages: int
    bytes: int
    updates: int
    rounds: int
    agrees: bool


def run_to_json(
    summary: Summary, recorder: Recorder, facts: Sequence[Fact], location: Mapping[str, int | None]
) -> dict[str, Any]:
    """The document of a run: summary, nodes, links, epochs, steps."""
    bases = list(_bases(facts, recorder.epochs))
    nodes = nodes_of(recorder.steps) | {_home(fact, location) for base in bases for fact in base}
    linked = [links_of(base, nodes, location) for base in bases]
    links = sorted(set().union(*linked), key=order)
    return {
        "format": FORMAT,
        **asdict(summary),
        "nodes": [{"name": node} for node in sorted(nodes, key=_node_order)],
        "links": links,
        "epochs": [
            {"changes": list(map(str, changes)), "gone": [link for link in links if link not in there]}
            for changes, there in zip(recorder.epochs, linked, strict=True)
        ],
        "steps": list(map(_step, recorder.steps)),
        "trace": _commands(recorder.algorithm),
    }


def links_of(facts: Iterable[Fact], nodes: set[Node], location: Mapping[str, int | None]) -> set[Link]:
    """Pairs of nodes that a base fact joins: the node it lives at and the first other column that names a node.

    >>> sorted(links_of([Fact("link", ("b", "a", 3)), Fact("source", ("a",))], {"a", "b"}, {"link": 0, "source": 0}))
    [('a', 'b')]
    """
    links: set[Link] = set()
    for relation, row in facts:
        column = location.get(relation)
        if column is not None:
            here, others = row[column], row[:column] + row[column + 1 :]
            there = next((value for value in others if value in nodes and value != here), None)
            if there is not None:
                a, b = sorted((here, there), key=_node_order)
                links.add((a, b))  # type: ignore[arg-type]  # both are nodes
    return links


def _bases(facts: Sequence[Fact], epochs: Sequence[Sequence[Update]]) -> Iterable[frozenset[Fact]]:
    base = frozenset(facts)
    for changes in epochs:
        base = (base | {u.fact for u in changes if u.sign > 0}) - {u.fact for u in changes if u.sign < 0}
        yield base


def _home(fact: Fact, location: Mapping[str, int | None]) -> Node:
    column = location.get(fact.relation)
    return "" if column is None else fact.row[column]  # type: ignore[return-value]  # a location is a node


def _node_order(node: object) -> tuple[object, ...]:
    return order(node)


def _step(step: EventRecord) -> dict[str, Any]:
    return {
        "epoch": step.epoch,
        "kind": step.event.kind,
        "note": "" if len(step.delivered) == 1 and step.event.note == str(step.delivered[0]) else step.event.note,
        "delivered": list(map(_message, step.delivered)),
        "sent": list(map(_message, step.event.sent)),
        "changes": [[change.node, change.relation, list(change.row), change.count] for change in step.changes],
    }


def _message(message: Message) -> dict[str, Any]:
    return {
        "number": message.number,
        "source": message.source,
        "target": message.target,
        "sign": message.update.sign,
        "text": str(message.update),
    }


def _commands(algorithm: Algorithm) -> Any:
    return json.loads(trace_to_json(algorithm.trace())) if isinstance(algorithm, Execution) else None
