"""A run of a program: load it with its files of facts, run a change script, write its views.

Law: nothing is written unless everything was read, evaluated and changed without an error. Results go to files or the
standard output, messages about the run to the standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli.base import cli_failures as failures
from tidelog.cli.base.arrow import leave_pandas_out
from tidelog.cli.base.choose import choose_runtime
from tidelog.cli.base.extensions import session_class
from tidelog.cli.base.options import Algorithm
from tidelog.cli.base.place import Place, Runtime, check_place, spark_session
from tidelog.cli.base.progress import progress
from tidelog.cli.base.sandbox import check_outputs, input_files
from tidelog.cli.base.show import console, shown_warnings
from tidelog.cli.base.write_file import write_file
from tidelog.cli.input.inputs import read_inputs
from tidelog.cli.input.state import holds_state, partitions_of_state
from tidelog.cli.session.engine_session import EngineSession
from tidelog.cli.session.outputs import TERMINAL, Outputs, find_outputs, write_views
from tidelog.cli.session.script import read_script, run_script
from tidelog.io.files import InputFile, refuse_spark_kinds
from tidelog.plan.modes import Plans
from tidelog.program.types.functors import UserFunctions, function_table

if TYPE_CHECKING:
    from tidelog.cli.session.session import ProgramSession, SessionEpoch
    from tidelog.io.parameters import Layout
    from tidelog.partition.base.limits import Limits
    from tidelog.program.check import CheckedProgram
    from tidelog.program.functions.table import Function
    from tidelog.spark.files import Input
    from tidelog.spark.types import SparkSession


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of the command line."""

    facts: Path
    out: str | None
    changes: Path | None
    limits: Limits
    algorithm: Algorithm
    stats: bool
    profile: bool | Path  # a file: where to write it
    state: str | None = None
    at: int | None = None
    place: Place = field(default_factory=Place)
    plans: Plans = Plans.advice


def run_program(checked: CheckedProgram, options: RunOptions, functions: UserFunctions = ()) -> None:
    """Load, change, write; nothing starts before the program, the script and the files have been found."""
    _, own = function_table(functions, checked.program)
    outputs = find_outputs(checked.program)
    script = () if options.changes is None else read_script(options.changes, checked.program)
    resumed = options.state is not None and holds_state(options.state)
    if options.at is not None and not resumed:
        raise failures.NO_STATE_AT.error(state=options.state, epoch=options.at)
    files = None if resumed else input_files(checked, options.facts)
    check_outputs((layout for _, layout in outputs or ()), Path(options.out or "."))
    options = replace(options, place=settle_place(options, resumed, files or (), outputs or ()))
    if not options.place.is_spark and options.out != TERMINAL:
        for name, layout in outputs or ():
            refuse_spark_kinds(layout.kind, f"`.output {name}`")
    if not options.place.is_spark:
        leave_pandas_out()
    with shown_warnings(), spark_session(options.place) if options.place.is_spark else nullcontext() as spark:
        hidden = hidden_inputs(checked, options, outputs)
        data = (
            None
            if files is None
            else read_inputs(
                checked, files, spark, options.limits, hidden, whole=options.algorithm is Algorithm.circuit
            )
        )
        with closing(make_session(checked, options, resumed, spark, own)) as session:
            checked, outputs = at_epoch(session, checked, outputs, options)
            steps = load(session, data)
            steps += run_script(session, script, options.changes) if script else []
            write_views(session, checked.program, outputs, options.out)
            show_run(session, steps, options)


def hidden_inputs(checked: CheckedProgram, options: RunOptions, outputs: Outputs | None) -> set[str]:
    """The relations whose rows are never visible: not output, not kept in a state, not read by rules of a script."""
    if outputs is None or options.state is not None or options.changes is not None:
        return set()
    shown = {name for name, _ in outputs} | {d.relation for d in checked.program.directives if d.kind != "input"}
    return {d.relation for d in checked.program.directives if d.kind == "input"} - shown


