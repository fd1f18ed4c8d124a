"""The law on blocks: the last steps of a plan, carried out for many facts at once (`kernel.blocks`).

A batch of a few facts is joined one by one, a large one in blocks. Random histories run both ways, in large epochs and
in epochs of a few changes: facts and numbers of supports are the same, and the certificate accepts them. Rules look up
keys that no two facts share, whole facts, absent ones and constants, behind scans, chains and recursion; blocks are
emptied because they are full, because messages are, and because a batch ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.law.harness import counts_of
from tests.law.share import share
from tests.law.unkind import engine_on
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.kernel import layout as at
from tidelog.kernel.blocks import LEAST
from tidelog.syntax import parse_program

RULES = (
    "look(X, Z) :- a(X, K), u(K, Z).",
    "twice(X, Z, W) :- a(X, K), u(K, Z), u(Z, W), X < W.",
    "absent(X, K) :- a(X, K), !u(K, _).",
    "other(X, K) :- a(X, K), !b(X, K), K >= 5.",
    "both(X, K) :- a(X, K), b(X, K).",
    "three(X) :- a(X, 3), u(X, Y), Y != 2.",
    "equal(X, X) :- a(X, X), !b(X, X).",
    "fixed(1, X) :- a(X, K), u(K, K).",
    "copy(K, X, X) :- a(X, K).",
    "some(X) :- a(X, _), z(_).",
    "walk(X, Y) :- u(X, Y). walk(X, Z) :- walk(X, Y), u(Y, Z).",
    "far(X) :- walk(X, Y), !b(X, Y), u(Y, X).",
    "chain(X, K, L) :- b(X, K), a(X, L), u(L, Z), Z > K.",
    "total(X, sum<Z>) :- a(X, K), u(K, Z).",
    "computed(X, K + X) :- a(X, K), u(K, Z), Z < K + X.",
    "least(X, min<Z>) :- a(X, K), u(K, Z).",
)
Row = tuple[int, ...]


def some_rows(rng: Random, name: str, count: int) -> set[Row]:
    if name == "u":
        return {(key, rng.randrange(60)) for key in rng.sample(range(200), min(count, 200))}
    if name == "z":
        return {(rng.randrange(3),)}
    return {(rng.randrange(30), rng.randrange(250)) for _ in range(count)}


def history(rng: Random) -> Iterator[dict[str, tuple[set[Row], set[Row]]]]:
    """Epochs of many changes: for each relation what is inserted and deleted."""
    held: dict[str, set[Row]] = {name: set() for name in "abuz"}
    for size in (rng.choice((90, 700)), 150, rng.choice((70, 300))):
        changes = {}
        for name, rows in held.items():
            gone = set(rng.sample(sorted(rows), len(rows) * rng.choice((0, 1, 2)) // 3))
            keys = {row[0] for row in rows - gone} if name == "u" and rng.random() < 0.8 else set()  # mostly unique
            new = {row for row in some_rows(rng, name, size) if row[0] not in keys} - rows
            changes[name] = new, gone
            held[name] = (rows - gone) | new
        yield changes


def epochs_of(changes: dict[str, tuple[set[Row], set[Row]]], most: int) -> Iterator[list[tuple[int, str, Row]]]:
    """The changes in epochs of a limited size."""
    signed = [(-1, name, row) for name, (_, gone) in changes.items() for row in sorted(gone)]
    signed += [(1, name, row) for name, (new, _) in changes.items() for row in sorted(new)]
    return (signed[first : first + most] for first in range(0, len(signed), most))


def commit(db: Engine, changes: list[tuple[int, str, Row]]) -> None:
    with db.epoch() as epoch:
        for sign, name, row in changes:
            (epoch.insert if sign > 0 else epoch.delete)(name, [row])


@pytest.mark.parametrize("partitions", [1, 2])
def test_blocks_find_the_supports_that_single_facts_find(partitions: int) -> None:
    for seed in range(share(10, 6)):
        rng = Random(seed)
        rules = rng.sample(RULES, 5)
        later = rng.choice([rule for rule in RULES if rule not in rules])
        program = parse_program(" ".join(rules) + " a(0, 0). b(0, 0). u(0, 0). z(0).")
        make = engine_on(partitions)
        large, small = make(program), make(program)
        for number, changes in enumerate(history(rng)):
            for part in epochs_of(changes, 10**6):
                commit(large, part)
            for part in epochs_of(changes, LEAST - 20):
                commit(small, part)
            assert counts_of(large) == counts_of(small), (seed, number, rules)
            assert large.verify(), (seed, number, rules)
            if number == 0:
                for db in (large, small):
                    with db.epoch() as epoch:
                        epoch.add_rule(later)


def test_large_batches_are_joined_in_blocks() -> None:
    with Engine("copy(K, X) :- a(X, K), u(K, _).", partitions=1) as db:
        machine = core_of(db).runtime.partition.machine  # type: ignore[attr-defined]  # an embedded one
        for size, in_blocks in ((LEAST // 2, False), (5000, True)):
            with db.epoch() as epoch:
                epoch.insert("u", [(i, 0) for i in range(size)])
            with db.epoch() as epoch:
                epoch.insert("a", [(i, i) for i in range(size)])
            assert (machine.state[at.TAIL_PLACE] != 0) == in_blocks
            assert len(db["copy"]) == size
