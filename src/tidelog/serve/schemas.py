"""Descriptions that several operations use.

Law: they describe what `schema.check` refuses; the limits of this server are in `GET /v1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidelog.serve.limits import TEXT

LARGEST = (1 << 63) - 1


def text(description: str, most: int = TEXT, least: int = 0) -> dict[str, Any]:
    """The schema of a text."""
    return {"type": "string", "maxLength": most, "minLength": least, "description": description}


def whole(description: str, least: int = 0, most: int = LARGEST) -> dict[str, Any]:
    """The schema of an integer."""
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def number(description: str, least: float = 0, most: float = 3600) -> dict[str, Any]:
    """The schema of a number."""
    return {"type": "number", "minimum": least, "maximum": most, "description": description}


def flag(description: str) -> dict[str, Any]:
    """The schema of a boolean."""
    return {"type": "boolean", "description": description}


def fields(properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    """The schema of an object with exactly these fields."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def list_of(items: Any) -> dict[str, Any]:
    """The schema of a list."""
    return {"type": "array", "items": items}


def by_name(values: Any) -> dict[str, Any]:
    """The schema of an object whose fields are names of relations."""
    return {"type": "object", "additionalProperties": values}


EPOCH = {"type": "integer", "description": "The committed epoch of the response."}
ROWS = {
    "type": "array",
    "items": {"type": ["array", "object"]},
    "description": "Rows as lists, in column order, or as objects.",
}
PAGE = {
    "type": "object",
    "required": ["epoch", "columns", "types", "rows", "total", "next"],
    "properties": {
        "epoch": EPOCH,
        "columns": list_of({"type": "string"}),
        "types": list_of({"type": "string"}),
        "rows": list_of({"type": "array"}),
        "total": {"type": "integer", "description": "Number of rows on all pages."},
        "next": {"type": ["string", "null"], "description": "Send this as `after` to get the next page."},
        "undefined": {
            **by_name({"type": "integer"}),
            "description": "Numbers of undefined facts of the relations read, which are not among the rows and are "
            "returned by `/v1/undefined/{name}`. On the first page; absent if there are none.",
        },
    },
}
VIOLATED = {
    "type": "object",
    "required": ["constraint", "severity", "meaning", "count", "first", "text"],
    "properties": {
        "constraint": {"type": "string", "description": "The label of the constraint."},
        "severity": {"type": "string", "enum": ["refuse", "warn"]},
        "meaning": {"type": "string", "description": "What the constraint forbids."},
        "count": {"type": "integer", "description": "Number of violations."},
        "first": {
            "type": "array",
            "description": "The first violations: `values` of the variables, the `proof` as a tree, and its `text`.",
            "items": {"type": "object"},
        },
        "text": {"type": "string"},
    },
}
LIMIT = whole("Rows per page. For JSON, 1,000 by default and at most `limits.rows`; otherwise all rows by default.", 1)
AFTER = text("The `next` of the previous page.", 40)
AT = whole("Read an earlier epoch that the state folder still keeps.")
