"""`tidelog simulate PROGRAM`: run an NDlog program on a network of nodes, message by message."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.base.application import app

# What `tidelog.lab.semantics` has, by name; written here, since the help must not wait for it. A test compares.
ALGORITHMS = (
    "ranked",
    "sn",
    "sn-lam",
    "sn-sets",
    "psn",
    "psn-sets",
    "batched",
    "psn-extended",
    "sn-extended",
    "psn-cancelling",
    "psn-lossy",
    "psn-acknowledged",
    "dred",
    "heights",
    "heights-alone",
    "base-facts",
    "base-facts-numbered",
    "unchecked",
    "psn-original",
)
SCHEDULES = (
    "fifo",
    "random",
    "links",
    "newest",
    "deletions",
    "insertions",
    "lexical",
    "starve",
    "delay",
    "reorder",
)
ALGORITHM_HELP = f"Maintenance algorithm: {', '.join(ALGORITHMS)}."
TURN_HELP = "Transform the last epoch from pipelined to synchronous or back, and draw the steps to this HTML file."
SCHEDULE_HELP = (
    f"Which message is delivered next: {', '.join(SCHEDULES)}; some have a value: starve:NODE, delay:N, reorder:N."
)
ONLY_TIMED = ("also", "define", "delay", "jitter", "reorder", "evict")
ONLY_STEPWISE = ("algorithm", "schedule", "every", "turn")
UNTIL_HELP = "Run in virtual time, with timers, events and lifetimes, until this second."
EVICT_HELP = (
    "Column by which a full table evicts rows, greatest first, with --until. By default, the oldest rows are evicted."
)
WITH_HELP = "Additional program to run on every node, with --until."
DEFINE_HELP = "Define a macro that the program uses, with --until."
JITTER_HELP = "Maximum random addition to the delay, in seconds, with --until."
REORDER_HELP = "Let messages on one link overtake each other, with --until."


@app.command()
def simulate(
    context: typer.Context,
    program: Annotated[Path, typer.Argument(help="NDlog program.", metavar="PROGRAM")],
    topology: Annotated[Path | None, typer.Option(help="Base facts as a text file, or links as a .tsv table.")] = None,
    changes: Annotated[Path | None, typer.Option(help="Change script (+link(a,b). commit.) or a .tsv table.")] = None,
    algorithm: Annotated[str, typer.Option(help=ALGORITHM_HELP)] = "ranked",
    schedule: Annotated[str, typer.Option(help=SCHEDULE_HELP)] = "fifo",
    seed: Annotated[int, typer.Option(help="Random seed of the schedule.")] = 0,
    limit: Annotated[int, typer.Option(help="Maximum number of steps.", min=1)] = 20_000,
    steps: Annotated[bool, typer.Option(help="Print every step.")] = True,
    every: Annotated[bool, typer.Option("--every", help="First explore every schedule of the last epoch.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write the run to this file as JSON.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write an HTML page that replays the run to this file.")] = None,
    turn: Annotated[Path | None, typer.Option(help=TURN_HELP)] = None,
    until: Annotated[float | None, typer.Option(help=UNTIL_HELP, min=0)] = None,
    also: Annotated[list[Path] | None, typer.Option("--with", metavar="FILE", help=WITH_HELP)] = None,
    define: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help=DEFINE_HELP)] = None,
    delay: Annotated[float, typer.Option(help="Delay of every message in seconds, with --until.", min=0)] = 0.01,
    jitter: Annotated[float, typer.Option(help=JITTER_HELP, min=0)] = 0.0,
    loss: Annotated[
        float,
        typer.Option(
            help="Probability that a message is lost; without --until, for psn-lossy and psn-acknowledged.",
            min=0,
            max=1,
        ),
    ] = 0.0,
    reorder: Annotated[bool, typer.Option("--reorder", help=REORDER_HELP)] = False,
    evict: Annotated[list[str] | None, typer.Option(metavar="RELATION:COLUMN", help=EVICT_HELP)] = None,
) -> None:
    """Simulate a program on a network of nodes, message by message.

    Prints the tables of every node, the number of messages and rounds, and whether the tables equal evaluation from
    scratch. The exit code is 1 if the input is invalid or the run does not end.

    With --until, the program runs in virtual time, with timers, events, lifetimes and `delete` rules, as in P2 and
    RapidNet. --changes is then a script with times: at 30. +link(a,b). at 60. stop a.
    """
    _refuse_ignored(context, until is not None)
    if until is not None:
        from tidelog.lab.simulate.timed import NetworkOptions, TimedRequest, simulate_in_time

        network = NetworkOptions(seed, delay, jitter, loss, reorder, limit, tuple(evict or ()))
        request = TimedRequest(
            until, tuple(also or ()), topology, changes, tuple(define or ()), network, steps, trace, page
        )
        simulate_in_time(program, request)
        return
    from tidelog.lab.simulate.run import SimulationRequest, simulate_program

    simulate_program(
        program,
        SimulationRequest(topology, changes, algorithm, schedule, seed, limit, steps, every, trace, page, turn, loss),
    )


def _refuse_ignored(context: typer.Context, timed: bool) -> None:
    """Refuse options that a run of this kind would ignore."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in (ONLY_STEPWISE if timed else ONLY_TIMED) and source is not None and source.name != "DEFAULT":
            hint = option.opts[0]
            if timed:
                raise typer.BadParameter("has no meaning with --until; omit one of them", param_hint=hint)
            raise typer.BadParameter("describes runs in virtual time; add --until SECONDS", param_hint=hint)
