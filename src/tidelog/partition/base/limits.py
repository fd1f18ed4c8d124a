"""The limits of an epoch (D6).

Law: reaching a limit aborts the epoch with an error, and nothing is changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.partition.base import partition_failures as failures
from tidelog.program.functions.arguments import must_be, must_be_amount


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an epoch; None means no limit. Memory is in bytes, for all relations, texts and lists together.

    ``rebuild=False`` forbids rebuilding a stratum during an epoch.
    """

    facts: int | None = None
    rounds: int | None = None  # batches fired inside recursion
    seconds: float | None = None
    memory: int | None = None
    rebuild: bool = True  # whether a stratum may be rebuilt if retraction costs more

    def __post_init__(self) -> None:
        must_be_amount(self.facts, "facts", "a number of facts, or None")
        must_be_amount(self.rounds, "rounds", "a number of rounds, or None")
        must_be_amount(self.seconds, "seconds", "a number of seconds, or None", whole=False)
        must_be_amount(self.memory, "memory", "a number of bytes, or None")
        must_be(self.rebuild, bool, "rebuild", "True or False")


def may_rebuild(limits: Limits) -> bool:
    """Whether a stratum may be rebuilt; false if rounds are limited, since a rebuild needs more of them."""
    return limits.rebuild and limits.rounds is None


def check_facts(limits: Limits, facts: int) -> None:
    """Raise LimitError if an epoch created more facts than allowed."""
    if limits.facts is not None and facts > limits.facts:
        raise failures.TOO_MANY_FACTS.error(facts=facts, limit=limits.facts)


def check_memory(limits: Limits, used: int) -> None:
    """Raise LimitError if the relations need more bytes than allowed."""
    if limits.memory is not None and used > limits.memory:
        raise failures.TOO_MUCH_MEMORY.error(used=used, limit=limits.memory)
