"""Checks of whole texts in a separate process, so that typing never waits for them.

Law: the outcome is that of `tidelog check`; one text is checked at a time. A process that has ended is started again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tidelog.errors import Diagnostic, TidelogError
from tidelog.program.check import examine_program
from tidelog.syntax import read_program
from tidelog.syntax.worker import AbortedCall, Worker


@dataclass(frozen=True, slots=True)
class Level:
    """The stratum of a relation: its number, counted from 1, and whether it is recursive."""

    number: int
    recursive: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a check: every finding, the types of columns, and the strata of derived relations."""

    findings: tuple[Diagnostic, ...]
    schema: Mapping[str, tuple[str | None, ...]]
    levels: Mapping[str, Level]


def check_text(text: str, path: str) -> Outcome:
    """Read and check a whole text."""
    program, read = read_program(text, path, include=Path(path).parent)
    try:
        checked, found = examine_program(program)
    except TidelogError as error:  # such as a functor of unknown types: `tidelog check` reports it, too
        return Outcome((*read, Diagnostic(error.code, str(error), None, error.note, error.hint)), {}, {})
    levels = {
        relation: Level(number, stratum.recursive)
        for number, stratum in enumerate(checked.strata, 1)
        for relation in stratum.relations
    }
    return Outcome((*read, *found), dict(checked.schema), levels)


class Checker:
    """Sends texts to a process that checks them; the process is started for the first text."""

    def __init__(self) -> None:
        self._worker = Worker((__name__,))

    def check(self, text: str, path: str) -> Outcome:
        """Wait for the outcome for a text."""
        try:
            outcome: Outcome = self._worker.call(check_text, text, path)
        except AbortedCall:  # perhaps while it was checking another text
            outcome = self._worker.call(check_text, text, path)
        return outcome

    def stop(self) -> None:
        """End the process."""
        self._worker.stop()
