"""What an input does: a change, a question or a command. The same at a prompt, in a pipe and in a notebook.

Law: every change is one epoch, reported with its changes and its duration; an invalid input changes nothing and is
reported as a diagnostic. Results are reported as values (`told`), which the listener renders as text or HTML.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.input.load import start_engine
from tidelog.cli.repl import change, files, questions
from tidelog.cli.repl.commands import COMMANDS, SYNONYMS
from tidelog.cli.repl.told import Answered, Failed, Found, Line, Told
from tidelog.engine.engine import Engine, core_of
from tidelog.errors import ProgramError, TidelogError, TidelogWarning
from tidelog.program.types.functors import Given
from tidelog.syntax import parse_program

Handler = Callable[["ReplSession", str], None]
HANDLERS: dict[str, Handler] = {**change.HANDLERS, **files.HANDLERS, **questions.HANDLERS}


class ReplSession:
    """An engine and the input typed at it; ``tell`` receives all results.

    ``state`` is the folder that is read and not changed; ``ours`` says that the engine was opened here, so that
    another one may replace it. ``waiting`` is called for work that may take long.
    """

    def __init__(
        self, db: Engine, tell: Callable[[Told], None], state: str | None = None, functions: Given = ()
    ) -> None:
        self.db = db
        self.tell = tell
        self.state = state
        self.folder = state  # whose epochs can be gone to
        self.functions = functions
        self.name = "<repl>"  # of what is typed, in diagnostics
        self.ours = True
        self.over = False
        self.dry = False
        self.written: set[str] = set()  # files that were loaded or saved here
        self.declared = ""
        self.waiting: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()

    @property
    def convention(self) -> str:
        """How identifiers are read."""
        return self.db.convention

    @property
    def is_blank(self) -> bool:
        """Whether another engine may take its place: it was begun here, holds nothing, and has no folder."""
        return self.ours and core_of(self.db).durable is None and not self.db.rules and not self.db.fact_count

    def execute(self, text: str) -> bool:
        """Execute an input; False if it was invalid, which has been reported."""
        try:
            self.carry_out(text)
        except ProgramError as error:
            self.tell(Found(tuple(error.diagnostics)))
            return False
        except TidelogError as error:
            self.tell(Failed(error))
            return False
        except KeyboardInterrupt as interrupt:
            self.line(f"interrupted; nothing was changed{interrupt}")
            return False
        return True

    def carry_out(self, text: str) -> None:
        """Execute an input, or raise its error; warnings are reported."""
        met: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as met:
                warnings.simplefilter("always", TidelogWarning)
                self.dispatch(text.rstrip())
        finally:
            for warning in met:
                self.line(f"warning: {warning.message}")

    def dispatch(self, text: str) -> None:
        """Do what an input says; texts are read as they stand, so that a mistake is shown where it is."""
        bare = text.strip()
        if bare.startswith("?") or bare.endswith(")?"):
            self.tell(self.ask(text))
        elif bare.startswith(":") and not bare.startswith(":-"):
            self._command(bare[1:])
        elif bare.startswith((".", "#")):
            self._declare(bare)
        elif bare.startswith(("+", "-")):
            change.script(self, text)
        elif bare:
            change.clauses(self, text)

    @contextmanager
    def trying(self, dry: bool = True) -> Iterator[None]:
        """What is changed inside is only tried."""
        before, self.dry = self.dry, self.dry or dry
        try:
            yield
        finally:
            self.dry = before

    def line(self, text: str) -> None:
        """Print a line."""
        self.tell(Line(text))

    def must_change(self) -> None:
        """Refuse a change of a state folder that is only asked."""
        if self.state is not None:
            raise failures.ONLY_ASKED.error(state=self.state, epoch=self.db.epoch_number)

    def take(self, db: Engine) -> None:
        """Go on with another engine; the one before is closed if it was begun here."""
        if self.ours:
            self.db.close()
        self.db, self.ours = db, True

    def ask(self, text: str) -> Answered:
        """The answers to a question."""
        began = time.perf_counter()
        rows = self.db.query(text)
        len(rows)
        return Answered(rows, time.perf_counter() - began)

    def _declare(self, text: str) -> None:
        """Declarations: of an engine without content they also fix how the rest is read (D7)."""
        self.must_change()
        if text in self.declared.splitlines() and not text.startswith((".key", ".reference")):
            return  # a constraint may have been removed since
        before = "".join(f"{line}\n" for line in self.declared.splitlines() if line != text)
        if self.is_blank:
            program = parse_program(before + text, self.name, include=".")
            made = start_engine(program, functions=self.functions)
            if self.dry:
                made.close()
            else:
                self.take(made)
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
        """Do what a command says."""
        HANDLERS[name](self, argument)
