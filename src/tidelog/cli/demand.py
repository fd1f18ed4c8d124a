"""A program that evaluates what its outputs ask for.

Law: the outputs are the same files; other relations hold what the outputs ask of them.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.cli import failures
from tidelog.program import Pragma
from tidelog.program.check import Checked
from tidelog.program.pragmas import EVERY, MAGIC, outputs


def for_outputs(checked: Checked) -> Checked:
    """The program with every relation on demand but its outputs; one without outputs is refused."""
    if not outputs(checked.program):
        raise failures.NO_OUTPUTS.error()
    pragmas = (*checked.program.pragmas, Pragma(MAGIC, EVERY))
    return replace(checked, program=replace(checked.program, pragmas=pragmas))
