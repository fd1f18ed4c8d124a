"""Options that say of a program what its pragmas would say.

Law: an option counts more than the text. With `--outputs-only` the outputs are the same files; other relations hold
what the outputs ask of them.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.base.options import Overflow
from tidelog.program.check import CheckedProgram
from tidelog.program.values.pragmas import EVERY, MAGIC, OVERFLOW, outputs


def for_outputs(checked: CheckedProgram) -> CheckedProgram:
    """The program with every relation on demand but its outputs; one without outputs is refused."""
    if not outputs(checked.program):
        raise failures.NO_OUTPUTS.error()
    return _with(checked, MAGIC, EVERY)


def with_overflow(checked: CheckedProgram, overflow: Overflow) -> CheckedProgram:
    """The program whose arithmetic wraps around, or not, where it leaves its type."""
    return _with(checked, OVERFLOW, overflow.value)


def _with(checked: CheckedProgram, option: str, value: str) -> CheckedProgram:
    program = checked.program
    return replace(checked, program=replace(program, pragmas=(*program.pragmas, (option, value))))
