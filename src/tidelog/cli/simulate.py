"""`tidelog simulate PROGRAM`: run an NDlog program on a network of nodes, message by message.

Law: the run is decided by program, topology, changes, algorithm, schedule and seed, and by nothing else. It ends with
the tables of every node, what was sent, and whether these tables are those of evaluation from scratch, which knows
nothing of nodes and messages (`tidelog.testing.evaluate`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tidelog.cli.application import app
from tidelog.cli.show import console, show_diagnostics
from tidelog.cli.simulate_catalogue import RULES, diagnose
from tidelog.cli.simulate_page import render
from tidelog.cli.simulate_show import show_differences, show_run, show_tables
from tidelog.errors import Diagnostic, ProgramError, TidelogError
from tidelog.program import Program
from tidelog.semantics.algorithm import Tables, as_sets
from tidelog.semantics.fact import Fact, Row, Update
from tidelog.semantics.network import Network, ground, prepare
from tidelog.semantics.schedule import SCHEDULES, schedule_by_name
from tidelog.semantics.traffic import (
    ALGORITHMS,
    Recorder,
    Summary,
    algorithm_by_name,
    localised,
    read_changes,
    read_topology,
    run_to_json,
)
from tidelog.syntax import Change, FactChange, parse_changes_file, parse_file
from tidelog.testing import evaluate

ALGORITHM_HELP = f"How tables are maintained: {', '.join(ALGORITHMS)}."
SCHEDULE_HELP = f"Which message comes next: {', '.join(SCHEDULES)}; starve:NODE, delay:N and reorder:N take a value."


TABLE = ".tsv"
"""Files with this ending hold links, or changes of links, as columns separated by tabs."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is to be run: the program as written, its localised form, base facts, epochs of changes."""

    written: Program
    network: Network
    facts: tuple[Fact, ...]
    script: tuple[tuple[Update, ...], ...]

    def base(self) -> frozenset[Fact]:
        """The base facts after all changes."""
        base = frozenset(self.facts)
        for changes in self.script:
            base = (base | {u.fact for u in changes if u.sign > 0}) - {u.fact for u in changes if u.sign < 0}
        return base


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
        show_end(summary, recorder.algorithm.tables(), inputs)
        write_files(run_to_json(summary, recorder, inputs.facts, inputs.network.location), trace, page)
    except ProgramError as error:
        _refuse(error.diagnostics)
    except (TidelogError, OSError) as error:
        _refuse([diagnose(error)])


def read_inputs(program: Path, topology: Path | None, changes: Path | None) -> Inputs:
    """Read and localise; facts of the program's own text count as topology, so that scripts may change them."""
    written = parse_file(program)
    rules = replace(written, facts=())
    network = prepare(localised(rules))
    cost = network.arity.get("link") == 3
    facts = [ground(fact.atom) for fact in written.facts]
    if topology is not None:
        facts += _topology_facts(topology, cost)
    script = () if changes is None else _script(changes, cost)
    return Inputs(rules, network, tuple(dict.fromkeys(facts)), script)


def _topology_facts(file: Path, cost: bool) -> list[Fact]:
    """The facts of a text, or the links of a table of links, both ways."""
    if file.suffix == TABLE:
        return read_topology(file).facts(cost=cost)
    return [ground(fact.atom) for fact in parse_file(file).facts]


def _script(file: Path, cost: bool) -> tuple[tuple[Update, ...], ...]:
    """The epochs of a change script, or the months of a table of link changes."""
    if file.suffix == TABLE:
        return tuple(read_changes(file, cost=cost).values())
    return tuple(_updates(epoch) for epoch in parse_changes_file(file))


def _updates(epoch: Iterable[Change]) -> tuple[Update, ...]:
    updates: list[Update] = []
    for change in epoch:
        if not isinstance(change, FactChange):
            raise ProgramError([RULES.diagnostic(change.span)])
        updates.append(Update(change.sign, ground(change.atom)))
    return tuple(updates)


def summarise(title: str, schedule: str, seed: int, recorder: Recorder, inputs: Inputs) -> Summary:
    """The run in numbers, judged by evaluation from scratch."""
    ran = recorder.algorithm
    agrees = shown_rows(ran.tables()) == from_scratch(inputs)
    return Summary(title, ran.name, schedule, seed, ran.messages, ran.bytes, ran.updates, recorder.rounds, agrees)


def shown_rows(tables: Tables) -> dict[str, frozenset[Row]]:
    """The rows of all nodes by relation, auxiliary relations left out."""
    rows: dict[str, set[Row]] = {}
    for relations in as_sets(tables).values():
        for name, found in relations.items():
            if not name.startswith("__"):
                rows.setdefault(name, set()).update(found)
    return {name: frozenset(found) for name, found in rows.items()}


def from_scratch(inputs: Inputs) -> dict[str, frozenset[Row]]:
    """What the program, as written, derives from the base facts that are left."""
    facts: dict[str, list[Row]] = {}
    for relation, row in inputs.base():
        facts.setdefault(relation, []).append(row)
    model = evaluate(inputs.written, facts)
    return {name: rows for name, rows in model.items() if rows}


def show_end(summary: Summary, tables: Tables, inputs: Inputs) -> None:
    """Tables per node, numbers, verdict."""
    to = console()
    show_tables(to, tables)
    about = ALGORITHMS[summary.algorithm].about
    to.print(f"algorithm {summary.algorithm}: {about}; schedule {summary.schedule}, seed {summary.seed}")
    to.print(
        f"{summary.messages} messages between nodes ({summary.bytes} bytes), {summary.updates} updates processed, "
        f"{summary.rounds} rounds"
    )
    if summary.agrees:
        to.print("the state equals evaluation from scratch")
    else:
        to.print("the state DIFFERS from evaluation from scratch", style="bold red")
        show_differences(to, shown_rows(tables), from_scratch(inputs))


def write_files(run: Mapping[str, Any], trace: Path | None, page: Path | None) -> None:
    """Save the run where it was asked for."""
    if trace is not None:
        trace.write_text(json.dumps(run, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if page is not None:
        page.write_text(render(run), encoding="utf-8")


def _refuse(findings: Iterable[Diagnostic]) -> None:
    show_diagnostics(findings, console(stderr=True))
    raise typer.Exit(1)
