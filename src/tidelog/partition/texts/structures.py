"""Records and algebraic values as cells: made from the cells of their parts, once each.

Law (D31): the id of a structure is a chain of hashes over the cells of its parts, so that equal values have equal cells
on every partition, and a join on records compares one cell; its entry holds those cells and nothing else, so that a
record inside another is not kept twice, and making or opening one costs its parts, however deep they are. ``nil`` is
the cell 0. A variant is its constructor's id and then its parts. Values are read and made without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from tidelog.partition.base import partition_failures as failures
from tidelog.partition.texts.ids import symbol_id
from tidelog.partition.texts.packed_cells import PackedStructure
from tidelog.program.values.shape import Part, Shape
from tidelog.program.values.variant import Variant, record_class, variant_class

NIL_CELL = 0
Key = tuple[int, str]  # a cell and the name of its type
ValueParts = tuple[str | None, Sequence[Any]]  # a constructor, None for nil, and parts, as a value has them
Leaf = Callable[[int, str], Any]  # the value of a cell of a base type
PartsOf = Callable[[Sequence[int]], list[PackedStructure]]  # the cells of the parts of many structures
Pack = Callable[[Sequence[int]], int]  # the cell of a structure with these parts
TakeApart = Callable[[Any, Shape], ValueParts | None]


@lru_cache(maxsize=10_000)
def constructor_id(constructor: str) -> int:
    """The first cell of a variant, which identifies its constructor."""
    return symbol_id(constructor)


class _PendingValue(NamedTuple):
    """A value whose parts must be decoded first."""

    key: Key
    shape: Shape
    constructor: str
    parts: tuple[tuple[int, Part], ...]


def decode_structures(cells: Iterable[int], shape: Shape, parts_of: PartsOf, leaf: Leaf) -> list[Any]:
    """The Python values of cells of one type; equal cells share their value. ``leaf`` decodes parts of base types."""
    wanted = list(cells)
    opened = _opened(wanted, shape, parts_of)
    done: dict[Key, Any] = {}
    for cell in wanted:
        _close((cell, shape.name), opened, done, leaf)
    return [done[cell, shape.name] for cell in wanted]


def _opened(cells: Iterable[int], shape: Shape, parts_of: PartsOf) -> dict[Key, _PendingValue]:
    """All structures at any depth, each once; those of one level are looked up together."""
    level = {(cell, shape.name): shape for cell in cells if cell != NIL_CELL}
    found: dict[Key, _PendingValue] = {}
    while level:
        for key, parts in zip(level, parts_of([cell for cell, _ in level]), strict=True):
            found[key] = _open(key, level[key], parts)
        inside = ((cell, part.type) for key in level for cell, part in found[key].parts if cell != NIL_CELL)
        below = {(cell, type_.name): type_ for cell, type_ in inside if isinstance(type_, Shape)}
        level = {key: type_ for key, type_ in below.items() if key not in found}
    return found


def _close(root: Key, opened: dict[Key, _PendingValue], done: dict[Key, Any], leaf: Leaf) -> None:
    """The value of a structure, after those of its parts."""
    stack = [root]
    while stack:
        key = stack[-1]
        if key in done or key[0] == NIL_CELL:
            done.setdefault(key, None)
            stack.pop()
            continue
        value = opened[key]
        inner = [(c, p.type.name) for c, p in value.parts if isinstance(p.type, Shape) and c != NIL_CELL]
        waiting = [part for part in inner if part not in done]
        if waiting:
            stack += waiting
        else:
            done[key] = _value(value, done, leaf)
            stack.pop()


def _open(key: Key, shape: Shape, parts: PackedStructure) -> _PendingValue:
    if shape.is_record:
        return _PendingValue(key, shape, "", tuple(zip(parts, shape.fields, strict=True)))
    for constructor, fields in shape.constructors.items():
        if parts and parts[0] == constructor_id(constructor):
            return _PendingValue(key, shape, constructor, tuple(zip(parts[1:], fields, strict=True)))
    raise failures.NO_CONSTRUCTOR.error(type=shape.name)


def _value(value: _PendingValue, done: dict[Key, Any], leaf: Leaf) -> Any:
    names = tuple(part.name for _, part in value.parts)
    parts = [_part(cell, part.type, done, leaf) for cell, part in value.parts]
    if value.constructor:
        return variant_class(value.constructor, names)(*parts)
    return record_class(value.shape.name, names)(*parts)


def _part(cell: int, type_: str, done: dict[Key, Any], leaf: Leaf) -> Any:
    if not isinstance(type_, Shape):
        return leaf(cell, type_)
    return None if cell == NIL_CELL else done[cell, type_.name]


def encode_structure(
    value: Any, shape: Shape, pack: Pack, take_apart: TakeApart, encode: Callable[[Any, str], int | None]
) -> int | None:
    """The cell of a Python value; None if it, or something in it, does not fit the type.

    ``pack`` makes the cell of a structure, ``take_apart`` returns the constructor and the parts of a value,
    ``encode`` returns the cells of other parts.
    """
    root: list[int] = []
    stack: list[tuple[Shape, str, list[Any], list[int], list[int]]] = []  # what is still to be encoded, cells so far
    target, waiting = root, [(value, shape)]
    while waiting:
        found, type_ = waiting.pop()
        constructor, parts = (None, ()) if found is None else take_apart(found, type_) or ("?", ())
        if constructor is None and type_.is_record:
            target.append(NIL_CELL)
        elif constructor in type_.constructors and len(parts) == len(type_.constructors[constructor]):
            stack.append((type_, constructor, list(parts), [], target))
        else:
            return None
        while stack and not waiting:
            type_, constructor, parts, cells, target = stack[-1]
            fields = type_.constructors[constructor]
            if len(cells) == len(fields):
                stack.pop()
                tag = (constructor_id(constructor),) if constructor else ()
                target.append(pack((*tag, *cells)))
                continue
            field = fields[len(cells)]
            if isinstance(field.type, Shape):
                waiting.append((parts[len(cells)], field.type))
                target = cells
            else:
                cell = encode(parts[len(cells)], field.type)
                if cell is None:
                    return None
                cells.append(cell)
    return root[0]


def take_apart(value: Any, shape: Shape) -> ValueParts | None:
    """The constructor and the parts of a value in the engine's own form: a tuple or a variant."""
    if isinstance(value, Variant):
        return (value.constructor, value.parts) if value.constructor in shape.constructors else None
    return ("", value) if shape.is_record and isinstance(value, tuple | list) else None
