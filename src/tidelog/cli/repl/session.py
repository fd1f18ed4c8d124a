"""A session at a prompt, in a pipe or in a notebook: an engine, and what may be done with it.

Law: what an input leads to is reported as values (`reports`); a terminal makes text of them, a notebook pages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.repl.reports import Answers, Line, Report
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.read.epoch_counts import start_counting, stop_counting
from tidelog.engine.write.epoch import Epoch
from tidelog.program.types.functors import UserFunctions


class ReplState:
    """An engine and what is typed at it; ``report`` receives all that comes of it.

    ``state`` is the folder that is read and not changed; ``ours`` says that the engine was opened here, so that
    another one may replace it. ``waiting`` is called for work that may take long.
    """

    def __init__(
        self, db: Engine, report: Callable[[Report], None], state: str | None = None, functions: UserFunctions = ()
    ) -> None:
        self.db = db
        self.counts = start_counting(core_of(db))  # whether this session had the engine count its epochs
        self.report = report
        self.state = state
        self.folder = state  # whose epochs can be gone to
        self.functions = functions
        self.name = "<repl>"  # of what is typed, in diagnostics
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
    def is_blank(self) -> bool:
        """Whether another engine may take its place: it was begun here, holds nothing, and has no folder."""
        return self.ours and core_of(self.db).durable is None and not self.db.rules and not self.db.fact_count

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
        self.report(Line(text))

    def must_change(self) -> None:
        """Refuse a change of a state folder that is only asked."""
        if self.state is not None:
            raise failures.ONLY_ASKED.error(state=self.state, epoch=self.db.epoch_number)

    def take(self, db: Engine) -> None:
        """Go on with another engine; the one before is closed if it was begun here."""
        if self.ours:
            self.db.close()
        elif self.counts:
            stop_counting(core_of(self.db))
        self.db, self.ours, self.counts, self.last = db, True, start_counting(core_of(db)), None

    def ask(self, text: str) -> Answers:
        """The answers to a question."""
        began = time.perf_counter()
        rows = self.db.query(text)
        len(rows)
        return Answers(rows, time.perf_counter() - began)


def require_argument(text: str, command: str, example: str) -> str:
    """The argument of a command that cannot do without."""
    if not text:
        raise failures.NEEDS_MORE.error(command=command, example=example)
    return text
