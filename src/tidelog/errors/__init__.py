"""What can go wrong, as values: the error tree, source spans and diagnostics.

A user's mistake is always a :class:`TidelogError`; anything else that escapes is a defect of Tidelog.
This module imports nothing of the package and prints nothing.

    TidelogError
    ├── ProgramError      a program, rule or fact that is not well formed; carries all its diagnostics
    ├── DataError         rows that do not fit their relation
    ├── EvaluationError   a value that cannot be computed (overflow, division by zero, failed conversion)
    ├── LimitError        an epoch that outgrew its limits
    ├── EngineError       a call the engine cannot serve (closed engine, unknown label, misuse of an epoch)
    └── StateError        a state folder that cannot be read, written or taken over

A :class:`StateWarning` tells of damage to a state folder that was got round without loss.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """A named text: a file's path or a name such as ``<text>``."""

    name: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of character offsets in a source."""

    source: Source = field(repr=False)
    start: int
    end: int

    @property
    def line(self) -> int:
        """Line number, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """Column number, counted from 1."""
        return self.start - (self.source.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def text(self) -> str:
        """The text that the span covers."""
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of the other.

        >>> source = Source("a.dl", "p(1).")
        >>> Span(source, 0, 1).to(Span(source, 2, 3)).text
        'p(1'
        """
        return Span(self.source, self.start, other.end)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a program: a code of the catalogue, a message, where, and what to do."""

    code: str
    message: str
    span: Span | None = None
    note: str = ""
    hint: str = ""
    related: tuple[tuple[str, Span], ...] = ()
    severity: str = "error"


class TidelogError(Exception):
    """Root of all errors that Tidelog raises on purpose."""


class ProgramError(TidelogError):
    """A program that is not well formed; ``diagnostics`` holds every finding, in order of position."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(_one_line(d) for d in self.diagnostics))


class DataError(TidelogError):
    """Rows that do not fit their relation: wrong number of columns, wrong type, null."""


class EvaluationError(TidelogError):
    """A value that cannot be computed; the epoch is rolled back."""


class LimitError(TidelogError):
    """An epoch that outgrew one of its limits; the epoch is rolled back."""


class EngineError(TidelogError):
    """A call that the engine cannot serve in its present state."""


class StateError(TidelogError):
    """A state folder that cannot be read, written or taken over: damaged, locked, of a newer format, out of space."""


class StateWarning(UserWarning):
    """Damage to a state folder that was got round: the state is exact, but a file should be looked at."""


def _one_line(diagnostic: Diagnostic) -> str:
    where = ""
    if diagnostic.span is not None:
        where = f"{diagnostic.span.source.name}:{diagnostic.span.line}:{diagnostic.span.column}: "
    return f"{where}{diagnostic.code}: {diagnostic.message}"
