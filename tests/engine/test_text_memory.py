"""Texts count under `Limits(memory)`, and those of an epoch that failed are dropped (D6, D15)."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tidelog import Engine, EvaluationError, LimitError, Limits
from tidelog.engine.engine import core_of

DOUBLE = 'p(cat(X, X)) :- p(X), strlen(X) < 400000000. p("ab").'
PARTITIONS = pytest.mark.parametrize("partitions", [1, 3])


def texts(db: Engine) -> int:
    return core_of(db).dictionary.entries.memory


def entries(db: Engine) -> int:
    return len(core_of(db).dictionary)


@PARTITIONS
def test_memory_limit_counts_texts_that_rules_make(partitions: int) -> None:
    with pytest.raises(LimitError, match=r"bytes are left; nothing was changed|bytes including texts"):
        Engine(DOUBLE, limits=Limits(memory=50_000_000), partitions=partitions)
    db = Engine("long(cat(X, to_string(Y))) :- text(X), n(Y).", limits=Limits(memory=5_000_000), partitions=partitions)
    with db.epoch() as e:
        e.insert("text", [("x" * 1000,)])
        e.insert("n", [(i,) for i in range(100)])
    before, held = texts(db), entries(db)
    with pytest.raises(LimitError, match="bytes including texts, but the limit is 5,000,000"), db.epoch() as e:
        e.insert("n", [(i,) for i in range(100, 20_000)])
    assert entries(db) == held
    assert texts(db) < before + 10_000  # the table of ids stays as large as it was
    with db.epoch() as e:
        e.insert("n", [(200,)])
    assert len(db["long"]) == 101
    assert db.verify()


@PARTITIONS
def test_memory_limit_counts_texts_that_are_inserted(partitions: int) -> None:
    db = Engine(".decl name(x: symbol)", limits=Limits(memory=3_000_000), partitions=partitions)
    for _ in range(3):
        with pytest.raises(LimitError, match="including texts"), db.epoch() as e:
            e.insert("name", [(f"{i:0100000}",) for i in range(100)])
        assert entries(db) == 0
        assert db.memory < 3_000_000
    with db.epoch() as e:
        e.insert("name", [("a",)])
    assert list(db["name"]) == [("a",)]


def test_a_text_that_is_too_long_is_refused_before_it_is_made() -> None:
    program = "r(cat(X, X, X, X, X, X, X, X, X, X)) :- p(X)."
    db = Engine(program, limits=Limits(memory=30_000_000))
    with pytest.raises(LimitError, match=r"`cat` would create a text of 100,000,000 characters"), db.epoch() as e:
        e.insert("p", [("x" * 10_000_000,)])
    assert entries(db) == 0


@PARTITIONS
def test_texts_and_lists_of_a_failed_epoch_go_and_can_come_again(partitions: int) -> None:
    program = 'made(cat(X, "!")) :- p(X). pair([X, Y]) :- p(X), p(Y). half(100 / Y) :- q(Y).'
    db = Engine(program, partitions=partitions)
    with db.epoch() as e:
        e.insert("p", [("a",), ("b",)])
        e.insert("q", [(1,)])
    held, memory = entries(db), db.memory
    for size in (1, 40, 100):  # few texts, many, and more than stay recent
        names = [(f"n{i}",) for i in range(size)]
        with pytest.raises(EvaluationError, match="division by zero"), db.epoch() as e:
            e.insert("p", names)
            e.insert("q", [(0,)])
        assert entries(db) == held
        assert sorted(db["made"]) == [("a!",), ("b!",)]
    with db.epoch() as e:
        e.insert("p", names)
    assert (len(db["made"]), len(db["pair"])) == (102, 102 * 102)
    assert ("n7!",) in db["made"]
    assert (("n7", "a"),) in db["pair"]
    assert db.verify()
    assert db.memory > memory


@PARTITIONS
def test_a_state_folder_keeps_texts_that_came_after_a_failed_epoch(tmp_path: Path, partitions: int) -> None:
    program = 'made(cat(X, "!")) :- p(X). half(100 / Y) :- q(Y).'
    with Engine(program, path=tmp_path / "s", partitions=partitions) as db:
        for number in range(6):
            with pytest.raises(EvaluationError), db.epoch() as e:
                e.insert("p", [(f"lost {number} {i}",) for i in range(10 ** (number % 3 + 1))])
                e.insert("q", [(0,)])
            with db.epoch() as e:
                e.insert("p", [(f"kept {number} {i}",) for i in range(10 ** ((number + 1) % 3 + 1))])
        made = sorted(db["made"])
        assert db.verify()
    with Engine(path=tmp_path / "s") as again:
        assert sorted(again["made"]) == made
        assert again.verify()


def test_a_text_that_another_thread_met_stays_after_a_failed_epoch() -> None:
    db = Engine('made(cat(X, "!")) :- p(X). half(100 / Y) :- q(Y).')
    dictionary = core_of(db).dictionary
    with pytest.raises(EvaluationError), db.epoch() as e:
        e.insert("p", [(f"n{i}",) for i in range(100)])
        e.insert("q", [(0,)])
        met: list[int] = []

        def reader() -> None:
            met.append(dictionary.symbol("n7"))
            met.append(dictionary.symbol("own"))

        original = dictionary.symbol_column

        def column(address: int, offsets: object) -> object:
            cells = original(address, offsets)  # type: ignore[arg-type]  # as it came
            thread = threading.Thread(target=reader)
            thread.start()
            thread.join()
            return cells

        dictionary.symbol_column = column  # type: ignore[method-assign, assignment]  # in the middle of the epoch
    assert dictionary.values_of(met) == ["n7", "own"]
    assert entries(db) == 3  # with the "!" of the rule


@PARTITIONS
def test_answers_and_previews_keep_their_texts(partitions: int) -> None:
    db = Engine('p("a"). made(cat(X, "!")) :- p(X).', partitions=partitions)
    answers = db.query('made(X), Y = cat(X, "?")')
    epoch = db.epoch()
    epoch.insert("p", [("b",)])
    db.preview(epoch)
    with pytest.raises(EvaluationError), db.epoch() as e:
        e.add_rule("half(1 / X) :- q(X).")
        e.insert("q", [(0,)])
        e.insert("p", [("c",)])
    assert list(answers) == [("a!", "a!?")]
    assert list(epoch.changes["made"].inserted) == [("b!",)]


@PARTITIONS
@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ('named(1, "new"), n(X)', 0),  # a constant that no fact has
        ('n(X), Y = cat("new ", to_string(X))', 2),
        ('named(X, T), C = count : { named(_, T), !named(_, "other") }', 1),
        ("named(X, T), S = max U : { n(V), U = cat(T, to_string(V)) }", 1),
        ("n(X), n(Y), X < Y", 1),  # makes no text at all
    ],
)
def test_texts_that_a_query_makes_are_dropped(query: str, answers: int, partitions: int) -> None:
    with Engine('n(1). n(2). named(1, "one").', partitions=partitions) as db:
        held = entries(db)
        assert len(db.query(query)) == answers
        assert entries(db) == held
