"""Small programs for the baselines, written as text, with the judge they are measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tidelog.lab.semantics.algorithm import Algorithm, as_sets, run
from tidelog.lab.semantics.explore import Exploration, explore_algorithm
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.schedule import Fifo, Random
from tidelog.lab.semantics.scratch import model_tables
from tidelog.program import Program
from tidelog.syntax import parse_program

THREE_NODES = parse_program("p(@1) :- a(@0). q(@2) :- p(@1). p(@1) :- q(@2).")
"""a at node 0 supports p at node 1; p and q at node 2 support each other."""

REACHABLE = parse_program(
    """
    colink(@Z,S) :- link(@S,Z).
    reachable(@S,D) :- link(@S,D).
    reachable(@S,D) :- colink(@Z,S), reachable(@Z,D).
    """
)
"""Reachability, localised by hand: a node sends what it reaches to those that have a link to it."""


def settle(algorithm: Algorithm, program: Program, *bursts: Iterable[Update], seed: int | None = None) -> Algorithm:
    """Load, then burst after burst, each to quiescence."""
    schedule = Fifo() if seed is None else Random(seed)
    algorithm.load(program)
    run(algorithm, schedule)
    for burst in bursts:
        algorithm.apply(burst)
        run(algorithm, schedule)
    return algorithm


def expected(program: Program, *bursts: Iterable[Update]):
    base: Counter[Fact] = Counter()
    for burst in bursts:
        for update in burst:
            base[update.fact] += update.sign
    return as_sets(model_tables(prepare(program), +base))


def all_schedules(algorithm, program: Program, burst: Iterable[Update], wanted: str) -> Exploration:
    algorithm.load(program)
    algorithm.apply(burst)
    return explore_algorithm(algorithm, wanted)
