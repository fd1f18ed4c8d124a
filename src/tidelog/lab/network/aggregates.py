"""Aggregates of heads: one row for each group.

Law: the result depends on the set of solutions, never on their order. Among equal minima (or maxima) the columns that
come with the value are those of the least row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tidelog.lab.network.compile import Bindings, CompiledRule
from tidelog.lab.network.functions import Surroundings, order
from tidelog.lab.network.program import AVERAGE, BROADCAST, COUNT, COUNT_DISTINCT, LIST, MAX, MIN, Row, Value


def grouped(
    rule: CompiledRule, found: Sequence[Bindings], surroundings: Surroundings
) -> Iterator[tuple[Row, Bindings, Value]]:
    """Each group with the bindings that its head is made of, and the value of the aggregate."""
    grouping = rule.grouping
    assert grouping is not None
    groups: dict[Row, list[tuple[Value, Row, Bindings]]] = {}
    for bindings in found:
        bindings.setdefault(BROADCAST, None)
        row = tuple(arg(bindings, surroundings) for arg in rule.head.args)
        value = 1 if grouping.value is None else grouping.value(bindings, surroundings)
        groups.setdefault(tuple(row[at] for at in grouping.group), []).append((value, row, bindings))
    for group, members in groups.items():
        yield _one(grouping.kind, group, members)


def _one(kind: str, group: Row, members: list[tuple[Value, Row, Bindings]]) -> tuple[Row, Bindings, Value]:
    least = min(members, key=lambda member: order(member[1]))
    values = [value for value, _, _ in members]
    if kind in (MIN, MAX):
        best = (min if kind == MIN else max)(values, key=order)
        among = [member for member in members if member[0] == best]
        return group, min(among, key=lambda member: order(member[1]))[2], best
    if kind == COUNT:
        return group, least[2], len(values)
    if kind == COUNT_DISTINCT:
        return group, least[2], len(set(values))
    if kind == LIST:
        return group, least[2], tuple(sorted(values, key=order))
    numbers = [value for value in values if isinstance(value, int | float)]
    total = sum(numbers)
    return group, least[2], total / len(numbers) if kind == AVERAGE and numbers else total
