"""JSON in symbols: values at a path, and texts of JSON that are made from values.

Law: JSON is a symbol that holds a JSON text. Results have one form: a string is its own text, everything
else is JSON without blanks and with sorted names, so that equal values are equal symbols. A path is a sequence of
names and positions: ``user.tags[0]``, ``items[*].price``, ``["first name"]``; the empty path and ``$`` are the whole
text.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import Any, NoReturn

from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import Value

Step = str | int | None  # a name, a position, or every member
SHOWN = 60
_KINDS = {dict: "object", list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
_STEP = re.compile(
    r"""\.?(?P<name>[\w-]+) | \.(?P<members>\*) | \[(?P<place>[0-9]{1,18})\] | \[(?P<every>\*)\]
    | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]""",
    re.VERBOSE,
)


def is_json(text: str) -> int:
    """1 if the text is JSON, else 0."""
    try:
        _parsed(text)
    except (ValueError, RecursionError):
        return 0
    return 1


def has(text: str, path: str) -> int:
    """1 if there is a value at the path, else 0.

    >>> has('{"a": null}', "a"), has('{"a": null}', "b")
    (1, 0)
    """
    return int(bool(_values_at(text, path)))


def get(text: str, path: str) -> str:
    """The first value at the path.

    >>> get('{"a": [1, {"b": "c"}]}', "a[1].b"), get('{"a": [1, {"b": "c"}]}', "a")
    ('c', '[1,{"b":"c"}]')
    """
    found = _values_at(text, path)
    if not found:
        raise failures.NO_JSON_VALUE.error(path=path, text=_short(text))
    return _written(found[0])


def all_values(text: str, path: str) -> tuple[str, ...]:
    """All values at the path, in the order of the text.

    >>> all_values('{"items": [{"id": 1}, {}, {"id": "x"}]}', "items[*].id")
    ('1', 'x')
    """
    return tuple(map(_written, _values_at(text, path)))


def names(text: str, path: str) -> tuple[str, ...]:
    """The names of the object at the path, sorted; empty for anything else.

    >>> names('{"b": 1, "a": 2}', "$"), names("[1]", "")
    (('a', 'b'), ())
    """
    return tuple(sorted({name for value in _values_at(text, path) if isinstance(value, dict) for name in value}))


def kind(text: str, path: str) -> str:
    """The kind of the first value at the path: object, array, string, number, boolean, null, or missing.

    >>> kind("[true, null]", "[0]"), kind("[true, null]", "[1]"), kind("[]", "[0]")
    ('boolean', 'null', 'missing')
    """
    found = _values_at(text, path)
    return _KINDS.get(type(found[0]), "null") if found else "missing"


def make(value: Value) -> str:
    """A value as JSON: a symbol becomes a string, a list an array.

    >>> make("a"), make((1, "b", (0.5,)))
    ('"a"', '[1,"b",[0.5]]')
    """
    return _dumped(value)


def make_array(*elements: Value) -> str:
    """The values as an array."""
    return _dumped(elements)


def make_object(*members: Value) -> str:
    """Names and values, alternating, as an object; if a name occurs twice, the last value is used.

    >>> make_object("name", "ann", "age", 7)
    '{"age":7,"name":"ann"}'
    """
    keys, values = members[::2], members[1::2]
    if len(keys) != len(values) or not all(isinstance(key, str) for key in keys):
        problem = 'expected a name and a value for each member, such as `json_object("name", N, "age", A)`'
        raise failures.FUNCTION_ARGUMENT.error(function="json_object", problem=problem)
    return _dumped(dict(zip(keys, values, strict=True)))


def put(text: str, name: str, value: str) -> str:
    """An object with one more member, whose value is JSON; a member of that name is replaced.

    >>> put('{"a": 1}', "b", "[true]")
    '{"a":1,"b":[true]}'
    """
    whole = _read(text)
    if not isinstance(whole, dict):
        raise failures.FUNCTION_ARGUMENT.error(function="json_put", problem=f"{_short(text)!r} is not an object")
    return _dumped({**whole, name: _read(value)})


def _values_at(text: str, path: str) -> list[Any]:
    """The values at a path."""
    found = [_read(text)]
    for step in _steps(path):
        found = [inner for value in found for inner in _inside(value, step)]
    return found


def _inside(value: Any, step: Step) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values()) if step is None else [value[step]] if step in value else []
    if isinstance(value, list):
        return value if step is None else [value[step]] if isinstance(step, int) and step < len(value) else []
    return []


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[Step, ...]:
    at, steps = int(path.startswith("$")), list[Step]()
    while at < len(path):
        found = _STEP.match(path, at)
        dotted = path[at] == "."
        if found is None or (found["name"] is not None and dotted == (at == 0)):
            raise failures.JSON_PATH.error(path=path, found=path[at], place=at)
        if found["place"] is not None:
            steps.append(int(found["place"]))
        elif found["quoted"] is not None:
            steps.append(_quoted(path, at, found["quoted"]))
        else:
            steps.append(found["name"])
        at = found.end()
    return tuple(steps)


def _quoted(path: str, at: int, written: str) -> str:
    try:
        return str(json.loads(written))
    except ValueError:
        raise failures.JSON_PATH.error(path=path, found=written, place=at) from None


def _read(text: str) -> Any:
    try:
        return _parsed(text)
    except RecursionError:
        raise failures.NOT_JSON.error(text=_short(text), reason="it is nested too deeply") from None
    except ValueError as error:
        raise failures.NOT_JSON.error(text=_short(text), reason=str(error)) from None


@lru_cache(maxsize=16)  # several paths are often read from one text
def _parsed(text: str) -> Any:
    return json.loads(text, parse_float=_finite, parse_constant=_no_constant)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits[:SHOWN]} is too large")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _written(value: Any) -> str:
    return value if isinstance(value, str) else _dumped(value)


def _dumped(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    except ValueError:
        problem = "infinities and NaN have no JSON text"
        raise failures.FUNCTION_ARGUMENT.error(function="json", problem=problem) from None


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
