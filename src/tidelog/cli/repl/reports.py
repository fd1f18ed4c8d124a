"""What a session tells: values, of which a terminal makes text and a notebook pages.

Law: everything that an input leads to is told as one of these, in order; nothing else is printed.
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
    from tidelog.explain.profile import Profile
    from tidelog.why import Proof, WhyNot


@dataclass(frozen=True, slots=True)
class Line:
    """A text, of one line or several."""

    text: str


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings about what was typed."""

    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that is not about a place in a text."""

    error: TidelogError


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to a question, and how long it took."""

    rows: Rows
    seconds: float


@dataclass(frozen=True, slots=True)
class EpochReport:
    """An epoch that was committed, or (``dry``) that was only tried; ``rules`` are those that came."""

    epoch: Epoch
    convention: str
    rules: tuple[str, ...] = ()
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """Something that has a text and a page of its own."""

    value: Proof | WhyNot | Explanation | Profile | ProgramGraph


Report: TypeAlias = Line | Findings | Failure | Answers | EpochReport | Display
