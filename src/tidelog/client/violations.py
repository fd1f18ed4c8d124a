"""Violations of constraints as a client sees them.

Law: they have the members of the engine's violations; a proof is the tree that `Client.why` returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class RemoteViolation:
    """One violation: the values of the constraint's variables, and why its body holds."""

    values: Mapping[str, Any]
    proof: Mapping[str, Any] = field(repr=False)
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RemoteViolated:
    """A constraint that an epoch violates: its label, what it forbids, how often, and the first violations."""

    constraint: str
    severity: str
    meaning: str
    count: int
    first: tuple[RemoteViolation, ...]
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


def read_violations(violations: Iterable[Mapping[str, Any]]) -> tuple[RemoteViolated, ...]:
    """The violations of a response, or of an error."""
    return tuple(
        RemoteViolated(
            each["constraint"],
            each["severity"],
            each["meaning"],
            each["count"],
            tuple(RemoteViolation(one["values"], one["proof"], one["text"]) for one in each["first"]),
            each["text"],
        )
        for each in violations
    )
