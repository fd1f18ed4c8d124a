"""Values of records and algebraic types in Python.

Law: a record is a tuple of its parts, read by the fields' names too, and ``nil`` is None; so records of one type are
equal where tuples are. A value of an algebraic type is a `Variant`: it is equal to another if both have the same
constructor and equal parts, no matter where they were created. Values are never changed.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from functools import cache
from keyword import iskeyword
from typing import Any


class Variant:
    """A constructor applied to parts.

    >>> Variant("Add", 1, 2), Variant("Zero")
    ($Add(1, 2), $Zero)
    >>> Variant("Add", 1, 2) == Variant("Add", 1, 2), Variant("A", 1) == Variant("B", 1)
    (True, False)
    """

    __slots__ = ("constructor", "parts")
    constructor: str
    parts: tuple[Any, ...]

    def __init__(self, constructor: str, *parts: Any) -> None:
        object.__setattr__(self, "constructor", constructor)
        object.__setattr__(self, "parts", parts)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a value is never changed: {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variant):
            return NotImplemented
        return self.constructor == other.constructor and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.constructor, self.parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return Variant, (self.constructor, *self.parts)

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.parts))
        return f"${self.constructor}({inner})" if self.parts else f"${self.constructor}"


@cache
def variant_class(constructor: str, fields: tuple[str, ...]) -> type[Variant]:
    """The class of one constructor's values: its fields are attributes, also in ``match``.

    >>> add = variant_class("Add", ("left", "right"))
    >>> add(1, 2).right, add(1, 2) == Variant("Add", 1, 2), add(1, 2)
    (2, True, Add(left=1, right=2))
    """
    names = python_names(fields)

    def __init__(self: Variant, *parts: Any) -> None:
        if len(parts) != len(fields):
            raise TypeError(f"{constructor} has {len(fields)} fields, not {len(parts)}")
        Variant.__init__(self, constructor, *parts)

    def __repr__(self: Variant) -> str:
        inner = ", ".join(f"{name}={part!r}" for name, part in zip(names, self.parts, strict=True))
        return f"{constructor}({inner})"

    def part(place: int) -> property:
        return property(lambda self: self.parts[place])

    members: dict[str, Any] = {name: part(place) for place, name in enumerate(names)}
    members |= {"__slots__": (), "__match_args__": names, "__init__": __init__, "__repr__": __repr__}
    members["__reduce__"] = lambda self: (_rebuild, (variant_class, constructor, fields, self.parts))
    return type(constructor, (Variant,), members)


def _rebuild(class_of: Any, name: str, fields: tuple[str, ...], parts: tuple[Any, ...]) -> Any:
    """Restore a pickled value by creating its class again."""
    return class_of(name, fields)(*parts)


@cache
def record_class(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]:
    """The named tuple of a record type.

    >>> pair = record_class("Pair", ("x", "y"))
    >>> pair(1, None), pair(1, None) == (1, None)
    (Pair(x=1, y=None), True)
    """
    made: Any = namedtuple(_identifier(name.lstrip("'"), "Record"), python_names(fields))  # type: ignore[misc]  # names are data
    reduce = {"__reduce__": lambda self: (_rebuild, (record_class, name, fields, tuple(self))), "__slots__": ()}
    found: type[tuple[Any, ...]] = type(made.__name__, (made,), reduce)
    return found


def python_names(fields: Sequence[str]) -> tuple[str, ...]:
    """Field names that are valid in Python: those that are not identifiers, or are taken, are numbered.

    >>> python_names(["x", "class", "?y"])
    ('x', 'field2', 'field3')
    """
    taken = {"constructor", "parts"}
    usable = (name.isidentifier() and not iskeyword(name) and name[0] != "_" and name not in taken for name in fields)
    return tuple(name if ok else f"field{i}" for i, (name, ok) in enumerate(zip(fields, usable, strict=True), 1))


def _identifier(name: str, otherwise: str) -> str:
    return name if name.isidentifier() and not iskeyword(name) else otherwise
