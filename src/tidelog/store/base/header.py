"""What the header of a frame may contain: every field with its form and its range.

Law: a header that is read without an error contains fields of the forms below and no others of these names, so that its
users need not check again. A checksum detects accidents; this detects what no writer writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tidelog.store.base.corruption import ImpossibleError

Check = Callable[[object], bool]
INT64, UINT64 = 1 << 63, 1 << 64
MOST_PARTITIONS = MOST_COLUMNS = 1 << 16
COLUMNS = "columns changed"  # in the header of an epoch: how it changes columns, for people
RENEWED = "renewed"  # and the relations whose records it replaces, beside the records
SYNCED = "synced"  # the last epoch that was durable when this one was written, if it is not the one before
PLACES = -2  # the lowest number of a placement


def _whole(least: int, limit: int) -> Check:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value < limit


def _text(value: object) -> bool:
    return isinstance(value, str)


def _amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < INT64


def _list_of(item: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(item, value))


def _tuple_of(*items: Check) -> Check:
    return lambda value: (
        isinstance(value, list) and len(value) == len(items) and all(i(v) for i, v in zip(items, value, strict=True))
    )


def _map_of(item: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(item, value.values()))


def _has(**fields: Check) -> Check:
    return lambda value: (
        isinstance(value, dict) and all(name in value and check(value[name]) for name, check in fields.items())
    )


COUNT = _whole(0, INT64)
RULES = _has(
    program=_text,
    used=_list_of(_text),
    bound=_list_of(_tuple_of(_text, _whole(0, MOST_COLUMNS), _text)),
    known=_map_of(_whole(0, MOST_COLUMNS)),
    functions=_map_of(_text),
)
FIELDS: Mapping[str, Check] = {
    "clock": COUNT,
    "body": _list_of(_tuple_of(_text, COUNT)),
    "rules": RULES,
    "strata": _list_of(_list_of(_text)),
    "arities": _map_of(_whole(0, MOST_COLUMNS)),
    "facts": _list_of(_text),
    "offsets": _map_of(_whole(-INT64, INT64)),
    "memos": _map_of(lambda value: value is None or isinstance(value, str)),
    "pieces": lambda value: (
        _list_of(_tuple_of(_whole(0, UINT64), COUNT, COUNT))(value)
        and isinstance(value, list)
        and len(value) <= MOST_PARTITIONS
    ),
    "placements": _map_of(_whole(PLACES, MOST_COLUMNS)),
    "ranks closed": lambda value: isinstance(value, bool),
    "time": _amount,
    "seconds": _amount,
    "asserted": _map_of(COUNT),
    "retracted": _map_of(COUNT),
    "changed": _map_of(_tuple_of(COUNT, COUNT)),
    "rules added": _list_of(_text),
    "rules removed": _list_of(_text),
    COLUMNS: _list_of(_text),
    RENEWED: _list_of(_text),
    SYNCED: COUNT,
    "author": _text,
    "note": _text,
}
OF_ALL = ("clock", "body")
OF_EPOCHS = ("time", "seconds", "asserted", "retracted", "changed")
OF_SNAPSHOTS = ("rules", "strata", "arities")


def read_header(text: bytes, body_size: int) -> dict[str, Any]:
    """The header of a frame with the given size of its body; raises ImpossibleError for invalid content.

    >>> read_header(b'{"clock": 3, "body": [["deltas", 8]]}', 8)["clock"]
    3
    """
    try:
        header = json.loads(text, object_pairs_hook=_fields)
    except (ValueError, RecursionError) as error:
        raise ImpossibleError(f"a header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise ImpossibleError("a header is not a JSON object")
    for name, value in header.items():
        if name in FIELDS and not FIELDS[name](value):
            raise ImpossibleError(f"the field `{name}` of a header is invalid")
    need(header, OF_ALL)
    _check_rules(header)
    sizes = [size for _, size in header["body"]]
    if sum(sizes) != body_size or any(size % 8 for size in sizes):
        raise ImpossibleError("the lengths of its parts do not add up")
    return header


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no field is repeated."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ImpossibleError("a field occurs twice in a header")
    return found


def _check_rules(header: Mapping[str, Any]) -> None:
    """Check that information about rules is complete: every relation of a stratum once, with its number of columns."""
    if any(name in header for name in OF_SNAPSHOTS):
        need(header, OF_SNAPSHOTS)
        columns = [(name, column) for name, column, _ in header["rules"]["bound"]]
        if len(set(columns)) != len(columns):
            raise ImpossibleError("a column of a relation has two types")
        names = [name for group in header["strata"] for name in group]
        if len(set(names)) != len(names):
            raise ImpossibleError("a relation is in two strata")
        if unknown := set(names) - set(header["arities"]):
            raise ImpossibleError(f"`{min(unknown)}` is in a stratum, but its number of columns is unknown")


def need(header: Mapping[str, Any], names: Iterable[str]) -> None:
    """Refuse a header that lacks a field."""
    for name in names:
        if name not in header:
            raise ImpossibleError(f"the field `{name}` of a header is missing")
