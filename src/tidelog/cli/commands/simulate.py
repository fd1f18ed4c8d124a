"""`tidelog simulate PROGRAM`: run an NDlog program on a network of nodes, message by message.

Law: the run is decided by program, topology, changes, algorithm, schedule and seed, and by nothing else. It ends with
the tables of every node, what was sent, and whether these tables are those of evaluation from scratch, which knows
nothing of nodes and messages (`tidelog.testing.evaluate`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tidelog.cli.application import app
from tidelog.cli.show import console, show_diagnostics
from tidelog.cli.simulate.catalogue import diagnose
from tidelog.cli.simulate.inputs import read_inputs
from tidelog.cli.simulate.page import render
from tidelog.cli.simulate.show import show_run
from tidelog.cli.simulate.verdict import show_end, summarise
from tidelog.errors import Diagnostic, ProgramError, TidelogError
from tidelog.semantics.schedule import SCHEDULES, schedule_by_name
from tidelog.semantics.traffic import ALGORITHMS, Recorder, algorithm_by_name, run_to_json

ALGORITHM_HELP = f"How tables are maintained: {', '.join(ALGORITHMS)}."
SCHEDULE_HELP = f"Which message comes next: {', '.join(SCHEDULES)}; starve:NODE, delay:N and reorder:N take a value."


@app.command()
def simulate(
    program: Annotated[Path, typer.Argument(help="An NDlog program.", metavar="PROGRAM")],
    topology: Annotated[Path | None, typer.Option(help="Base facts as text, or links as a .tsv table.")] = None,
    changes: Annotated[Path | None, typer.Option(help="A change script (+link(a,b). commit.) or a .tsv table.")] = None,
    algorithm: Annotated[str, typer.Option(help=ALGORITHM_HELP)] = "ranked",
    schedule: Annotated[str, typer.Option(help=SCHEDULE_HELP)] = "fifo",
    seed: Annotated[int, typer.Option(help="Seed of the schedules that draw.")] = 0,
    limit: Annotated[int, typer.Option(help="Give up after this many steps.", min=1)] = 20_000,
    steps: Annotated[bool, typer.Option(help="Show every step as it happens.")] = True,
    trace: Annotated[Path | None, typer.Option(help="Write the run as JSON to this file.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write an HTML page that plays the run to this file.")] = None,
) -> None:
    """Run a program on a network of nodes and show nodes, messages and tables as it goes.

    Ends with the tables of every node, the numbers of messages and rounds, and whether the tables equal evaluation
    from scratch. The exit code is 1 if the input is wrong or the run does not end.
    """
    try:
        inputs = read_inputs(program, topology, changes)
        recorder = Recorder(
            algorithm_by_name(algorithm, record=trace is not None), schedule_by_name(schedule, seed), limit
        )
        recorder.algorithm.load(inputs.network.program, inputs.facts)
        show_run(console(), recorder, inputs.script, steps=steps)
        summary = summarise(program.stem, schedule, seed, recorder, inputs)
        show_end(console(), summary, recorder.algorithm.tables(), inputs)
        write_files(run_to_json(summary, recorder, inputs.facts, inputs.network.location), trace, page)
    except ProgramError as error:
        _refuse(error.diagnostics)
    except (TidelogError, OSError) as error:
        _refuse([diagnose(error)])


def write_files(run: Mapping[str, Any], trace: Path | None, page: Path | None) -> None:
    """Save the run where it was asked for."""
    if trace is not None:
        trace.write_text(json.dumps(run, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if page is not None:
        page.write_text(render(run), encoding="utf-8")


def _refuse(findings: Iterable[Diagnostic]) -> None:
    show_diagnostics(findings, console(stderr=True))
    raise typer.Exit(1)
