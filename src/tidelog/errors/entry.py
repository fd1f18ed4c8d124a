"""The shape of a catalogue entry: what a code means, defined once.

Law: a code, its title and its message template are in exactly one catalogue. Three digits are a finding about a
program text, and `example` is a text that produces it; four digits are a failure of a call, and `example` is Python
code or a command that ends in it, or `test` names a test that does. Tests run every example. The entries themselves are
in the package that finds the mistake (`syntax_catalogue`, `io_failures`, ...); this module contains none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from tidelog.errors import Diagnostic, Span, TidelogError
from tidelog.errors.counts import fill_template

Error = TypeVar("Error", bound=TidelogError)


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """One diagnostic code: `template` is filled by `fill_template`, `note` the rule of the language that was broken.

    Note and hint may name the same values as the template, in single braces; other braces in them stay as they are.

    >>> entry = CodeEntry("TL999", "unknown thing", "unknown thing `{name}`", "Things have names.", "Name it.", "x")
    >>> entry.diagnostic(name="pth").message
    'unknown thing `pth`'
    """

    code: str
    title: str
    template: str
    note: str = ""
    hint: str = ""
    example: str = ""

    def diagnostic(
        self,
        span: Span | None = None,
        *,
        hint: str | None = None,
        related: Iterable[tuple[str, Span]] = (),
        **values: object,
    ) -> Diagnostic:
        """The finding this entry describes, with `values` inserted into its texts; `hint` replaces the entry's."""
        message, note = fill_template(self.template, values), _fill(self.note, values)
        advice = _fill(self.hint, values) if hint is None else hint
        return Diagnostic(self.code, message, span, note, advice, tuple(related))


@dataclass(frozen=True, slots=True)
class FailureEntry(Generic[Error]):
    """One way in which a call fails: `kind` is the class of the error, the texts are those of a `CodeEntry`.

    `hint` is empty only if the message itself says what to do. An example whose lines start with `$ ` is a shell
    command; every other one is Python. `test` names a test as `tests/x/test_y.py::test_z`.

    >>> from tidelog.errors import DataError
    >>> entry = FailureEntry("TL9999", DataError, "null", "row {row} is null", "There are no nulls.", "Leave it out.")
    >>> error = entry.error(row=3)
    >>> str(error), error.code, error.hint
    ('row 3 is null', 'TL9999', 'Leave it out.')
    """

    code: str
    kind: type[Error]
    title: str
    template: str
    note: str
    hint: str = ""
    example: str = ""
    test: str = ""

    def error(self, /, **values: object) -> Error:
        """The error, with `values` inserted into its texts."""
        return self.mark(self.kind(fill_template(self.template, values)), **values)

    def mark(self, error: Error, /, **values: object) -> Error:
        """Set code, note and hint of an error whose class composes its message."""
        error.code, error.note, error.hint = self.code, _fill(self.note, values), _fill(self.hint, values)
        return error


def _fill(text: str, values: Mapping[str, object]) -> str:
    """Insert values into a note or hint; other braces stay, because program text contains braces, too."""
    return re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), text) if values else text
