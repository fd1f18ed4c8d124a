"""Questions about single facts on eight partitions: proofs, refutations, blame, and queries that name a value.

Law: the facts that lie elsewhere grow tenfold, and what an answer needs stays the same; every answer is compared. Every
question is asked once before it is timed, so that the indexes it needs are there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from benchmarks.measure import Duration, now
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Target, Value, median_of
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.runtime.many.everywhere import PartitionedFacts

RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
PARTITIONS, LENGTH, REPEATS = 8, 20, 7
CHAINS, QUICK = (4_350, 43_500), (20, 40)  # numbers of chains, with 230 facts each: one million, ten million
PER_FACT = Target(5.0)  # milliseconds
Ask = Callable[[], int]  # asks, and returns how many facts the answer names


def filled(chains: int) -> tuple[Engine, Ask]:
    """Chains of edges, and a last edge in a separate epoch, whose blame is asked."""
    starts = np.repeat(np.arange(chains) * 1000, LENGTH) + np.tile(np.arange(LENGTH), chains)
    db = Engine(RULES, partitions=PARTITIONS)
    with db.epoch() as e:
        e.insert("edge", np.stack([starts, starts + 1], axis=1))
    with db.epoch() as e:
        e.insert("edge", [(1000 + LENGTH, 1000 + LENGTH + 1), (-1, -2)])

    def blamed() -> int:
        return _same("blame", str(e.blame(f"reach(1000, {1001 + LENGTH})").changes[0]), "edge(1020, 1021) was asserted")

    return db, blamed


def _same(what: str, found: object, wanted: object, told: int = 1) -> int:
    if found != wanted:
        raise Disagreement(f"{what}: {found}, not {wanted}")
    return told


def questions(db: Engine, blamed: Ask) -> Mapping[str, Ask]:
    """What is asked."""

    def proof() -> int:
        facts = {node.text for node in db.why(f"reach(1000, {1000 + LENGTH})").facts()}
        return _same("proof", len(facts), 2 * LENGTH, len(facts))

    def refutation() -> int:
        told = db.why_not("reach(1000, 2000)")
        return _same("refutation", (told.present, len(told.attempts)), (False, 2))

    def query() -> int:
        return _same("query", list(db.query("edge(1000, X), edge(X, Y), reach(Y, 1005)")), [(1001, 1002)])

    return {"proof": proof, "refutation": refutation, "query of three atoms": query, "blame": blamed}


def moved(db: Engine) -> tuple[int, int]:
    """Calls so far, and the facts that came."""
    facts = core_of(db).runtime.facts
    assert isinstance(facts, PartitionedFacts), "several partitions"
    return facts.search.moved.calls, facts.search.moved.facts


def asking(options: Options) -> Iterator[Record]:
    """Each question alone, over both sizes."""
    for chains in QUICK if options.quick else CHAINS:
        db, blamed = filled(chains)
        with db:
            held = db.fact_count
            for title, ask in questions(db, blamed).items():
                ask()
                yield _measured(db, title, ask, held, options.repeats(REPEATS))


def _measured(db: Engine, title: str, ask: Ask, held: int, repeats: int) -> Record:
    before, times, told = moved(db), [], 1
    for _ in range(repeats):
        began = now()
        told = ask()
        times.append(_milliseconds(began, now()))
    calls, facts = ((after - was) / repeats for after, was in zip(moved(db), before, strict=True))
    target = PER_FACT if title == "proof" else None
    values = (
        median_of("time", [each / told for each in times], "ms", clock="cpu", target=target),
        Value("calls", calls, ""),
        Value("facts", facts, ""),
    )
    return Record("asked", f"{title}, {held:,} facts", values, {"facts": held, "told": told})


def _milliseconds(began: Duration, ended: Duration) -> float:
    return 1000 * (ended.cpu - began.cpu)
