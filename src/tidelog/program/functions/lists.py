"""Functions on lists, with their names in NDlog.

Law: a list is a tuple of values without an element type. Equality of elements is that of `same`: inside a list an
integer and a float differ even where Python holds them equal, since nothing but the value says which is meant.
Programs cannot compare lists by `<`; the witnesses of a min or max are nevertheless ordered, by `list_order`: shorter
lists first, then element by element, an order that does not change when both lists get the same elements at either end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidelog.program.functions.arithmetic import float_order
from tidelog.program.messages import program_failures as failures
from tidelog.program.values.term import Value

List = tuple[Value, ...]
DEEPEST = 100  # lists inside lists; deeper ones are refused, so that no pass over them runs out of stack

MOST_LISTS = 1 << 18  # inside a list, at any depth; a list that is doubled repeatedly soon has that many


def is_too_large(elements: Sequence[object]) -> bool:
    """Whether a list holds more than `MOST_LISTS` lists, at any depth; the search stops beyond that number.

    >>> is_too_large((1, (2, ("a",))))
    False
    """
    level, count = [elements], 0
    while level and count <= MOST_LISTS:
        level = [part for value in level for part in value if isinstance(part, tuple | list)]
        count += len(level)
    return count > MOST_LISTS


def is_too_deep(elements: Sequence[object]) -> bool:
    """Whether lists are nested more than `DEEPEST` deep, found without recursion.

    >>> is_too_deep((1, (2, ("a",))))
    False
    """
    level = [elements]
    for _ in range(DEEPEST):
        level = [part for value in level for part in value if isinstance(part, tuple | list)]
        if not level:
            return False
    return True


def same(left: Value, right: Value) -> bool:
    """Equality of values: NaN equals itself, and 1 is not 1.0.

    >>> same((1, "a"), (1, "a")), same((1,), (1.0,))
    (True, False)
    """
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return float_order(left) == float_order(right)
    return isinstance(left, float) == isinstance(right, float) and left == right


def list_order(value: Value) -> tuple[Any, ...]:
    """A key by which lists, and their elements, sort: numbers, floats, symbols, then lists, the shorter first.

    >>> sorted([(2, 1), (3,), ("a",), (1, 9), ()], key=list_order)
    [(), (3,), ('a',), (1, 9), (2, 1)]
    """
    if isinstance(value, tuple):
        return (3, len(value), *map(list_order, value))
    if isinstance(value, float):
        return (1, float_order(value))
    return (2, value) if isinstance(value, str) else (0, value)


def make(*elements: Value) -> List:
    """``[a, b, ...]`` and ``f_init(a, b)``."""
    return elements


def concatenate(front: Value, back: List) -> List:
    """``f_concat``: two lists joined; any other value becomes the first element before the list.

    >>> concatenate("s", ("a", "b")), concatenate(("s",), ("a", "b"))
    (('s', 'a', 'b'), ('s', 'a', 'b'))
    """
    return (*front, *back) if isinstance(front, tuple) else (front, *back)


def append(elements: List, last: Value) -> List:
    """``f_append``: one more element at the end, which may be a list."""
    return (*elements, last)


def member(elements: List, value: Value) -> int:
    """``f_member`` and ``f_inPath``: 1 if an element equals the value, else 0."""
    return int(any(same(element, value) for element in elements))


def size(elements: List) -> int:
    return len(elements)


def first(elements: List) -> Value:
    if not elements:
        raise failures.EMPTY_LIST.error(function="f_first")
    return elements[0]


def last(elements: List) -> Value:
    if not elements:
        raise failures.EMPTY_LIST.error(function="f_last")
    return elements[-1]


def element(elements: List, place: int) -> Value:
    """The element at a position, counted from 0."""
    if not 0 <= place < len(elements):
        problem = f"the list has {len(elements)} elements, but the one at position {place} is requested"
        raise failures.FUNCTION_ARGUMENT.error(function="element", problem=problem)
    return elements[place]


def without_last(elements: List) -> List:
    if not elements:
        raise failures.EMPTY_LIST.error(function="f_removeLast")
    return elements[:-1]


def without_first(elements: List) -> List:
    if not elements:
        raise failures.EMPTY_LIST.error(function="f_removeFirst")
    return elements[1:]
