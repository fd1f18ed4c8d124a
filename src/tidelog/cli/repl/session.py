"""A session at a prompt, in a pipe or in a notebook: an engine, and what may be done with it.

Law: results of inputs are reported as values (`reports`); a terminal renders them as text, a notebook as HTML.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.output.undefined import undefined_lines
from tidelog.cli.repl.reports import Answers, Line, Report
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.epoch_counts import start_counting, stop_counting
from tidelog.engine.read.view import Rows
from tidelog.engine.write.epoch import Epoch
from tidelog.program.types.functors import UserFunctions
from tidelog.syntax.prefixes import Prefixes


class ReplState:
    """An engine and its session; ``report`` receives every result.

    ``state`` is the folder opened read-only; ``ours`` is true if the engine was opened here, so that another may
    replace it. ``waiting`` is called for work that may take long.
    """

    def __init__(
        self, db: Engine, report: Callable[[Report], None], state: str | None = None, functions: UserFunctions = ()
    ) -> None:
        self.db = db
        self.counts = start_counting(core_of(db))  # whether this session made the engine count its epochs
        self.report = report
        self.state = state
        self.folder = state  # whose epochs `:at` can switch to
        self.functions = functions
        self.name = "<repl>"  # of the input, in diagnostics
        self.ours = True
        self.over = False
        self.dry = False
        self.written: set[str] = set()  # files that were loaded or saved here
        self.declared = ""
        self.last: Epoch | None = None  # that was committed here
        self.waiting: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext()

    @property
    def convention(self) -> str:
        """How identifiers are read."""
        return self.db.convention

    @property
    def prefixes(self) -> Prefixes:
        """Names that abbreviate IRIs."""
        return self.db.program.prefixes

    @property
    def is_blank(self) -> bool:
        """Whether another engine may replace this one: it was created here, is empty, and has no folder."""
        return self.ours and core_of(self.db).durable is None and not self.db.rules and not self.db.fact_count

    @contextmanager
    def trying(self, dry: bool = True) -> Iterator[None]:
        """Changes inside the block are only tried."""
        before, self.dry = self.dry, self.dry or dry
        try:
            yield
        finally:
            self.dry = before

    def line(self, text: str) -> None:
        """Print a line."""
        self.report(Line(text))

    def note_undefined(self, counts: Mapping[str, int]) -> None:
        """Report that relations have undefined facts, which are in no view."""
        for text in undefined_lines(counts, ":undefined"):
            self.line(f"warning: {text}")

    def must_change(self) -> None:
        """Refuse a change to a state folder that was opened read-only."""
        if self.state is not None:
            raise failures.ONLY_ASKED.error(state=self.state, epoch=self.db.epoch_number)

    def take(self, db: Engine) -> None:
        """Continue with another engine; the previous one is closed if it was created here."""
        if self.ours:
            self.db.close()
        elif self.counts:
            stop_counting(core_of(self.db))
        self.db, self.ours, self.counts, self.last = db, True, start_counting(core_of(db)), None

    def ask(self, text: str) -> Answers:
        """The answers to a query."""
        return self._timed(lambda: self.db.query(text))

    def ask_sparql(self, text: str) -> Answers:
        """The answers to a SPARQL query."""
        return self._timed(lambda: self.db.sparql(text))

    def _timed(self, ask: Callable[[], Rows]) -> Answers:
        began = time.perf_counter()
        rows = ask()
        len(rows)
        return Answers(rows, time.perf_counter() - began)


def require_argument(text: str, command: str, example: str) -> str:
    """The argument of a command that requires one."""
    if not text:
        raise failures.NEEDS_MORE.error(command=command, example=example)
    return text
