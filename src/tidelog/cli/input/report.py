"""What is known about a program after reading it: its checked form and every finding.

Law: for a file with errors, all of them are reported, of syntax and of meaning, in the order of the text; any bytes at
all result in diagnostics, never in a traceback. Nothing is run.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tidelog.cli.base.sandbox import includes_of
from tidelog.errors import Diagnostic
from tidelog.program.check import CheckedProgram, examine_program
from tidelog.program.checks.fragment import check_regular
from tidelog.program.checks.subsumed import check_subsumed
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.growth import monotone_strata
from tidelog.program.types.arity import RESERVED
from tidelog.program.types.functors import UserFunctions, declared_by
from tidelog.rewrite.label_rules import label_rules
from tidelog.syntax import read_file, read_program

STANDARD_INPUT = "-"
ENDLESS = "TL760"


class Fragment(enum.StrEnum):
    """A part of the language to which a program can be restricted."""

    regular = "regular"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a command line adds to a text: folders of included files, macros, pragmas; and whether to show warnings."""

    folders: Sequence[Path] = ()
    macros: Mapping[str, str] = field(default_factory=dict)
    pragmas: Sequence[tuple[str, str]] = ()
    warns: bool = True


AS_WRITTEN = Reading()


@dataclass(frozen=True, slots=True)
class Report:
    """The findings about one file, with the fragment it is restricted to, if any."""

    name: str
    checked: CheckedProgram
    findings: tuple[Diagnostic, ...]
    fragment: Fragment | None = None

    @property
    def errors(self) -> int:
        """The number of findings that are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def ends(self) -> bool | None:
        """Whether evaluation is certain to end on finite data; None if errors prevent the analysis."""
        if self.errors:
            return None
        return not self.checked.ends_if and not any(finding.code == ENDLESS for finding in self.findings)

    @property
    def counts(self) -> dict[str, int]:
        """Counts of what the file contains."""
        program, constraints = self.checked.program, sum(r.constraint is not None for r in self.checked.program.rules)
        return {
            "rules": len(program.rules) - constraints,
            **({"constraints": constraints} if constraints else {}),
            "facts": len(program.facts),
            "relations": sum(not is_hidden(name) for name in self.checked.schema),
            "strata": sum(not all(map(is_hidden, stratum.relations)) for stratum in self.checked.strata),
            "warnings": len(self.findings) - self.errors,
        }

    @property
    def monotone(self) -> list[list[str]]:
        """The relations of the strata that lose no fact in an epoch that only inserts; empty if there are errors."""
        found = () if self.errors else monotone_strata(self.checked.strata, self.checked.rules)
        named = ([name for name in stratum.relations if not name.startswith(RESERVED)] for stratum in found)
        return [names for names in named if names]


def check_file(
    file: str,
    fragment: Fragment | None = None,
    functions: UserFunctions = (),
    *,
    labelled: bool = False,
    reading: Reading = AS_WRITTEN,
) -> Report:
    """Read and check one file, or the standard input; ``functions`` come from Python.

    With ``labelled``, rules without a label first get one, the same as an empty engine would assign.
    """
    if file == STANDARD_INPUT:
        name = "<stdin>"
        include = includes_of(Path("."), reading.folders)
        program, read = read_program(sys.stdin.buffer.read(), name, include=include, macros=reading.macros)
    else:
        name = file
        include = includes_of(Path(file).parent, reading.folders)
        program, read = read_file(file, include=include, macros=reading.macros)
    if reading.pragmas:
        program = replace(program, pragmas=(*program.pragmas, *reading.pragmas))
    if labelled:
        program = replace(program, rules=label_rules(program.rules))
    checked, found = examine_program(declared_by(functions, program))
    redundant = [] if any(finding.severity == "error" for finding in found) else check_subsumed(checked.program.rules)
    outside = check_regular(checked.program) if fragment is Fragment.regular else []
    return Report(name, checked, _in_text_order((*read, *found, *redundant, *outside), name), fragment)


def _in_text_order(findings: Iterable[Diagnostic], name: str) -> tuple[Diagnostic, ...]:
    """By position in the text; the file itself before the files it includes, findings without a place first."""

    def key(finding: Diagnostic) -> tuple[int, str, int]:
        if finding.span is None:
            return (0, "", 0)
        source = finding.span.source.name
        return (1 if source == name else 2, source, finding.span.start)

    return tuple(sorted(findings, key=key))
