"""Partitions that die on command, and engines beside the naive evaluator: for tests of recovery.

A test writes an order, `die(...)`; the partition that it names kills its own process at its next call of that method.
So every moment of an epoch can be hit exactly, whatever the speed of the machine.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.law.harness import commit, labelled
from tidelog import Engine, user_function
from tidelog.engine.write.epoch import Epoch
from tidelog.program.functions.table import FUNCTIONS, Function, Functions
from tidelog.runtime.base.call import Arguments
from tidelog.runtime.protocol.service import Service
from tidelog.spark.resident_node import ResidentNode
from tidelog.store.log.markers import PieceContext, PieceNote
from tidelog.syntax import parse_program
from tidelog.syntax.changes import parse_changes
from tidelog.testing import EpochChanges, State
from tidelog.testing.invariants import violations
from tidelog.testing.naive import evaluate
from tidelog.testing.programs import epoch_changes


@dataclass(frozen=True)
class Orders:
    """What partitions are to do, in a file that they look at."""

    folder: str

    def die(self, method: str, *, after: bool = False, number: int = 1, times: int = 1, how: str = "die") -> None:
        """Partition ``number`` is to die when it is called, or when it is about to answer."""
        self._file.write_text(f"{method} {int(after)} {number} {times} {how}")

    def fail(self, method: str) -> None:
        """A partition is to raise an error once."""
        self.die(method, how="fail")

    def live(self) -> None:
        """No process is to be killed."""
        self._file.unlink(missing_ok=True)

    @property
    def left(self) -> int:
        """How often somebody is still to die."""
        return int(self._read()[3]) if self._read() else 0

    def obey(self, method: str, number: int, *, after: bool) -> None:
        """In a partition: die, or fail, if that is the order."""
        order = self._read()
        if order and order[:3] == [method, str(int(after)), str(number)] and int(order[3]) > 0:
            self.die(method, after=after, number=number, times=int(order[3]) - 1)
            if order[4] == "fail":
                raise MemoryError(f"no {method} today")
            os.kill(os.getpid(), signal.SIGKILL)

    @property
    def _file(self) -> Path:
        return Path(self.folder, "order")

    def _read(self) -> list[str]:
        try:
            return self._file.read_text().split()
        except FileNotFoundError:
            return []


class FragileNode(ResidentNode):
    """A partition that obeys."""

    orders: Orders

    def __init__(self, functions: Functions, number: int, partitions: int) -> None:
        super().__init__(functions, number, partitions)
        self.service.write_piece = self._write_piece  # which is also done with the last step, without a call

    def _write_piece(self, keeping: PieceContext) -> PieceNote:
        number = self.service.node.partition.number
        self.orders.obey("write_piece", number, after=False)
        note = Service.write_piece(self.service, keeping)
        self.orders.obey("write_piece", number, after=True)
        return note

    def call(self, method: str, given: Arguments) -> object:
        """Answer, or die before or after it."""
        number = self.service.node.partition.number
        self.orders.obey(method, number, after=False)
        answer = super().call(method, given)
        self.orders.obey(method, number, after=True)
        return answer


@dataclass(frozen=True)
class MakeFragile:
    """Takes the place of `MakeResidentNode`."""

    orders: Orders

    def __call__(self, functions: tuple[Function, ...], budget: int | None = None) -> Callable[[int, int], FragileNode]:
        orders = self.orders

        def make(number: int, partitions: int) -> FragileNode:
            node = FragileNode(table_of(functions), number, partitions)
            node.orders = orders
            return node

        return make


def table_of(functions: Iterable[Function]) -> Functions:
    """Tidelog's own functions and these."""
    table: Functions = FUNCTIONS
    for function in functions:
        table = table.with_function(function)
    return table


def waiting(folder: Path, name: str = "wait") -> Function:
    """A function that says, in a partition, that it was called, and returns its argument once it may go on."""
    driver, begun, go = os.getpid(), folder / "begun", folder / "go"

    @user_function(name, ("number",), "number")
    def wait(value: int) -> int:
        if os.getpid() != driver:
            begun.touch()
            until = time.monotonic() + 240
            while not go.exists() and time.monotonic() < until:
                time.sleep(0.05)
        return value

    return wait


class Beside:
    """An engine and the naive evaluator, with the same changes, one epoch per script."""

    def __init__(self, db: Engine, program: str, functions: Iterable[Function] = ()) -> None:
        self.db = db
        self.state = State.start(labelled(parse_program(program)))
        self.functions = table_of(functions)

    def epoch(self, script: str) -> Epoch:
        """Commit one epoch; facts, counts and the change feed are checked."""
        before = self.model()
        epoch = self.try_epoch(script)
        after = self.check()
        for name in after:
            output = epoch.changes[name]
            old, new = before.get(name, frozenset()), after[name]
            assert (frozenset(output.inserted), frozenset(output.deleted)) == (new - old, old - new), name
        return epoch

    def try_epoch(self, script: str) -> Epoch:
        """Commit one epoch, if that can be done; nothing is checked."""
        epoch = commit(self.db, self._changes(script), self.state.program.convention)
        self.note(script)
        return epoch

    def note(self, script: str) -> None:
        """An epoch that the engine has committed."""
        self.state = self.state.after(self._changes(script))

    def _changes(self, script: str) -> EpochChanges:
        (read,) = parse_changes(script, convention=self.state.program.convention)
        return epoch_changes(read)

    def model(self) -> dict[str, frozenset[tuple[Any, ...]]]:
        """What the naive evaluator says."""
        return evaluate(self.state.program, self.state.relations(), self.functions)

    def check(self) -> dict[str, frozenset[tuple[Any, ...]]]:
        """Facts as from scratch, and I1 and I2; returns the facts."""
        model = self.model()
        assert {name: frozenset(self.db[name]) for name in model} == model
        assert violations(self.db.state(), self.functions) == []
        return model
