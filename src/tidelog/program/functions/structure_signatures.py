"""Records and variants as arguments and results of user functions.

Law: a function gets them as views show them: a record is a named tuple, ``nil`` is None, an algebraic value is a
`Variant` with the fields of its constructor. It may return any tuple, list or `Variant` with parts of the declared
types. Values are rebuilt without recursion, so they may be as deep as rules make them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tidelog.program.values.shape import Part, Shape, shapes_in
from tidelog.program.values.variant import Variant, record_class, variant_class

Leaf = Callable[[Any, str], Any]  # a part of a base type in canonical form; raises an error if it does not fit
_Names = dict[str, dict[str, tuple[tuple[str, str], ...]]]  # of types, their constructors and fields


class StructureSignature(NamedTuple):
    """The types of a function that takes or returns structures; its shapes are kept in other processes, too."""

    params: tuple[str, ...]
    result: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Shapes by their names; a shape alone becomes `record` in another process."""
        shapes = shapes_in((*self.params, self.result))
        names = {
            name: {made: tuple((p.name, _name(p.type)) for p in parts) for made, parts in shape.constructors.items()}
            for name, shape in shapes.items()
        }
        return _restore, (names, tuple(map(_name, self.params)), _name(self.result))

    def arguments(self, args: Sequence[Any]) -> list[Any]:
        """The arguments as the function gets them: judges have records as plain tuples."""
        return [
            present(arg, type_, _unchanged) if isinstance(type_, Shape) and not _is_presented(arg) else arg
            for arg, type_ in zip(args, self.params, strict=True)
        ]


class MisfitError(Exception):
    """A value, or a part of one, that is not of its type: found, expected."""


def present(value: Any, type_: str, leaf: Leaf) -> Any:
    """A value of a type as views show it; `MisfitError` if it is not of the type.

    >>> pair = Shape("Pair")
    >>> pair.constructors[""] = (Part("x", "number"), Part("next", pair))
    >>> present((1, [2, None]), pair, lambda value, type_: value)
    Pair(x=1, next=Pair(x=2, next=None))
    """
    done: list[Any] = []
    waiting: list[tuple[Any, Any]] = [(value, type_)]
    while waiting:
        found, wanted = waiting.pop()
        if isinstance(wanted, int):  # the class of a structure, and the number of its parts, which are done
            parts = done[len(done) - wanted :]
            del done[len(done) - wanted :]
            done.append(found(*parts))
        elif not isinstance(wanted, Shape):
            done.append(leaf(found, wanted))
        elif found is None and wanted.is_record:
            done.append(None)
        else:
            made, parts = _taken_apart(found, wanted)
            waiting.append((made, len(parts)))
            waiting += reversed(parts)
    return done[0]


def _taken_apart(value: Any, shape: Shape) -> tuple[Any, list[tuple[Any, str]]]:
    """The class of a structure, and its parts with their types."""
    is_variant = isinstance(value, Variant)
    parts = value.parts if is_variant else value
    fields = shape.constructors.get(value.constructor if is_variant else "")
    if not isinstance(parts, tuple | list) or fields is None or len(fields) != len(parts):
        raise MisfitError(value, shape.name)
    names = tuple(field.name for field in fields)
    made = variant_class(value.constructor, names) if is_variant else record_class(shape.name, names)
    return made, [(part, field.type) for part, field in zip(parts, fields, strict=True)]


def _is_presented(value: Any) -> bool:
    return value is None or (type(value) is not Variant if isinstance(value, Variant) else hasattr(value, "_fields"))


def _unchanged(value: Any, _type: str) -> Any:
    return value


def _name(type_: str) -> str:
    return type_.name if isinstance(type_, Shape) else type_


def _restore(names: _Names, params: Sequence[str], result: str) -> StructureSignature:
    shapes = {name: Shape(name) for name in names}
    for name, shape in shapes.items():
        for made, fields in names[name].items():
            shape.constructors[made] = tuple(Part(field, shapes.get(type_, type_)) for field, type_ in fields)
    return StructureSignature(tuple(shapes.get(type_, type_) for type_ in params), shapes.get(result, result))
