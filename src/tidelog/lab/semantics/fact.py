"""Facts, updates and nodes: the values that every algorithm of this package uses.

Law: a fact is a relation and a row; where it lives is decided by the program (`network.Network.node_of`), never by the
fact itself, so that one fact has one home. An update is a fact with a sign, +1 for an insertion and -1 for a deletion.
Nothing here evaluates a rule.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import NamedTuple, TypeAlias

from tidelog.program import Value, Variant
from tidelog.program.functions.calendar import tag_of
from tidelog.syntax import write_value

Node: TypeAlias = "int | str"
Row: TypeAlias = tuple[Value, ...]

HOME: Node = ""
"""The node of a program without locations: all its facts live at one place."""

INSERT, DELETE = 1, -1


class Fact(NamedTuple):
    """A ground tuple of one relation.

    >>> str(Fact("link", ("a", "b", 3)))
    'link(a,b,3)'
    >>> str(Fact("p", ()))
    'p'
    """

    relation: str
    row: Row = ()

    def __str__(self) -> str:
        return f"{self.relation}({','.join(map(value_text, self.row))})" if self.row else self.relation


class Update(NamedTuple):
    """A fact to insert (sign +1) or to delete (sign -1).

    ``note`` is what an algorithm attaches to one occurrence of the fact (a derivation set, a rank, a request); ``()``
    means nothing, and two occurrences with different notes are different.

    >>> str(Update(DELETE, Fact("q", ("a",))))
    '-q(a)'
    >>> str(Update(INSERT, Fact("p"), (frozenset({Fact("a")}), frozenset())))
    '+p {a} {}'
    """

    sign: int
    fact: Fact
    note: Hashable = ()

    @property
    def occurrence(self) -> Occurrence:
        """The occurrence of the fact that this update inserts or deletes."""
        return Occurrence(self.fact, self.note)

    def __str__(self) -> str:
        return ("+" if self.sign > 0 else "-") + str(self.occurrence)


class Occurrence(NamedTuple):
    """One copy of a fact in a table, with its note."""

    fact: Fact
    note: Hashable = ()

    def __str__(self) -> str:
        return " ".join([str(self.fact), note_text(self.note)]).rstrip()


def insertion(relation: str, *row: Value) -> Update:
    """``insertion("link", "a", "b")`` is the update +link(a,b)."""
    return Update(INSERT, Fact(relation, row))


def deletion(relation: str, *row: Value) -> Update:
    """``deletion("link", "a", "b")`` is the update -link(a,b)."""
    return Update(DELETE, Fact(relation, row))


def note_text(note: object) -> str:
    """A note in readable form: sets in braces and sorted, parts separated by spaces."""
    if "__str__" in type(note).__dict__:
        return str(note)  # facts and derivations say themselves how they look
    if isinstance(note, frozenset):
        return "{" + ",".join(sorted(map(note_text, note))) + "}"
    return " ".join(map(note_text, note)) if isinstance(note, tuple) else str(note)


def value_text(value: Value) -> str:
    """A value as a program would write it.

    >>> value_text(("a", 1, ("b",)))
    '[a,1,[b]]'
    """
    if tag_of(value) is not None:
        return write_value(value)
    if isinstance(value, tuple):
        return f"[{','.join(map(value_text, value))}]"
    if isinstance(value, Variant):
        return f"${value.constructor}({','.join(map(value_text, value.parts))})" if value.parts else str(value)
    return "nil" if value is None else str(value)


def order(value: object) -> tuple[object, ...]:
    """A key that sorts values of different types: numbers, then symbols, then lists, then sets.

    >>> sorted([("b",), "a", 2, ("a",)], key=order)
    [2, 'a', ('a',), ('b',)]
    """
    if isinstance(value, frozenset):
        return (3, tuple(sorted(map(order, value))))
    if isinstance(value, Variant):
        return (2, (order(f"${value.constructor}"), *map(order, value.parts)))
    if value is None:
        return (2, ())
    if isinstance(value, tuple):
        return (2, tuple(order(part) for part in value))
    return (1, value) if isinstance(value, str) else (0, value)


def _plain(value: object) -> list[object]:
    """A value that JSON has no form of."""
    return [value.constructor, *value.parts] if isinstance(value, Variant) else list(value)  # type: ignore[call-overload]  # sets


def byte_size(payload: object) -> int:
    """How many bytes a message takes: the length of its compact JSON text in UTF-8.

    >>> byte_size(["+", "link", ["a", "b"]])
    22
    """
    return len(json.dumps(payload, separators=(",", ":"), ensure_ascii=False, default=_plain).encode())
