"""`tidelog run PROGRAM -F FACTS -D OUT`: evaluate a program over files of facts, then follow a script of changes.

Law (D8): Soufflé's programs, flags and files work as they are. Nothing is written unless everything was read, evaluated
and changed without an error. Results go to files or the standard output; what is told about the run to the standard
error.
"""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidelog.cli.application import app
from tidelog.cli.check import Report, check_file
from tidelog.cli.guard import guarded
from tidelog.cli.progress import progress
from tidelog.cli.run_show import relation_text, show_statistics, show_step
from tidelog.cli.runtime import (
    ChosenRuntimeOption,
    MasterOption,
    PartitionsOption,
    Place,
    Runtime,
    SettingsOption,
    check_place,
    read_settings,
    spark_session,
)
from tidelog.cli.session import CircuitSession, EngineSession, Session, Step
from tidelog.cli.show import console, show_diagnostics
from tidelog.cli.state import partitions_of, told_warnings
from tidelog.errors import DataError, EngineError, EvaluationError, LimitError, ProgramError, StateError, TidelogError
from tidelog.io.delimited import Data
from tidelog.io.files import InputFile, find_inputs, output_path, read_input, refuse_spark_kinds
from tidelog.io.open_columns import Bound, settle_types
from tidelog.io.parameters import CSV, SCREEN, TABLE, TEXT, TRIPLES, Layout, layout_of
from tidelog.partition.limits import Limits
from tidelog.program import Program
from tidelog.program.check import Checked, check_program
from tidelog.spark.files import Input, read_frames
from tidelog.store import open_store
from tidelog.store.notes import check_format
from tidelog.syntax import Epoch, parse_changes_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TERMINAL = "-"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class Algorithm(enum.StrEnum):
    """What keeps views true."""

    engine = "engine"
    circuit = "circuit"


def read_memory(text: str) -> int:
    """Bytes from a text such as 500MB.

    >>> read_memory("1.5 GB"), read_memory("2048")
    (1500000000, 2048)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)b?\s*", text.lower())
    if found is None:
        raise typer.BadParameter(f"`{text}` is not an amount of memory; write it as 500MB or 2GB")
    return int(float(found[1]) * UNITS[found[2]])


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for."""

    facts: Path
    out: str | None
    changes: Path | None
    limits: Limits
    algorithm: Algorithm
    stats: bool
    profile: bool
    state: str | None = None
    at: int | None = None
    place: Place = field(default_factory=Place)


ProgramArgument = Annotated[str, typer.Argument(metavar="PROGRAM", help="The program; `-` reads the standard input.")]
FactsOption = Annotated[
    Path, typer.Option("-F", "--fact-dir", metavar="DIR", help="The folder of fact files.", show_default="here")
]
OutOption = Annotated[
    str | None,
    typer.Option("-D", "--output-dir", metavar="DIR", help="The folder for views; `-` prints them to the terminal."),
]
ChangesOption = Annotated[
    Path | None, typer.Option("--changes", metavar="FILE", help="A script of epochs to run afterwards.")
]
MemoryOption = Annotated[
    int | None, typer.Option("--limit-memory", parser=read_memory, metavar="SIZE", help="E.g. 500MB, per epoch.")
]
StateOption = Annotated[
    str | None, typer.Option("--state", metavar="DIR", help="Keep everything in this state folder, or go on from it.")
]
AtOption = Annotated[
    int | None, typer.Option("--at", metavar="EPOCH", help="With --state: show the views as they were at this epoch.")
]


