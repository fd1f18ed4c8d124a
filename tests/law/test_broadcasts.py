"""`@Broadcast`: under random changes of links, facts and rules, on one and on three partitions, every view is that of
the program with the joins written out, as the naive evaluator has it.

What these tests cannot notice: a relation other than `link` that a reader would take for the neighbours."""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import check_against, commit, labelled
from tests.law.share import share
from tidelog.engine.engine import Engine
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges, State
from tidelog.verify import Certificate

CASES = share(80, 2)
TEXT = """
    r1 heard(@Broadcast, N) :- node(@N, X), X > 0{N}.
    r2 heard(@Broadcast, S) :- heard(@N, S), !deaf(@N){N}.
    r3 asked(@Broadcast, N, Broadcast) :- (node(@N, X) ; heard(@N, X)), X != N{N}.
    r4 best(@Broadcast, a_MAX<X>) :- node(@N, X){N}.
    r5 names(@N, a_LIST<S>) :- heard(@N, S).
    r6 from(@N, Broadcast) :- heard(@N, Broadcast).
"""
SENT, JOINED = TEXT.replace("{N}", ""), TEXT.replace("{N}", ", link(@N, Broadcast, _)")
RELATIONS = {"link": 3, "node": 2, "deaf": 1}


def change_of(rng: Random, state: State) -> EpochChanges:
    """Some facts that are inserted and some that are deleted."""
    names = [rng.choice(list(RELATIONS)) for _ in range(rng.choice([1, 2, 5]))]
    come = {(name, tuple(rng.randrange(4) for _ in range(RELATIONS[name]))) for name in names}
    present = sorted(set(state.facts) - come)
    gone = rng.sample(present, k=min(len(present), rng.choice([0, 1, 3])))
    return EpochChanges(tuple(sorted(come)), tuple(gone))


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("seed", range(CASES))
def test_broadcasts_reach_the_neighbours_that_a_join_finds(seed: int, partitions: int) -> None:
    rng, texts = Random(seed), {rule.label: rule for rule in parse_program(SENT).rules}
    joins = {rule.label: rule for rule in parse_program(JOINED).rules}
    link = ".decl link(a: number, b: number, c: number) .convention prolog "
    db, state, away = Engine(link + SENT, partitions=partitions), State.start(labelled(parse_program(JOINED))), None
    for _ in range(10):
        change = other = change_of(rng, state)
        if away is None and rng.random() < 0.3:
            away = rng.choice(["r1", "r2", "r3", "r4"])
            change = other = EpochChanges(change.inserts, change.deletes, remove_labels=(away,))
        elif away is not None:
            other = EpochChanges(change.inserts, change.deletes, add_rules=(joins[away],))
            change, away = EpochChanges(change.inserts, change.deletes, add_rules=(texts[away],)), None
        state = state.after(other)
        commit(db, change, "prolog")
        check_against(db, state.model())
    assert isinstance(db.verify(), Certificate)
