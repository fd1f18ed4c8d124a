"""Records and algebraic values as cells: made of the cells of their parts, once each.

Law (D31): the id of a structure is a chain of hashes over the cells of its parts, so that equal values have equal cells
on every partition, and a join on records compares one cell; its entry holds those cells and nothing else, so that a
record inside another is not kept twice, and making or opening one costs its parts, however deep they go. ``nil`` is
the cell 0. A variant is its constructor's id and then its parts. Values are read and made without recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tidelog.partition.base import partition_failures as failures
from tidelog.partition.texts.packed import Packed
from tidelog.program.values.shape import Part, Shape
from tidelog.program.values.structure import MAKE, TEST, least, physical, structure_of
from tidelog.program.values.variant import Variant, record_class, variant_class

if TYPE_CHECKING:
    from tidelog.partition.texts.dictionary import Dictionary

NIL_CELL = 0
Key = tuple[int, str]  # a cell and the name of its type
Taken = tuple[str | None, Sequence[Any]]  # a constructor, None for nil, and parts, as a value has them
Leaf = Callable[[int, str], Any]  # the value of a cell of a base type
TakeApart = Callable[[Any, Shape], Taken | None]


@lru_cache(maxsize=10_000)
def constructor_id(constructor: str) -> int:
    """What the cells of a variant begin with."""
    from tidelog.partition.texts.dictionary import symbol_id  # the dictionary needs this module

    return symbol_id(constructor)


def structure_cell(name: str, cells: Sequence[int], dictionary: Dictionary) -> int:
    """The cell that a function which makes, reads or tests structures gives for cells."""
    return structure_cells(name, [cells], dictionary)[0]


def structure_cells(name: str, rows: Iterable[Sequence[int]], dictionary: Dictionary) -> list[int]:
    """The same for many rows of cells."""
    structure = structure_of(name)
    assert structure is not None, "the type check names the type of every constructor"
    tag = (constructor_id(structure.constructor),) if structure.constructor else ()
    if structure.kind == MAKE:
        return [dictionary.pack((*tag, *cells)) for cells in rows]
    values = [cells[0] for cells in rows]
    found = iter(parts_of(dictionary, [cell for cell in values if cell != NIL_CELL]))
    opened = (None if cell == NIL_CELL else next(found) for cell in values)
    if structure.kind == TEST:
        return [int(parts is not None and parts[: len(tag)] == tag) for parts in opened]
    type_, place = structure.parts[structure.place], len(tag) + structure.place
    return [
        dictionary.encode(least(type_), physical(type_)) if parts is None or parts[: len(tag)] != tag else parts[place]
        for parts in opened
    ]


def parts_of(dictionary: Dictionary, cells: Sequence[int]) -> list[Packed]:
    """The cells of the parts of many records or variants."""
    return dictionary.values_of(cells)  # type: ignore[return-value]  # what stands behind cells of records


class _Open(NamedTuple):
    """A value whose parts have to come first."""

    key: Key
    shape: Shape
    constructor: str
    parts: tuple[tuple[int, Part], ...]


def decode_structures(
    cells: Iterable[int], shape: Shape, dictionary: Dictionary, leaf: Leaf | None = None
) -> list[Any]:
    """The Python values of cells of one type; equal cells share their value. ``leaf`` decodes parts of base types."""
    wanted = list(cells)
    opened = _opened(wanted, shape, dictionary)
    done: dict[Key, Any] = {}
    for cell in wanted:
        _close((cell, shape.name), opened, done, leaf or dictionary.decode)
    return [done[cell, shape.name] for cell in wanted]


def _opened(cells: Iterable[int], shape: Shape, dictionary: Dictionary) -> dict[Key, _Open]:
    """All structures at any depth, each once; those of one level are looked up together."""
    level = {(cell, shape.name): shape for cell in cells if cell != NIL_CELL}
    found: dict[Key, _Open] = {}
    while level:
        for key, parts in zip(level, parts_of(dictionary, [cell for cell, _ in level]), strict=True):
            found[key] = _open(key, level[key], parts)
        inside = ((cell, part.type) for key in level for cell, part in found[key].parts if cell != NIL_CELL)
        below = {(cell, type_.name): type_ for cell, type_ in inside if isinstance(type_, Shape)}
        level = {key: type_ for key, type_ in below.items() if key not in found}
    return found


def _close(root: Key, opened: dict[Key, _Open], done: dict[Key, Any], leaf: Leaf) -> None:
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


def _open(key: Key, shape: Shape, parts: Packed) -> _Open:
    if shape.is_record:
        return _Open(key, shape, "", tuple(zip(parts, shape.fields, strict=True)))
    for constructor, fields in shape.constructors.items():
        if parts and parts[0] == constructor_id(constructor):
            return _Open(key, shape, constructor, tuple(zip(parts[1:], fields, strict=True)))
    raise failures.NO_CONSTRUCTOR.error(type=shape.name)


def _value(value: _Open, done: dict[Key, Any], leaf: Leaf) -> Any:
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
    value: Any, shape: Shape, dictionary: Dictionary, take_apart: TakeApart, encode: Callable[[Any, str], int | None]
) -> int | None:
    """The cell of a Python value; None if it, or something in it, does not fit the type.

    ``take_apart`` says which constructor a value has and what its parts are, ``encode`` gives the cells of other parts.
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
                target.append(dictionary.pack((*tag, *cells)))
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


def take_apart(value: Any, shape: Shape) -> Taken | None:
    """Values as the engine itself has them: tuples and variants."""
    if isinstance(value, Variant):
        return (value.constructor, value.parts) if value.constructor in shape.constructors else None
    return ("", value) if shape.is_record and isinstance(value, tuple | list) else None
