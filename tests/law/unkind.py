"""Partitions in one process that go on in any order, and between which messages are delivered as unkindly as can be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING
from unittest.mock import patch

from tidelog.engine.base.location import EngineLocation
from tidelog.engine.engine import Engine
from tidelog.engine.open import alter, repartition  # noqa: F401  # they keep the real partitions when these are patched
from tidelog.engine.open import open as opening
from tidelog.lab.order.ways import unkindly
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.program import Program
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.protocol.runtime import Runtime

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def partitions(count: int, rng: Random | None = None) -> Iterator[None]:
    """Engines made meanwhile have this many partitions; with ``rng`` their messages are delivered unkindly."""

    def make(where: EngineLocation, durable: object, folder: object) -> Runtime:
        functions, dictionary = where.functions, Dictionary()
        if rng is None:
            return Coordinator(functions, LocalNodes(functions, count, dictionary), dictionary)
        nodes = LocalNodes(functions, count, dictionary, unkindly(rng), rng.randrange)
        return Coordinator(functions, nodes, dictionary)

    with patch.object(opening, "make_runtime", make):
        yield


def engine_on(count: int, rng: Random | None = None) -> Callable[[Program], Engine]:
    """Makes engines with this many partitions."""

    def make(program: Program) -> Engine:
        with partitions(count, rng):
            return Engine(program)

    return make
