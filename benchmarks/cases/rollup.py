"""Aggregates in recursion: the costs of the parts of a hierarchy, beside a loop that computes them again.

Law: both have the same parts and make the same changes, and the costs must agree after the build and after the last
change. Times are of the processor. A change is an epoch of Tidelog, after which its view is complete; the peer is a
loop over all parts in Python, from the leaves up, over lists that hold the hierarchy.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from random import Random

from benchmarks.cases.catalogue import Case, Group
from benchmarks.measure import Duration, percentile, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Target, Value, clocked, median_of
from benchmarks.subject import kernel_ready
from tidelog import Engine

RULES = """
.decl part(whole: number, part: number, n: number)
.decl own(part: number, price: number)
.decl cost(part: number, total: number)
cost(p, sum<n * c>) :- part(p, s, n), cost(s, c).
cost(p, c) :- own(p, c).
"""
PARTS_OF_ONE = 8  # parts of each part that has any
CHANGES = 100
CHANGE = Target(2.0)  # milliseconds
Parts = list[tuple[int, int, int]]


def hierarchy(parts: int) -> tuple[Parts, list[tuple[int, int]]]:
    """Every part with the one that contains it and how often, and the prices of those that contain none.

    >>> inside, prices = hierarchy(20)
    >>> len(inside), prices[0][0]
    (19, 3)
    """
    rng = Random(1)
    inside = [((i - 1) // PARTS_OF_ONE, i, rng.randrange(1, 3)) for i in range(1, parts)]
    first = (parts - 2) // PARTS_OF_ONE + 1
    return inside, [(i, rng.randrange(1, 9)) for i in range(first, parts)]


def costs(inside: Parts, prices: list[tuple[int, int]]) -> list[int]:
    """The cost of every part, found from the leaves up."""
    found = [0] * (len(inside) + 1)
    for part, price in prices:
        found[part] = price
    for whole, part, count in reversed(inside):
        found[whole] += count * found[part]
    return found


def rolled_up(options: Options) -> Iterator[Record]:
    """Costs of a hierarchy, and quantities that change."""
    count = 2_000 if options.quick else 1_000_000
    inside, prices = hierarchy(count)
    changes = 10 if options.quick else CHANGES
    builds, changed, again = [], list[Duration](), list[float]()
    for _ in range(options.repeats(1)):
        gc.collect()
        db = Engine(RULES)
        builds.append(timed(partial(_build, db, inside, prices))[1])
        _compare(db, inside, prices)
        rng = Random(2)
        for _ in range(changes):
            place = rng.randrange(len(inside))
            whole, part, n = inside[place]
            changed.append(timed(partial(_change, db, (whole, part, n), (whole, part, n % 2 + 1)))[1])
            inside[place] = (whole, part, n % 2 + 1)
        for _ in range(3):
            again.append(timed(partial(costs, inside, prices))[1].cpu)
        _compare(db, inside, prices)
        db.close()
    milliseconds = [1e3 * each.cpu for each in changed]
    loop = median_of("loop", [1e3 * each for each in again], "ms", clock="cpu")
    change = clocked("change", changed, "ms", CHANGE)
    values = [
        *clocked("build", builds),
        *change,
        Value("95 % below", percentile(milliseconds, 0.95), "ms", "cpu"),
        loop,
        Value("ratio", loop.value / change[0].value, "x", "cpu"),
    ]
    yield Record("costs", f"hierarchy of {count:,} parts", tuple(values), {"parts": count, "changes": changes})


def _build(db: Engine, inside: Parts, prices: list[tuple[int, int]]) -> None:
    with db.epoch() as epoch:
        epoch.insert("part", inside)
        epoch.insert("own", prices)


def _change(db: Engine, old: tuple[int, int, int], new: tuple[int, int, int]) -> None:
    with db.epoch() as epoch:
        epoch.delete("part", [old])
        epoch.insert("part", [new])


def _compare(db: Engine, inside: Parts, prices: list[tuple[int, int]]) -> None:
    if dict(db["cost"]) != dict(enumerate(costs(inside, prices))):
        raise Disagreement("the loop finds other costs")


GROUP = Group({"costs": Case("costs of the parts of a hierarchy, beside a loop in Python", rolled_up)}, kernel_ready)
