"""Functions that run in Python: decode the cells, evaluate, encode the result.

Law: a function is pure, so that its result can be remembered per distinct arguments for as long as it is convenient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from tidelog.kernel.cells import Cells
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.texts.dictionary import Dictionary, natural_type
from tidelog.partition.texts.structures import NIL_CELL, constructor_id
from tidelog.plan.steps import Apply
from tidelog.program.functions.lists import DEEPEST, MOST_LISTS, is_too_deep, is_too_large
from tidelog.program.functions.structure_signatures import StructureSignature
from tidelog.program.functions.table import Function, order_of, resolve
from tidelog.program.values.structure import MAKE, READ, TEST, is_structural, least, physical, structure_of
from tidelog.program.values.term import RECORD, Value

SELF_TYPED = frozenset(("number", "symbol", "list"))  # types of values whose cells determine their type
CONCATENATIONS = frozenset(("cat", "+"))
LONGEST_RANGE = 1 << 20  # values between floats; counting enumerates each of them
LONG = 1 << 16  # characters from which on the free memory is checked


def call_function(
    step: Apply,
    cells: tuple[int, ...],
    functions: Mapping[str, tuple[Function, ...]],
    dictionary: Dictionary,
    room: Callable[[], int | None] = lambda: None,
) -> int:
    """The cell of the result of a function for argument cells; ``room``: how many bytes may still be allocated."""
    if is_structural(step.function):
        return structure_cell(step.function, cells, dictionary)
    structures = structures_of_call(step, functions)
    types, result = (step.types, step.result) if structures is None else structures
    args = [dictionary.decode_any(cell, type_) for cell, type_ in zip(cells, types, strict=True)]
    _check_length(step, args, room)
    value = _evaluate(step, args, functions)
    if result == RECORD:
        return dictionary.encode(value, result)
    if isinstance(value, tuple) and is_too_large(value):
        raise failures.TOO_LARGE_LIST.error(function=step.function, most=MOST_LISTS)
    if isinstance(value, tuple) and is_too_deep(value):
        raise failures.TOO_DEEP.error(function=step.function, deepest=DEEPEST)
    natural = natural_type(value)
    has_cell = natural in SELF_TYPED if step.result == "any" else natural == step.result or _fits(value, step.result)
    if not has_cell:
        shown, needed = ", ".join(map(repr, args)), "number, symbol or list" if step.result == "any" else step.result
        raise failures.RESULT.error(function=step.function, args=shown, value=value, type=needed)
    return dictionary.encode(value, natural if step.result == "any" else step.result)


def structures_of_call(step: Apply, functions: Mapping[str, tuple[Function, ...]]) -> StructureSignature | None:
    """The types of a user's function that takes or returns structures, which in a step have no more than `record`."""
    if step.result != RECORD and RECORD not in step.types:
        return None
    function = resolve(step.function, step.types, functions)
    return None if function is None else function.structures


def _check_length(step: Apply, args: list[Value], room: Callable[[], int | None]) -> None:
    """Refuse a text that is too long before it is created."""
    if step.function not in CONCATENATIONS or (length := sum(len(arg) for arg in args if isinstance(arg, str))) < LONG:
        return
    left = room()
    if left is not None and length > left:
        raise failures.TOO_LONG_TEXT.error(length=length, left=max(left, 0))


def _evaluate(step: Apply, args: list[Value], functions: Mapping[str, tuple[Function, ...]]) -> Value:
    if step.function == "compare":
        return order_of(args[0], args[1])
    if step.function == "range_size":
        size = sum(1 for _ in islice(_range(args, functions), LONGEST_RANGE + 1))
        if size > LONGEST_RANGE:
            raise failures.TOO_LONG_RANGE.error(args=", ".join(map(repr, args)), most=LONGEST_RANGE)
        return size
    if step.function == "range_member":
        place = args.pop()
        assert isinstance(place, int)
        return next(islice(_range(args, functions), place, None))
    function = resolve(step.function, step.types, functions)
    assert function is not None, f"the type check admits {step.function}{step.types}"
    result: Value = function.evaluate(*args)
    return result


def _range(args: list[Value], functions: Mapping[str, tuple[Function, ...]]) -> Iterator[Value]:
    function = resolve("range", ["float"] * len(args), functions)
    assert function is not None
    return iter(function.evaluate(*args))


def _fits(value: Value, type_: str) -> bool:
    if isinstance(value, bool | int):
        return type_ in ("number", "unsigned", "boolean", "date", "timestamp")
    return False


def structure_cell(name: str, cells: Sequence[int], dictionary: Dictionary) -> int:
    """The result cell of a function that makes, reads or tests structures."""
    use = structure_use(name, dictionary)
    if use.kind == MAKE:
        return dictionary.pack((*use.tag, *cells))
    parts = dictionary.parts(cells[0])
    return use.other if parts is None else use.result(parts)


def structure_column(name: str, rows: Cells, dictionary: Dictionary) -> Cells:
    """The result cells of the same function for many rows of cells."""
    use = structure_use(name, dictionary)
    if use.kind == MAKE:
        tags = np.full((len(rows), len(use.tag)), use.tag, np.int64)
        return dictionary.pack_rows(np.ascontiguousarray(np.concatenate([tags, rows], axis=1)))
    found: Cells = np.full(len(rows), use.other)
    exist = rows[:, 0] != NIL_CELL
    opened = dictionary.entries.structures(rows[exist, 0])
    if opened is None:  # some are known only to other partitions, or are very recent
        found[exist] = [use.result(parts) for parts in dictionary.parts_of(rows[exist, 0].tolist())]
        return found
    parts, starts = opened
    places = exist.nonzero()[0]
    if use.tag:
        fits = parts[starts] == use.tag[0]
        places, starts = places[fits], starts[fits]
    found[places] = 1 if use.kind == TEST else parts[starts + use.place]
    return found


class StructureUse(NamedTuple):
    """What a function does with structures, in cells: ``other`` is the result for those of other constructors."""

    kind: int
    tag: tuple[int, ...]
    place: int
    other: int

    def result(self, parts: Sequence[int]) -> int:
        """The part that is read from a structure with these parts, or whether it has the constructor."""
        if tuple(parts[: len(self.tag)]) != self.tag:
            return self.other
        return 1 if self.kind == TEST else parts[self.place]


def structure_use(name: str, dictionary: Dictionary) -> StructureUse:
    """What a function that makes, reads or tests structures does."""
    structure = structure_of(name)
    assert structure is not None, "the type check names the type of every constructor"
    tag = (constructor_id(structure.constructor),) if structure.constructor else ()
    if structure.kind != READ:
        return StructureUse(structure.kind, tag, 0, 0)
    type_ = structure.parts[structure.place]
    other = dictionary.encode(least(type_), physical(type_))
    return StructureUse(READ, tag, len(tag) + structure.place, other)
