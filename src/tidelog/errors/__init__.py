"""What can go wrong, as values: the error tree, source spans and diagnostics.

Law: a user's mistake is always a :class:`TidelogError`; anything else that escapes is a defect of Tidelog. Each carries
a code of a catalogue (``errors.entry``), the rule that was broken and what to do, and survives pickling with them.
This module imports nothing of the package and prints nothing.

    TidelogError
    ├── ProgramError      a program, rule or fact that is not well formed; carries all its diagnostics
    ├── DataError         rows that do not fit their relation
    ├── EvaluationError   a value that cannot be computed (overflow, division by zero, failed conversion)
    │   └── EpochInterrupted  an epoch that another process gave up (Ctrl-C on Spark)
    ├── LimitError        an epoch that outgrew its limits
    │   └── OutOfWorkError    a question that would visit too many facts; inside `tidelog.why`, which answers without
    ├── EngineError       a call the engine cannot serve (closed engine, unknown label, misuse of an epoch)
    │   ├── ConstraintError   an epoch that a constraint refuses; rolled back
    │   └── NotTrueError      the proof of a fact that is absent (`tidelog.why.errors`)
    ├── ServerError       a request that `tidelog serve` refuses, or a server that does not start or answer
    ├── StateError        a state folder that cannot be read, written or taken over
    ├── FollowError       anything about a database that is followed (`tidelog.follow.errors`)
    │   ├── Unreachable       no connection, or one that broke: trying again may help
    │   ├── OutOfStep         what comes cannot be joined to what is there: a new snapshot helps
    │   └── BadRow            a row cannot become a fact, and following stops at such rows
    ├── NodeLost          a partition went away; inside `tidelog.runtime`, which starts it again (`runtime.request`)
    └── SparkError        anything about Spark that the user or the operator can mend (`tidelog.spark.errors`)
        ├── PreflightError    a session on which the resident stage cannot run; nothing was started
        ├── StageError        the resident stage did not start, or is used before its start or after its end
        ├── PartitionLost     a task, worker or executor went away; a new start may help
        ├── NoAnswer          a call took longer than its limit; the partition is there
        └── ResidentError     an error of a resident that cannot be sent as itself

A :class:`TidelogWarning` reports what is probably a mistake: a misspelt relation (refused by an engine that is
``strict``), columns or files that are ignored, symbols that look like variables. Its
kind :class:`ConstraintWarning` tells of violations that are to be warned of and not refused. A
:class:`StateWarning` tells of damage to a state folder that was got round without loss. The simulator has two errors
of its own, seen by nobody but its callers: `IllegalStep` and `StuckError` (`tidelog.lab.semantics`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

Failure = TypeVar("Failure", bound="TidelogError")


@dataclass(frozen=True, slots=True)
class Source:
    """A named text: a file's path or a name such as ``<text>``."""

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

    ``str(error)`` says what went wrong, ``code`` names it for programs, ``note`` is the rule that was broken and
    ``hint`` what to do; the last three may be empty.
    """

    code: str = ""
    note: str = ""
    hint: str = ""

    def reworded(self, text: str) -> Self:
        """The same failure with another text, such as its own with the place before it.

        >>> error = DataError("`four` is not a number")
        >>> error.code = "TL1001"
        >>> str(error.reworded(f"line 3: {error}")), error.reworded("").code
        ('line 3: `four` is not a number', 'TL1001')
        """
        return _made_again(type(self), (text,), self.__dict__)

    def __reduce__(self) -> tuple[Callable[..., TidelogError], tuple[object, ...]]:
        return _made_again, (type(self), self.args, self.__dict__)


class ProgramError(TidelogError):
    """A program that is not well formed; ``diagnostics`` holds every finding, in order of position.

    ``code``, ``note`` and ``hint`` are those of the first.
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
    """An epoch that was given up from outside; it is rolled back."""


class LimitError(TidelogError):
    """An epoch that outgrew one of its limits; the epoch is rolled back."""


class EngineError(TidelogError):
    """A call that the engine cannot serve in its present state."""


class ConstraintError(EngineError):
    """An epoch that would violate constraints, and was rolled back.

    ``violations`` names every violated constraint, with the first violations and their proofs; ``causes`` are the
    changes that caused the first of them, as texts, where they were looked for.
    """

    violations: tuple[Any, ...] = ()
    causes: tuple[str, ...] = ()


class ServerError(TidelogError):
    """A request that the server does not serve, or a server that does not start or answer."""


class StateError(TidelogError):
    """A state folder that cannot be read, written or taken over: damaged, locked, of a newer format, out of space."""


class TidelogWarning(UserWarning):
    """Something that is most likely a slip: a relation that nobody declared, filled or derived."""


class ConstraintWarning(TidelogWarning):
    """An epoch that was committed and violates a constraint of `severity(warn)`."""


class StateWarning(UserWarning):
    """Damage to a state folder that was got round: the state is exact, but a file should be looked at."""


def _made_again(kind: type[Failure], args: tuple[object, ...], values: Mapping[str, object]) -> Failure:
    """An error of a kind with these arguments and attributes, whatever its constructor wants."""
    made = kind.__new__(kind, *args)
    made.args = args
    made.__dict__.update(values)
    return made


def _one_line(diagnostic: Diagnostic) -> str:
    where = ""
    if diagnostic.span is not None:
        where = f"{diagnostic.span.source.name}:{diagnostic.span.line}:{diagnostic.span.column}: "
    return f"{where}{diagnostic.code}: {diagnostic.message}"