@app.command("run")
def run_command(
    program: ProgramArgument,
    facts: FactsOption = Path("."),
    out: OutOption = None,
    changes: ChangesOption = None,
    state: StateOption = None,
    at: AtOption = None,
    stats: Annotated[bool, typer.Option("--stats", help="Tell facts per relation, memory and epochs.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Tell time and supports per stratum and rule.")] = False,
    limit_facts: Annotated[int | None, typer.Option(min=1, help="Facts that an epoch may make.")] = None,
    limit_seconds: Annotated[float | None, typer.Option(min=0, help="Seconds that an epoch may take.")] = None,
    limit_memory: MemoryOption = None,
    runtime: ChosenRuntimeOption = None,
    partitions: PartitionsOption = None,
    master: MasterOption = None,
    settings: SettingsOption = None,
    algorithm: Annotated[
        Algorithm, typer.Option(help="The engine, or the circuit of tidelog.dbsp.")
    ] = Algorithm.engine,
) -> None:
    """Evaluate a program over files of facts, and keep its views true under a script of changes.

    Flags and files are Soufflé's: `.input edge` reads the tab-separated edge.facts, `.output reach` writes reach.csv.
    Programs without `.input` read every file that bears the name of a relation; those without `.output` show all views.
    """
    with guarded():
        limits = Limits(facts=limit_facts, seconds=limit_seconds, memory=limit_memory)
        place = Place(runtime, partitions, master, read_settings(settings))
        options = Options(facts, out, changes, limits, algorithm, stats, profile, state, at, place)
        check_options(options)
        run_program(check_file(program), options)


def run_program(report: Report, options: Options) -> None:
    """Load, change, write; nothing is started before the program, the script and the files are there."""
    if report.errors:
        raise ProgramError(report.findings)
    show_diagnostics(report.findings, console(stderr=True))
    checked = report.checked
    outputs = find_outputs(checked.program)
    script = () if options.changes is None else read_script(options.changes, checked.program)
    resumed = options.state is not None and check_format(open_store(options.state))
    if options.at is not None and not resumed:
        raise StateError(f"{options.state} holds no state, so there is no epoch {options.at} to read")
    options = replace(options, place=settle_place(options, resumed))
    if not options.place.is_spark and options.out != TERMINAL:
        for name, layout in outputs or ():
            refuse_spark_kinds(layout.kind, f"`.output {name}`")
    files = None if resumed else find_inputs(checked.program, checked.schema, options.facts)
    with told_warnings(), spark_session(options.place) if options.place.is_spark else nullcontext() as spark:
        data = None if files is None else read_inputs(checked, files, spark)
        with closing(make_session(checked, options, resumed, spark)) as session:
            steps = load(session, data)
            steps += run_script(session, script, options.changes)
            write_views(session, checked.program, outputs, options.out)
            tell_run(session, steps, options)


def load(session: Session, data: list[tuple[str, Input]] | None) -> list[Step]:
    """The first epoch, unless a state is gone on from; what was read is given back when it is in."""
    if data is None:
        return []
    with progress("evaluating", lambda: session.fact_count):
        step = session.load(data)
    data.clear()
    return [step]


def tell_run(session: Session, steps: Sequence[Step], options: Options) -> None:
    """Statistics and profile, where they are asked for."""
    if options.stats:
        show_statistics(session, steps, console(stderr=True))
    if options.profile:
        console(stderr=True).print(session.profile(), markup=False, highlight=False, soft_wrap=True)


def settle_place(options: Options, resumed: bool) -> Place:
    """Where the run is, with all that follows from its other options and from the state that it goes on from."""
    place = options.place
    if options.algorithm is Algorithm.circuit or options.at is not None:
        return replace(place, runtime=Runtime.embedded)  # refused before, where Spark was asked for
    if options.state is None or not resumed:
        return place
    made = partitions_of(options.state)
    if not made and place.runtime is Runtime.spark:
        raise StateError(
            f"{options.state} was made by one embedded partition, and goes on so: say `--runtime embedded`; or make a "
            "new state on Spark from what `tidelog export` writes"
        )
    return replace(place, runtime=place.runtime if made else Runtime.embedded, partitions=place.partitions or made or 1)


def check_options(options: Options) -> None:
    """Refuse what does not go together."""
    if options.at is not None and options.state is None:
        raise EngineError("--at reads an epoch of a state folder; give it with --state")
    if options.at is not None and options.changes is not None:
        raise EngineError("--at only reads; changes are applied to the last epoch, without --at")
    if options.state is not None and options.algorithm is Algorithm.circuit:
        raise EngineError("the circuit keeps no state; leave out --state, or use the engine")
    if options.algorithm is Algorithm.circuit and (
        options.place.runtime is Runtime.spark or (options.place.partitions or 1) > 1
    ):
        raise EngineError("the circuit runs in this process, on one partition; say `--runtime embedded`")
    check_place(options.place)


