"""A run of a program on a network of nodes: shown while it runs, and saved.

Law: the run is determined by program, topology, changes, algorithm, schedule and seed, and by nothing else. It ends
with the tables of every node, what was sent, and whether these tables are those of evaluation from scratch, which knows
nothing of nodes and messages (`tidelog.testing.evaluate`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import typer

from tidelog.cli.base.show import console, show_diagnostics
from tidelog.errors import Diagnostic, LimitError, ProgramError, TidelogError
from tidelog.lab.semantics.algorithm import Algorithm, Schedule
from tidelog.lab.semantics.finiteness import endless_derivations
from tidelog.lab.semantics.schedule import schedule_by_name
from tidelog.lab.semantics.traffic import Recorder, algorithm_by_name, on_lossy_links, run_to_json
from tidelog.lab.simulate.every import explore_last_epoch, show_every
from tidelog.lab.simulate.inputs import Inputs, read_inputs
from tidelog.lab.simulate.page import write_run
from tidelog.lab.simulate.show import show_run
from tidelog.lab.simulate.simulate_catalogue import diagnose
from tidelog.lab.simulate.turning import render as render_turning
from tidelog.lab.simulate.turning import summary, turned
from tidelog.lab.simulate.verdict import show_end, summarise
from tidelog.program.check import check_program
from tidelog.program.checks.termination import circular_strata


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
    inputs = _read(program, wanted)
    try:
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
    except LimitError as error:
        _refuse([replace(diagnose(error), note=explain_limit(inputs))])
    except (TidelogError, OSError) as error:
        _refuse([diagnose(error)])


def _read(program: Path, wanted: SimulationRequest) -> Inputs:
    try:
        return read_inputs(program, wanted.topology, wanted.changes)
    except ProgramError as error:
        _refuse(error.diagnostics)
    except (TidelogError, OSError) as error:
        _refuse([diagnose(error)])


def explain_limit(inputs: Inputs) -> str:
    """Whether counting has a final state on these facts, after each epoch: the likely cause of a run without an end."""
    checked = check_program(inputs.written)
    if not circular_strata(checked.strata, checked.schema):
        return "Every fact has finitely many derivations on any data, so counting terminates: the run is only long."
    for epoch, base in enumerate(inputs.bases()):
        endless = endless_derivations(inputs.network, base)
        if endless is not None:
            when = f"after epoch {epoch} of the changes" if epoch else "on the initial facts"
            return (
                f"{when.capitalize()}, {endless.cycle[0]} is derived from itself ({endless}), so it has infinitely "
                "many derivations, and algorithms that count them do not terminate."
            )
    return "On these facts, every fact has finitely many derivations, so counting terminates: the run is only long."


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


def _refuse(findings: Iterable[Diagnostic]) -> NoReturn:
    show_diagnostics(findings, console(stderr=True))
    raise typer.Exit(1)
