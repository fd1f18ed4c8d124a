"""A run of a program: loaded in one epoch, then changed epoch by epoch, on the engine or on the circuit.

Law: both kinds of session (`engine_session`, `circuit_session`) return the same relations and the same changes; they
differ in what they accept (the circuit runs positive Datalog) and in what they report about cost. Reading files and
printing are done elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from tidelog.engine.read.report import EpochStatistics

if TYPE_CHECKING:
    from tidelog.cli.output.view_change import ViewChange
    from tidelog.engine.read.view import Rows
    from tidelog.io.parameters import Layout
    from tidelog.spark.files import Input
    from tidelog.syntax import Epoch


@dataclass(frozen=True, slots=True)
class SessionEpoch:
    """One epoch of a session; ``changes`` are those of views, by name, unless the epoch loaded all facts."""

    number: int
    seconds: float
    changes: Mapping[str, ViewChange]
    statistics: EpochStatistics = field(default_factory=EpochStatistics)
    previewed: bool = False  # tried and not committed


class ProgramSession(Protocol):
    """A program that runs."""

    def load(self, data: Iterable[tuple[str, Input]]) -> SessionEpoch:
        """Run the first epoch: the program's rules and facts, and the facts of its files."""

    def apply(self, epoch: Epoch) -> SessionEpoch:
        """Apply one epoch of a change script."""

    def table(self, name: str, *, lists_as_text: bool) -> pa.Table:
        """A relation's rows in order."""

    def write(self, name: str, layout: Layout, path: Path) -> None:
        """Write a relation to a file, or to the table that the layout names."""

    def types(self, name: str) -> tuple[str | None, ...]:
        """The types of a relation's columns."""

    def undefined(self, name: str) -> Rows | None:
        """The undefined facts of a relation; None if it has none."""

    def size(self, name: str) -> int:
        """The number of a relation's facts."""

    @property
    def views(self) -> tuple[str, ...]:
        """The relations that have rules."""

    @property
    def relations(self) -> tuple[str, ...]:
        """All relations."""

    @property
    def fact_count(self) -> int:
        """The number of all facts held; may be called while an epoch runs."""

    @property
    def memory(self) -> int | None:
        """The bytes held, if known."""

    def profile(self) -> str:
        """Where the time was spent, if profiling was requested before."""

    def close(self) -> None:
        """Close the session; nothing may be called after this."""