def make_session(checked: Checked, options: Options, resumed: bool, spark: SparkSession | None) -> Session:
    """The program on the engine or on the circuit."""
    if options.algorithm is Algorithm.circuit:
        return CircuitSession(checked)
    with progress("starting partitions"):
        return EngineSession(
            checked.program,
            options.limits,
            options.state,
            resumed,
            options.at,
            options.profile,
            spark=spark,
            partitions=None if options.at is not None else options.place.count,
        )


def read_script(path: Path, program: Program) -> tuple[Epoch, ...]:
    """The epochs of a change script; the file must be there."""
    return parse_changes_file(path, convention=program.convention)


def read_inputs(checked: Checked, files: Sequence[InputFile], spark: SparkSession | None) -> list[tuple[str, Input]]:
    """All facts of all files, with types for all columns: on Spark as DataFrames, else as tables."""
    if spark is None:
        return list(read_data(checked, files))
    with progress("reading"):
        return read_frames(spark, checked, files, partial(column_names, checked), partial(schema_after, checked))


def read_data(checked: Checked, files: Sequence[InputFile]) -> list[tuple[str, Data]]:
    """All facts of all files, with types for all columns."""
    with progress("reading"):
        read = [
            (file.relation, read_input(file, column_names(checked, file.relation), checked.schema[file.relation]))
            for file in files
        ]
    return settle_types(read, checked.schema, partial(schema_after, checked))


def column_names(checked: Checked, relation: str) -> tuple[str, ...]:
    """As declared, else c1, c2, ..."""
    declared = next((d for d in checked.program.declarations if d.relation == relation), None)
    if declared is not None:
        return tuple(column.name for column in declared.columns)
    return tuple(f"c{i + 1}" for i in range(len(checked.schema[relation])))


def schema_after(checked: Checked, bound: Bound) -> dict[str, tuple[str | None, ...]]:
    """The types of all columns once those of some are known."""
    known = {name: len(checked.schema[name]) for name, _ in bound}
    return dict(check_program(checked.program, bound=bound, known=known).schema)


def run_script(session: Session, script: Iterable[Epoch], path: Path | None) -> list[Step]:
    """Epoch after epoch, each told as it is done."""
    steps, to = [], console()
    for epoch in script:
        try:
            with progress("changing", lambda: session.fact_count):
                steps.append(session.apply(epoch))
        except (DataError, EngineError, EvaluationError, LimitError) as error:
            raise _placed(error, epoch, path, len(steps)) from None
        show_step(steps[-1], len(epoch), to)
    return steps


def _placed(error: TidelogError, epoch: Epoch, path: Path | None, done: int) -> TidelogError:
    """The error with the lines of the epoch that failed."""
    spans = [change.span for change in epoch if change.span is not None]
    lines = "" if not spans else f":{spans[0].line}"
    return type(error)(f"{path}{lines}: epoch {done + 1} of the script was not committed: {error}")


Outputs = list[tuple[str, Layout]]


def find_outputs(program: Program) -> Outputs | None:
    """What the program's `.output` directives ask for; None if it has none."""
    found = [(d.relation, layout_of(d)) for d in program.directives if d.kind == "output"]
    for directive in program.directives:
        if directive.kind == "printsize":
            layout_of(directive)
    return found or None


def write_views(session: Session, program: Program, outputs: Outputs | None, out: str | None) -> None:
    """Write or print what the program puts out; without `.output` and `-D`, print every view."""
    sizes = [d.relation for d in program.directives if d.kind == "printsize"]
    if outputs is None:
        outputs = [] if sizes and out is None else [(name, Layout()) for name in session.views]
        out = TERMINAL if out is None else out
    for name, layout in outputs:
        if out == TERMINAL or layout.kind == SCREEN:
            shown = layout if layout.kind in (TEXT, CSV, TRIPLES) else replace(layout, kind=TEXT)
            table = session.table(name, lists_as_text=True)
            sys.stdout.write(relation_text(name, table, session.types(name), shown))
        else:
            folder = Path(out or ".")
            session.write(name, layout, folder / name if layout.kind == TABLE else output_path(name, layout, folder))
    for name in sizes:
        sys.stdout.write(f"{name}\t{session.size(name)}\n")
