"""The functions that build and read records and algebraic values, named after the results of the type check.

Law: an elaborated term carries its types in the name of its function, so that rewrites and plans need no declaration:
``[ P number P`` makes a record of the type P, ``$Add Expr Expr Expr`` a variant, ``#1 [ P number P`` reads the second
part and ``? $Add ...`` tests the constructor. Reading is total: of ``nil``, and of a value of another constructor, it
yields the least value of the part's type; the test next to it refuses such values. So neither ever fails.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from tidelog.program.values.schema import BASE_TYPES
from tidelog.program.values.term import ANY_TYPE, FLOAT, LIST, NUMBER, RECORD, SYMBOL, Call, Const, Term, Value
from tidelog.program.values.variant import Variant

MAKE, READ, TEST = range(3)
BRACKET = "["
NIL = Const(None, RECORD)
_LEAST: dict[str, Value] = {SYMBOL: "", FLOAT: 0.0, LIST: (), RECORD: None}


class Structure(NamedTuple):
    """The parts of such a function's name: ``constructor`` is empty for records, ``place`` counts parts."""

    kind: int
    constructor: str
    type: str
    parts: tuple[str, ...]
    place: int = 0

    @property
    def constructor_name(self) -> str:
        """The name of the function that builds such values."""
        return " ".join((f"${self.constructor}" if self.constructor else BRACKET, self.type, *self.parts))

    @property
    def test(self) -> str:
        """The name of the function that tests whether a value is one of these."""
        return f"? {self.constructor_name}"

    def read(self, place: int) -> str:
        """The name of the function that reads a part."""
        return f"#{place} {self.constructor_name}"


@lru_cache(maxsize=10_000)
def structure_of(name: str) -> Structure | None:
    """The structure in a function's name; None for functions of any other kind.

    >>> structure_of("#1 [ P number P").place, structure_of("$Add Expr Expr Expr").constructor, structure_of("cat")
    (1, 'Add', None)
    """
    if name[0] not in "[$#?" or " " not in name:
        return None
    words = name.split(" ")
    kind, place = MAKE, 0
    if words[0][0] in "#?":
        kind, place = (TEST, 0) if words[0] == "?" else (READ, int(words[0][1:]))
        words = words[1:]
    return Structure(kind, words[0][1:], words[1], tuple(words[2:]), place)


def structure_made(term: Term) -> Structure | None:
    """The structure that a term builds, or matches as a pattern; None if there is none."""
    if not isinstance(term, Call):
        return None
    found = structure_of(term.function)
    return found if found is not None and found.kind == MAKE else None


def is_loose(name: str) -> bool:
    """Whether a name is that of a constructor whose types are not known yet."""
    return name[0] == "$" and " " not in name


def physical(type_: str) -> str:
    """The type of the cells of a part.

    >>> physical("symbol"), physical("Expr")
    ('symbol', 'record')
    """
    return type_ if type_ in BASE_TYPES or type_ == ANY_TYPE else RECORD


def is_structural(name: str) -> bool:
    """Whether a function builds, reads or tests records or variants."""
    return structure_of(name) is not None or is_loose(name)


def least(type_: str) -> Value:
    """The value that reading a missing part yields."""
    return _LEAST.get(physical(type_), 0)


def signature(name: str) -> tuple[tuple[str, ...], str]:
    """Parameters and result of a function, as type names."""
    found = structure_of(name)
    assert found is not None
    if found.kind == MAKE:
        return found.parts, found.type
    return (found.type,), found.parts[found.place] if found.kind == READ else NUMBER


def _fits(value: object, constructor: str) -> bool:
    return isinstance(value, Variant) and value.constructor == constructor if constructor else value is not None


def evaluate(name: str, args: tuple[Any, ...]) -> Value:
    """The value of such a function on Python values.

    >>> evaluate("#0 [ P number P", ((7, None),)), evaluate("#0 [ P number P", (None,)), evaluate("$A", (1,))
    (7, 0, $A(1))
    """
    found = structure_of(name)
    if found is None:
        return Variant(name[1:], *args)
    if found.kind == MAKE:
        return Variant(found.constructor, *args) if found.constructor else args
    value = args[0]
    fits = _fits(value, found.constructor)
    if found.kind == TEST:
        return int(fits)
    if not fits:
        return least(found.parts[found.place])
    part: Value = (value.parts if found.constructor else value)[found.place]
    return part
