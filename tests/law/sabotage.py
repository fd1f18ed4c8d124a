"""Ways to make an epoch fail in the middle, at the n-th chance.

Each is a context: inside it the engine meets the trouble, after it all is as before. They reach into the machine, since
nothing else can stop an epoch at a chosen place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from tidelog.engine.engine import Engine, core_of
from tidelog.errors import EvaluationError, LimitError
from tidelog.kernel.cells import Cells
from tidelog.partition.base import block, choice_lists
from tidelog.partition.base.limits import Limits
from tidelog.partition.code import machine
from tidelog.partition.code.machine import Machine
from tidelog.partition.memory import messages, queue, relations, table
from tidelog.partition.memory.journal import net_changes
from tidelog.partition.phases.rebuild_cost import RebuildCost
from tidelog.runtime.base.interrupts import Interrupts
from tidelog.runtime.node import small_epoch, visit


@contextmanager
def tiny_slices(budget: int) -> Iterator[None]:
    """Kernels stop after visiting this many rows, again and again; no epoch is small."""

    def start(self: Machine, *noted: Cells) -> None:
        begin(self, *noted)
        self._budget = budget

    begin = Machine.start_epoch
    with ExitStack() as patches:
        patches.enter_context(patch.object(small_epoch, "MOST_ROWS", -1))
        patches.enter_context(patch.object(Machine, "start_epoch", start))
        patches.enter_context(patch.object(Machine, "_adapt", lambda *_: None))
        yield


@contextmanager
def rebuilding(rng: Random, likely: float = 0.5) -> Iterator[list[str]]:
    """Retractions tip at random places, before they begin or in the middle; the list records each that did."""
    tipped: list[str] = []

    def tips(self: RebuildCost, *_: Any) -> bool:
        if rng.random() > likely:
            return False
        self.reason = f"by chance, holding {self.held} and having lost {self.lost()}"
        tipped.append(self.reason)
        return True

    with ExitStack() as patches:
        patches.enter_context(tiny_slices(rng.choice([1, 1, 2, 3, 7])))
        patches.enter_context(patch.object(RebuildCost, "tips", tips))
        patches.enter_context(
            patch.object(RebuildCost, "tips_at_once", lambda self, *_: rng.random() < 0.3 and tips(self))
        )
        yield tipped


def _at_chance(number: int, act: Callable[[], None]) -> Callable[..., None]:
    left = [number]

    def chance(*_: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            act()

    return chance


def _raise(error: BaseException) -> Callable[[], None]:
    def act() -> None:
        raise error

    return act


@contextmanager
def interrupt(db: Engine, number: int) -> Iterator[type[BaseException]]:
    """Ctrl-C in the n-th slice."""
    with tiny_slices(3), patch.object(Interrupts, "check", _at_chance(number, _raise(KeyboardInterrupt()))):
        yield KeyboardInterrupt


class _ShortOfMemory:
    """numpy, but at the n-th array there is no memory."""

    def __init__(self, number: int) -> None:
        self._chance = _at_chance(number, _raise(MemoryError("no more")))

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if name not in ("zeros", "empty", "concatenate", "zeros_like", "empty_like", "full"):
            return found

        def allocate(*args: Any, **options: Any) -> Any:
            self._chance()
            return found(*args, **options)

        return allocate


@contextmanager
def out_of_memory(db: Engine, number: int) -> Iterator[type[BaseException]]:
    """There is no memory for the n-th array."""
    short = _ShortOfMemory(number)
    with ExitStack() as patches:
        for module in (relations, block, table, machine, queue, messages, choice_lists):
            patches.enter_context(patch.object(module, "np", short))
        yield LimitError


@contextmanager
def over_the_limit(db: Engine, number: int) -> Iterator[type[BaseException]]:
    """The limit of seconds is over in the n-th slice."""

    def expire() -> None:
        raise LimitError("the epoch took longer than its limit; nothing was changed")

    with tiny_slices(3), patch.object(Machine, "check_limits", _at_chance(number, expire)):
        yield LimitError


@contextmanager
def too_many_facts(db: Engine, number: int) -> Iterator[type[BaseException]]:
    """This many facts and no more."""
    own = core_of(db).runtime.node.partition.machine
    before, own.limits = own.limits, Limits(facts=number)
    try:
        with tiny_slices(1):
            yield LimitError
    finally:
        own.limits = before


@contextmanager
def no_value(db: Engine, number: int) -> Iterator[type[BaseException]]:
    """The n-th stratum ends in an evaluation error."""
    chance = _at_chance(number, _raise(EvaluationError("division by zero: 1 / 0")))
    after = net_changes

    def fail_after(*args: Any) -> Any:
        chance()
        return after(*args)

    with patch.object(visit, "net_changes", fail_after):
        yield EvaluationError


TROUBLES = (interrupt, out_of_memory, over_the_limit, too_many_facts, no_value)
