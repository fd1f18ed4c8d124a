"""What the last committed epoch made of an engine, as one value: its number, rules, types and sizes.

Law (D24): it is replaced as a whole, at the moment in which readers see the facts of the epoch; whoever wants two of
its parts that belong together reads it once.
"""

from __future__ import annotations

from typing import NamedTuple

from tidelog.plan.ruleset import Ruleset, Schema


class Committed(NamedTuple):
    """The engine after its last committed epoch."""

    rules: Ruleset
    schema: Schema  # of every relation there ever was
    number: int
    sizes: dict[str, int | None]  # None: counted by whoever asks, until the records of the epoch are at rest
