"""The shape of a catalogue entry: what a diagnostic code means, told once.

Law: a code, its title and its message template stand in exactly one catalogue, and `example` is a program text that
produces the code; a test runs every example. The entries themselves live with the part of the front end that finds
the mistake (`syntax.catalogue`, `program.catalogue`); this module knows none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tidelog.errors import Diagnostic, Span


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """One diagnostic code: `template` is a `str.format` text, `note` the rule of the language that was broken.

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
        """The finding this entry describes, with `values` put into its texts; `hint` replaces the entry's own."""
        message, note = self.template.format(**values), _fill(self.note, values)
        told = _fill(self.hint, values) if hint is None else hint
        return Diagnostic(self.code, message, span, note, told, tuple(related))


def _fill(text: str, values: Mapping[str, object]) -> str:
    """Put values into a note or hint; braces that name no value stay, since program text has braces too."""
    return re.sub(r"\{(\w+)\}", lambda m: str(values.get(m[1], m[0])), text) if values else text
