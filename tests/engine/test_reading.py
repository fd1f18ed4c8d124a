"""Reading: what it costs, that it waits for no epoch, and that it sees one committed epoch, whatever runs beside it.

What these tests can notice: an answer that belongs to no epoch, to two of them, or to one before another that the same
thread has seen already. They cannot notice a race that needs more luck than a few seconds of many threads give.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from tidelog import DataError, Engine, EngineError, ProgramError, user_function
from tidelog.engine.engine import core_of
from tidelog.engine.sharing import replica
from tidelog.partition.memory import query_indexes
from tidelog.partition.memory.relations import Relations
from tidelog.partition.phases import partition

# In epoch E (from 2 on) `e` holds (i, E) for every i below WIDTH, `v` the same, `w` their sums.
WIDTH = 40
PROGRAM = ".decl e(x: number, y: number)\n.decl v(x: number, y: number)\n.decl bad(x: number)\nv(x, y) :- e(x, y)."


def rows_of(number: int) -> list[tuple[int, int]]:
    return [(i, number) for i in range(WIDTH)]


def advance(db: Engine, number: int) -> None:
    """From the epoch before ``number`` to it."""
    with db.epoch() as e:
        e.delete("e", rows_of(number - 1))
        e.insert("e", rows_of(number))
    assert e.number == number


@pytest.fixture(params=[1, 2], ids=["one partition", "two partitions"])
def db(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with Engine(PROGRAM, partitions=request.param) as db:
        with db.epoch() as e:
            e.insert("e", rows_of(2))
        yield db


@contextmanager
def held_up(db: Engine) -> Iterator[None]:
    """An epoch that adds (0, 100) and takes (0, 2) away, and stands still before its end until the block is over."""
    running, go_on = threading.Event(), threading.Event()

    def stop() -> None:
        running.set()
        assert go_on.wait(60)

    def work() -> None:
        core = core_of(db)
        run = core.runtime.run

        def run_and_stop(*args: object) -> object:
            outcome = run(*args)  # type: ignore[arg-type]
            stop()
            return outcome

        core.runtime.run = run_and_stop  # type: ignore[method-assign, assignment]
        try:
            with db.epoch() as e:
                e.insert("e", [(0, 100)])
                e.delete("e", [(0, 2)])
        finally:
            core.runtime.run = run  # type: ignore[method-assign]

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        assert running.wait(60)
        try:
            yield
        finally:
            go_on.set()
            done.result(60)


READS: dict[str, Callable[[Engine], object]] = {
    "len": lambda db: len(db["v"]),
    "in": lambda db: ((0, 2) in db["v"], (0, 100) in db["v"]),
    "head": lambda db: len(db["v"].head(5)),
    "slice": lambda db: len(db["v"][3:6]),
    "iteration": lambda db: sorted(db["v"]),
    "arrow": lambda db: db["v"].to_arrow().num_rows,
    "query of a key": lambda db: sorted(db.query("v(0, y)")),
    "query of all": lambda db: len(db.query("v(x, y)")),
    "query of a join": lambda db: sorted(db.query("v(0, y), e(x, y), x < 3")),
    "query with negation": lambda db: len(db.query("v(x, y), !e(1, y)")),
    "query of a path": lambda db: sorted(db.query("v+(0, y)")),
    "prepared": lambda db: sorted(db.prepare("v(x, y)", bind="x")(0)),
    "prepared join": lambda db: sorted(db.prepare("v(z, y), e(x, y), x < 3", bind="z")(0)),
    "repr": lambda db: (repr(db["v"]), repr(db)),
    "epoch number": lambda db: db.epoch_number,
}


@pytest.mark.parametrize("name", READS)
def test_reader_waits_for_no_epoch_and_sees_the_committed_one(db: Engine, name: str) -> None:
    read = READS[name]
    before = read(db)
    with held_up(db):
        assert read(db) == before
        assert read(db) == before
    after = read(db)
    assert after == read(db)
    assert (after == before) == (name in ("len", "head", "slice", "arrow", "query of all"))


@pytest.mark.parametrize("stopped_at", [1, 2])
def test_epoch_that_is_half_settled_is_seen_whole(db: Engine, stopped_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit stands still when the records of one relation, of two, are at rest: readers see the new epoch."""
    running, go_on, calls = threading.Event(), threading.Event(), [0]

    def stop(relations: Relations, number: int) -> None:
        calls[0] += 1
        if calls[0] == stopped_at:
            running.set()
            assert go_on.wait(60)

    monkeypatch.setattr(partition, "LONG_JOURNAL", -1)
    monkeypatch.setattr(partition, "trim_journal", stop)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(advance, db, 3)
        assert running.wait(60)
        try:
            assert sorted(db["e"]) == sorted(db["v"]) == rows_of(3)
            assert len(db["e"]) == len(db["v"]) == WIDTH
            assert ((7, 3) in db["v"], (7, 2) in db["v"], db.epoch_number) == (True, False, 3)
            assert sorted(db.query("v(x, y), e(x, y)")) == rows_of(3)
            assert sorted(db["v"][0:WIDTH]) == rows_of(3)
        finally:
            go_on.set()
            done.result(60)
    assert sorted(db["v"]) == rows_of(3)


