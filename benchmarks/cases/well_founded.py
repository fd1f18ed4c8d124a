"""Negation in cycles: which positions of a game are won, beside SWI-Prolog's tabling where it is installed.

Law: both systems have the same moves and make the same changes, and the numbers of positions won must agree after the
build and after each change that both make. Times are of the processor. A change of Tidelog is an epoch: its views are
those after the change. Tables of SWI-Prolog are updated when they are asked again, so its changes include asking.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from statistics import median

import numpy as np

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.graphs import Cells, distinct
from benchmarks.measure import Duration, percentile, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers import prolog
from benchmarks.record import Record, Target, Value, clocked, median_of
from benchmarks.subject import kernel_ready
from tidelog import Engine

RULE = "win(X) :- move(X, Y), !win(Y)."
MOVES, REACH = 2, 1_000  # of a position of the DAG, and how far they go at most
CHANGES, ASKED = 100, 6  # moves that are taken away and put back; how many of these changes SWI-Prolog makes
BUILD, CHANGE = Target(3.0), Target(5.0)  # times SWI-Prolog; milliseconds
Change = tuple[bool, tuple[int, int]]


def dag(positions: int) -> Cells:
    """Moves to higher positions not far away.

    >>> moves = dag(1000)
    >>> bool((moves[:, 0] < moves[:, 1]).all()), len(moves)
    (True, 1043)
    """
    first = np.repeat(np.arange(positions), MOVES)
    second = first + 1 + np.random.default_rng(7).integers(0, REACH, len(first))
    inside = second < positions
    codes = distinct((first * positions + second)[inside])
    return np.stack([codes // positions, codes % positions], axis=1)


def chain(positions: int) -> Cells:
    """A move from each position to the next: one changed move affects every position before it."""
    return np.stack([np.arange(positions), np.arange(positions) + 1], axis=1)


def _changes(moves: Cells, count: int) -> list[Change]:
    """Random moves, each taken away and put back."""
    chosen = Random(5).sample(moves.tolist(), count)
    return [(is_new, (x, y)) for x, y in chosen for is_new in (False, True)]


def _played(title: str, moves: Cells, options: Options) -> Record:
    repeat, changes = options.repeats(3), _changes(moves, 10 if options.quick else CHANGES)
    builds, changed, won = [], list[Duration](), list[int]()
    for number in range(repeat):
        gc.collect()
        db = Engine(RULE)
        builds.append(timed(partial(_insert, db, moves))[1])
        won = [len(db["win"])]
        for change in changes if number == repeat - 1 else ():
            changed.append(timed(partial(_change, db, change))[1])
            won.append(len(db["win"]))
        db.close()
    values = [*clocked("build", builds), *clocked("change", changed, "ms", CHANGE if title.startswith("DAG") else None)]
    values.append(Value("95 % below", percentile([1e3 * each.cpu for each in changed], 0.95), "ms", "cpu"))
    if prolog.is_present():
        values += _peer(moves, changes[: 2 * ASKED], won, [each.cpu for each in builds], repeat)
    facts = {"moves": len(moves), "won": won[0], "changes": len(changes), "changes of SWI-Prolog": 2 * ASKED}
    return Record("game", title, tuple(values), facts)


def _peer(
    moves: Cells, changes: Sequence[Change], won: Sequence[int], builds: Sequence[float], repeat: int
) -> list[Value]:
    plain = [prolog.play(moves) for _ in range(repeat)]
    kept = prolog.play(moves, changes)
    if {played.won[0] for played in plain} != {won[0]} or [*kept.won] != [*won[: len(kept.won)]]:
        raise Disagreement(f"{won[: len(kept.won)]} positions are won; SWI-Prolog finds {kept.won}")
    load, compute = [played.load for played in plain], [played.compute for played in plain]
    return [
        median_of("SWI-Prolog reads", load, "s", clock="cpu"),
        median_of("SWI-Prolog computes", compute, "s", clock="cpu"),
        Value("ratio", median(builds) / median(compute), "x", "cpu", target=BUILD),
        median_of("SWI-Prolog changes", [1e3 * each for each in kept.changes], "ms", clock="cpu"),
    ]


def _insert(db: Engine, moves: Cells) -> None:
    with db.epoch() as epoch:
        epoch.insert("move", moves)


def _change(db: Engine, change: Change) -> None:
    is_new, move = change
    with db.epoch() as epoch:
        (epoch.insert if is_new else epoch.delete)("move", [move])


def played(options: Options) -> Iterator[Record]:
    """A game without repetition, and one long chain."""
    positions, length = (2_000, 300) if options.quick else (100_000, 10_000)
    yield _played(f"DAG of {positions:,} positions", dag(positions), options)
    yield _played(f"chain of {length:,} positions", chain(length), options)


GROUP = Group({"game": Case("won positions of a game, beside SWI-Prolog's tabling", played)}, kernel_ready)
