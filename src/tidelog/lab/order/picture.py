"""A counter-example as a run that the page of `tidelog simulate` plays: the changes on their way to two engines.

Law: the two engines get the same changes, each in its own order; every step delivers one batch to one of them, and its
tables are those that it showed then. Nothing else is in the picture.
"""

from __future__ import annotations

from typing import Any

from tidelog.io.texts import show_text
from tidelog.lab.order.compare import WayResult
from tidelog.lab.order.ways import Way
from tidelog.syntax import FactChange, print_change

FORMAT = "tidelog run 1"
CHANGES, FIRST, OTHER = "changes", "one order", "another order"


def picture(title: str, ways: tuple[Way, Way], tried: tuple[WayResult, WayResult], convention: str) -> dict[str, Any]:
    """The document of the run."""
    steps: list[dict[str, Any]] = []
    numbers = iter(range(1, 1 << 30))
    longest = max(len(way.batches) for way in ways)
    for at in range(longest):
        for node, way, found in zip((FIRST, OTHER), ways, tried, strict=True):
            if at < len(way.batches):
                steps.append(_step(at, node, way, found, numbers, convention))
    epochs: list[dict[str, list[str]]] = [{"changes": [], "gone": []}]
    epochs += [{"changes": _texts(ways[1], at, convention), "gone": []} for at in range(longest)]
    return {
        "format": FORMAT,
        "title": title,
        "about": f"the same changes in one order ({ways[0]}) and in another ({ways[1]})",
        "verdict": "the two orders differ",
        "algorithm": "two orders of the same changes",
        "schedule": str(ways[1]),
        "seed": ways[1].delivery or 0,
        "messages": sum(len(step["delivered"]) for step in steps),
        "bytes": 0,
        "updates": sum(len(step["changes"]) for step in steps),
        "rounds": longest,
        "agrees": False,
        "nodes": [{"name": CHANGES}, {"name": FIRST}, {"name": OTHER}],
        "links": [[CHANGES, FIRST], [CHANGES, OTHER]],
        "epochs": epochs,
        "steps": steps,
        "trace": None,
    }


def _texts(way: Way, at: int, convention: str) -> list[str]:
    return [print_change(change, convention) for change in way.batches[at]] if at < len(way.batches) else []


def _step(at: int, node: str, way: Way, found: WayResult, numbers: Any, convention: str) -> dict[str, Any]:
    refused = f"refused: {found.error}" if found.error and at == found.at else ""
    messages = [
        {
            "number": next(numbers),
            "source": CHANGES,
            "target": node,
            "sign": change.sign if isinstance(change, FactChange) else 1,
            "text": print_change(change, convention),
        }
        for change in way.batches[at]
    ]
    return {
        "epoch": at + 1,
        "kind": "epoch",
        "note": refused,
        "delivered": messages,
        "sent": [],
        "changes": list(_changes(at, node, found)),
    }


def _changes(at: int, node: str, found: WayResult) -> list[list[Any]]:
    """The rows that were added and removed in an epoch, with a count of 1 or 0."""
    if at >= len(found.after):
        return []
    now, before = found.after[at], found.after[at - 1] if at else {}
    names = sorted(now.keys() | before.keys())
    return [
        [node, name, [_plain(value) for value in row], int(row in now.get(name, ()))]
        for name in names
        for row in sorted(now.get(name, frozenset()) ^ before.get(name, frozenset()), key=repr)
    ]


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | str) else show_text(value, None)