def test_copies_follow_the_epochs_that_come(db: Engine) -> None:
    with held_up(db):
        assert sorted(db.query("v(0, y)")) == [(2,)]
        assert sorted(db.query("v(0, y), y < 50")) == [(2,)]
    for number in range(4, 9):
        with db.epoch() as e:
            e.insert("e", [(0, number)])
    with held_up(db):
        assert sorted(db.query("v(0, y)")) == [(y,) for y in (*range(4, 9), 100)]
        assert sorted(db.query("v(0, y), y < 50")) == [(y,) for y in range(4, 9)]
        assert (0, 100) in db["v"]


def test_copies_are_given_up_when_nobody_asks(db: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "IDLE", 3)
    with held_up(db):
        assert (0, 2) in db["v"]
    replicas = core_of(db).replicas
    assert replicas.memory > 0
    assert db.memory >= replicas.memory
    for number in range(4, 9):
        with db.epoch() as e:
            e.insert("e", [(0, number)])
    assert replicas.memory == 0
    with held_up(db):
        assert (0, 8) in db["v"]


def test_large_relation_is_copied_when_it_is_asked_for_often(db: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "SMALL", 0)
    copies = core_of(db).replicas.of_look_ups
    with held_up(db):
        for _ in range(replica.PATIENCE):
            assert (0, 2) in db["v"]
            assert copies.memory == 0
        assert (0, 2) in db["v"]
        assert copies.memory > 0
        copies._most = 10
    with db.epoch() as e:  # changes more than a look-up would catch up with
        e.delete("e", rows_of(2))
    assert copies.memory == 0
    with held_up(db):
        assert sorted(db.query("v(0, y)")) == [(100,)]
        assert (3, 2) not in db["v"]


def test_relation_too_large_to_be_copied_is_gone_through(db: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica, "ROOM", 0)
    monkeypatch.setattr(replica, "CELL_BYTES", 1 << 30)
    with held_up(db):
        assert (0, 2) in db["v"]
        assert sorted(db.query("v(0, y)")) == [(2,)]
    assert core_of(db).replicas.memory == 0


def test_relation_with_other_columns_than_its_copy() -> None:
    db = Engine("p(X) :- q(X).")
    with db.epoch() as e:
        e.insert("e", [(0, 2)])
        e.insert("q", [(0,)])
    with held_up(db):
        assert sorted(db.query("p(X)")) == [(0,)]
        assert (0,) in db["p"]
    with db.epoch() as e:
        e.remove_rule("r1")
    with db.epoch() as e:
        e.add_rule("p(X, X) :- q(X).")
    with held_up(db):
        assert (0, 0) in db["p"]
        assert sorted(db.query("p(X, Y), X = Y")) == [(0, 0)]


def test_query_inside_a_function_of_an_epoch_sees_the_epoch_before() -> None:
    seen: list[object] = []

    @user_function("look", ("number",), "number")
    def look(x: int) -> int:
        seen.append((sorted(db.query("p(X)")), sorted(db.query("p(X), X > 0")), (x,) in db["p"]))
        return x

    db = Engine("p(1). q(look(X)) :- r(X).", functions=[look])
    with db.epoch() as e:
        e.insert("p", [(2,)])
        e.insert("r", [(2,)])
    assert seen == [([(1,)], [(1,)], False)]
    assert sorted(db["p"]) == [(1,), (2,)]


