"""Paths into JSON documents: which values of a document are the rows of a relation.

Law: `orders[*].items[*]` selects what JSONPath selects: `.name` a field, `[0]` an element counted from 0, `[*]` all
elements of a list or all fields of an object, in their order. A document without a field selects nothing. A step that
does not apply to the value it meets is an error that names the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_STEP = re.compile(
    r"""(?P<dot>\.?)(?P<name>[^\W\d][\w-]*)|\[(?P<index>[0-9]+)\]|\[\*\]|\[(?P<quote>["'])(?P<quoted>.*?)(?P=quote)\]"""
)
_PLAIN = re.compile(r"[^\W\d][\w-]*")
Step = str | int | None  # a field, an element, or all


@dataclass(frozen=True, slots=True)
class Selection:
    """A value that a path selects, and its place in the document."""

    place: str
    value: Any


class NotApplicable(Exception):
    """A step does not apply to a value; the arguments are the place and what was expected there."""


def read_path(text: str) -> tuple[Step, ...]:
    """The steps of a path; raises ValueError at the first text that is not a step.

    >>> read_path('$.orders[*].items[0]["unit price"]')
    ('orders', None, 'items', 0, 'unit price')
    """
    at, steps = 1 if text.startswith("$") else 0, []
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None or (found["name"] and bool(found["dot"]) != (at > 0)):
            raise ValueError(text[at:])
        named = found["name"] or found["quoted"]
        steps.append(int(found["index"]) if found["index"] else named)
        at = found.end()
    return tuple(steps)


def select_values(document: Any, steps: tuple[Step, ...]) -> Iterator[Selection]:
    """The values that a path selects in a document; raises NotApplicable where a step does not apply.

    >>> [(found.place, found.value) for found in select_values({"p": [{"x": 1}, {"x": 2}, {}]}, read_path("p[*].x"))]
    [('p[0].x', 1), ('p[1].x', 2)]
    """
    found = [Selection("", document)]
    for step in steps:
        found = [after for before in found for after in _apply(before, step)]
    yield from found


def _apply(at: Selection, step: Step) -> Iterator[Selection]:
    value = at.value
    if step is None:
        if not isinstance(value, dict | list):
            raise NotApplicable(at.place, "a list or an object, because of `[*]`")
        for key in value if isinstance(value, dict) else range(len(value)):
            yield Selection(_join(at.place, key), value[key])
    elif isinstance(step, int):
        if not isinstance(value, list):
            raise NotApplicable(at.place, f"a list, because of `[{step}]`")
        if step < len(value):
            yield Selection(_join(at.place, step), value[step])
    else:
        if not isinstance(value, dict):
            advice = "; write `[*]` before it for all elements" if isinstance(value, list) else ""
            raise NotApplicable(at.place, f"an object with a field `{step}`{advice}")
        if step in value:
            yield Selection(_join(at.place, step), value[step])


def _join(place: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{place}[{key}]"
    if _PLAIN.fullmatch(key) is None:
        return f'{place}["{key}"]'
    return f"{place}.{key}" if place else key
