"""The meaning of a text, for comparison with its layout: read as a program or as a script of changes.

Law: components are not expanded and only the form is checked: every text that parses has a layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidelog.errors import Diagnostic, Source
from tidelog.program import PROLOG, SOUFFLE, Program
from tidelog.syntax.changes import Epoch
from tidelog.syntax.layout.outline import ChangesOutlineReader, Outline, OutlineReader
from tidelog.syntax.preprocess import Preprocessor
from tidelog.syntax.reader import Findings, tokens_of
from tidelog.syntax.sources import Include, Sources, source_of
from tidelog.syntax.tokens import Token, scan


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text that was read: its meaning, the places of its items, and the findings about it."""

    source: Source
    convention: str
    meaning: Program | tuple[Epoch, ...]
    outline: Outline = field(compare=False)
    errors: tuple[Diagnostic, ...] = ()

    def tokens(self) -> list[Token]:
        """The tokens of the text itself, macros not expanded."""
        return scan(self.source, self.convention, _ignore)


def read_text(text: str | bytes, name: str, convention: str | None, include: Include | None) -> ParsedText:
    """The text as a program, or as a script of changes if it is one and not a program."""
    program = read_as_program(text, name, convention, include)
    if not program.errors:
        return program
    changes = _read_changes(text, name, convention or PROLOG)
    return program if changes.errors else changes


def read_again(text: str, before: ParsedText, convention: str | None, include: Include | None) -> ParsedText:
    """Read another text in the way in which this one was read."""
    name = before.source.name
    if isinstance(before.meaning, Program):
        return read_as_program(text, name, convention, include)
    return _read_changes(text, name, before.convention)


def settles_convention(reading: ParsedText, include: Include | None) -> bool:
    """Whether the text itself determines the convention in which it is to be read."""
    sources = Sources(include, _ignore)
    return sources.said_outright(reading.source) is not None or sources.convention_of(reading.source) == SOUFFLE


def read_as_program(text: str | bytes, name: str, convention: str | None, include: Include | None) -> ParsedText:
    """The text as a program, its components not expanded."""
    findings = Findings()
    source = source_of(name, text, findings.report)
    sources = Sources(include, findings.report)
    chosen = sources.convention_of(source) if convention is None else sources.said_outright(source) or convention
    tokens = Preprocessor(sources, chosen, findings.report).tokens(source)
    reader = OutlineReader(tokens, chosen, findings)
    program = reader.read()
    return ParsedText(source, chosen, program, reader.notes.finished(), _errors(findings.in_order()))


def _read_changes(text: str | bytes, name: str, convention: str) -> ParsedText:
    findings = Findings()
    source = source_of(name, text, findings.report)
    reader = ChangesOutlineReader(tokens_of(source, convention, findings), convention, findings)
    epochs = reader.epochs()
    return ParsedText(source, convention, epochs, reader.notes.finished(), _errors(findings.in_order()))


def _errors(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(each for each in diagnostics if each.severity == "error")


def _ignore(diagnostic: Diagnostic) -> None:
    """Ignore findings, which were already reported."""
