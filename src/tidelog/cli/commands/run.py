"""`tidelog run PROGRAM -F FACTS -D OUT`: evaluate a program over files of facts, then run a change script.

Law (D8): Soufflé's programs, flags and files work as they are. `cli.run_program` implements the run.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app
from tidelog.cli.base.options import (
    Algorithm,
    AllowOption,
    FactsOption,
    FunctionsOption,
    Overflow,
    ProgramArgument,
    SandboxOption,
)
from tidelog.cli.base.place import (
    ChosenRuntimeOption,
    MasterOption,
    PartitionsOption,
    Place,
    Runtime,
    SettingsOption,
    ThreadsOption,
    read_settings,
)
from tidelog.cli.base.souffle_options import SouffleCommand, read_macros, read_pragma
from tidelog.plan.modes import Plans

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def read_memory(text: str) -> int:
    """The number of bytes in a text such as 500MB.

    >>> read_memory("1.5 GB"), read_memory("2048")
    (1500000000, 2048)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)b?\s*", text.lower())
    if found is None:
        raise typer.BadParameter(f"`{text}` is not an amount of memory; write it as 500MB or 2GB")
    return int(float(found[1]) * UNITS[found[2]])


OutOption = Annotated[
    str | None,
    typer.Option("-D", "--output-dir", metavar="DIR", help="Folder for the views, or `-` for standard output."),
]
ChangesOption = Annotated[
    Path | None, typer.Option("--changes", metavar="FILE", help="Change script to run afterwards.")
]
MemoryOption = Annotated[
    int | None,
    typer.Option(
        "--limit-memory",
        parser=read_memory,
        metavar="SIZE",
        help="Maximum memory an epoch may allocate, for example 500MB.",
    ),
]
StateOption = Annotated[
    str | None,
    typer.Option("--state", metavar="DIR", help="Persist the state in this folder; resume from it if it exists."),
]
AtOption = Annotated[
    int | None, typer.Option("--at", metavar="EPOCH", help="With --state: show the views as they were at this epoch.")
]


@app.command("run", cls=SouffleCommand)
def run_command(
    program: ProgramArgument,
    facts: FactsOption = Path("."),
    out: OutOption = None,
    changes: ChangesOption = None,
    state: StateOption = None,
    at: AtOption = None,
    stats: Annotated[
        bool, typer.Option("--stats", "-v", "--verbose", help="Print facts per relation, memory use and epoch times.")
    ] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Print time and supports per stratum and rule.")] = False,
    profile_file: Annotated[
        Path | None, typer.Option("-p", metavar="FILE", help="Write time and supports per stratum and rule to a file.")
    ] = None,
    limit_facts: Annotated[int | None, typer.Option(min=1, help="Maximum number of facts an epoch may derive.")] = None,
    limit_seconds: Annotated[float | None, typer.Option(min=0, help="Time limit of an epoch, in seconds.")] = None,
    limit_memory: MemoryOption = None,
    plans: Annotated[
        Plans, typer.Option(help="How to treat `.plan` directives: as advice, as binding, or ignored.")
    ] = Plans.advice,
    functions: FunctionsOption = None,
    overflow: Annotated[
        Overflow | None,
        typer.Option(help="How to handle arithmetic overflow. Defaults to the program's setting."),
    ] = None,
    outputs_only: Annotated[bool, typer.Option("--outputs-only", help="Evaluate only what the outputs need.")] = False,
    magic: Annotated[
        str | None,
        typer.Option(
            "-m", "--magic-transform", metavar="RELATIONS", help="Evaluate these relations on demand; `*` means all."
        ),
    ] = None,
    include: Annotated[
        list[Path] | None,
        typer.Option("-I", "--include-dir", metavar="DIR", help="Additional folder of included files; repeatable."),
    ] = None,
    macros: Annotated[
        list[str] | None,
        typer.Option("-M", "--macro", metavar="NAME=VALUE", help="Define macros before the program; repeatable."),
    ] = None,
    pragmas: Annotated[
        list[str] | None,
        typer.Option("-P", "--pragma", metavar="NAME=VALUE", help="Set a pragma of the program; repeatable."),
    ] = None,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Accept values of another type with the same base type.")
    ] = False,
    no_warn: Annotated[bool, typer.Option("-w", "--no-warn", help="Print no warnings about the program.")] = False,
    compiled: Annotated[
        bool,
        typer.Option("-c", "--compile", help="Accepted for compatibility with Soufflé; the kernel is always compiled."),
    ] = False,
    runtime: ChosenRuntimeOption = Runtime.auto,
    partitions: PartitionsOption = None,
    threads: ThreadsOption = None,
    master: MasterOption = None,
    settings: SettingsOption = None,
    sandbox: SandboxOption = False,
    allow: AllowOption = None,
    algorithm: Annotated[
        Algorithm, typer.Option(help="Evaluation algorithm. `circuit` is the DBSP circuit of tidelog.lab.")
    ] = Algorithm.engine,
) -> None:
    """Evaluate a program over files of facts, then apply a change script and update the views.

    Flags and files follow Soufflé: `.input edge` reads the tab-separated edge.facts, `.output reach` writes reach.csv.
    Programs without `.input` read every file named after a relation; programs without `.output` print all views.
    """
    from tidelog.cli.act.run_program import RunOptions, check_options, run_program
    from tidelog.cli.base.functions import functions_of
    from tidelog.cli.base.guard import guarded
    from tidelog.cli.base.pragmas import for_outputs, with_overflow
    from tidelog.cli.base.sandbox import sandboxed
    from tidelog.cli.input.inputs import read_valid
    from tidelog.cli.input.report import Reading
    from tidelog.cli.input.state import holds_state
    from tidelog.partition.base.limits import Limits
    from tidelog.program.types.subtypes import LEGACY
    from tidelog.program.values.pragmas import MAGIC

    with guarded(), sandboxed(sandbox, allow, program, facts, out or Path("."), *(include or ())):
        limits = Limits(facts=limit_facts, seconds=limit_seconds, memory=limit_memory)
        place = Place(runtime, partitions, master, read_settings(settings), threads)
        profiled = profile_file or profile
        options = RunOptions(facts, out, changes, limits, algorithm, stats, profiled, state, at, place, plans)
        check_options(options)
        user_functions = functions_of(functions)
        own = [read_pragma(text) for text in pragmas or ()]
        own += [(MAGIC, magic)] if magic else []
        own += [LEGACY] if legacy else []
        reading = Reading(include or (), read_macros(macros or ()), own, warns=not no_warn)
        labelled = state is None or not holds_state(state)
        checked = read_valid(program, user_functions, labelled=labelled, reading=reading)
        checked = checked if overflow is None else with_overflow(checked, overflow)
        run_program(for_outputs(checked) if outputs_only else checked, options, user_functions)
