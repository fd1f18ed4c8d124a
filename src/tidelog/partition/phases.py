"""The two phases in which a stratum follows a change, as one partition carries them out.

Laws (design, section 3): everything is retracted before anything is asserted; a suspended fact stays visible until its
losses are fired; a min or max inside recursion is cleaned up afterwards. Each phase runs to local quiescence; what
other partitions send is absorbed afterwards, and in each phase changes only grow, so that any order of arrival gives
the same facts and the same ``all``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tidelog.errors import EvaluationError
from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.kernel.cells import Cells
from tidelog.partition.journal import NOTHING, Changes
from tidelog.partition.machine import Machine
from tidelog.partition.owner import Parcel, share_rows
from tidelog.partition.records import STATE, columns_of, rows_with_key
from tidelog.partition.relations import Relations
from tidelog.partition.stratum import RuleCode, Stratum, Triggers

WHOLE_ITEM: Cells = np.full(1, -1, np.int64)
WHOLE_SPAN: Cells = np.array([[0, 1]], np.int64)


class Phases:
    """What `Partition` inherits; the attributes are the partition's."""

    number: int
    partitions: int
    machine: Machine
    relations: Relations
    _numbers: dict[int, RuleCode]
    _spans: Cells
    _touched: set[int]
    _pending: dict[int, Cells]
    _gained: list[tuple[RuleCode, Cells]]
    _folded_away: list[tuple[int, int, Cells]]

    def retract(self, stratum: Stratum, deletes: Mapping[int, Cells], changes: Mapping[int, Changes]) -> None:
        """Phase 1: all supports that the change takes away, to local quiescence."""
        machine, numbers = self.machine, self.relations.numbers
        lower, negated, own = stratum.tables(numbers)
        members = self._members(stratum)
        machine.reset_queue(joined([self._pending.pop(n, NOTHING) for n in members]))
        machine.state[at.OTAIL] = 0
        self._touched.update(members, *((c.shown, c.candidates) for c in stratum.choices))
        for number in members:
            if number in deletes:
                machine.change_facts(at.RETRACT_LOWER, number, deletes[number], at.BASE)
        self._gained = [self._fold(code, changes) for code in stratum.folds]
        self._fire(at.RETRACT_LOWER, lower, [changes[n].vanished for n in lower.relations if n in changes], -1)
        self._fire(at.RETRACT_LOWER, negated, [changes[n].appeared for n in negated.relations if n in changes], -1)
        self._run_losses(at.RETRACT_SAME, own)

    def absorb_losses(self, stratum: Stratum, parcel: Parcel, *, cleaning: bool = False) -> None:
        """Supports that other partitions took away, and what follows from that, to local quiescence."""
        phase = at.CLEAN_RETRACT if cleaning else at.RETRACT_SAME
        self._absorb(phase, parcel, -1)
        self._run_losses(phase, stratum.tables(self.relations.numbers)[2])

    def gain(
        self,
        stratum: Stratum,
        inserts: Mapping[int, Cells],
        changes: Mapping[int, Changes],
        new_rules: Sequence[RuleCode],
    ) -> None:
        """Phase 2, after the barrier: suspended facts that still have supports, then everything that is gained."""
        for code in new_rules:
            stratum.rules[code.label] = code
            stratum.forget_tables()
        lower, negated, own = stratum.tables(self.relations.numbers)
        members = self._members(stratum)
        self._touched.update(members, *((c.shown, c.candidates) for c in stratum.choices))
        self._open_choices(stratum)
        self._revive()
        for choice in stratum.choices:
            self.machine.reopen(choice)
        for code in new_rules:
            self._gain_rule(code)
        for code, gained in self._gained:
            self._change_folded(at.ASSERT_LOWER, code, gained)
        self._gain_facts(members, inserts, changes, lower, negated)
        if own.ranges:
            self._run(at.ASSERT_SAME, own, 1)
        self._gained = []

    def absorb_gains(self, stratum: Stratum, parcel: Parcel) -> None:
        """Supports that other partitions gave, and what follows from that, to local quiescence."""
        self._absorb(at.ASSERT_SAME, parcel, 1)
        own = stratum.tables(self.relations.numbers)[2]
        if own.ranges:
            self._run(at.ASSERT_SAME, own, 1)

    @property
    def has_stale(self) -> bool:
        """Whether exposed candidates were improved upon, so that a clean-up is due."""
        return bool(self.machine.state[at.STAIL])

    def retract_stale(self, stratum: Stratum) -> None:
        """Clean-up: retract what was improved upon; every group must show again what it showed before."""
        machine, own = self.machine, stratum.tables(self.relations.numbers)[2]
        stale = machine.stale.copy()
        machine.state[at.STAIL] = 0
        machine.state[at.CLEANING] = 1
        machine.reset_queue()
        self._fire(at.CLEAN_RETRACT, own, [stale], -1)
        self._run(at.CLEAN_RETRACT, own, -1)

    def restore_shown(self, stratum: Stratum) -> None:
        """After the retraction of stale values: what still has supports comes back."""
        self._revive()
        self._run(at.ASSERT_SAME, stratum.tables(self.relations.numbers)[2], 1)

    def end_gain(self, stratum: Stratum) -> None:
        """The phase is over on all partitions."""
        machine = self.machine
        self._close_choices(stratum)
        machine.state[at.CLEANING] = 0
        if machine.state[at.HIDDEN]:
            raise EvaluationError(
                f"{machine.state[at.HIDDEN]} groups of a min or max inside recursion depend on values that were "
                "improved upon; the rules are not monotone in the value; nothing was changed"
            )

    # What leaves and what arrives

    def take_away(self) -> dict[int, dict[str, Cells]]:
        """What leaves for each other partition: rows of (body rank, how many, columns) by relation."""
        found: dict[int, dict[str, list[Cells]]] = {}
        for to, number, rows in (*self.machine.take_away(), *self._folded_away):
            found.setdefault(to, {}).setdefault(self.relations.names[number], []).append(rows)
        self._folded_away.clear()
        return {to: {name: np.concatenate(rows) for name, rows in parts.items()} for to, parts in found.items()}

    def _absorb(self, phase: int, parcel: Parcel, sign: int) -> None:
        for name, rows in parcel.items():
            self.machine.apply(phase, self.relations.numbers[name], rows, sign)

    # Inner workings

    def _members(self, stratum: Stratum) -> list[int]:
        numbers = self.relations.numbers
        return [numbers[name] for name in stratum.relations if name in numbers]

    def _run_losses(self, phase: int, own: Triggers) -> None:
        if own.ranges:
            self._run(phase, own, -1)
        else:
            self.machine.hide_queue()  # nothing reads them, but a rule that is about to come would

    def _gain_facts(
        self,
        members: list[int],
        inserts: Mapping[int, Cells],
        changes: Mapping[int, Changes],
        lower: Triggers,
        negated: Triggers,
    ) -> None:
        """What the strata below and the base facts of the stratum itself give."""
        machine = self.machine
        self._fire(at.ASSERT_LOWER, lower, [changes[n].appeared for n in lower.relations if n in changes], 1)
        self._fire(at.ASSERT_LOWER, negated, [changes[n].vanished for n in negated.relations if n in changes], 1)
        for number in members:
            if number in inserts:
                self.relations.reserve(number, len(inserts[number]))
                machine.change_facts(at.ASSERT_LOWER, number, inserts[number], at.BASE)

    def _revive(self) -> None:
        """Suspended facts that still have supports are present again, in order of old rank."""
        suspended = self.machine.queue.copy()
        self.machine.reset_queue()
        if len(suspended):
            self.machine.revive(suspended[np.argsort(self._ranks(suspended), kind="stable")])

    def _gain_rule(self, code: RuleCode) -> None:
        """A new rule gains its supports."""
        if code.fold is None:
            self._whole(code, at.NEW_RULE, 1)
        else:
            gained = code.fold.rows(code.fold.totals(self._source_rows(code, at.NEW)).items())
            self._change_folded(at.ASSERT_LOWER, code, gained)

    def _open_choices(self, stratum: Stratum) -> None:
        """While a stratum is asserted, new candidates of its own go to the heap."""
        for choice in stratum.choices:
            if self.relations.names[choice.candidates] in stratum.relations:
                self.relations.directory[choice.candidates, at.CANDIDATES] = ((choice.column + 1) << 4) | choice.order

    def _close_choices(self, stratum: Stratum) -> None:
        for choice in stratum.choices:
            self.relations.directory[choice.candidates, at.CANDIDATES] = 0

    def _fold(self, code: RuleCode, changes: Mapping[int, Changes]) -> tuple[RuleCode, Cells]:
        """Take back the results of groups that change; gives the results that replace them."""
        assert code.fold is not None
        number = self.relations.numbers[code.source]
        change = changes.get(number)
        if change is None:
            return code, np.zeros((0, len(code.fold.head)), np.int64)
        index = self.relations.index(number, tuple(sorted(code.fold.group))) if code.fold.group else None

        def group_rows(group: tuple[int, ...]) -> Cells | None:
            return None if index is None else self._rows_of_group(number, index, code, group)

        lost, gained = code.fold.change(
            columns_of(self.relations, change.appeared, number),
            columns_of(self.relations, change.vanished, number),
            group_rows if index is not None else lambda group: self._source_rows(code, at.OLD),
            lambda: self._source_rows(code, at.OLD),
        )
        self._change_folded(at.RETRACT_LOWER, code, lost)
        return code, gained

    def _rows_of_group(self, number: int, index: int, code: RuleCode, group: tuple[int, ...]) -> Cells:
        assert code.fold is not None
        by_column = dict(zip(code.fold.group, group, strict=True))
        key: Cells = np.array([by_column[c] for c in sorted(by_column)], np.int64)
        rows = rows_with_key(self.relations, number, index, key)
        return self.relations.records(number)[rows, :STATE]

    def _change_folded(self, phase: int, code: RuleCode, rows: Cells) -> None:
        """Results of a fold: this partition's own are given or taken here, the others leave."""
        if not len(rows):
            return
        number = self.relations.numbers[code.rule.head.predicate]
        if self.partitions > 1:
            shares = share_rows(rows, int(self.relations.directory[number, at.PLACE]), self.partitions)
            rows = shares.pop(self.number)
            if not code.everywhere:
                others = [to for to in range(self.partitions) if to != self.number]
                self._folded_away += (
                    (to, number, _of_rank_0(share)) for to, share in zip(others, shares, strict=True) if len(share)
                )
        if len(rows):
            self.machine.change_facts(phase, number, np.ascontiguousarray(rows), 0)

    def _source_rows(self, code: RuleCode, flag: int) -> Cells:
        """The source rows of a fold: those before the epoch (OLD) or those now (NEW)."""
        records = self.relations.records(self.relations.numbers[code.source])
        return records[(records[:, STATE] & flag) != 0, :STATE]

    def _ranks(self, items: Cells) -> Cells:
        ranks = np.empty(len(items), np.int64)
        support.old_ranks(self.relations.directory, items, len(items), ranks)
        return ranks

    def _whole(self, code: RuleCode, phase: int, sign: int) -> None:
        plans: Cells = np.array([code.whole_place], np.int64)
        self._guard(lambda: self.machine.fire(phase, WHOLE_ITEM, WHOLE_SPAN, plans, sign))

    def _fire(self, phase: int, triggers: Triggers, items: list[Cells], sign: int) -> None:
        batch = joined(items)
        if len(batch):
            with_spans = self._with_spans(triggers)
            self._guard(lambda: self.machine.fire(phase, batch, with_spans, triggers.plans, sign))
            self._without_spans(triggers)

    def _run(self, phase: int, triggers: Triggers, sign: int) -> None:
        if not self.machine.has_work:
            return
        with_spans = self._with_spans(triggers)
        self._guard(lambda: self.machine.run_queue(phase, with_spans, triggers.plans, sign))
        self._without_spans(triggers)

    def _with_spans(self, triggers: Triggers) -> Cells:
        for number, first, last in triggers.ranges:
            self._spans[number] = (first, last)
        return self._spans

    def _without_spans(self, triggers: Triggers) -> None:
        for number, _, _ in triggers.ranges:
            self._spans[number] = 0

    def _guard(self, run: Callable[[], None]) -> None:
        """Run a kernel; a value that cannot be computed is told with the rule that wanted it."""
        try:
            run()
        except EvaluationError as error:
            self._spans[:] = 0
            code = self._numbers[self.machine.current_rule()]
            raise EvaluationError(f"rule {code.rule.root.label or code.label}: {error}; nothing was changed") from error
        except BaseException:
            self._spans[:] = 0
            raise


def joined(parts: list[Cells]) -> Cells:
    """The items of all parts."""
    full = [p for p in parts if len(p)]
    if len(full) == 1:
        return full[0]
    return np.concatenate(full) if full else NOTHING


def _of_rank_0(rows: Cells) -> Cells:
    """Rows as they leave: one support each, of body rank 0."""
    head = np.zeros((len(rows), 2), np.int64)
    head[:, 1] = 1
    return np.concatenate([head, rows], axis=1)
