"""The choice of indexes for the look-ups of all plans: as few as possible without a much higher cost.

Law: a look-up by some columns finds the same facts through an index on fewer of them, if the other columns are compared
one by one. Where the shorter key is nearly as selective, the longer index is not created, which saves its maintenance
and memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tidelog.plan.steps import Plan, Step, Visit

Lookup = tuple[str, tuple[int, ...]]  # a relation and the columns of a key
SHORT = 4.0  # rows that may be visited for each wanted one


def choose_indexes(
    wanted: Iterable[Lookup], fixed: Iterable[Lookup], chain: Callable[[Lookup], float]
) -> dict[Lookup, Lookup]:
    """The index that serves each look-up; ``fixed`` ones exist anyway, ``chain`` returns the rows of one key.

    >>> lengths = {("f", (1,)): 3.0, ("f", (0, 1)): 1.0, ("f", (0,)): 500.0}
    >>> sorted(choose_indexes(lengths, (), lengths.__getitem__).items())
    [(('f', (0,)), ('f', (0,))), (('f', (0, 1)), ('f', (1,))), (('f', (1,)), ('f', (1,)))]
    """
    kept = set(fixed)
    found = {}
    for lookup in sorted(wanted, key=lambda lookup: (lookup[0], len(lookup[1]), lookup[1])):
        found[lookup] = lookup if lookup in kept else serving(lookup, kept, chain)
        kept.add(found[lookup])
    return found


def serving(lookup: Lookup, kept: Iterable[Lookup], chain: Callable[[Lookup], float]) -> Lookup:
    """The index among ``kept`` that serves a look-up well enough, or a separate one."""
    relation, columns = lookup
    shorter = [other for other in kept if other[0] == relation and set(other[1]) < set(columns)]
    if not shorter:
        return lookup
    most = SHORT * max(1.0, chain(lookup))
    return min(((length, other) for other in shorter if (length := chain(other)) <= most), default=(0.0, lookup))[1]


def narrowed(plan: Plan, served: Mapping[Lookup, Lookup]) -> Plan:
    """The plan with look-ups that use the indexes chosen for them."""
    steps = tuple(_narrowed(step, served) for step in plan.steps)
    return plan if steps == plan.steps else replace(plan, steps=steps)


def _narrowed(step: Step, served: Mapping[Lookup, Lookup]) -> Step:
    if not isinstance(step, Visit) or step.lookup is None:
        return step
    columns = served.get(step.lookup, step.lookup)[1]
    return step if columns == step.columns else by_columns(step, columns)


def by_columns(step: Visit, columns: tuple[int, ...]) -> Visit:
    """A visit that uses some of its possible key columns for the look-up, and compares the others."""
    pairs = sorted((*step.key, *step.filters), key=lambda pair: pair[0])
    key = tuple(pair for pair in pairs if pair[0] in columns)
    return replace(step, key=key, filters=tuple(pair for pair in pairs if pair[0] not in columns), range=None)


def lookups(plans: Iterable[Plan]) -> set[Lookup]:
    """The possible look-ups of the visits of some plans."""
    return {s.lookup for plan in plans for s in plan.steps if isinstance(s, Visit) and s.lookup is not None}


def scanned_first(plan: Plan, exists: Callable[[Lookup], bool]) -> Plan:
    """A plan that runs once, without an index created for its first visit: it looks at all facts instead."""
    for at, step in enumerate(plan.steps):
        if isinstance(step, Visit):
            if step.index is None or exists(step.index):
                return plan
            return replace(plan, steps=(*plan.steps[:at], by_columns(step, ()), *plan.steps[at + 1 :]))
    return plan


def with_estimates(plan: Plan, other: Plan) -> Plan:
    """A plan with the estimates of another plan of the same order; unchanged if the orders differ."""
    if [_place(step) for step in plan.steps] != [_place(step) for step in other.steps]:
        return plan
    return replace(plan, steps=tuple(map(_with_estimate, plan.steps, other.steps)))


def _place(step: Step) -> int | None:
    return step.position if isinstance(step, Visit) else None


def _with_estimate(step: Step, other: Step) -> Step:
    if isinstance(step, Visit) and isinstance(other, Visit):
        return replace(step, estimate=other.estimate)
    return step
