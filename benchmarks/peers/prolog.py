"""SWI-Prolog: a game evaluated by tabling under the well-founded semantics, and maintained by incremental tabling.

Law: every time is processor time, as SWI-Prolog's own clock has it. A build is `load` (reading the moves) and `compute`
(asking of every position whether it is won); a change is retracting or asserting one move and asking of every position
again, since tables are updated when they are asked. A game must have no undefined positions.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from benchmarks.data.graphs import Cells

Move = tuple[int, int]
PROGRAM = """
:- set_prolog_flag(stack_limit, 4000000000).
{tables}
win(X) :- move(X, Y), tnot(win(Y)).
won(N) :- aggregate_all(count, (position(X), win(X)), N).
took(Goal, Time) :- statistics(cputime, A), call(Goal), statistics(cputime, B), Time is B - A.
change(-(X, Y)) :- retract(move(X, Y)).
change(+(X, Y)) :- assertz(move(X, Y)).
step(Change) :- took((change(Change), won(N)), Time), format('[~w, ~w]~n', [Time, N]).
:- took(consult('{facts}'), Load), took(won(N), Compute), format('[~w, ~w, ~w]~n', [Load, Compute, N]).
:- forall(member(Change, [{changes}]), step(Change)).
:- halt.
"""
PLAIN = ":- table win/1."
INCREMENTAL = ":- table win/1 as incremental.\n:- dynamic([move/2], [incremental(true)])."


@dataclass(frozen=True, slots=True)
class Played:
    """The seconds of a build, and of each change; ``won`` is the number of positions after each step."""

    load: float
    compute: float
    changes: tuple[float, ...]
    won: tuple[int, ...]


def is_present() -> bool:
    """Whether SWI-Prolog is installed."""
    return which("swipl") is not None


def play(moves: Cells, changes: Sequence[tuple[bool, Move]] = ()) -> Played:
    """Build the game, then make changes: whether each inserts a move, and the move."""
    with tempfile.TemporaryDirectory(prefix="tidelog-prolog-") as place:
        facts, program = Path(place) / "facts.pl", Path(place) / "game.pl"
        positions = dict.fromkeys(moves[:, 0].tolist())
        lines = [*(f"move({x},{y})." for x, y in moves.tolist()), *(f"position({x})." for x in positions)]
        facts.write_text("\n".join(lines) + "\n")
        listed = ", ".join(f"{'+' if is_new else '-'}({x}, {y})" for is_new, (x, y) in changes)
        tables = INCREMENTAL if changes else PLAIN
        program.write_text(PROGRAM.format(tables=tables, facts=facts, changes=listed))
        printed = subprocess.run(["swipl", "-q", str(program)], check=True, capture_output=True, text=True).stdout
    (load, compute, won), *steps = map(json.loads, printed.splitlines())
    return Played(load, compute, tuple(time for time, _ in steps), (won, *(count for _, count in steps)))
