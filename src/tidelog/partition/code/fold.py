"""Count, sum and mean, and the min and max of groups that are asked for: folded per group, exact to the last bit.

Law (D12): the result depends on the group's values alone, never on the order in which they came. A fold keeps exact
totals (floats as integers in units of 2^-1074), so that a change costs its own size; totals that are not at hand are
computed again from the facts, which makes them a cache and nothing more. A min or max has none: groups that change
are looked through again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tidelog.errors import EvaluationError
from tidelog.kernel.cells import Cells
from tidelog.partition.code.pick import Pick
from tidelog.partition.texts.dictionary import Dictionary, cell_float, float_cell, to_signed
from tidelog.partition.texts.order import order_of
from tidelog.plan.build import aggregate_of, is_folded
from tidelog.plan.work import RuleForm
from tidelog.program import Atom
from tidelog.program.functions.arithmetic import in_range, wrap
from tidelog.program.values.term import CHOICE, SUM, WRAPPING_SUM

UNIT = 1074  # every finite float is a multiple of 2^-1074
ORDERED = ("min", "max")
CACHED = 1 << 20
Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """What a group's values add up to; infinities and NaN are counted apart."""

    count: int = 0
    total: int = 0
    plus_infinite: int = 0
    minus_infinite: int = 0
    not_numbers: int = 0

    def plus(self, other: Totals, sign: int) -> Totals:
        """The totals with another group's added (1) or taken away (-1)."""
        return Totals(
            self.count + sign * other.count,
            self.total + sign * other.total,
            self.plus_infinite + sign * other.plus_infinite,
            self.minus_infinite + sign * other.minus_infinite,
            self.not_numbers + sign * other.not_numbers,
        )


NOTHING = Totals()


@dataclass(slots=True)
class Fold:
    """One aggregate rule: which columns of its source are the group and the value, and where they go in the head."""

    kind: str
    type: str
    group: tuple[int, ...]
    value: int | None
    head: tuple[int, ...]  # for each head column the place in the group, or -1 for the result
    label: str
    order: Callable[[int], Any] = int  # what the values of a min or max are compared by
    _totals: dict[Group, Totals] = field(default_factory=dict)
    _before: dict[Group, Totals] = field(default_factory=dict)

    def rows(self, totals: Iterable[tuple[Group, Totals]]) -> Cells:
        """The head facts of groups that are not empty."""
        found = [self._row(group, total) for group, total in totals if total.count]
        return np.array(found, np.int64).reshape(len(found), len(self.head))

    def change(
        self, inserted: Cells, deleted: Cells, old_rows: Callable[[Group], Cells | None], all_old: Callable[[], Cells]
    ) -> tuple[Cells, Cells]:
        """Head facts lost and gained when source rows come and go.

        ``old_rows`` gives the rows that a group had before the change, ``all_old`` those of all groups.
        """
        if self.kind in ORDERED:
            return self._look_again(inserted, deleted, old_rows)
        plus, minus = self.totals(inserted), self.totals(deleted)
        touched = {**plus, **minus}
        missing = [g for g in touched if g not in self._totals]
        if len(missing) > 256:
            known = self.totals(all_old())
            self._totals.update((g, known.get(g, NOTHING)) for g in missing)
        else:
            for group in missing:
                rows = old_rows(group)
                self._totals[group] = NOTHING if rows is None else self.totals(rows).get(group, NOTHING)
        before = {g: self._totals[g] for g in touched}
        after = {g: t.plus(plus.get(g, NOTHING), 1).plus(minus.get(g, NOTHING), -1) for g, t in before.items()}
        self._before.update(before)
        self._totals.update(after)
        lost, gained = {}, {}
        for group in touched:
            old, new = self._shown(before[group]), self._shown(after[group])
            if old != new:
                lost[group], gained[group] = before[group], after[group]
        return self.rows(lost.items()), self.rows(gained.items())

    def _look_again(
        self, inserted: Cells, deleted: Cells, old_rows: Callable[[Group], Cells | None]
    ) -> tuple[Cells, Cells]:
        """Head facts lost and gained by groups whose values come and go, looked through before and after."""
        touched = {**self.totals(inserted), **self.totals(deleted)}
        parts = [rows for group in touched if (rows := old_rows(group)) is not None]
        old: Cells = np.concatenate([*parts, inserted[:0]])
        gone = set(map(tuple, deleted.tolist()))
        stay: Cells = np.array([tuple(row) not in gone for row in old.tolist()], np.bool_)
        before, after = self.totals(old), self.totals(np.concatenate([old[stay], inserted]))
        lost = self.rows((g, t) for g, t in before.items() if not self._stays(t, after.get(g)))
        return lost, self.rows((g, t) for g, t in after.items() if not self._stays(t, before.get(g)))

    def _stays(self, one: Totals, other: Totals | None) -> bool:
        return other is not None and self._shown(one) == self._shown(other)

    def forget(self) -> None:
        """Nothing is remembered of any group."""
        self._totals.clear()
        self._before.clear()

    def commit(self) -> None:
        """The totals after the last change are those of the committed epoch."""
        self._before.clear()
        for group in [g for g, t in self._totals.items() if not t.count]:
            del self._totals[group]
        if len(self._totals) > CACHED:
            self._totals.clear()

    def undo(self) -> None:
        """The last change did not happen."""
        self._totals.update(self._before)
        self._before.clear()

    def totals(self, rows: Cells) -> dict[Group, Totals]:
        """The totals of every group of some source rows."""
        if not len(rows):
            return {}
        keys = rows[:, list(self.group)]
        if keys.shape[1]:
            unique, places = np.unique(keys, axis=0, return_inverse=True)
            groups = [tuple(g) for g in unique.tolist()]
            places = places.reshape(-1)
        else:
            groups, places = [()], np.zeros(len(rows), np.int64)
        counts = np.bincount(places, minlength=len(groups)).tolist()
        if self.kind == "count" or self.value is None:
            return {g: Totals(c) for g, c in zip(groups, counts, strict=True)}
        values = rows[:, self.value]
        if self.kind in ORDERED:
            return self._best(groups, places, values, counts)
        if self.type == "float":
            return self._float_totals(groups, places, values)
        sums = _integer_sums(values, places, len(groups), self.type == "unsigned")
        return {g: Totals(c, s) for g, c, s in zip(groups, counts, sums, strict=True)}

    def _float_totals(self, groups: list[Group], places: Cells, values: Cells) -> dict[Group, Totals]:
        found = [NOTHING] * len(groups)
        for place, cell in zip(places.tolist(), values.tolist(), strict=True):
            found[place] = found[place].plus(_float_total(cell_float(cell)), 1)
        return dict(zip(groups, found, strict=True))

    def _best(self, groups: list[Group], places: Cells, values: Cells, counts: list[int]) -> dict[Group, Totals]:
        """For every group its least or greatest value, in place of a total."""
        found: dict[int, int] = {}
        choose = min if self.kind == "min" else max
        for place, cell in zip(places.tolist(), values.tolist(), strict=True):
            found[place] = choose(found.get(place, cell), cell, key=self.order)
        return {g: Totals(c, found[i]) for i, (g, c) in enumerate(zip(groups, counts, strict=True))}

    def _row(self, group: Group, totals: Totals) -> list[int]:
        result = self._shown(totals)
        assert result is not None
        return [result if place < 0 else group[place] for place in self.head]

    def _shown(self, totals: Totals) -> int | None:
        """The cell of the result; None for an empty group, which shows nothing."""
        if not totals.count:
            return None
        if self.kind == "count":
            return totals.count
        if self.kind in ORDERED:
            return totals.total
        if self.kind == WRAPPING_SUM and self.type != "float":
            return to_signed(wrap(totals.total, self.type))
        if self.kind == SUM and self.type != "float":
            try:
                return to_signed(in_range(totals.total, self.type))
            except EvaluationError as error:
                raise error.reworded(f"rule {self.label}: sum: {error}; nothing was changed") from error
        divisor = totals.count if self.kind == "mean" else 1
        return float_cell(_quotient(totals, divisor << UNIT if self.type == "float" else divisor))


