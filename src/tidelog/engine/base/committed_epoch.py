"""The state of an engine after its last committed epoch, as one value: its number, rules, types and sizes.

Law (D24): it is replaced as a whole, at the moment when readers see the facts of the epoch; code that needs two
consistent parts reads it once.
"""

from __future__ import annotations

from typing import NamedTuple

from tidelog.plan.ruleset import Ruleset, Schema


class CommittedEpoch(NamedTuple):
    """The engine after its last committed epoch."""

    rules: Ruleset
    schema: Schema  # of every relation that ever existed
    number: int
    sizes: dict[str, int | None]  # None: counted on request, until the records of the epoch are settled
