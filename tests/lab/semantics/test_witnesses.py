"""Best values with witnesses in the simulator: under changes and random orders of messages, ranked support and delete
and re-derive end with the best path of every group, as the naive evaluator has it."""

from dataclasses import replace
from random import Random

import pytest

from tidelog.lab.semantics.dred import DRed
from tidelog.lab.semantics.fact import Fact, Update
from tidelog.lab.semantics.ranked.algorithm import RankedAlgorithm
from tidelog.lab.semantics.schedule import Random as RandomOrder
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate

BEST_PATH = parse_program("""
    materialize(best, infinity, infinity, keys(1, 2)).
    path(@S, D, C, P) :- link(@S, D, C), P = f_init(S, D).
    back(@Z, S, C) :- link(@S, Z, C).
    path(@S, D, C, P) :- back(@Z, S, C1), best(@Z, D, C2, P2), C = C1 + C2, f_inPath(P2, S) = false,
                         P = f_concat(S, P2).
    best(@S, D, a_MIN<C>, P) :- path(@S, D, C, P).
""")


def best_rows(algorithm):
    return {row for tables in algorithm.tables().values() for row in tables.get("best", ())}


@pytest.mark.parametrize("algorithm", [RankedAlgorithm, DRed])
@pytest.mark.parametrize("seed", range(12))
def test_best_paths_follow_the_links_in_any_order_of_messages(algorithm, seed):
    rng, run, links = Random(seed), algorithm(), {}
    run.load(BEST_PATH)
    for _ in range(8):
        ends = tuple(rng.sample("abcd", k=2))
        before, after = links.pop(ends, None), rng.choice([None, 0, 1, 2, 5])
        changes = [Update(-1, Fact("link", (*ends, before)))] if before is not None else []
        if after is not None:
            changes.append(Update(1, Fact("link", (*ends, after))))
            links[ends] = after
        run.apply(changes if before != after else [])
        schedule = RandomOrder(rng.randrange(1000))
        while not run.quiescent():
            run.step(schedule)
        rows = {(*ends, cost) for ends, cost in links.items()}
        assert best_rows(run) == evaluate(replace(BEST_PATH, facts=()), {"link": rows})["best"]
