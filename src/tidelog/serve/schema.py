"""Check bodies and parameters against the description in the API document.

Law: accepted values match the description; for others, the place of the problem is reported. The descriptions use a
subset of JSON Schema: type, properties, required, additionalProperties, items, minimum, maximum, minLength, maxLength,
maxItems, enum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tidelog.serve import serve_failures as failures

Schema = Mapping[str, Any]
_KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_WORDS = {"true": True, "1": True, "": True, "false": False, "0": False}


def check(value: Any, schema: Schema, place: str = "body") -> None:
    """Raise for a value that does not match its description.

    >>> check({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer"}}})
    >>> check({"a": "1"}, {"type": "object", "properties": {"a": {"type": "integer"}}})
    Traceback (most recent call last):
    tidelog.errors.ServerError: body.a: is not of type integer
    """
    types = schema.get("type")
    kinds = [types] if isinstance(types, str) else types
    if kinds is not None and not any(_is(value, kind) for kind in kinds):
        raise _wrong(place, f"is not of type {' or '.join(kinds)}")
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(place, f"is not one of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, dict):
        _check_object(value, schema, place)
    elif isinstance(value, list):
        _check_array(value, schema, place)
    elif isinstance(value, str):
        _check_range(len(value), schema.get("minLength"), schema.get("maxLength"), place, " characters")
    elif isinstance(value, int | float):
        _check_range(value, schema.get("minimum"), schema.get("maximum"), place)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _KINDS[kind])


def _check_object(value: dict[str, Any], schema: Schema, place: str) -> None:
    properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            raise _wrong(place, f"`{name}` is missing")
    for name, inner in value.items():
        if name in properties:
            check(inner, properties[name], f"{place}.{name}")
        elif isinstance(more, dict):
            check(inner, more, f"{place}.{name[:80]}")
        elif not more:
            raise _wrong(place, f"unknown field `{name[:80]}`. Known fields: {', '.join(properties)}")


def _check_array(value: list[Any], schema: Schema, place: str) -> None:
    _check_range(len(value), schema.get("minItems"), schema.get("maxItems"), place, " elements")
    if "items" in schema:
        for number, inner in enumerate(value):
            check(inner, schema["items"], f"{place}[{number}]")


def _check_range(value: float, least: float | None, most: float | None, place: str, unit: str = "") -> None:
    if least is not None and value < least:
        raise _wrong(place, f"{value}{unit} is less than the minimum of {least}")
    if most is not None and value > most:
        raise _wrong(place, f"{value}{unit} exceeds the maximum of {most}")


def _wrong(place: str, what: str) -> Exception:
    return failures.NOT_AS_DESCRIBED.error(place=place, what=what)


def read_parameter(text: str, schema: Schema, place: str) -> Any:
    """The value of a parameter in a URL.

    >>> read_parameter("17", {"type": "integer"}, "since"), read_parameter("true", {"type": "boolean"}, "core")
    (17, True)
    """
    value = _read(text, schema, place)
    check(value, schema, place)
    return value


def _read(text: str, schema: Schema, place: str) -> Any:
    kind = schema.get("type")
    if kind == "boolean":
        if text.lower() not in _WORDS:
            raise _wrong(place, "is neither `true` nor `false`")
        return _WORDS[text.lower()]
    if kind not in ("integer", "number"):
        return text
    try:
        number = int(text) if kind == "integer" and len(text) <= 20 else float(text)
    except ValueError:
        raise _wrong(place, f"is not of type {kind}") from None
    if not math.isfinite(number) or (kind == "integer" and not isinstance(number, int)):
        raise _wrong(place, f"is not of type {kind}")
    return number
