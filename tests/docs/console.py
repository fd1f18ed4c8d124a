"""Sessions of the command line as pages print them.

In a code block `$ tidelog ...` is a command, and what follows is what it prints; `$ cat FILE` shows a file. Of a long
output `...` leaves out a part. A page that has a command prints it as a reader would type it: lines ending in a
backslash go on.
"""

from __future__ import annotations

import doctest
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.runner import CliRunner
from tidelog.cli import app

TIMES = re.compile(r"\b\d[\d.,]* (ms|s)\b")


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a page with what it prints there."""

    command: str
    printed: str


def steps(text: str) -> list[Step]:
    """The commands of a page, in order."""
    found = []
    for block in code_blocks(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.replace("\\\n", " ").partition("\n")
            found.append(Step(command, printed))
    return found


def code_blocks(text: str) -> list[str]:
    """The blocks of code: fenced ones, and indented ones without their indent."""
    fenced = re.findall(r"^```[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```[^\n]*\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    indented = re.findall(r"(?:^    .*\n|^\n(?=\n*    ))+", rest + "\n", re.MULTILINE)
    return fenced + [re.sub(r"^    ", "", block, flags=re.MULTILINE).lstrip("\n") for block in indented]


def carry_out(step: Step) -> str:
    """What a command prints here; a file that is not there yet is made by showing it."""
    program, *arguments = shlex.split(step.command)
    if program == "cat":
        place = Path(arguments[0])
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(step.printed, "utf-8")
        return place.read_text("utf-8")
    assert program == "tidelog", step.command
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (0, 1), result.output
    return result.output


def agrees(printed: str, got: str) -> bool:
    """Whether a page prints what a command prints, times aside."""
    return doctest.OutputChecker().check_output(without_times(printed), without_times(got), doctest.ELLIPSIS)


def without_times(text: str) -> str:
    return TIMES.sub(r"- \1", text.rstrip("\n") + "\n")