def test_failed_epoch_is_seen_by_nobody(db: Engine) -> None:
    with held_up(db):  # its copies live on
        assert (0, 2) in db["v"]
    with db.epoch() as e:
        e.delete("e", [(0, 100)])
        e.add_rule("bad(x / (x - 100)) :- v(_, x).", label="bad")
    before = sorted(db["v"])
    for _ in range(3):
        with pytest.raises(Exception, match="zero"), db.epoch() as e:
            e.insert("e", [(1, 100)])
            e.delete("e", rows_of(2))
        assert sorted(db["v"]) == before
        assert (0, 2) not in db["v"]


@pytest.mark.parametrize("threads", [8, 50])
def test_every_read_beside_epochs_is_that_of_one_committed_epoch(db: Engine, threads: int) -> None:
    """Fifty threads read all ways while epochs replace every fact; no thread goes back in time."""
    stop = threading.Event()
    wrong: list[object] = []
    reads = [0]

    def number_of(found: set[int]) -> int:
        if len(found) != 1:
            wrong.append(("mixed", found))
        return next(iter(found), 0)

    ways: list[Callable[[], int]] = [
        lambda: number_of({y for _, y in db["v"]}),
        lambda: number_of({y for _, y in db.query("e(x, y)")}),
        lambda: number_of({y for (y,) in db.query("v(7, y)")}),
        lambda: number_of({y for _, y in db.query("v(x, y), e(x, y), x < 5")}),
        lambda: number_of({y for _, y in db["v"][3:9]}),
        lambda: number_of({y for (y,) in asked(11)}),
        lambda: number_of({y for (y,) in db.query("v(3, y), e(4, y)")} or {-1}),
    ]
    asked = db.prepare("v(x, y)", bind="x")

    def read(first: int) -> None:
        last = 0
        try:
            for turn in range(1 << 30):
                if stop.is_set():
                    return
                number = ways[(first + turn) % len(ways)]()
                if number < last:
                    wrong.append(("back", last, number, (first + turn) % len(ways)))
                last = number
                if len(db["v"]) != WIDTH:
                    wrong.append(("size", len(db["v"])))
                reads[0] += 1
        except BaseException as error:
            wrong.append(error)
            raise

    running = [threading.Thread(target=read, args=(i,)) for i in range(threads)]
    for thread in running:
        thread.start()
    ends, number = time.monotonic() + 1, 2
    while time.monotonic() < ends or number < 6:
        number += 1
        advance(db, number)
    stop.set()
    for thread in running:
        thread.join(60)
    assert not wrong, wrong[:3]
    assert reads[0] > threads


def test_lookups_cost_their_answer() -> None:
    db = Engine(PROGRAM)
    with db.epoch() as e:
        e.insert("e", np.stack([np.arange(1_000_000), np.arange(1_000_000) * 7], axis=1))
    view, asked, rows = db["v"], db.prepare("v(x, y)", bind="x"), db["v"].rows()
    reads: dict[str, tuple[Callable[[], object], object, float]] = {
        "len": (lambda: len(view), 1_000_000, 20e-6),
        "in": (lambda: (77, 539) in view, True, 20e-6),
        "not in": (lambda: (77, 540) in view, False, 20e-6),
        "query": (lambda: db.query("v(77, y)").rows(), [(539,)], 300e-6),
        "prepared": (lambda: asked(77).rows(), [(539,)], 300e-6),
        "head": (lambda: view.head(3), rows[:3], 300e-6),
        "slice": (lambda: view[10:12], rows[10:12], 300e-6),
        "row": (lambda: view[9], rows[9], 300e-6),
    }
    for name, (read, answer, most) in reads.items():
        assert read() == answer
        assert min(seconds(read) for _ in range(20)) < most, name


def seconds(act: Callable[[], object]) -> float:
    """The processor's time for one act, over many: a machine may have other work."""
    began = time.process_time()
    for _ in range(100):
        act()
    return (time.process_time() - began) / 100


