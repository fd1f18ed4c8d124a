"""Compute results of functions ahead of their use: for later facts of a batch, column by column.

Law: a function is pure, so that a result may be computed before it is needed; an argument for which the function fails
is left out, and fails when it is needed or never. Only functions of the language, and those of users that take columns,
are computed ahead (`function_columns`), for arguments that follow from one fact alone: the one that triggers the plan,
or the one that a plan over the whole state begins with. The number of examined facts grows as long as results are
missing, and starts again when facts were examined in vain, so that few results are computed in vain.

Results are kept in a column beside the rows that they follow from, and the step of the function holds its address
(`kernel.layout`), until the epoch ends or the next column replaces it. If the rows are far apart, results are
remembered beside their arguments instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import scalar
from tidelog.kernel.cells import Cells, address
from tidelog.kernel.support import remember_all
from tidelog.partition.code.assemble import VARIABLES
from tidelog.partition.code.function_columns import Column, has_columns, result_column
from tidelog.partition.code.machine import Machine

FEWEST, MORE, MOST = 32, 16, 1 << 16  # facts that are examined: at first, times more each time, at most
SPARSE = 8  # places for each row, up to which results are kept beside rows
ROW = -(1 << 20)  # the number of a column that no register has: the rows
CAREFUL = 1 << 10  # the same if memory is limited

_COMPARISONS: dict[int, Callable[[Any, Any], Any]] = {
    scalar.EQ: np.equal,
    scalar.NE: np.not_equal,
    scalar.LT: np.less,
    scalar.LE: np.less_equal,
    scalar.GT: np.greater,
    scalar.GE: np.greater_equal,
}


def answer_ahead(machine: Machine, pc: int, args: tuple[int, ...]) -> int:
    """Compute the function at ``pc`` for later facts; returns the number of distinct arguments, 0 without ``args``."""
    if not has_columns(machine.assembler.memories[int(machine.code[pc + at.S_REL])], machine.functions):
        return 0
    found = _answer_window(machine, pc, args) if _follows_from_one_fact(machine, pc) else 0
    if not found:
        machine.ahead.pop(pc, None)  # facts were examined in vain, and the next call may examine them again
    return found


def _answer_window(machine: Machine, pc: int, args: tuple[int, ...]) -> int:
    window = _window(machine, pc)
    columns = _Columns(machine)
    if not columns.start(window) or not columns.run_to(pc) or not columns.apply(pc):
        return 0
    number, results = int(machine.code[pc + at.S_REL]), columns.registers[int(machine.code[pc + at.S_SAME])]
    rows = columns.registers[ROW]
    assert isinstance(rows, np.ndarray)
    if int(rows.max()) - int(rows.min()) < SPARSE * len(rows):
        _keep_beside(machine, pc, rows, results, columns.generator)
        return columns.computed if rows.item(0) == columns.first_row else 0
    return columns.computed * _remember(machine, number, columns.table([*columns.arguments(pc), results]), args)


def _follows_from_one_fact(machine: Machine, pc: int) -> bool:
    """Whether only comparisons and functions come between the first fact of the plan and ``pc``."""
    code, state = machine.code, machine.state
    plan, first = state.item(at.PLAN), state.item(at.ITEM)
    items = machine.batch()[first : min(first + 1, state.item(at.END))]
    if not len(items):
        return False
    step = plan + at.P_BINDS + 3 * int(code[plan + at.P_NBIND])
    if items[0] < 0:
        step += int(code[step + at.S_LEN])  # the scan that a plan over the whole state begins with
    while step < pc:
        if code[step + at.S_OP] not in (at.COMPARE, at.APPLY):
            return False
        step += int(code[step + at.S_LEN])
    return True


def _keep_beside(machine: Machine, pc: int, rows: Cells, results: Column, generator: int) -> None:
    """Keep results beside the rows that they follow from."""
    first = int(rows.min())
    beside: Cells = np.zeros((int(rows.max()) - first + 1, 2), np.int64)
    are_next = len(beside) == len(rows) and bool((rows[1:] > rows[:-1]).all())
    places: Any = slice(None) if are_next else rows - first
    beside[places, 0] = 1
    beside[places, 1] = results
    machine.beside[pc] = beside
    machine.code[pc + at.A_FIRST : pc + at.A_GEN + 1] = first, len(beside), address(beside), generator


def _remember(machine: Machine, number: int, rows: Cells, args: tuple[int, ...]) -> bool:
    """Keep results beside their arguments; returns whether the requested one is among them."""
    relations, done = machine.relations, 0
    while done < len(rows):
        done = remember_all(relations.directory, relations.indexes, number, address(rows), done, len(rows))
        if done < len(rows):
            relations.grow(number)
    return bool((rows[:, :-1] == args).all(axis=1).any())


def _window(machine: Machine, pc: int) -> int:
    most = MOST if machine.limits.memory is None else CAREFUL
    known = machine.ahead.get(pc)
    window = machine.ahead[pc] = FEWEST if known is None else min(most, MORE * known)
    return window


class UnknownRegister(Exception):
    """A register whose value depends on more than the facts examined."""


class _Columns:
    """The registers of a plan for many facts at once."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.code = machine, machine.code
        self.registers: dict[int, Column] = {}
        self.count = 0
        self.step = 0  # the place of the next step
        self.generator = 0  # of the facts examined; 0: they trigger the plan
        self.first_row = -1  # the row of the first of them
        self.computed = 0  # distinct arguments of the function that was carried out last

    def start(self, window: int) -> bool:
        """Bind the facts that trigger the plan next, or that the scan it begins with visits next."""
        state = self.machine.state
        plan, first, end = state.item(at.PLAN), state.item(at.ITEM), state.item(at.END)
        items = self.machine.batch()[first : min(end, first + window)]
        if not len(items):
            return False
        self.step = plan + at.P_BINDS + 3 * int(self.code[plan + at.P_NBIND])
        if items[0] >= 0:
            rel = int(items[0]) >> 32
            rows = items[items >> 32 == rel] & at.LOW32
            return self._bind(self._records(rel)[rows], rows, plan + at.P_BINDS, int(self.code[plan + at.P_NBIND]))
        return self._scan(self.step, window)

    def _records(self, rel: int) -> Cells:
        return self.machine.relations.records(rel)

    def _scan(self, step: int, window: int) -> bool:
        if self.code[step + at.S_OP] != at.SCAN:
            return False
        self.generator = int(self.code[step + at.S_GEN])
        cursor = int(self.machine.cursors[self.generator])
        records = self._records(int(self.code[step + at.S_REL]))[cursor - 1 : cursor - 1 + window]
        accept = int(self.code[step + at.S_ACCEPT + self.machine.state.item(at.PHASE)])
        seen = ((accept >> (records[:, -2] & at.PRESENCE)) & 1).nonzero()[0]
        binds = step + at.S_KEYS + int(self.code[step + at.S_NKEY])
        self.step = step + int(self.code[step + at.S_LEN])
        kept = records if len(seen) == len(records) else records[seen]
        return self._bind(kept, seen + (cursor - 1), binds, int(self.code[step + at.S_NBIND]))

    def _bind(self, records: Cells, rows: Cells, place: int, binds: int) -> bool:
        self.count = len(records)
        if self.count < FEWEST:
            return False
        columns = [tuple(self.code[place + 3 * i : place + 3 * i + 3].tolist()) for i in range(binds)]
        checks = {~i: columns[i] for i in range(binds) if columns[i][1] == at.CHECK}  # under unused numbers
        self.registers = {register: records[:, column] for column, mode, register in columns if mode == at.BIND}
        self.registers |= {number: records[:, column] for number, (column, _, _) in checks.items()}
        self.registers[ROW], self.first_row = rows, rows.item(0)
        try:
            for number, (_, _, register) in checks.items():
                self._keep(self.registers[number] == self._register(register))
        except UnknownRegister:
            return False
        return True

    def run_to(self, pc: int) -> bool:
        """Carry out the steps before ``pc``; False if one needs more than the facts examined."""
        try:
            while self.step < pc:
                op = int(self.code[self.step + at.S_OP])
                if op == at.COMPARE:
                    self._compare(self.step)
                elif op != at.APPLY or not self.apply(self.step):
                    return False
                self.step += int(self.code[self.step + at.S_LEN])
        except UnknownRegister:
            return False
        return self.count > 0

    def apply(self, pc: int) -> bool:
        """Carry out a function; facts for which it has no result are dropped."""
        try:
            args = self.arguments(pc)
        except UnknownRegister:
            return False
        machine, number = self.machine, int(self.code[pc + at.S_REL])
        step = machine.assembler.memories[number]
        found = result_column(step, args, self.count, machine.functions, machine.assembler.dictionary)
        if found is None:
            return False
        self.registers[int(self.code[pc + at.S_SAME])], self.computed = found.cells, found.computed
        if found.known is not None:
            self._keep(found.known)
        return self.count > 0

    def arguments(self, pc: int) -> list[Column]:
        """The arguments of the function at ``pc``."""
        count = int(self.code[pc + at.S_NKEY])
        return [self._register(int(self.code[pc + at.S_KEYS + i])) for i in range(count)]

    def table(self, columns: list[Column]) -> Cells:
        """Columns side by side."""
        rows: Cells = np.empty((self.count, len(columns)), np.int64)
        for place, column in enumerate(columns):
            rows[:, place] = column
        return rows

    def _compare(self, step: int) -> None:
        op, kind = int(self.code[step + 3]), int(self.code[step + 4])
        left, right = (self._register(int(self.code[step + i])) for i in (5, 6))
        if kind != scalar.AS_NUMBER and op not in (scalar.EQ, scalar.NE):
            raise UnknownRegister
        self._keep(np.broadcast_to(_COMPARISONS[op](left, right), (self.count,)))

    def _keep(self, marked: Any) -> None:
        """Keep only the marked facts."""
        self.count = int(np.count_nonzero(marked))
        for register, column in self.registers.items():
            if not isinstance(column, int):
                self.registers[register] = column[marked]

    def _register(self, register: int) -> Column:
        if register >= VARIABLES:
            return int(self.machine.registers[register])
        found = self.registers.get(register)
        if found is None:
            raise UnknownRegister
        return found
