"""Whose variable it is, under changes: programs that share names beside programs that say the same without sharing.

The judge is the naive evaluator over the second text, in which every variable has one meaning and the literals that
bind witnesses are written out by hand; the engine gets the first text, on 1 and 3 partitions, under changes of facts
and rules.
What this notices: a scope read otherwise than `program.separate_scopes` says, in the engine or under maintenance.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.law.share import share
from tidelog import Engine
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate

CASES = share(100, 1)
PAIRS = {
    "own value": (
        "v(A) :- A = max A : { e(A, _) }.",
        "v(A) :- A = max B : { e(B, _) }.",
    ),
    "own value beside one of the rule": (
        "v(X, S) :- n(X), S = sum X : { e(X, _) }.",
        "v(X, S) :- n(X), S = sum Y : { e(Y, Z) }.",
    ),
    "own value of an expression": (
        "v(Y) :- Y = min Z + Y : { e(Z, Y), n(Y) }.",
        "v(Y) :- Y = min Z + W : { e(Z, W), n(W) }.",
    ),
    "result inside": (
        "v(X, C) :- n(X), C = count : { e(X, C) }.",
        "v(X, C) :- n(X), C = count : { e(X, D) }.",
    ),
    "group of a value": (
        "v(X, S) :- n(X), S = sum X * Y : { e(_, Y) }.",
        "v(X, S) :- n(X), S = sum W : { e(_, Y), W = X * Y }.",
    ),
    "witness": (
        "v(W, M) :- M = max C : { e(W, C) }.",
        "v(W, M) :- M = max C : { e(Z, C) }, e(W, M).",
    ),
    "witness of a group": (
        "v(X, W, M) :- n(X), M = min C : { e(X, W), e(W, C) }.",
        "v(X, W, M) :- n(X), M = min C : { e(X, Z), e(Z, C) }, e(X, W), e(W, M).",
    ),
    "witness of an expression, value unseen": (
        "v(A, B) :- _ = min A + B : { e(A, B) }.",
        "v(A, B) :- M = min A1 + B1 : { e(A1, B1) }, e(A, B), M = A + B.",
    ),
    "witness of an aggregate further in": (
        "v(R, W) :- R = count : { n(X), X > min Y : { e(Y, W) } }.",
        "v(R, W) :- R = count : { n(X), X > min Y : { e(Y, Z) } }, M = min Y : { e(Y, Z) }, e(M, W).",
    ),
    "inner hides outer": (
        "v(X) :- X = max Y : { e(_, Y), Y <= max Y : { n(Y) } }.",
        "v(X) :- X = max Y : { e(_, Y), Y <= max Z : { n(Z) } }.",
    ),
    "in a branch": (
        "v(X, W) :- n(X), (X > 2, W = min W : { e(X, W) } ; X < 2, _ = max C : { e(W, C) }).",
        "v(X, W) :- n(X), (X > 2, W = min Z : { e(X, Z) } ; X < 2, M = max C : { e(Q, C) }, e(W, M)).",
    ),
    "in a head": (
        "v(X, 1 + sum X : { e(X, _) }) :- n(X).",
        "v(X, 1 + sum Y : { e(Y, _) }) :- n(X).",
    ),
    "side by side": (
        "v(A, B) :- A = count : { e(_, Y), Y > 1 }, B = count : { e(Y, _), Y < 3 }.",
        "v(A, B) :- A = count : { e(_, Y), Y > 1 }, B = count : { e(Z, _), Z < 3 }.",
    ),
}
RELATIONS = {"e": 2, "n": 1}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("name", PAIRS)
def test_shared_names_mean_what_names_apart_say(name: str, partitions: int) -> None:
    shared, apart = PAIRS[name]
    for seed in range(CASES):
        rng = Random(f"{name}/{seed}")
        facts: dict[str, set[tuple[int, ...]]] = {relation: set() for relation in RELATIONS}
        with Engine("w(0) :- n(0), n(1).", partitions=partitions) as db:
            for step in range(5):
                with db.epoch() as epoch:
                    if step == 1:
                        epoch.add_rule(shared, "v1")
                    if step == 3:
                        epoch.remove_rule("v1")
                        epoch.add_rule(shared, "v2")
                    for relation, arity in RELATIONS.items():
                        rows = {tuple(rng.randrange(4) for _ in range(arity)) for _ in range(rng.randrange(1, 5))}
                        epoch.insert(relation, sorted(rows - facts[relation]))
                        epoch.delete(relation, sorted(rows & facts[relation]))
                        facts[relation] ^= rows
                if step:
                    expected = evaluate(parse_program(apart), facts)["v"]
                    assert frozenset(db["v"]) == expected, (seed, step, facts)
            assert db.verify()
