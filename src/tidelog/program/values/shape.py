"""Shapes: the types of columns of records and of algebraic types.

Law: below the checks every record and every algebraic value is a cell of the one type ``record``; a `Shape` is that
type, equal to it, and also knows how the type was declared, which is needed to show and read values. The types of
fields are base types or shapes again; types may be recursive, so shapes are created first and filled afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tidelog.program.values.schema import BASE_TYPES, TypeDeclaration
from tidelog.program.values.term import RECORD
from tidelog.program.values.variant import Variant


class Part(NamedTuple):
    """A field of a record or of a constructor, with its type."""

    name: str
    type: str


class Shape(str):
    """The type of a declared record or algebraic type. The fields of a record are under the constructor ``""``."""

    __slots__ = ("constructors", "name")
    name: str
    constructors: dict[str, tuple[Part, ...]]

    def __new__(cls, name: str) -> Shape:
        """A shape whose constructors are not known yet."""
        made = super().__new__(cls, RECORD)
        made.name, made.constructors = name, {}
        return made

    def __repr__(self) -> str:
        return f"Shape({self.name!r})"

    def __format__(self, spec: str) -> str:
        """In messages it has its own name."""
        return format(self.name.lstrip("'"), spec)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Other processes need no more than that it is a record."""
        return str, (RECORD,)

    @property
    def is_record(self) -> bool:
        """Whether values are records (and ``nil``), not variants."""
        return "" in self.constructors

    @property
    def fields(self) -> tuple[Part, ...]:
        """The fields of a record."""
        return self.constructors[""]

    @property
    def is_recursive(self) -> bool:
        """Whether a value may contain values of the same type, at any depth."""
        seen: set[int] = set()
        waiting = list(self._inside())
        while waiting:
            shape = waiting.pop()
            if shape is self:
                return True
            if id(shape) not in seen:
                seen.add(id(shape))
                waiting += shape._inside()
        return False

    @property
    def holds_recursion(self) -> bool:
        """Whether this shape, or one inside it, is recursive."""
        seen: dict[int, Shape] = {}
        waiting = [self]
        while waiting:
            shape = waiting.pop()
            if id(shape) not in seen:
                seen[id(shape)] = shape
                waiting += shape._inside()
        return any(shape.is_recursive for shape in seen.values())

    def _inside(self) -> list[Shape]:
        return [part.type for parts in self.constructors.values() for part in parts if isinstance(part.type, Shape)]


def same_parts(one: Shape, other: Shape) -> bool:
    """Whether cells of one type mean the same under another: it has the constructors, with parts of the same types.

    >>> pair, single = Shape("Pair"), Shape("Single")
    >>> pair.constructors[""], single.constructors[""] = (Part("x", "number"), Part("y", pair)), (Part("a", "number"),)
    >>> same_parts(pair, pair), same_parts(pair, single)
    (True, False)
    """
    waiting: list[tuple[str, str]] = [(one, other)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        left, right = waiting.pop()
        if not isinstance(left, Shape) or not isinstance(right, Shape):
            if left != right:
                return False
        elif (id(left), id(right)) not in seen:
            seen.add((id(left), id(right)))
            for name, parts in left.constructors.items():
                others = right.constructors.get(name)
                if others is None or len(others) != len(parts):
                    return False
                waiting += ((part.type, new.type) for part, new in zip(parts, others, strict=True))
    return True


def shapes_in(types: Iterable[str | None]) -> dict[str, Shape]:
    """The shapes among some types, and those inside them, by name."""
    found: dict[str, Shape] = {}
    waiting = [type_ for type_ in types if isinstance(type_, Shape)]
    while waiting:
        shape = waiting.pop()
        if shape.name not in found:
            found[shape.name] = shape
            waiting += shape._inside()
    return found


def structure_name(name: str) -> str:
    """The name of a declared structure among types, which differs from every base type.

    >>> structure_name("Pair"), structure_name("list")
    ('Pair', "'list")
    """
    return f"'{name}" if name in BASE_TYPES else name


def make_shapes(declarations: Iterable[TypeDeclaration], bases: Mapping[str, str]) -> dict[str, Shape]:
    """The shapes of all declared structures by name; ``bases`` maps other type names to their meanings.

    >>> from tidelog.program.values.schema import Column, Constructor
    >>> fields = (Column("head", "number"), Column("tail", "List"))
    >>> list_ = make_shapes([TypeDeclaration("List", (), False, constructors=(Constructor("", fields),))], {})["List"]
    >>> list_ == "record", list_.fields[1].type is list_, list_.is_recursive
    (True, True, True)
    """
    declared = {structure_name(d.name): d for d in declarations if d.constructors}
    shapes = {name: Shape(name) for name in declared}

    def type_of(name: str) -> str:
        base = bases.get(name, structure_name(name) if structure_name(name) in shapes else name)
        return shapes.get(base) or (base if base in BASE_TYPES else "number")

    for name, shape in shapes.items():
        for made in declared[name].constructors:
            shape.constructors[made.name] = tuple(Part(field.name, type_of(field.type)) for field in made.fields)
    return shapes


def show_structure(value: Any, type_: str | None, show_part: Callable[[Any, str | None], str]) -> str:
    """The text of a record, a variant, ``nil`` or a list; ``show_part`` writes parts of other types.

    >>> show_structure((1, (2, None)), None, lambda value, type_: str(value)), show_structure(None, None, repr)
    ('[1, [2, nil]]', 'nil')
    """
    out: list[str] = []
    waiting: list[Any] = [(value, type_)]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            out.append(found)
            continue
        value, type_ = found
        if value is None:
            out.append("nil")
        elif isinstance(value, Variant):
            out.append(f"${value.constructor}")
            waiting += (
                _pieces("(", value.parts, _types(type_, value.constructor, value.parts), ")") if value.parts else []
            )
        elif isinstance(value, tuple | list):
            waiting += _pieces("[", value, _types(type_, "", value), "]")
        else:
            out.append(show_part(value, type_))
    return "".join(out)


def _types(type_: str | None, constructor: str, parts: Sequence[Any]) -> list[str | None]:
    if isinstance(type_, Shape):
        return [part.type for part in type_.constructors[constructor]]
    return [None] * len(parts)


def _pieces(opening: str, parts: Sequence[Any], types: Sequence[str | None], closing: str) -> list[Any]:
    """The pieces of a structure to be written, in reverse order."""
    pieces: list[Any] = [opening]
    for place, (part, type_) in enumerate(zip(parts, types, strict=True)):
        pieces += [", ", (part, type_)] if place else [(part, type_)]
    return [*pieces, closing][::-1]
