"""The central law for rules that walk along paths: incremental equals from scratch, after every epoch.

The judge computes a path by set operations on pairs (`tidelog.testing.walks`) and shares nothing with the automata and
seeds of the rewrite. What this notices: a wrong fact, count or rank of any operator, at any binding of the ends, while
facts and rules come and go. What it cannot notice: time; graphs with many nodes; types other than numbers.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.law.harness import Case, labelled, run
from tests.law.path_programs import random_case
from tests.law.share import share
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges, State

CASES = share(10, 60)
FIRST = int(os.environ.get("TIDELOG_SEED", "0"))
BLOCK = 20


@pytest.mark.parametrize("first", range(FIRST, FIRST + CASES, BLOCK))
def test_walks_are_maintained_like_everything_else(first: int) -> None:
    for seed in range(first, min(first + BLOCK, FIRST + CASES)):
        case = random_case(seed)
        try:
            run(case)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}\n{case}") from error


RECURSIVE = (
    # The walks begin at nodes that the recursion through min or max itself finds.
    "d(X, min<C>) :- s(X), C = 0. c(Y, D) :- d(X, C), a+(X, Y), D = C + 1. d(Y, min<D>) :- c(Y, D).",
    "d(X, min<C>) :- s(X), C = 0. d(Y, min<D>) :- d(X, C), (a/b?)+(X, Y), D = C + 1. far(Y) :- d(X, 1), b*(X, Y).",
    "d(X, min<X>) :- s(X). c(Y, C) :- d(X, C), (a|^b)+(X, Y). d(Y, min<C>) :- c(Y, C).",
    "d(X, max<W>) :- s(X), W = 9. c(Y, V) :- d(X, W), w(X, C), a{1,2}(X, Y), V = min(W, C). d(Y, max<V>) :- c(Y, V).",
)
COLUMNS = {"a": (5, 5), "b": (5, 5), "s": (3,), "w": (5, 9)}


@pytest.mark.parametrize("text", RECURSIVE)
def test_walks_inside_recursion_through_min_and_max(text: str) -> None:
    for seed in range(max(1, CASES // 15)):
        rng, program = Random(seed), labelled(parse_program(text))
        state, changes = State(program), []
        for _ in range(6):
            inserts = [(name, tuple(map(rng.randrange, COLUMNS[name]))) for name in rng.choices([*"aabsw"], k=6)]
            deletes = rng.sample(sorted(state.facts), k=min(len(state.facts), rng.randint(0, 4)))
            changes.append(EpochChanges(tuple(inserts), tuple(deletes)))
            state = state.after(changes[-1])
        run(Case(program, tuple(changes)))