def test_indexes_of_queries_are_kept_told_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    db = Engine("p(0).")
    with db.epoch() as e:
        e.insert("e", [(i, i % 10, i % 100, i) for i in range(5000)])
    relations = core_of(db).runtime.node.partition.relations
    number, before = relations.numbers["e"], db.memory
    assert len(db.query("e(X, 3, Y, Z)")) == 500
    assert (number, (1,)) in relations.index_columns()
    assert db.memory > before
    monkeypatch.setattr(query_indexes, "MOST", 2)
    assert len(db.query("e(X, Y, 3, Z)")) == 50
    assert len(db.query("e(X, 3, Y, Z)")) == 500
    assert len(db.query("e(X, Y, Z, 3)")) == 1
    assert {columns for n, columns in relations.index_columns() if n == number} == {(1,), (3,)}
    monkeypatch.setattr(query_indexes, "IDLE", 4)
    for i in range(9):
        with db.epoch() as e:
            e.insert("e", [(i, 3, 5, 10_000 + i)])
    assert not relations.index_columns()
    assert len(db.query("e(X, 3, Y, Z)")) == 509


def test_index_that_a_rule_comes_to_use_is_the_rules() -> None:
    db = Engine("p(0).")
    with db.epoch() as e:
        e.insert("e", [(i, i % 10) for i in range(5000)])
        e.insert("s", [(3,)])
    assert len(db.query("e(X, 3)")) == 500
    with db.epoch() as e:
        label = e.add_rule("t(X) :- s(Y), e(X, Y).")
    partition = core_of(db).runtime.node.partition
    assert (partition.relations.numbers["e"], (1,)) not in partition.relations.lent
    for _ in range(20):
        assert len(db.query("e(X, 4)")) == 500
    with db.epoch() as e:
        e.insert("s", [(4,)])
    assert len(db["t"]) == 1000
    with db.epoch() as e:
        e.remove_rule(label)
    assert len(db.query("e(X, 4)")) == 500
    assert db.verify()


ANSWERS = {
    "e(X, 2)": [(1,), (2,)],
    "e(X, X)": [(2,)],
    "e(_, Y)": [(2,), (3,)],
    "e(1, _)": [()],
    "e(7, _)": [],
    "e(1, 2)": [()],
    "e(1, 7)": [],
    "f(X, 2)": [("a",)],
    'f("a", X)': [(2.0,)],
    'f("b", X)': [],
    "e(X, Y), X = Y": [(2, 2)],
    "none(X)": [],
}


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("text", ANSWERS)
def test_answers_that_are_looked_up(text: str, partitions: int) -> None:
    db = Engine("none(X) :- e(X, 77).", partitions=partitions)
    with db.epoch() as e:
        e.insert("e", [(1, 2), (2, 2), (2, 3)])
        e.insert("f", [("a", 2.0)])
    assert sorted(db.query(text)) == ANSWERS[text]


def test_prepared_query_is_asked_with_values() -> None:
    db = Engine("reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z).")
    with db.epoch() as e:
        e.insert("edge", [("a", "b"), ("b", "c")])
    asked = db.prepare("reach(X, Y)", bind="X")
    assert asked.columns == ("Y",)
    assert sorted(asked("a")) == [("b",), ("c",)]
    assert list(asked("c")) == []
    both = db.prepare("reach(X, Y), edge(X, Z), Z != Y", bind=["X", "Y"])
    assert list(both("a", "c")) == [("b",)]
    assert list(both("a", "b")) == []
    with db.epoch() as e:
        e.insert("edge", [("c", "d")])
        e.add_rule("reach(X, X) :- edge(X, _).")
    assert sorted(asked("a")) == [("a",), ("b",), ("c",), ("d",)]
    assert sorted(both("b", "d")) == [("c",)]
    assert sorted(db.prepare("reach(X, Y)")()) == sorted(db["reach"])
    with pytest.raises(DataError):
        asked(3)
    with pytest.raises(EngineError, match="has no variable `Q`; its variables: X, Y"):
        db.prepare("reach(X, Y)", bind="Q")
    with pytest.raises(EngineError, match="binds 1 variable"):
        asked()
    with pytest.raises(ProgramError):
        db.prepare("reach(X", bind="X")
    db.close()
    with pytest.raises(EngineError):
        asked("a")


def test_value_that_nobody_knows_is_not_made_known_by_looking_for_it() -> None:
    db = Engine("p(X) :- q(X).")
    with db.epoch() as e:
        e.insert("q", [("a",)])
    known = len(core_of(db).dictionary)
    assert ("never seen",) not in db["p"]
    assert ("a",) in db["p"]
    assert len(core_of(db).dictionary) == known
