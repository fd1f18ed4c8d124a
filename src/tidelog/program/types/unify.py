"""Classes of places that must hold values of one type: a union-find with a type and a reason per class.

Law: uniting two classes keeps whichever type is known. Constants may be open until their class meets a type: an integer
literal (number, unsigned, float, boolean), a quoted text (symbol, date, timestamp), ``true`` and ``false`` (boolean,
symbol), and ``nil`` (any record type). Two different types do not unite: the classes stay separate and the caller
reports why, with the reasons of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tidelog.errors import Span
from tidelog.program.values.schema import BASE_TYPES
from tidelog.program.values.term import BOOLEAN, DATE, FLOAT, NUMBER, RECORD, SYMBOL, TIMESTAMP, UNSIGNED

INTEGER, TEXT, TRUTH, NIL = "integer", "text", "truth", "nil"
OPEN: Mapping[str, frozenset[str]] = {  # by the type of an open constant: the types that it may have
    INTEGER: frozenset({NUMBER, UNSIGNED, FLOAT, BOOLEAN}),
    TEXT: frozenset({SYMBOL, DATE, TIMESTAMP}),
    TRUTH: frozenset({BOOLEAN, SYMBOL}),
}
DEFAULTS = {TEXT: SYMBOL, TRUTH: BOOLEAN}  # the default type of an open constant


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
        self.narrowed = False  # whether a quoted text is a date or a timestamp, or a truth value a symbol

    def fresh(self, type_: str | None = None, reason: Reason | None = None) -> int:
        """A new place, in a new class."""
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
        common = meet(types[a], types[b])
        if common == CONFLICT:
            return False
        self.narrowed = self.narrowed or _narrows(types[a], types[b], common)
        if types[a] != common and types[b] == common:
            a, b = b, a
        self._parent[b] = a
        types[a] = common
        return True

    def set(self, place: int, type_: str, reason: Reason) -> bool:
        """Set the type of the place's class, unless it has another."""
        root = self.root(place)
        old = self._type[root]
        common = meet(old, type_)
        if common == CONFLICT:
            return False
        self.narrowed = self.narrowed or _narrows(old, type_, common)
        if common != old:
            self._type[root] = common
            self._reason[root] = reason
        return True

    def close(self) -> bool:
        """Assign its default to every open text and truth value; returns whether there were any."""
        found = any(type_ in DEFAULTS for type_ in self._type)
        if found:
            self._type = [DEFAULTS.get(type_ or "", type_) for type_ in self._type]
        return found


CONFLICT = "conflict"


def meet(old: str | None, new: str | None) -> str | None:
    """The type of a class that has one type and gets another; `CONFLICT` if they exclude each other.

    >>> meet("integer", "float"), meet("text", "truth"), meet("integer", "date")
    ('float', 'symbol', 'conflict')
    """
    if old == new or new is None:
        return old
    if old is None:
        return new
    for open_, known in ((old, new), (new, old)):
        if open_ in OPEN:
            if known in OPEN[open_]:
                return known
            common = OPEN[open_] & OPEN.get(known, frozenset())
            return next(iter(common)) if len(common) == 1 else CONFLICT
    return _nil_meets(old, new)


def _narrows(first: str | None, second: str | None, common: str | None) -> bool:
    """Whether an open constant gets a type other than its default."""
    return (common in (DATE, TIMESTAMP) and TEXT in (first, second)) or (common == SYMBOL and TRUTH in (first, second))


def _nil_meets(old: str, new: str) -> str:
    """As `meet`, if one of the types is that of ``nil``, or of a record about which nothing else is known."""
    for open_ in (NIL, RECORD):
        if old == open_ and new not in BASE_TYPES:
            return new
        if new == open_ and old not in BASE_TYPES:
            return old
    return CONFLICT
