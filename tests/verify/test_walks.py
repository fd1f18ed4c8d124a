"""Path expressions as the checker walks them, against their definition as sets of pairs."""

from __future__ import annotations

from random import Random

import pytest

from tidelog.engine.engine import Engine
from tidelog.program import Alternative, Conjunction, Inverse, Label, Path, Repeat, Sequence
from tidelog.program.values.state import EngineState, FactState
from tidelog.syntax import parse_program
from tidelog.testing.walks import pairs
from tidelog.verify import verify
from tidelog.verify.relations import LOWEST, Relation
from tidelog.verify.walks import Walks

RELATIONS = ("a", "b", "t")


def random_path(rng: Random, depth: int) -> Path:
    if depth == 0:
        return rng.choice([Label("a"), Label("b"), Label("t", 1)])
    inner = tuple(random_path(rng, depth - 1) for _ in range(2))
    least = rng.randint(0, 2)
    return rng.choice(
        [
            Inverse(inner[0]),
            Sequence(inner),
            Alternative(inner),
            Conjunction(inner),
            Repeat(inner[0], least, None),
            Repeat(inner[0], least, least + rng.randint(0, 2)),
        ]
    )


@pytest.mark.parametrize("seed", range(60))
def test_pairs_are_those_of_the_definition_however_they_are_asked_for(seed: int) -> None:
    rng = Random(seed)
    path = random_path(rng, rng.randint(0, 3))
    model = {n: {(rng.randrange(5), rng.randrange(5)) for _ in range(5)} for n in ("a", "b")}
    triples = {(rng.randrange(5), rng.randrange(2), rng.randrange(5)) for _ in range(5)}
    relations = {n: Relation(dict.fromkeys(rows, LOWEST)) for n, rows in {**model, "t": triples}.items()}
    walks = Walks(path, relations.__getitem__)
    expected = pairs(path, {**model, "t": triples})
    assert {pair for pair, _ in walks.everything()} == expected
    for node in range(5):
        assert {pair for pair, _ in walks.index((0,)).get(node, ())} == {p for p in expected if p[0] == node}
        assert {pair for pair, _ in walks.index((1,)).get(node, ())} == {p for p in expected if p[1] == node}
    assert {p for p in [(x, y) for x in range(5) for y in range(5)] if walks.index((0, 1)).get(p, ())} == expected


def test_rank_of_a_pair_is_the_least_over_all_ways_of_the_highest_of_a_step() -> None:
    edges = Relation({(1, 2): 3, (2, 4): 9, (1, 3): 5, (3, 4): 6})
    walks = Walks(Repeat(Label("e"), 1, None), lambda _: edges)
    assert dict(walks.everything())[1, 4] == 6


def test_recursion_through_a_path_is_founded_by_steps_of_lower_rank() -> None:
    program = parse_program("p(X, Y) :- e(X, Y). p(X, Y) :- p+(X, Y), go(X).")
    types = {"e": ("number", "number"), "p": ("number", "number"), "go": ("number",)}
    given, made = FactState(0, 1, 1, True), FactState(4, 1, 1, False)
    e, go = {(1, 2): given, (2, 3): given}, {(1,): given}
    p = {(1, 2): made, (2, 3): FactState(5, 1, 1, False), (1, 3): FactState(6, 1, 1, False)}
    assert verify(program, None, EngineState({"e": e, "p": p, "go": go}, (), (), types))
    p[1, 3] = FactState(5, 1, 1, False)
    assert str(verify(program, None, EngineState({"e": e, "p": p, "go": go}, (), (), types))) == (
        "unfounded: p(1, 3) has no support of lower rank"
    )


def test_states_of_the_engine_with_paths_are_certified_after_every_change() -> None:
    db = Engine(
        """
        p(X, Y) :- e+(X, Y).
        s(Y) :- e*(1, Y).
        n(X) :- e(X, _), !e+(X, 4).
        c(X, Y) :- (e/^e & e?)(X, Y).
        q(X, Y) :- e(X, Y).
        q(X, Y) :- q+(X, Y), e(_, Y).
        """
    )
    rng = Random(5)
    for _ in range(6):
        rows = [(rng.randrange(6), rng.randrange(6)) for _ in range(4)]
        with db.epoch() as epoch:
            epoch.insert("e", rows[:3])
            epoch.delete("e", rows[2:])
        assert (verdict := db.verify()), verdict
