"""Compute what a kernel that stopped needs from Python: the result of a function.

Law: a result is remembered together with its arguments, so that the plan that needs it finds it when it is resumed.
"""

from __future__ import annotations

import time

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import support
from tidelog.kernel.cells import Cells, address
from tidelog.partition.code.machine import Machine
from tidelog.partition.code.precompute import answer_ahead

TEXTS_SEEN = 1 << 18  # bytes of texts by which a limit may be exceeded before it is noticed


def answer(machine: Machine, pc: int) -> None:
    """Compute a function for the arguments in its registers and remember the result."""
    code, relations = machine.code, machine.relations
    if code[pc] == at.EXPOSE:
        first = int(code[pc + at.E_NGROUP])  # the kernel left its request there
        number, *asked = (int(cell) for cell in machine.scratch[first : first + 3])
        args = tuple(asked)
    else:
        number = int(code[pc + at.S_REL])
        count = int(code[pc + at.S_NKEY])
        args = tuple(int(machine.registers[code[pc + at.S_KEYS + i]]) for i in range(count))
        if _answer_ahead(machine, pc, args):
            machine.show_structures()
            return
    machine.check_time()  # a function may be slow, and many are called in one slice
    began = time.perf_counter()
    cells: Cells = np.array([*args, machine.call(number, args)], np.int64)
    _note(machine, pc, 1, began)
    while not support.remember(relations.directory, relations.indexes, number, address(cells)):
        relations.grow(number)
    machine.show_structures()


def _answer_ahead(machine: Machine, pc: int, args: tuple[int, ...]) -> bool:
    """Compute a function for later facts; returns whether the requested arguments are among theirs."""
    machine.check_time()
    began = time.perf_counter()
    found = answer_ahead(machine, pc, args)
    if found:
        _note(machine, pc, found, began)
    return found > 0


def _note(machine: Machine, pc: int, results: int, began: float) -> None:
    """Count the cost of a function, and check the memory limit from time to time."""
    machine.counters.note_calls(pc, results, time.perf_counter() - began)
    if machine.limits.memory is not None and machine.texts() > machine.texts_seen + TEXTS_SEEN:
        machine.look_up()


def room_left(machine: Machine) -> int | None:
    """The bytes that the epoch may still allocate, None if there is no limit."""
    limit = machine.limits.memory
    return None if limit is None else limit - machine.relations.memory() - machine.texts()
