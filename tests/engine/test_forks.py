"""An engine belongs to the process that opened it (D38): a forked child can neither use it nor harm it."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.calls import KNOWN, PROGRAM, Handles, calls, handles
from tidelog import Engine, EngineError, StateError
from tidelog.store.base.store_failures import LOCKED

WAYS = [(1, 1, False), (1, 2, True), (2, None, False), (2, None, True)]  # partitions, threads, state folder


def in_child(act: Callable[[], object]) -> Any:
    """What a forked child makes of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found: object = act()
        except BaseException as error:
            found = repr(error)
        with os.fdopen(writing, "wb") as out:
            pickle.dump(found, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as out:
        found = pickle.load(out)
    os.waitpid(child, 0)
    return found


def code_of(call: Callable[[], object]) -> str:
    try:
        call()
    except EngineError as error:
        return error.code
    return "answered"


def refusals(given: Handles, feed: Path) -> dict[str, str]:
    """By call, what it was refused with."""
    db = given.db
    asked = calls(given, feed) | {name: lambda name=name: getattr(db, name) for name in KNOWN}
    asked |= {"contains": lambda: "p" in db, "rule": lambda: db.rule("r1"), "profile": db.profile}
    asked |= {"insert": lambda: db.epoch().insert("e", [(1,)]), "changes of an epoch": given.changed.inserted.rows}
    return {name: code_of(call) for name, call in asked.items()}


@pytest.mark.parametrize(("partitions", "threads", "stored"), WAYS)
def test_every_call_in_a_forked_child_is_refused(
    partitions: int, threads: int | None, stored: bool, tmp_path: Path
) -> None:
    path = tmp_path / "state" if stored else None
    with Engine(PROGRAM, partitions=partitions, threads=threads, path=path) as db:
        given = handles(db)
        read = db.query("p(X)")
        found = in_child(lambda: refusals(given, tmp_path / "feed"))
        assert set(found.values()) == {"TL4061"}, found
        assert in_child(lambda: repr(db)) == f"Engine(of process {os.getpid()})"
        assert in_child(read.rows) == read.rows()  # what was read before is the child's own
        given.waiting.commit()  # the parent goes on
        assert sorted(db["p"]) == [(1,), (2,), (3,), (7,)]
        assert db.verify()
    if path is not None:
        with Engine(path=path) as again:
            assert sorted(again["p"]) == [(1,), (2,), (3,), (7,)]


@pytest.mark.parametrize(("partitions", "threads", "stored"), WAYS)
def test_the_end_of_a_child_leaves_the_engine_alone(
    partitions: int, threads: int | None, stored: bool, tmp_path: Path
) -> None:
    path = tmp_path / "state" if stored else None
    db = Engine("p(X, Z) :- e(X, Y), e(Y, Z).", partitions=partitions, threads=threads, path=path)
    with db.epoch() as e:
        e.insert("e", [(i, i % 100) for i in range(20_000)])
    holder: list[object] = [db, db["p"], e]

    def end() -> str:
        with db:  # closed at its end
            pass
        holder.clear()
        gc.collect()
        return "ended"

    assert in_child(end) == "ended"
    with db.epoch() as e:
        e.insert("e", [(-1, 5)])
    assert (-1, 5) in db["p"]
    if path is not None:
        with pytest.raises(StateError) as error:
            Engine(path=path)
        assert error.value.code == LOCKED.code
    db.close()


def test_a_child_that_ends_as_programs_do_leaves_the_engine_alone(tmp_path: Path) -> None:
    db = Engine(PROGRAM, path=tmp_path, threads=2)
    with db.epoch() as e:
        e.insert("e", [(i,) for i in range(20_000)])
    assert in_child(atexit._run_exitfuncs) is None  # the finalizers of whatever is there
    with db.epoch() as e:
        e.insert("e", [(-1,)])
    db.close()
    assert len(Engine(path=tmp_path, at=-1)["p"]) == 20_001


def test_a_child_may_open_engines_of_its_own(tmp_path: Path) -> None:
    with Engine(PROGRAM, path=tmp_path / "state", threads=2) as db:
        with db.epoch() as e:
            e.insert("e", [(1,)])

        def act() -> object:
            with Engine(PROGRAM, path=tmp_path / "other", threads=2) as mine:
                with mine.epoch() as e:
                    e.insert("e", Engine(path=tmp_path / "state", at=-1)["p"])
                return mine["p"].rows(), in_child(lambda: code_of(mine.verify))

        assert in_child(act) == ([(1,)], "TL4061")


def test_a_child_that_outlives_its_parent_does_not_hold_its_lock(tmp_path: Path) -> None:
    db = Engine(PROGRAM, path=tmp_path)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)  # until the parent is done
        os._exit(0)
    try:
        db.close()
        Engine(path=tmp_path).close()
    finally:
        os.close(writing)
        os.close(reading)
        os.waitpid(child, 0)


def _worker(given: Handles, out: Any) -> None:
    out.put(code_of(given.view.rows))


def test_a_process_of_multiprocessing_is_refused() -> None:
    given = handles(Engine(PROGRAM, partitions=2))
    context = multiprocessing.get_context("fork")
    out = context.SimpleQueue()
    process = context.Process(target=_worker, args=(given, out))
    process.start()
    assert out.get() == "TL4061"
    process.join()
    assert process.exitcode == 0
    assert given.view.rows()


def test_a_fork_in_the_middle_of_an_epoch_is_refused_and_does_not_wait(tmp_path: Path) -> None:
    from tidelog.engine.engine import core_of

    db, began, go_on = Engine(PROGRAM, path=tmp_path), threading.Event(), threading.Event()

    def slow(_: object) -> None:
        began.set()
        go_on.wait(30)

    core_of(db).listeners.append(slow)

    def change() -> None:
        with db.epoch() as e:
            e.insert("e", [(1,)])

    writer = threading.Thread(target=change)
    writer.start()
    began.wait(30)

    def commit() -> str:
        epoch = db.epoch()
        epoch.insert("e", [(2,)])
        epoch.commit()
        return "committed"

    try:
        assert in_child(lambda: code_of(commit)) == "TL4061"  # the turn is taken, for ever in the child
    finally:
        go_on.set()
        writer.join(30)
    db.close()
    assert Engine(path=tmp_path, at=-1)["p"].rows() == [(1,)]
