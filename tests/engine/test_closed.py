"""An engine that is closed says so (TL4055) to every caller, also in the middle of a query."""

from __future__ import annotations

import inspect
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.calls import HARMLESS, KNOWN, PROGRAM, calls, handles
from tidelog import Engine, EngineError
from tidelog.engine.base import engine_failures as failures

WAYS = [(1, 1, False), (1, 2, True), (2, None, False), (2, None, True)]  # partitions, threads, state folder


@pytest.mark.parametrize(("partitions", "threads", "stored"), WAYS)
def test_every_call_of_a_closed_engine_says_that_it_is_closed(
    partitions: int, threads: int | None, stored: bool, tmp_path: Path
) -> None:
    path = tmp_path / "state" if stored else None
    with Engine(PROGRAM, partitions=partitions, threads=threads, path=path) as db:
        given = handles(db)
    for name, call in calls(given, tmp_path / "feed").items():
        with pytest.raises(EngineError) as error:
            call()
        assert error.value.code == failures.CLOSED.code, name
    for name in KNOWN:
        getattr(db, name)
    assert db.rule("r1").label == "r1"
    assert "p" in db
    assert repr(db) == "Engine(closed after epoch 3)"
    assert repr(given.view) == "p: the engine is closed"
    if partitions == 1:  # of several the rows are read where they are
        assert given.changed.inserted.rows() == [(3,)]
    else:
        with pytest.raises(EngineError, match="the engine is closed"):
            given.changed.inserted.rows()


def test_the_list_of_calls_is_complete() -> None:
    given = handles(Engine(PROGRAM))
    listed = {*calls(given, Path()), *KNOWN, *HARMLESS, "rule", "profile"}
    public = {name for name, _ in inspect.getmembers(Engine) if not name.startswith("_")}
    assert public <= listed


@pytest.mark.parametrize(("partitions", "threads"), [(1, 2), (2, None)])
def test_whoever_meets_the_end_of_an_engine_is_told_so(partitions: int, threads: int | None) -> None:
    told: Counter[str] = Counter()
    for _ in range(3):
        db = Engine("p(X, Y) :- e(X, Y).  p(X, Z) :- p(X, Y), e(Y, Z).", partitions=partitions, threads=threads)
        with db.epoch() as e:
            e.insert("e", [(i, i + 1) for i in range(40)])
        view, ready = db["p"], threading.Barrier(6)

        def change(db: Engine = db) -> None:
            with db.epoch() as e:
                e.insert("e", [(db.epoch_number + 100, 0)])

        asked = {
            "rows": view.rows,
            "query": lambda db=db: db.query("p(X, Y), e(Y, Z)"),
            "change": change,
            "verify": db.verify,
            "count": lambda db=db: db.fact_count,
        }

        def ask(name: str, call: object, ready: threading.Barrier = ready) -> None:
            ready.wait()
            try:
                while True:
                    call()  # type: ignore[operator]  # all of these are calls
            except Exception as error:
                told[getattr(error, "code", repr(error))] += 1

        threads_ = [threading.Thread(target=ask, args=item, daemon=True) for item in asked.items()]
        for thread in threads_:
            thread.start()
        ready.wait()
        view.rows()
        db.close()
        for thread in threads_:
            thread.join(30)
            assert not thread.is_alive()
    assert told == {failures.CLOSED.code: 15}


def test_an_epoch_that_runs_is_committed_before_the_engine_closes(tmp_path: Path) -> None:
    db, began, go_on = Engine(PROGRAM, path=tmp_path), threading.Event(), threading.Event()

    def slow(_: object) -> None:
        began.set()
        go_on.wait(30)

    from tidelog.engine.engine import core_of

    core_of(db).listeners.append(slow)

    def change() -> None:
        with db.epoch() as e:
            e.insert("e", [(1,)])

    writer, closer = threading.Thread(target=change), threading.Thread(target=db.close)
    writer.start()
    began.wait(30)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive()
    go_on.set()
    writer.join(30)
    closer.join(30)
    with Engine(path=tmp_path) as again:
        assert list(again["p"]) == [(1,)]
