"""Options that have the effect of pragmas in a program.

Law: an option takes precedence over the text. With `--outputs-only` the output files are the same; other relations hold
what the outputs require of them.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.base.options import Overflow
from tidelog.program.check import CheckedProgram
from tidelog.program.values.pragmas import EVERY, MAGIC, OVERFLOW, outputs


def for_outputs(checked: CheckedProgram) -> CheckedProgram:
    """The program with every relation except its outputs on demand; a program without outputs is refused."""
    if not outputs(checked.program):
        raise failures.NO_OUTPUTS.error()
    return _with(checked, MAGIC, EVERY)


def with_overflow(checked: CheckedProgram, overflow: Overflow) -> CheckedProgram:
    """The program with arithmetic that wraps around, or does not, when a result leaves its type."""
    return _with(checked, OVERFLOW, overflow.value)


def _with(checked: CheckedProgram, option: str, value: str) -> CheckedProgram:
    program = checked.program
    return replace(checked, program=replace(program, pragmas=(*program.pragmas, (option, value))))
