"""`tidelog simulate --until`: a program of P2 or RapidNet in virtual time, shown while it runs, and saved.

Law: the run is determined by the files and options, and by nothing else. Output never changes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from tidelog.cli.base.show import console, show_diagnostics
from tidelog.errors import Diagnostic, ProgramError, TidelogError
from tidelog.lab.network import network_failures as failures
from tidelog.lab.network.functions import order, text
from tidelog.lab.network.node import NodeUpdate
from tidelog.lab.network.program import Atom, Constant, Deletion, Program, ProgramFact, Row
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.run_document import run_to_document
from tidelog.lab.network.runtime import LINK, NetworkRun, NodeStep, Settings
from tidelog.lab.semantics.traffic import read_topology as read_links
from tidelog.lab.simulate.inputs import TABLE
from tidelog.lab.simulate.page import write_run
from tidelog.lab.simulate.simulate_catalogue import diagnose

COST = 1


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """The options that describe the network, as they were given."""

    seed: int
    delay: float
    jitter: float
    loss: float
    reorder: bool
    limit: int
    evict: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimedRequest:
    """What decides a run in virtual time, and what is made of it."""

    until: float
    also: Sequence[Path]
    topology: Path | None
    changes: Path | None
    define: Sequence[str]
    network: NetworkOptions
    steps: bool
    trace: Path | None
    page: Path | None


def simulate_in_time(program: Path, wanted: TimedRequest) -> None:
    """Run a program until a time, show it, and save the requested files."""
    to = console()
    try:
        network = open_network(program, wanted)
        happenings: list[NodeStep] = []
        is_kept = wanted.page is not None or wanted.trace is not None
        for happening in network.advance(wanted.until):
            if is_kept:
                happenings.append(happening)
            if wanted.steps:
                to.print(line_of(happening), markup=False, highlight=False)
        show_tables(to, network)
        show_counters(to, network)
        if is_kept:
            write_run(run_to_document(program.stem, network, happenings), wanted.trace, wanted.page)
    except ProgramError as error:
        _refuse(error.diagnostics)
    except (TidelogError, OSError) as error:
        _refuse([diagnose(error)])


def open_network(program: Path, wanted: TimedRequest) -> NetworkRun:
    """The network of the request, before its first step."""
    macros = dict(_pair(text, "--define", "=") for text in wanted.define)
    whole = Program()
    for file in (program, *wanted.also):
        whole += read_program(file.read_text("utf-8"), str(file), macros)
    topology = Program() if wanted.topology is None else _topology(wanted.topology, whole)
    changes = wanted.changes
    script = () if changes is None else read_script(changes.read_text("utf-8"), str(changes))
    given = wanted.network
    settings = Settings(
        given.seed, given.delay, given.jitter, given.loss, given.reorder, given.limit, eviction(given.evict)
    )
    return NetworkRun(whole, topology, script, settings)


def eviction(options: Sequence[str]) -> dict[str, int]:
    """The columns of `--evict RELATION:COLUMN`, counted from 0.

    >>> eviction(["succ:2"])
    {'succ': 1}
    """
    columns: dict[str, int] = {}
    for option in options:
        relation, column = _pair(option, "--evict", ":")
        if not column.isdigit() or int(column) < 1:
            raise failures.SETTING.error(problem=f"--evict {option}: the column is a number, counted from 1")
        columns[relation] = int(column) - 1
    return columns


def _pair(option: str, name: str, sign: str) -> tuple[str, str]:
    key, found, value = option.rpartition(sign) if sign == ":" else option.partition(sign)
    if not found or not key:
        form = "NAME=VALUE" if sign == "=" else "RELATION:COLUMN"
        raise failures.SETTING.error(problem=f"{name} {option}: expected {form}")
    return key, value


def _topology(file: Path, program: Program) -> Program:
    """The facts of a text, or the links of a table, both ways and with a cost if the program has one."""
    if file.suffix != TABLE:
        return read_topology(file.read_text("utf-8"), str(file))
    widths = {len(atom.args) for atom in _atoms(program) if atom.relation == LINK}
    extra = (Constant(COST),) if 3 in widths else ()
    ends = [pair for link in sorted(read_links(file).links) for pair in (link, link[::-1])]
    facts = tuple(ProgramFact(Atom(LINK, (Constant(a), Constant(b), *extra), Constant(a))) for a, b in ends)
    return Program(facts=facts)


def _atoms(program: Program) -> Iterable[Atom]:
    for rule in program.rules:
        yield rule.head
        for literal in rule.body:
            if isinstance(literal, Atom):
                yield literal
            elif isinstance(literal, Deletion):
                yield literal.atom


def line_of(happening: NodeStep) -> str:
    """One step as a line: when, where, what came in, what it changed, what it sent."""
    parts = [_cause(happening)]
    for change in happening.changes:
        sign = "refreshes " if change.sign == 0 else "+" if change.sign > 0 else "-"
        parts.append(sign + fact_text(change.relation, change.row))
    parts += [f"sends {_update_text(message.update)} to {message.target}" for message in happening.sent]
    return f"{happening.time:10.3f}  {happening.node}: {'; '.join(parts)}"


def _cause(happening: NodeStep) -> str:
    if happening.update is None:
        return "stops"
    name = _update_text(happening.update)
    if happening.message is not None:
        return f"receives {name} from {happening.message.source}"
    return {"timer": "timer", "expiry": f"{name} expires"}.get(happening.kind, f"is given {name}")


def _update_text(update: NodeUpdate) -> str:
    sign = {"retract": "-", "delete": "delete "}.get(update.kind, "")
    return sign + fact_text(update.relation, update.row)


def fact_text(relation: str, row: Row) -> str:
    """A fact as it is printed; long identifiers are cut.

    >>> fact_text("node", ("n1", 3))
    'node(n1, 3)'
    """
    return f"{relation}({', '.join(_short(text(value)) for value in row)})"


def _short(value: str) -> str:
    return f"{value[:10]}…" if len(value) == 40 else value


def show_tables(to: Console, network: NetworkRun) -> None:
    """The rows of every node; tables that rules send between nodes are left out."""
    for address in sorted(network.nodes):
        to.print(f"node {address}", style="bold")
        for name, table in sorted(network.nodes[address].tables.items()):
            if "/" not in name:
                for row in sorted(table.rows(), key=order):
                    to.print(f"  {fact_text(name, row)}", markup=False, highlight=False)


def show_counters(to: Console, network: NetworkRun) -> None:
    """What the run cost."""
    counters = network.counters
    to.print(
        f"{network.now:g} s: {counters.steps} steps, {counters.messages} messages between nodes ({counters.bytes} "
        f"bytes), {counters.lost} lost, {counters.undeliverable} to absent nodes, {counters.rejected} rejected",
        highlight=False,
    )
    for relation, count in sorted(counters.by_relation.items(), key=lambda item: (-item[1], item[0])):
        to.print(f"  {count:7}  {relation}", highlight=False)


def _refuse(findings: Iterable[Diagnostic]) -> None:
    show_diagnostics(findings, console(stderr=True))
    raise typer.Exit(1)
