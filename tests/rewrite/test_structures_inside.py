"""Patterns inside branches, aggregates and equations of two patterns; choices on demand and on partitions."""

from __future__ import annotations

import pytest

from tidelog import Engine

RECORDS = """
.type Pair = [x: number, y: number]
.decl q(p: Pair)
.decl e(x: number, y: number)
q([1, 2]). q([2, 2]). e(1, 5). e(3, 4).
.decl found(x: number)
"""


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        ("found(x) :- (q([x, 2]) ; q([_, x])).", [(1,), (2,)]),
        ("found(n) :- n = 1 + count : { q([_, _]) }.", [(3,)]),
        ("found(x) :- q(p), e(a, _), [x, _] = p, [a, _] = p.", [(1,)]),
    ],
)
def test_patterns_are_taken_apart_wherever_they_stand(rule: str, rows: list[tuple[int]]) -> None:
    with Engine(RECORDS + rule) as db:
        assert sorted(db["found"]) == rows


CHOICE = """
.pragma "magic-transform" "*"
.decl may(x: number, y: number)
.decl pick(x: number, y: number) choice-domain x
.decl out(y: number)
.output out
may(1, 2). may(1, 3). may(2, 7).
pick(x, y) :- may(x, y).
out(y) :- pick(1, y).
"""


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_choice_is_made_whole_where_its_keys_live(partitions: int) -> None:
    with Engine(CHOICE, partitions=partitions) as db:
        assert len(db["out"]) == 1
        assert sorted(db["out"]) <= [(2,), (3,)]
        assert db.verify()


def test_a_computed_column_may_be_asked_for() -> None:
    rules = "next(X, X + 1) :- n(X).\nout(X) :- next(X, 3), n(X).\nn(1). n(2).\n"
    text = f'.pragma "magic-transform" "*"\n.output out\n{rules}'
    with Engine(text) as db:
        assert list(db["out"]) == [(2,)]
        assert list(db.query("next(X, 2)")) == [(1,)]
