"""What can go wrong, as values: the error tree, source spans and diagnostics.

Law: a user's mistake is always a :class:`TidelogError`; any other exception is a defect of Tidelog. Each has
a code of a catalogue (``errors.entry``), the rule that was broken and what to do, and keeps them when it is pickled.
This module imports nothing of the package and prints nothing.

    TidelogError
    ├── ProgramError      a program, rule or fact that is not well formed; carries all its diagnostics
    ├── DataError         rows that do not fit their relation
    ├── EvaluationError   a value that cannot be computed (overflow, division by zero, failed conversion)
    │   └── EpochInterrupted  an epoch that another process aborted (Ctrl-C on Spark)
    ├── LimitError        an epoch that exceeded its limits
    │   └── OutOfWorkError    a query that would visit too many facts; inside `tidelog.why`, which answers without it
    ├── EngineError       a call the engine cannot serve (closed engine, unknown label, misuse of an epoch)
    │   ├── ConstraintError   an epoch that a constraint refuses; rolled back
    │   └── NotTrueError      the proof of a fact that is absent (`tidelog.why.errors`)
    ├── ServerError       a request that `tidelog serve` refuses, or a server that does not start or respond
    ├── StateError        a state folder that cannot be read, written or opened
    ├── FollowError       a problem with a followed database (`tidelog.follow.errors`)
    │   ├── Unreachable       no connection, or a broken one: retrying may help
    │   ├── OutOfStep         the stream does not continue the known state: a new snapshot helps
    │   └── BadRow            a row cannot be converted to a fact, and following stops at such rows
    ├── NodeLost          a partition was lost; inside `tidelog.runtime`, which restarts it (`runtime.request`)
    └── SparkError        a problem with Spark that the user or the operator can fix (`tidelog.spark.errors`)
        ├── PreflightError    the resident stage cannot run on this session; nothing was started
        ├── StageError        the resident stage did not start, or is used before its start or after its end
        ├── PartitionLost     a task, worker or executor was lost; restarting may help
        ├── NoAnswer          a call exceeded its time limit; the partition is still running
        └── ResidentError     an error of a partition that cannot be sent unchanged

A :class:`TidelogWarning` reports a probable mistake: a misspelt relation (refused by an engine that is ``strict``),
ignored columns or files, symbols that look like variables. Its subclass :class:`ConstraintWarning` reports violations
of constraints that warn instead of refusing. A :class:`StateWarning` reports damage to a state folder that caused no
loss. The simulator has two more errors, raised only to its callers: `IllegalStep` and `StuckError`
(`tidelog.lab.semantics`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

Failure = TypeVar("Failure", bound="TidelogError")


@dataclass(frozen=True, slots=True)
class Source:
    """A text and its name: the path of a file, or a name such as ``<text>``."""

    name: str
    text: str = field(repr=False)
    included: Span | None = field(default=None, compare=False, repr=False)  # where, if another text includes it


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
    """Root of all errors that Tidelog raises on purpose.

    ``str(error)`` is the message, ``code`` identifies the error for programs, ``note`` is the rule that was broken and
    ``hint`` describes what to do; the last three may be empty.
    """

    code: str = ""
    note: str = ""
    hint: str = ""

    def reworded(self, text: str) -> Self:
        """The same error with another message, for example one that starts with the place.

        >>> error = DataError("`four` is not a number")
        >>> error.code = "TL1001"
        >>> str(error.reworded(f"line 3: {error}")), error.reworded("").code
        ('line 3: `four` is not a number', 'TL1001')
        """
        return _restore(type(self), (text,), self.__dict__)

    def __reduce__(self) -> tuple[Callable[..., TidelogError], tuple[object, ...]]:
        return _restore, (type(self), self.args, self.__dict__)


class ProgramError(TidelogError):
    """A program that is not well formed; ``diagnostics`` contains all findings, in order of position.

    ``code``, ``note`` and ``hint`` are those of the first finding.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(_one_line(d) for d in self.diagnostics))
        for first in self.diagnostics[:1]:
            self.code, self.note, self.hint = first.code, first.note, first.hint


class DataError(TidelogError):
    """Rows that do not fit their relation: wrong number of columns, wrong type, null."""


class EvaluationError(TidelogError):
    """A value that cannot be computed; the epoch is rolled back."""


class EpochInterrupted(EvaluationError):
    """An epoch that was interrupted; it is rolled back."""


class LimitError(TidelogError):
    """An epoch that exceeded one of its limits; the epoch is rolled back."""


class EngineError(TidelogError):
    """A call that the engine cannot serve in its current state."""


class ConstraintError(EngineError):
    """An epoch that would violate constraints, and was rolled back.

    ``violations`` lists every violated constraint, with the first violations and their proofs; ``causes`` are the
    changes that caused the first of them, as texts, if they were searched for.
    """

    violations: tuple[Any, ...] = ()
    causes: tuple[str, ...] = ()


class ServerError(TidelogError):
    """A request that the server refuses, or a server that does not start or respond."""


class StateError(TidelogError):
    """A state folder that cannot be read, written or opened: damaged, locked, of a newer format, out of space."""


class TidelogWarning(UserWarning):
    """A probable mistake, such as a relation that is not declared and has no facts and no rules."""


class ConstraintWarning(TidelogWarning):
    """An epoch was committed that violates a constraint with `severity(warn)`."""


class StateWarning(UserWarning):
    """Damage to a state folder without loss: the state is exact, but a file should be checked."""


def _restore(kind: type[Failure], args: tuple[object, ...], values: Mapping[str, object]) -> Failure:
    """An error of a class with these arguments and attributes, independent of its constructor."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(values)
    return error


def _one_line(diagnostic: Diagnostic) -> str:
    where = ""
    if diagnostic.span is not None:
        where = f"{diagnostic.span.source.name}:{diagnostic.span.line}:{diagnostic.span.column}: "
    return f"{where}{diagnostic.code}: {diagnostic.message}"
