"""What the last committed epoch made of an engine, as one value: its number, rules, types and sizes.

Law (D24): it is replaced as a whole, at the moment in which readers see the facts of the epoch; whoever wants two of
its parts that belong together reads it once. A size that is not known yet is counted by whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidelog.plan.ruleset import Ruleset, Schema


@dataclass(frozen=True, slots=True)
class Committed:
    """The engine after its last committed epoch."""

    rules: Ruleset
    schema: Schema = field(default_factory=dict)  # of every relation there ever was
    number: int = 0
    sizes: Mapping[str, int | None] = field(default_factory=dict)
