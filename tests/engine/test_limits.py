"""Limits of epochs and questions: whatever a rule does, it is ended, and nothing has changed."""

from __future__ import annotations

import pytest

from tidelog import Engine, Limits
from tidelog.engine.engine import core_of
from tidelog.engine.read.query import answer
from tidelog.errors import EvaluationError, LimitError, ProgramError

DOUBLED = ", ".join(f"X{i + 1} = cat(X{i}, X{i})" for i in range(26))
ADDED = ", ".join(f"X{i + 1} = X{i} + X{i}" for i in range(26))


def test_a_range_whose_values_all_fail_is_ended_in_time() -> None:
    with pytest.raises(LimitError, match="exceeded its time limit"):
        Engine("p(X) :- X = range(0, 1000000000), Y = range(0, 1000000000), X + Y < 0.", limits=Limits(seconds=0.3))


@pytest.mark.parametrize("made", [DOUBLED, ADDED])
def test_texts_count_against_the_memory_of_an_epoch(made: str) -> None:
    with Engine("q(1).", limits=Limits(memory=32 << 20)) as db:
        entries = len(core_of(db).dictionary)
        with pytest.raises(LimitError) as refused, db.epoch() as e:
            e.add_rule(f'p(X26) :- q(_), X0 = "0123456789abcdef", {made}.')
        assert refused.value.code in ("TL3003", "TL3005")
        assert (db.epoch_number, len(core_of(db).dictionary)) == (1, entries)


def test_the_memory_of_a_question_counts_from_what_is_held() -> None:
    with Engine("p(X) :- q(X).") as db:
        with db.epoch() as e:
            e.insert("q", [(f"{i}" * 1000,) for i in range(10_000)])
        core = core_of(db)
        asked = answer(core, 'p(X), Y = cat("a", "b"), X != Y', limits=Limits(memory=16 << 20))
        assert len(asked.rows) == 10_000
        with pytest.raises(LimitError):
            answer(core, f'X0 = "0123456789abcdef", {DOUBLED}, p(_)', limits=Limits(memory=16 << 20))


def test_a_list_that_is_doubled_again_and_again_is_refused() -> None:
    with pytest.raises(EvaluationError) as refused:
        Engine("p([1, 1], 0). p([X, X], N + 1) :- p(X, N), N < 60.")
    assert refused.value.code == "TL2210"


@pytest.mark.parametrize("partitions", [1, 2])
def test_answers_keep_their_texts_and_the_engine_does_not(partitions: int) -> None:
    with Engine("p(X) :- q(X). r(cat(X, Y)) :- q(X), s(Y).", partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("q", [("a",), ("b",)])
        entries = len(core_of(db).dictionary)
        answers = [db.query(f'p(X), Y = cat(X, "{i}"), Z = [Y, X]') for i in range(5)]
        assert len(core_of(db).dictionary) == entries
        for i, rows in enumerate(answers):
            assert sorted(rows) == [(x, f"{x}{i}", (f"{x}{i}", x)) for x in "ab"]
        with db.epoch() as e:  # the same texts, made by a rule
            e.insert("s", [(str(i),) for i in range(5)])
        assert sorted(db["r"]) == sorted((f"{x}{i}",) for x in "ab" for i in range(5))
        assert db.verify()


def test_a_question_of_long_chains_of_operators_is_refused_by_name() -> None:
    with Engine("p(X) :- q(X).") as db:
        for text in ("p(X), Y = " + "+".join(["X"] * 900), "p(" + "+".join(["X"] * 900) + ")"):
            with pytest.raises(ProgramError, match="TL110"):
                db.query(text)
