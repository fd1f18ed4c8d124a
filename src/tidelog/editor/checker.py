"""Checks of whole texts in a process of their own, so that nobody who types waits for them.

Law: the outcome is that of `tidelog check`; one text is checked at a time. A process that ended is started anew. The
two processes are parent and child on one machine, and only they speak over their pipes.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tidelog.errors import Diagnostic, TidelogError
from tidelog.program.check import examine_program
from tidelog.syntax import read_program


@dataclass(frozen=True, slots=True)
class Level:
    """The stratum of a relation: its number, counted from 1, and whether it is recursive."""

    number: int
    recursive: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found: every finding, the types of columns, and the strata of derived relations."""

    findings: tuple[Diagnostic, ...]
    schema: Mapping[str, tuple[str | None, ...]]
    levels: Mapping[str, Level]


def check_text(text: str, path: str) -> Outcome:
    """Read and check a whole text."""
    program, read = read_program(text, path, include=Path(path).parent)
    try:
        checked, found = examine_program(program)
    except TidelogError as error:  # such as a functor of unknown types: `tidelog check` tells it, too
        return Outcome((*read, Diagnostic(error.code, str(error), None, error.note, error.hint)), {}, {})
    levels = {
        relation: Level(number, stratum.recursive)
        for number, stratum in enumerate(checked.strata, 1)
        for relation in stratum.relations
    }
    return Outcome((*read, *found), dict(checked.schema), levels)


class Checker:
    """Asks a process to check texts; the process is started when the first one comes."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()

    def check(self, text: str, path: str) -> Outcome:
        """The outcome for a text; waits for it."""
        with self._turn:
            try:
                return self._ask(text, path)
            except (OSError, EOFError):
                self.stop()
                return self._ask(text, path)

    def _ask(self, text: str, path: str) -> Outcome:
        if self._process is None:
            command = [sys.executable, "-m", "tidelog.editor.checker"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None and answered is not None  # noqa: PT018  # both are pipes
        pickle.dump((text, path), asked)
        asked.flush()
        outcome: Outcome = pickle.load(answered)
        return outcome

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()


def serve(asked: IO[bytes], answered: IO[bytes]) -> None:
    """Check what is asked until nobody asks any more."""
    while True:
        try:
            text, path = pickle.load(asked)
        except EOFError:
            return
        pickle.dump(check_text(text, path), answered)
        answered.flush()


if __name__ == "__main__":
    # What is printed by accident goes to the standard error: the standard output speaks to the parent alone.
    pipe, sys.stdout = sys.stdout.buffer, sys.stderr
    from tidelog.editor import checker  # so that what is sent is of the module that the parent knows

    checker.serve(sys.stdin.buffer, pipe)
