"""What an input does: a change, a query or a command. The same at a prompt, in a pipe and in a notebook.

Law: every change is one epoch, reported with what it changed and how long it took; an input in error changes nothing
and is reported as a diagnostic.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.input.load import start_engine
from tidelog.cli.repl import change, files, questions
from tidelog.cli.repl.commands import BARE, COMMANDS, SYNONYMS
from tidelog.cli.repl.inputs import is_query
from tidelog.cli.repl.reports import Failure, Findings
from tidelog.cli.repl.session import ReplState, require_argument
from tidelog.engine.engine import core_of
from tidelog.engine.read.query import undefined_behind
from tidelog.errors import ProgramError, TidelogError, TidelogWarning
from tidelog.explain.numbers import duration
from tidelog.syntax import parse_program

PATIENCE = 0.5  # seconds for which a query is repeated
MOST = 1000  # maximum number of repetitions


class ReplSession(ReplState):
    """A session that executes its input."""

    def execute(self, text: str) -> bool:
        """Execute an input; returns False if it was in error, after showing the error."""
        try:
            self.carry_out(text)
        except ProgramError as error:
            self.report(Findings(tuple(error.diagnostics)))
            return False
        except TidelogError as error:
            self.report(Failure(error))
            return False
        except KeyboardInterrupt as interrupt:
            self.line(f"interrupted; nothing was changed{interrupt}")
            return False
        return True

    def carry_out(self, text: str) -> None:
        """Execute an input, or raise its error; warnings are shown."""
        met: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as met:
                warnings.simplefilter("always", TidelogWarning)
                self.dispatch(text.rstrip())
        finally:
            for warning in met:
                self.line(f"warning: {warning.message}")

    def dispatch(self, text: str) -> None:
        """Execute an input; the text is read unmodified, so that positions in diagnostics are right."""
        bare = text.strip()
        word = bare.removesuffix(".").removesuffix("()")
        if word in BARE and (not bare.endswith(".") or self._ends_session(word)):
            self._command(word)
        elif bare.startswith(":") and not bare.startswith(":-"):
            self._command(bare[1:])
        elif is_query(bare):
            answers = self.ask(text)
            self.note_undefined(undefined_behind(core_of(self.db), text))  # first: a notebook returns the last report
            self.report(answers)
        elif bare.startswith((".", "#")):
            self._declare(bare)
        elif bare.startswith(("+", "-")):
            change.script(self, text)
        elif bare:
            change.clauses(self, text)

    def _ends_session(self, word: str) -> bool:
        """Whether `halt.` ends the session, as in Prolog; it is a fact if the program has such a relation."""
        return SYNONYMS.get(word, word) == "quit" and word not in self.db.relations

    def _declare(self, text: str) -> None:
        """Add declarations; in an empty engine they also determine how the rest is read (D7)."""
        self.must_change()
        if text in self.declared.splitlines() and not text.startswith((".key", ".reference")):
            return  # a constraint may have been removed since
        before = "".join(f"{line}\n" for line in self.declared.splitlines() if line != text)
        if self.is_blank:
            program = parse_program(before + text, self.name, include=".")
            engine = start_engine(program, functions=self.functions)
            if self.dry:
                engine.close()
            else:
                self.take(engine)
        else:
            change.declare(self, text)
        if not self.dry:
            self.declared = before + text + "\n"

    def _command(self, text: str) -> None:
        name, _, rest = text.strip().partition(" ")
        name = SYNONYMS.get(name, name)
        found = [known for known in COMMANDS if known == name] or [k for k in COMMANDS if name and k.startswith(name)]
        if len(found) != 1:
            raise failures.UNKNOWN_COMMAND.error(name=name)
        self.command(found[0], rest.strip())

    def command(self, name: str, argument: str) -> None:
        """Execute a command."""
        HANDLERS[name](self, argument)


def dry(session: ReplSession, text: str) -> None:
    """Report what a change would do."""
    require_argument(text, "dry", "edge(1, 2).")
    if is_query(text) or (text.startswith(":") and not text.startswith((":-", ":apply "))):
        raise failures.NOT_A_CHANGE.error(text=text)
    with session.trying():
        session.dispatch(text)


def time_input(session: ReplSession, text: str) -> None:
    """A query: run repeatedly, with its minimum and median time. A change: committed, with its profile."""
    require_argument(text, "time", "?reach(1, X)")
    if not is_query(text):
        session.dispatch(text)
        session.line(str(session.db.profile()).partition("\nall epochs")[0])
        return
    answered = session.ask(text)
    seconds, began = [answered.seconds], time.perf_counter()
    while time.perf_counter() - began < PATIENCE and len(seconds) < MOST:
        seconds.append(session.ask(text).seconds)
    session.report(answered)
    least, middle = duration(min(seconds)), duration(statistics.median(seconds))
    session.line(f"ran {len(seconds):,} times: minimum {least}, median {middle}")


HANDLERS: dict[str, Callable[[ReplSession, str], None]] = {
    **change.HANDLERS,
    **files.HANDLERS,
    **questions.HANDLERS,
    "dry": dry,
    "time": time_input,
}
