"""The results of a session: values that a terminal renders as text and a notebook as HTML.

Law: every result of an input is one of these, in order; nothing else is printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tidelog.engine.read.view import Rows
    from tidelog.engine.write.epoch import Epoch
    from tidelog.errors import Diagnostic, TidelogError
    from tidelog.explain.explanation import Explanation
    from tidelog.explain.graph import ProgramGraph
    from tidelog.explain.history import ViewHistory
    from tidelog.explain.profile import Profile
    from tidelog.why import Proof, WhyNot


@dataclass(frozen=True, slots=True)
class Line:
    """A text of one or more lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings about an input."""

    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that does not refer to a place in a text."""

    error: TidelogError


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to a query, and the time that it took."""

    rows: Rows
    seconds: float


@dataclass(frozen=True, slots=True)
class EpochReport:
    """An epoch that was committed, or (``dry``) only tried; ``rules`` are the added ones."""

    epoch: Epoch
    convention: str
    rules: tuple[str, ...] = ()
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """A value that renders itself as text and as HTML."""

    value: Proof | WhyNot | Explanation | Profile | ProgramGraph | ViewHistory


Report: TypeAlias = Line | Findings | Failure | Answers | EpochReport | Display
