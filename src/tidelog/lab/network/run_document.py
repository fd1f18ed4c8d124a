"""A run in virtual time as a document: what the page plays and `--trace` saves.

Law: the document contains every step with its time, every change of a row with the time at which it will expire, and
every message; nothing in it depends on when it was written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidelog.lab.network.functions import text
from tidelog.lab.network.node import DELETE, RETRACT, Update
from tidelog.lab.network.runtime import Happening, Message, Network

FORMAT = "tidelog timed run 1"


def run_to_document(title: str, network: Network, happenings: Sequence[Happening]) -> dict[str, Any]:
    """The document of a run that has ended."""
    nodes = sorted({happening.node for happening in happenings} | set(network.links) | set(network.nodes))
    pairs = {(min(a, b), max(a, b)) for a, near in network.links.items() for b in near}
    pairs |= (
        {(min(m.source, m.target), max(m.source, m.target)) for h in happenings for m in h.sent} if not pairs else set()
    )
    counters = network.counters
    return {
        "format": FORMAT,
        "title": title,
        "about": f"{network.now:g} s of virtual time, {counters.messages} messages, {counters.bytes} bytes",
        "verdict": f"{counters.lost} lost" if counters.lost else "no message lost",
        "agrees": not counters.lost,
        "nodes": [{"name": node} for node in nodes],
        "links": [list(pair) for pair in sorted(pairs) if pair[0] in nodes and pair[1] in nodes],
        "epochs": [{"changes": [], "gone": []}],
        "lifetimes": {name: table.lifetime for name, table in network.program.tables.items() if table.lifetime},
        "steps": [_step(happening) for happening in happenings],
        "trace": None,
    }


def _step(happening: Happening) -> dict[str, Any]:
    delivered = [] if happening.message is None else [_message(happening.message)]
    cause = "" if happening.update is None or delivered else _text(happening.update)
    return {
        "epoch": 0,
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


def _message(message: Message) -> dict[str, Any]:
    sign = -1 if message.update.kind in (RETRACT, DELETE) else 1
    return {
        "number": message.number,
        "source": message.source,
        "target": message.target,
        "sign": sign,
        "text": ("-" if sign < 0 else "") + _text(message.update),
    }


def _text(update: Update) -> str:
    return f"{update.relation}({','.join(map(text, update.row))})"
