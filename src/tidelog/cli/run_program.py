"""A run of a program: load it with its files of facts, follow a script of changes, put out its views.

Law: nothing is written unless everything was read, evaluated and changed without an error. Results go to files or the
standard output; what is told about the run to the standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tidelog.cli import failures
from tidelog.cli.arrow import leave_pandas_out
from tidelog.cli.choose import choose_runtime
from tidelog.cli.engine_session import EngineSession
from tidelog.cli.inputs import read_inputs
from tidelog.cli.options import Algorithm
from tidelog.cli.outputs import TERMINAL, find_outputs, write_views
from tidelog.cli.place import Place, Runtime, check_place, spark_session
from tidelog.cli.progress import progress
from tidelog.cli.script import read_script, run_script
from tidelog.cli.session import Session, SessionEpoch
from tidelog.cli.show import console
from tidelog.cli.state import shown_warnings
from tidelog.cli.statistics import show_statistics
from tidelog.io.files import InputFile, find_inputs, refuse_spark_kinds
from tidelog.io.parameters import Layout
from tidelog.partition.limits import Limits
from tidelog.plan.modes import Plans
from tidelog.program.check import Checked
from tidelog.spark.files import Input
from tidelog.store import open_store
from tidelog.store.markers import partitions_of
from tidelog.store.notes import check_format

if TYPE_CHECKING:
    from tidelog.spark.types import SparkSession


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
    plans: Plans = Plans.advice


def run_program(checked: Checked, options: Options) -> None:
    """Load, change, write; nothing is started before the program, the script and the files are there."""
    outputs = find_outputs(checked.program)
    script = () if options.changes is None else read_script(options.changes, checked.program)
    resumed = options.state is not None and check_format(open_store(options.state))
    if options.at is not None and not resumed:
        raise failures.NO_STATE_AT.error(state=options.state, epoch=options.at)
    files = None if resumed else find_inputs(checked.program, checked.schema, options.facts)
    options = replace(options, place=settle_place(options, resumed, files or (), outputs or ()))
    if not options.place.is_spark and options.out != TERMINAL:
        for name, layout in outputs or ():
            refuse_spark_kinds(layout.kind, f"`.output {name}`")
    if not options.place.is_spark:
        leave_pandas_out()
    with shown_warnings(), spark_session(options.place) if options.place.is_spark else nullcontext() as spark:
        data = None if files is None else read_inputs(checked, files, spark)
        with closing(make_session(checked, options, resumed, spark)) as session:
            steps = load(session, data)
            steps += run_script(session, script, options.changes)
            write_views(session, checked.program, outputs, options.out)
            show_run(session, steps, options)


def load(session: Session, data: list[tuple[str, Input]] | None) -> list[SessionEpoch]:
    """The first epoch, unless a state is gone on from; what was read is given back when it is in."""
    if data is None:
        return []
    with progress("evaluating", lambda: session.fact_count):
        step = session.load(data)
    data.clear()
    return [step]


def show_run(session: Session, steps: Sequence[SessionEpoch], options: Options) -> None:
    """Statistics and profile, where they are asked for."""
    if options.stats:
        show_statistics(session, steps, console(stderr=True))
    if options.profile:
        console(stderr=True).print(session.profile(), markup=False, highlight=False, soft_wrap=True)


def settle_place(
    options: Options, resumed: bool, inputs: Sequence[InputFile] = (), outputs: Sequence[tuple[str, Layout]] = ()
) -> Place:
    """Where the run is, with all that follows from its other options and from the state that it goes on from."""
    place = _fixed_place(options, resumed)
    if place.runtime is not Runtime.auto:
        return place
    choice = choose_runtime(place, inputs, () if options.out == TERMINAL else outputs)
    console(stderr=True).print(str(choice))
    return replace(place, runtime=choice.runtime)


def _fixed_place(options: Options, resumed: bool) -> Place:
    """What the algorithm and the state leave open is still `auto`."""
    place = options.place
    if options.algorithm is Algorithm.circuit or options.at is not None:
        return replace(place, runtime=Runtime.embedded)  # refused before, where Spark was asked for
    if options.state is None or not resumed:
        return place
    made = partitions_of(open_store(options.state))
    if not made and place.runtime is Runtime.spark:
        raise failures.MADE_EMBEDDED.error(state=options.state)
    runtime = place.runtime if made else Runtime.embedded
    return replace(place, runtime=runtime, partitions=place.partitions or made or 1)


def check_options(options: Options) -> None:
    """Refuse what does not go together."""
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


def make_session(checked: Checked, options: Options, resumed: bool, spark: SparkSession | None) -> Session:
    """The program on the engine or on the circuit."""
    if options.algorithm is Algorithm.circuit:
        from tidelog.cli.circuit_session import CircuitSession

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
            threads=options.place.threads,
            plans=options.plans,
        )
