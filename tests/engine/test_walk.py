"""Questions that name values are looked up where the facts are, on several partitions."""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import Case, commit
from tests.why.test_partitions import chains, moved
from tidelog import Engine
from tidelog.engine.engine import core_of


def asked(random: Random, db: Engine) -> str:
    """A question about up to three relations with a value of one of their facts."""
    names = [name for name in db.relations if len(db[name]) and db[name].columns]
    chosen = [random.choice(names) for _ in range(random.randint(2, 3))] if names else []
    schema = core_of(db).rules.schema
    atoms = [[f"{random.choice('XY')}{str(type_)[:2]}" for type_ in schema[name]] for name in chosen]
    for name, args in zip(chosen[:1], atoms[:1], strict=True):
        if schema[name][0] == "number":
            args[0] = str(random.choice(list(db[name]))[0])
    body = [f"{name}({', '.join(args)})" for name, args in zip(chosen, atoms, strict=True)]
    if len(body) > 2 and set(atoms[2]) <= {*atoms[0], *atoms[1]}:
        body[2] = f"!{body[2]}"
    return ", ".join(body)


@pytest.mark.parametrize("seed", range(400, 408))
def test_answers_are_those_of_one_partition(seed: int) -> None:
    case, random = Case.random(seed, "plain", 2), Random(seed)
    with Engine(case.program) as alone, Engine(case.program, partitions=3) as many:
        for change in case.changes:
            for db in (alone, many):
                commit(db, change, case.program.convention)
        for _ in range(10):
            question = asked(random, alone)
            if question:
                assert sorted(map(repr, alone.query(question))) == sorted(map(repr, many.query(question))), question


def engine(count: int, partitions: int = 4) -> Engine:
    db = Engine("", partitions=partitions)
    with db.epoch() as e:
        e.insert("edge", chains(20, count))
        e.insert("blocked", [(1003,)])
        e.insert("name", [(i, f"node {i}") for i in range(0, 20_000, 7)])
    return db


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("edge(1000, X), edge(X, Y)", [(1001, 1002)]),
        ("edge(X, 1002), edge(W, X)", [(1001, 1000)]),
        ("edge(1000, X), edge(X, Y), edge(Y, Z), !blocked(Z)", []),
        ("edge(1000, X), edge(X, Y), edge(Y, Z), Z > 1000", [(1001, 1002, 1003)]),
        ('name(X, "node 1001"), edge(X, Y)', [(1001, 1002)]),
        ("edge(1000, 1001), edge(1001, 1002)", [()]),
        ("edge(1000, 1001), edge(1001, 1000)", []),
    ],
)
def test_a_question_with_values_moves_the_facts_that_it_visits(question: str, answers: list[tuple[int, ...]]) -> None:
    with engine(500) as db:
        before = moved(db)
        assert list(db.query(question)) == answers
        calls, facts = (now - was for now, was in zip(moved(db), before, strict=True))
        assert 0 < calls <= 4
        assert facts <= 8


def test_values_that_are_given_later_are_looked_up_too() -> None:
    with engine(500) as db:
        two = db.prepare("edge(X, Y), edge(Y, Z)", bind="X")
        before = moved(db)
        assert list(two(1000)) == [(1001, 1002)]
        assert list(two(3005)) == [(3006, 3007)]
        assert moved(db)[1] - before[1] == 4


def test_a_question_that_visits_much_is_run_as_a_rule() -> None:
    with Engine("", partitions=3) as db:
        with db.epoch() as e:
            e.insert("edge", [(0, i) for i in range(6000)] + [(i, i + 1) for i in range(6000)])
        before = moved(db)
        assert len(db.query("edge(0, X), edge(X, Y)")) > 6000
        assert moved(db)[1] - before[1] < 40_000


def test_a_value_that_cannot_be_computed_is_told_as_by_a_rule() -> None:
    with engine(5) as db, pytest.raises(Exception, match="division by zero"):
        db.query("edge(1000, X), edge(X, Y), Z = X / 0")
