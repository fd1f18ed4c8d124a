"""Epochs and questions inside asyncio: the loop goes on while they run, and a cancelled task leaves no half."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tidelog import Engine, user_function


def slow_engine(hold: threading.Event, running: threading.Event) -> Engine:
    @user_function("slow", ("number",), "number")
    def slow(x: int) -> int:
        running.set()
        assert hold.wait(60)
        return x

    return Engine("p(slow(X)) :- q(X).  r(X) :- q(X).", functions=[slow])


def test_epoch_of_asyncio_commits_and_rolls_back() -> None:
    async def main() -> None:
        db = Engine("p(X) :- q(X).")
        async with db.epoch() as e:
            e.insert("q", [(1,), (2,)])
        assert e.number == 2
        assert sorted(e.changes["p"].inserted) == [(1,), (2,)]
        with pytest.raises(KeyError):
            async with db.epoch() as e:
                e.insert("q", [(3,)])
                raise KeyError
        assert sorted([row async for row in db["p"]]) == [(1,), (2,)]
        assert sorted(await db.aquery("p(X), X > 1")) == [(2,)]
        assert sorted(await db.prepare("p(X), X > Y", bind="Y").later(1)) == [(2,)]
        with pytest.raises(Exception, match="has 1 column, but these rows have 2"):
            async with db.epoch() as e:
                e.insert("q", [(1, 2)])

    asyncio.run(main())


def test_the_loop_goes_on_while_an_epoch_runs() -> None:
    hold, running = threading.Event(), threading.Event()

    async def main() -> None:
        db = slow_engine(hold, running)

        async def change() -> None:
            async with db.epoch() as e:
                e.insert("q", [(1,)])

        task = asyncio.create_task(change())
        while not running.is_set():
            await asyncio.sleep(0.001)
        assert [row async for row in db["r"]] == []
        assert list(await db.aquery("r(X), X > 0")) == []
        assert not task.done()
        hold.set()
        await task
        assert [row async for row in db["r"]] == [(1,)]

    asyncio.run(main())


def test_cancelled_task_ends_with_the_epoch_that_it_began() -> None:
    hold, running = threading.Event(), threading.Event()

    async def main() -> None:
        db = slow_engine(hold, running)

        async def change() -> None:
            async with db.epoch() as e:
                e.insert("q", [(1,)])

        task = asyncio.create_task(change())
        while not running.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.sleep(0.01)
        assert not task.done()
        hold.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert list(db["p"]) == [(1,)]

    asyncio.run(main())