def _float_total(value: float) -> Totals:
    if math.isnan(value):
        return Totals(1, not_numbers=1)
    if math.isinf(value):
        return Totals(1, plus_infinite=int(value > 0), minus_infinite=int(value < 0))
    numerator, denominator = value.as_integer_ratio()
    return Totals(1, numerator * ((1 << UNIT) // denominator))


def _quotient(totals: Totals, divisor: int) -> float:
    """The nearest float to the exact quotient; infinities and NaN as IEEE addition gives them in any order."""
    if totals.not_numbers or (totals.plus_infinite and totals.minus_infinite):
        return math.nan
    if totals.plus_infinite or totals.minus_infinite:
        return math.inf if totals.plus_infinite else -math.inf
    try:
        return totals.total / divisor
    except OverflowError:
        return math.inf if totals.total > 0 else -math.inf


def _integer_sums(values: Cells, places: Cells, count: int, unsigned: bool) -> list[int]:
    """Exact sums per group: high and low halves are added apart, so that nothing overflows."""
    low, high = values & 0xFFFFFFFF, values >> 32
    if unsigned:
        high = high & 0xFFFFFFFF
    sums = []
    for part in (low, high):
        total = np.zeros(count, np.int64)
        np.add.at(total, places, part)
        sums.append(total.tolist())
    return [(h << 32) + lo for lo, h in zip(*sums, strict=True)]


def fold_of(form: RuleForm, dictionary: Dictionary) -> Fold | Pick | None:
    """The fold of a rule that is folded, or its choice."""
    aggregate, source = aggregate_of(form.rule), form.rule.body[0] if form.rule.body else None
    if aggregate is None or not is_folded(form.rule) or not isinstance(source, Atom):
        return None
    if aggregate.kind == CHOICE:
        types = (type_ or "number" for type_ in form.schema[source.predicate])
        return Pick(aggregate.domains, tuple(types), dictionary)
    keys = [arg for arg in form.rule.head.args if arg is not aggregate]
    head = tuple(-1 if arg is aggregate else keys.index(arg) for arg in form.rule.head.args)
    group = tuple(source.args.index(arg) for arg in keys)
    value = None if aggregate.value is None else source.args.index(aggregate.value)
    order = order_of(form.value_type, dictionary)
    return Fold(aggregate.kind, form.value_type, group, value, head, form.rule.users_label or "", order)
