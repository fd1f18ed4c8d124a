"""A run in virtual time as a document: what the page plays and `--trace` saves.

Law: the document contains every step with its time, every change of a row with the time at which it will expire, and
every message; nothing in it depends on when it was written.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from tidelog.lab.network.functions import text
from tidelog.lab.network.node import DELETE, RETRACT, NodeUpdate
from tidelog.lab.network.runtime import NetworkMessage, NetworkRun, NodeStep

FORMAT = "tidelog timed run 1"


def run_to_document(title: str, network: NetworkRun, happenings: Sequence[NodeStep]) -> dict[str, Any]:
    """The document of a run that has ended."""
    history = network.link_history
    pairs = set().union(*history.values())
    pairs |= (
        {(min(m.source, m.target), max(m.source, m.target)) for h in happenings for m in h.sent} if not pairs else set()
    )
    ends = {end for pair in pairs for end in pair}
    nodes = sorted({happening.node for happening in happenings} | ends | set(network.nodes))
    counters, times = network.counters, sorted(history)
    return {
        "format": FORMAT,
        "title": title,
        "about": f"{network.now:g} s of virtual time, {counters.messages} messages, {counters.bytes} bytes",
        "verdict": f"{counters.lost} lost" if counters.lost else "no message lost",
        "agrees": not counters.lost,
        "nodes": [{"name": node} for node in nodes],
        "links": [list(pair) for pair in sorted(pairs)],
        "epochs": [{"changes": [], "gone": _missing(pairs, there)} for there in history.values()],
        "lifetimes": {name: table.lifetime for name, table in network.program.tables.items() if table.lifetime},
        "steps": [_step(happening, bisect_right(times, happening.time) - 1) for happening in happenings],
        "trace": None,
    }


def _missing(pairs: set[tuple[str, str]], there: frozenset[tuple[str, str]]) -> list[list[str]]:
    """The links that are cut; none in a run without physical links."""
    return [list(pair) for pair in sorted(pairs - there)] if there else []


def _step(happening: NodeStep, epoch: int) -> dict[str, Any]:
    delivered = [] if happening.message is None else [_message(happening.message)]
    cause = "" if happening.update is None or delivered else _signed(happening.update)
    return {
        "epoch": epoch,
        "time": round(happening.time, 6),
        "node": happening.node,
        "kind": happening.kind,
        "note": f"{happening.kind} at {happening.node} {cause}".rstrip() if not delivered else "",
        "events": [_text(event) for event in happening.events],
        "delivered": delivered,
        "sent": [_message(message) for message in happening.sent],
        "changes": [
            [
                happening.node,
                change.relation,
                [text(value) for value in change.row],
                int(change.sign >= 0),
                change.expires,
            ]
            for change in happening.changes
            if "/" not in change.relation
        ],
    }


def _message(message: NetworkMessage) -> dict[str, Any]:
    sign = -1 if message.update.kind in (RETRACT, DELETE) else 1
    return {
        "number": message.number,
        "source": message.source,
        "target": message.target,
        "sign": sign,
        "text": _signed(message.update),
    }


def _text(update: NodeUpdate) -> str:
    return f"{update.relation}({','.join(map(text, update.row))})"


def _signed(update: NodeUpdate) -> str:
    return ("-" if update.kind in (RETRACT, DELETE) else "") + _text(update)
