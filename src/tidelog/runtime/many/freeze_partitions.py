"""A frozen state of several partitions, wherever they live.

Law: reading it delays neither epochs nor other readers. Nodes that were started again have no copy: reading a lost copy
is an error, and another state is never returned in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tidelog.runtime.base import runtime_failures as failures
from tidelog.runtime.protocol.frozen_facts import Counts, FrozenFacts
from tidelog.runtime.protocol.nodes import Nodes
from tidelog.runtime.protocol.part_check import agree
from tidelog.runtime.protocol.recovery import Recovery
from tidelog.runtime.protocol.service import Service
from tidelog.verify.local_strata import LocalStratum, added_up
from tidelog.verify.report import Violation

T = TypeVar("T")


def freeze_partitions(
    nodes: Nodes, recovery: Recovery, number: int, names: Sequence[str], is_mirrored: Callable[[str], bool]
) -> FrozenFacts:
    """Let all nodes keep a copy of some relations under a number."""

    def ask(act: Callable[[], T]) -> T:
        try:
            return recovery.repeat(act)
        except Exception as error:
            if recovery.is_over:  # others have taken over
                raise failures.COPY_LOST.error() from error
            raise

    def read(partition: int, *page: Any) -> Counts:
        return _require(ask(lambda: nodes.ask_one(partition, Service.frozen_counts, number, *page)))

    def check(part: LocalStratum) -> tuple[Violation | None, int] | None:
        answers = [_require(answer) for answer in ask(lambda: nodes.ask(Service.check_part, number, part))]
        return added_up([(each.violation, each.supports) for each in answers]) if agree(answers) else None

    def close() -> None:
        if recovery.generation == generation and not recovery.is_over:  # otherwise the copies are gone
            recovery.try_once(lambda: nodes.ask(Service.drop_frozen, number))

    kept = recovery.ask(lambda: nodes.ask(Service.keep_frozen, number, list(names)))
    generation = recovery.generation
    sizes, asserted = (list(counts) for counts in zip(*kept, strict=True))
    return FrozenFacts(sizes, asserted, frozenset(filter(is_mirrored, names)), read, close, check)


def _require(value: T | None) -> T:
    if value is None:
        raise failures.COPY_LOST.error()
    return value
