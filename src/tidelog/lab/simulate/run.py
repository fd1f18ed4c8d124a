"""A run of a program on a network of nodes: shown while it runs, and saved.

Law: the run is determined by program, topology, changes, algorithm, schedule and seed, and by nothing else. It ends
with the tables of every node, what was sent, and whether these tables are those of evaluation from scratch, which knows
nothing of nodes and messages (`tidelog.testing.evaluate`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import typer

from tidelog.cli.base.show import console, show_diagnostics
from tidelog.errors import Diagnostic, ProgramError, TidelogError
from tidelog.lab.semantics.algorithm import Algorithm, Schedule
from tidelog.lab.semantics.schedule import schedule_by_name
from tidelog.lab.semantics.traffic import Recorder, algorithm_by_name, on_lossy_links, run_to_json
from tidelog.lab.simulate.every import explore_last_epoch, show_every
from tidelog.lab.simulate.inputs import read_inputs
from tidelog.lab.simulate.page import write_run
from tidelog.lab.simulate.show import show_run
from tidelog.lab.simulate.simulate_catalogue import diagnose
from tidelog.lab.simulate.turning import render as render_turning
from tidelog.lab.simulate.turning import summary, turned
from tidelog.lab.simulate.verdict import show_end, summarise


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """What decides a run, how long it may be, and what is made of it."""

    topology: Path | None
    changes: Path | None
    algorithm: str
    schedule: str
    seed: int
    limit: int
    steps: bool
    every: bool
    trace: Path | None
    page: Path | None
    turn: Path | None
    loss: float = 0


def simulate_program(program: Path, wanted: SimulationRequest) -> None:
    """Run a program, show it, and save the requested files."""
    try:
        inputs = read_inputs(program, wanted.topology, wanted.changes)
        if wanted.every:
            schedule = schedule_by_name(wanted.schedule, wanted.seed)
            show_every(console(), explore_last_epoch(wanted.algorithm, schedule, inputs, wanted.limit))
        recorder = Recorder(*_algorithm_and_schedule(wanted), wanted.limit)
        recorder.algorithm.load(inputs.network.program, inputs.facts)
        show_run(console(), recorder, inputs.script, steps=wanted.steps)
        summary = summarise(program.stem, wanted.schedule, wanted.seed, recorder, inputs)
        show_end(console(), summary, recorder.algorithm.tables(), inputs)
        run = run_to_json(summary, recorder, inputs.facts, inputs.network.location)
        write_run(run, wanted.trace, wanted.page)
        if wanted.turn is not None:
            turn_run(program.stem, recorder.algorithm, wanted.turn)
    except ProgramError as error:
        _refuse(error.diagnostics)
    except (TidelogError, OSError) as error:
        _refuse([diagnose(error)])


def _algorithm_and_schedule(wanted: SimulationRequest) -> tuple[Algorithm, Schedule]:
    schedule = schedule_by_name(wanted.schedule, wanted.seed)
    if wanted.loss:
        return on_lossy_links(wanted.algorithm, schedule, wanted.loss, wanted.seed)
    record = wanted.trace is not None or wanted.turn is not None
    return algorithm_by_name(wanted.algorithm, record=record), schedule


def turn_run(title: str, algorithm: Algorithm, page: Path) -> None:
    """Turn the last epoch into the other kind of execution, and draw how."""
    turning = turned(algorithm)
    console().print(f"transformed: {summary(turning)}")
    page.write_text(render_turning(title, turning), encoding="utf-8")


def _refuse(findings: Iterable[Diagnostic]) -> None:
    show_diagnostics(findings, console(stderr=True))
    raise typer.Exit(1)
