"""Classes of places that must hold values of one type: a union-find with a type and a reason per class.

Law: uniting two classes keeps whichever type is known; an integer literal is open (number, unsigned, float and the
types that come with data) until its class meets a type, and so is ``nil`` until it meets a record type. Two different
types do not unite: the classes stay apart and the caller tells why, with the reasons that both carry.
"""

from __future__ import annotations

from typing import NamedTuple

from tidelog.errors import Span
from tidelog.program.schema import BASE_TYPES
from tidelog.program.term import FLOAT, NUMBER, RECORD, UNSIGNED

INTEGER, NIL = "integer", "nil"
TAKES_INTEGERS = frozenset({INTEGER, NUMBER, UNSIGNED, FLOAT, "boolean", "date", "timestamp"})


class Reason(NamedTuple):
    """Why a class has its type: a few words and, if there is one, the place."""

    text: str
    span: Span | None


class Classes:
    """A growing set of places, each in one class; a class has a type (None while unknown) and the reason for it."""

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._type: list[str | None] = []
        self._reason: list[Reason | None] = []

    def fresh(self, type_: str | None = None, reason: Reason | None = None) -> int:
        """A new place, in a class of its own."""
        self._parent.append(len(self._parent))
        self._type.append(type_)
        self._reason.append(reason)
        return len(self._parent) - 1

    def root(self, place: int) -> int:
        """The representative of the place's class."""
        parent = self._parent
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    def type(self, place: int) -> str | None:
        """The type of the place's class: a base type, ``integer`` for an open literal, or None."""
        return self._type[self.root(place)]

    def reason(self, place: int) -> Reason | None:
        """Why the class has its type."""
        return self._reason[self.root(place)]

    def unite(self, first: int, second: int) -> bool:
        """Make one class of two, unless their types differ.

        >>> classes = Classes()
        >>> one, ratio, name = classes.fresh("integer"), classes.fresh("float"), classes.fresh("symbol")
        >>> classes.unite(one, ratio), classes.type(one), classes.unite(one, name)
        (True, 'float', False)
        """
        a, b = self.root(first), self.root(second)
        if a == b:
            return True
        types = self._type
        keep_a = wins(types[a], types[b])
        if keep_a is None:
            return False
        if not keep_a:
            a, b = b, a
        self._parent[b] = a
        return True

    def set(self, place: int, type_: str, reason: Reason) -> bool:
        """Give the place's class a type, unless it has another."""
        root = self.root(place)
        keep = wins(self._type[root], type_)
        if keep is False:
            self._type[root] = type_
            self._reason[root] = reason
        return keep is not None


def wins(old: str | None, new: str | None) -> bool | None:
    """Whether the old type stays when it meets the new one; None if they exclude each other."""
    if old == new or new is None:
        return True
    if old is None:
        return False
    if old == INTEGER and new in TAKES_INTEGERS:
        return False
    if new == INTEGER and old in TAKES_INTEGERS:
        return True
    return _nil_stays(old, new)


def _nil_stays(old: str, new: str) -> bool | None:
    """As `wins`, where one of the types is that of ``nil``, or of a record of which no more is known."""
    for open_ in (NIL, RECORD):
        if old == open_ and new not in BASE_TYPES and new != INTEGER:
            return False
        if new == open_ and old not in BASE_TYPES and old != INTEGER:
            return True
    return None
