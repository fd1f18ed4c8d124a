"""Arguments and options that several commands share.

Law: an option with the same name and the same meaning in two commands has the same help in both.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

LAST = -1


class Format(enum.StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"


class CaseFormat(enum.StrEnum):
    """How results are printed."""

    text = "text"
    json = "json"
    junit = "junit"


class AnswerFormat(enum.StrEnum):
    """How the answers to a query are printed."""

    table = "table"
    text = "text"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"


class Algorithm(enum.StrEnum):
    """How views are maintained."""

    engine = "engine"
    circuit = "circuit"


class Overflow(enum.StrEnum):
    """What arithmetic does when a result leaves its type."""

    error = "error"
    wrap = "wrap"


ProgramArgument = Annotated[str, typer.Argument(metavar="PROGRAM", help="Program file, or `-` for standard input.")]
FactsOption = Annotated[
    Path,
    typer.Option(
        "-F", "--fact-dir", metavar="DIR", help="Folder with the fact files.", show_default="the current folder"
    ),
]
StateArgument = Annotated[str, typer.Argument(metavar="DIR", help="State folder, or a URI such as s3://bucket/state.")]
AtOption = Annotated[
    int,
    typer.Option(
        "--at", metavar="EPOCH", help="Read the state as of this epoch. -1 is the last epoch, -2 the one before it."
    ),
]
FunctionsOption = Annotated[
    Path | None, typer.Option("--functions", metavar="FILE", help="Python file that defines the program's functors.")
]
SandboxOption = Annotated[
    bool, typer.Option("--sandbox", help="Deny the program access to files outside its folders (-F, -D, --allow).")
]
AllowOption = Annotated[
    list[Path] | None,
    typer.Option("--allow", metavar="DIR", help="Additional folder the program may access. Implies --sandbox."),
]
AskedProgram = Annotated[
    str | None,
    typer.Argument(metavar="PROGRAM", help="Program file, or `-` for standard input. Not allowed with --state."),
]
AskedFacts = Annotated[
    Path | None,
    typer.Option(
        "-F", "--fact-dir", metavar="DIR", help="Folder with the fact files.", show_default="the current folder"
    ),
]
AskedState = Annotated[
    str | None, typer.Option("--state", metavar="DIR", help="Query this state folder or URI instead of a program.")
]
AskedEpoch = Annotated[
    int | None,
    typer.Option(
        "--at", metavar="EPOCH", help="With --state: query the state as of this epoch. -2 is the one before the last."
    ),
]
