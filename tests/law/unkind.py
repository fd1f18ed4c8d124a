"""Partitions in one process between which messages are delivered as unkindly as can be.

Every row is a message of its own; in every round an arbitrary part of them arrives, in an arbitrary order, and
the others are held back, perhaps for many rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from tidelog.engine import open as opening
from tidelog.engine.engine import Engine
from tidelog.engine.open import Where
from tidelog.partition.dictionary import Dictionary
from tidelog.program import Program
from tidelog.runtime.coordinator import Coordinator
from tidelog.runtime.local import LocalNodes, Message
from tidelog.runtime.runtime import Runtime

if TYPE_CHECKING:
    from collections.abc import Iterator


def unkindly(rng: Random) -> Callable[[list[Message]], tuple[list[Message], list[Message]]]:
    """A choice of what is delivered now and what is held back."""

    def choose(messages: list[Message]) -> tuple[list[Message], list[Message]]:
        single = [(to, name, rows[i : i + 1]) for to, name, rows in messages for i in range(len(rows))]
        rng.shuffle(single)
        count = rng.randint(1, len(single))
        return single[:count], single[count:]

    return choose


@contextmanager
def partitions(count: int, rng: Random | None = None) -> Iterator[None]:
    """Engines made meanwhile have so many partitions; with ``rng`` their messages are delivered unkindly."""

    def make(where: Where, durable: object, folder: object) -> Runtime:
        functions, dictionary = where.functions, Dictionary()
        choose = None if rng is None else unkindly(rng)
        return Coordinator(functions, LocalNodes(functions, count, dictionary, choose), dictionary)

    with patch.object(opening, "make_runtime", make):
        yield


def engine_on(count: int, rng: Random | None = None) -> Callable[[Program], Engine]:
    """Makes engines with so many partitions."""

    def make(program: Program) -> Engine:
        with partitions(count, rng):
            return Engine(program)

    return make
