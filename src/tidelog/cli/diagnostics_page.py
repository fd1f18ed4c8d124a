"""The page of the docs that lists every diagnostic code; `python -m tidelog.cli.diagnostics_page` prints it.

Law: the page says what the catalogues say, no more and no less; a test compares the two.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from tidelog.cli.simulate import catalogue as simulations
from tidelog.dbsp import catalogue as circuits
from tidelog.errors.entry import CodeEntry
from tidelog.io import catalogue as files
from tidelog.program import fragment_catalogue as fragments
from tidelog.program.catalogue import CATALOGUE
from tidelog.rewrite import catalogue as rewrites
from tidelog.semantics import catalogue as networks
from tidelog.syntax.catalogue import SYNTAX_CODES

LONGEST_EXAMPLE, WIDTH = 500, 120
UNBROKEN = "\0"
INTRODUCTION = """\
# Diagnostics

Every finding of `tidelog check`, and every `ProgramError`, carries one of the codes below. Codes are stable: scripts
may rely on them. Words in braces stand for names of the program at hand. All findings are errors, except
TL123 and the family TL7xx: those are warnings and never stop a program. The codes TL660 to TL669 are given only by
`tidelog check --fragment regular`.

This page is generated: `python -m tidelog.cli.diagnostics_page > docs/reference/diagnostics.md`.

## Undeclared relations

A program in the Soufflé convention (one with `.decl` lines) declares every relation: an undeclared one is an error,
[TL201](#tl201). In the Prolog convention a relation needs no declaration, since its facts usually come from outside. A
relation that occurs only in bodies is then empty until facts are inserted, and no finding, unless its name is one slip
away from a relation of the same number of columns that the program does define: that is the warning [TL701](#tl701).
"""
FAMILIES = (
    ("TL1", "Syntax"),
    ("TL2", "Names"),
    ("TL3", "Safety"),
    ("TL4", "Types"),
    ("TL5", "Strata"),
    ("TL6", "Limits of the language"),
    ("TL7", "Warnings"),
    ("TL8", "Circuits"),
    ("TL90", "Network semantics"),
    ("TL91", "Simulation"),
    ("TL92", "Files of facts"),
)


def all_entries() -> list[CodeEntry]:
    """Every entry of every catalogue, by code."""
    front_end = (*SYNTAX_CODES.values(), *CATALOGUE.values(), *rewrites.CATALOGUE.values())
    limits = fragments.CATALOGUE.values()
    others = (*circuits.ENTRIES, *networks.ENTRIES, *simulations.ENTRIES, *files.ENTRIES)
    return sorted((*front_end, *limits, *others), key=lambda entry: entry.code)


def render_page() -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION]
    for prefix, title in FAMILIES:
        entries = [entry for entry in all_entries() if entry.code.startswith(prefix)]
        if entries:
            parts.append(f"## {title}: {prefix.ljust(5, 'x')}\n")
            parts.extend("\n".join(_section(entry)) for entry in entries)
    return "\n".join(parts)


def _section(entry: CodeEntry) -> Iterator[str]:
    yield f'### <a id="{entry.code.lower()}"></a>{entry.code}: {entry.title}\n'
    yield _filled(entry.template, "> ") + "\n"
    if entry.note:
        yield _filled(entry.note) + "\n"
    if entry.hint:
        yield _filled(f"*Hint:* {entry.hint}") + "\n"
    if entry.example:
        yield "```prolog"
        yield _shortened(entry.example)
        yield "```\n"


def _filled(prose: str, begin: str = "") -> str:
    """Prose in lines, none of which ends inside a piece of code."""
    whole = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", UNBROKEN), prose)
    lines = textwrap.wrap(whole, WIDTH - len(begin), break_long_words=False, break_on_hyphens=False)
    return "\n".join(begin + line for line in lines).replace(UNBROKEN, " ")


def _shortened(example: str) -> str:
    example = example.rstrip("\n")
    return example if len(example) <= LONGEST_EXAMPLE else example[:LONGEST_EXAMPLE] + " ..."


if __name__ == "__main__":
    print(render_page(), end="")
