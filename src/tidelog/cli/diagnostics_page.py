"""The page of the docs that lists every code; `python -m tidelog.cli.diagnostics_page` prints it.

Law: the page says what the catalogues say, no more and no less; a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tidelog.cli import failures as cli_failures
from tidelog.cli import simulate_catalogue
from tidelog.dbsp import catalogue as circuits
from tidelog.engine import failures as engine_failures
from tidelog.errors.entry import CodeEntry, FailureEntry
from tidelog.io import catalogue as files
from tidelog.io import failures as io_failures
from tidelog.partition import failures as partition_failures
from tidelog.plan import failures as plan_failures
from tidelog.program import failures as program_failures
from tidelog.program import fragment_catalogue as fragments
from tidelog.program.catalogue import CATALOGUE
from tidelog.rewrite import catalogue as rewrites
from tidelog.rewrite import failures as rewrite_failures
from tidelog.runtime import failures as runtime_failures
from tidelog.semantics import catalogue as networks
from tidelog.spark import failures as spark_failures
from tidelog.store import failures as store_failures
from tidelog.syntax.catalogue import SYNTAX_CODES
from tidelog.verify import failures as verify_failures
from tidelog.why import failures as why_failures

LONGEST_EXAMPLE = 500
INTRODUCTION = """\
# Diagnostics

Every finding of `tidelog check`, and every error that Tidelog raises (`error.code`), carries one of the codes below.
Codes are stable: scripts may rely on them. Codes of three digits are findings about a program and come in a
`ProgramError`; codes of four digits are [failures of a call](#failures). Words in braces stand for names of the program
or the call at hand. All findings are errors, except
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
FAILURE_CATALOGUES = (
    cli_failures,
    engine_failures,
    io_failures,
    partition_failures,
    plan_failures,
    program_failures,
    rewrite_failures,
    runtime_failures,
    spark_failures,
    store_failures,
    verify_failures,
    why_failures,
)
FAILURES = """\
## <a id="failures"></a>Failures

What a call or a command ends in when the program is in order. The command line shows the code as
`error[TL1009]: ...`; in Python the error has the attributes `code`, `note` (the rule that was broken) and `hint`. The
examples in Python follow `from pathlib import Path` and `from tidelog import *`; every example runs in an empty folder.
"""
FAILURE_FAMILIES = (
    ("TL1", "Facts and rows", "DataError"),
    ("TL2", "Values that cannot be computed", "EvaluationError"),
    ("TL3", "Limits", "LimitError"),
    ("TL4", "Calls and commands", "EngineError"),
    ("TL5", "State folders and feeds", "StateError"),
    ("TL6", "Spark", "SparkError"),
)


def all_entries() -> list[CodeEntry]:
    """Every entry of every catalogue, by code."""
    front_end = (*SYNTAX_CODES.values(), *CATALOGUE.values(), *rewrites.CATALOGUE.values())
    limits = fragments.CATALOGUE.values()
    others = (*circuits.ENTRIES, *networks.ENTRIES, *simulate_catalogue.ENTRIES, *files.ENTRIES)
    return sorted((*front_end, *limits, *others), key=lambda entry: entry.code)


def all_failures() -> list[FailureEntry[Any]]:
    """Every entry of the catalogues of failures, by code."""
    return sorted((entry for module in FAILURE_CATALOGUES for entry in module.ENTRIES), key=lambda entry: entry.code)


def render_page() -> str:
    """The whole page as Markdown."""
    return "\n".join([INTRODUCTION, *_findings(), FAILURES, *_failures()])


def _findings() -> Iterator[str]:
    for prefix, title in FAMILIES:
        entries = [entry for entry in all_entries() if entry.code.startswith(prefix)]
        if entries:
            yield f"## {title}: {prefix.ljust(5, 'x')}\n"
            yield from ("\n".join(_section(entry, "prolog")) for entry in entries)


def _failures() -> Iterator[str]:
    for prefix, title, kind in FAILURE_FAMILIES:
        entries = [entry for entry in all_failures() if entry.code.startswith(prefix)]
        if entries:
            yield f"## {title} (`{kind}`): {prefix}xxx\n"
            yield from ("\n".join(_section(entry, _language(entry.example))) for entry in entries)


def _language(example: str) -> str:
    return "console" if example.startswith("$ ") else "python"


def _section(entry: CodeEntry | FailureEntry[Any], language: str) -> Iterator[str]:
    yield f'### <a id="{entry.code.lower()}"></a>{entry.code}: {entry.title}\n'
    yield f"> {_named(entry.template)}\n"
    if entry.note:
        yield f"{entry.note}\n"
    if entry.hint:
        yield f"*Hint:* {entry.hint}\n"
    if entry.example:
        yield f"```{language}"
        yield _shortened(entry.example)
        yield "```\n"


def _named(template: str) -> str:
    """The template in one line, with the names of its values alone, without the form in which they are shown."""
    return re.sub(r"\{(\w+)(?:![rs])?(?::[^{}]*)?\}", r"{\1}", " ".join(template.split()))


def _shortened(example: str) -> str:
    example = example.rstrip("\n")
    return example if len(example) <= LONGEST_EXAMPLE else example[:LONGEST_EXAMPLE] + " ..."


if __name__ == "__main__":
    print(render_page(), end="")