def at_epoch(
    session: ProgramSession, checked: CheckedProgram, outputs: Outputs | None, options: RunOptions
) -> tuple[CheckedProgram, Outputs | None]:
    """The outputs of an old epoch: those of the state's program at that epoch. Warns about outputs that it lacks.

    A state opened read-only has the rules of its epoch, so an edited program only determines the outputs.
    """
    if options.at is None or not isinstance(session, EngineSession):
        return checked, outputs
    to, place = console(stderr=True), f"{options.state} at epoch {options.at}"
    if session.differs():
        to.print(f"warning: {place} has different rules from the program; its views are shown as of that epoch")
    program, known = checked.program, session.relations
    for name in {d.relation for d in program.directives if d.kind in ("output", "printsize")}.difference(known):
        to.print(f"warning: {place} has no relation `{name}`")
    directives = tuple(d for d in program.directives if d.relation in known)
    selection = None if outputs is None else [each for each in outputs if each[0] in known]
    return replace(checked, program=replace(program, directives=directives)), selection


def load(session: ProgramSession, data: list[tuple[str, Input]] | None) -> list[SessionEpoch]:
    """Run the first epoch, unless a state is resumed; the files' rows are freed once they are loaded."""
    if data is None:
        return []
    with progress("evaluating", lambda: session.fact_count):
        step = session.load(data)
    data.clear()
    return [step]


def show_run(session: ProgramSession, steps: Sequence[SessionEpoch], options: RunOptions) -> None:
    """Print statistics and profile, if requested."""
    if options.stats:
        from tidelog.cli.session.statistics import show_statistics

        show_statistics(session, steps, console(stderr=True))
    if isinstance(options.profile, Path):
        write_file(str(options.profile), f"{session.profile()}\n")
    elif options.profile:
        console(stderr=True).print(session.profile(), markup=False, highlight=False, soft_wrap=True)


def settle_place(
    options: RunOptions, resumed: bool, inputs: Sequence[InputFile] = (), outputs: Sequence[tuple[str, Layout]] = ()
) -> Place:
    """Where the run takes place, according to its other options and to the state that it resumes."""
    place = _fixed_place(options, resumed)
    if place.runtime is not Runtime.auto:
        return place
    choice = choose_runtime(place, inputs, () if options.out == TERMINAL else outputs)
    print(choice, file=sys.stderr)
    return replace(place, runtime=choice.runtime)


def _fixed_place(options: RunOptions, resumed: bool) -> Place:
    """The place as far as it is determined; what the algorithm and the state leave open remains `auto`."""
    place = options.place
    if options.algorithm is Algorithm.circuit or options.at is not None:
        return replace(place, runtime=Runtime.embedded)  # already refused if Spark was requested
    if options.state is None or not resumed:
        return place
    partitions = partitions_of_state(options.state)
    runtime = place.runtime if partitions or place.runtime is Runtime.spark else Runtime.embedded
    return replace(place, runtime=runtime, partitions=place.partitions or partitions or 1)


def check_options(options: RunOptions) -> None:
    """Refuse options that cannot be combined."""
    if options.at is not None and options.state is None:
        raise failures.AT_WITHOUT_STATE.error()
    if options.at is not None and options.changes is not None:
        raise failures.AT_ONLY_READS.error()
    if options.state is not None and options.algorithm is Algorithm.circuit:
        raise failures.CIRCUIT_STATE.error()
    if options.algorithm is Algorithm.circuit and (
        options.place.runtime is Runtime.spark or options.place.master or (options.place.partitions or 1) > 1
    ):
        raise failures.CIRCUIT_PLACE.error()
    check_place(options.place)


def make_session(
    checked: CheckedProgram,
    options: RunOptions,
    resumed: bool,
    spark: SparkSession | None,
    functions: Iterable[Function] = (),
) -> ProgramSession:
    """A session that runs the program on the engine or on the circuit."""
    if options.algorithm is Algorithm.circuit:
        circuit = session_class(Algorithm.circuit)
        if circuit is None:
            raise failures.NO_LAB.error(algorithm=Algorithm.circuit.value)
        session: ProgramSession = circuit(checked)
        return session
    with progress("starting partitions"):
        return EngineSession(
            checked.program,
            options.limits,
            options.state,
            resumed,
            options.at,
            bool(options.profile),
            spark=spark,
            partitions=None if options.at is not None else options.place.count,
            threads=options.place.threads,
            plans=options.plans,
            functions=functions,
            checked=checked,
        )
