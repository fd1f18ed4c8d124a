"""Subscribers in the process: every epoch once and in order, gaps, history, slow and failing callbacks, the end."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.engine.test_forks import code_of, in_child
from tidelog import Engine, EngineError, FeedChange, Gap, StateError
from tidelog.engine.engine import core_of
from tidelog.engine.write import subscribers
from tidelog.store.folder.history import Change

REACH = "reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z)."
COPY = "p(X) :- q(X)."
LONG = 30.0  # seconds, for waits that end at once unless something is broken

Item = FeedChange | Gap


def insert(db: Engine, *values: object, **about: Any) -> int:
    with db.epoch(**about) as e:
        e.insert("q", [(value,) for value in values])
    assert e.number is not None
    return e.number


def epochs(items: Sequence[Item]) -> list[int]:
    return [item.epoch for item in items if isinstance(item, FeedChange)]


def boxes(db: Engine) -> Sequence[object]:
    """The queues that an engine keeps."""
    found: subscribers.Subscribers = core_of(db).subscribers  # type: ignore[assignment]  # it has had some
    return found._boxes


def random_epochs(db: Engine, seed: int, count: int) -> dict[int, set[Any]]:
    """Commit epochs that insert and delete edges, add and remove a rule; returns the view after each of them."""
    chosen, states, label = random.Random(seed), {}, None
    nodes = ["a", "b", "c", "d", "e"]
    for _ in range(count):
        with db.epoch() as e:
            for _ in range(chosen.randint(0, 3)):
                edge = (chosen.choice(nodes), chosen.choice(nodes))
                (e.insert if chosen.random() < 0.6 else e.delete)("edge", [edge])
            if chosen.random() < 0.2:
                if label is None:
                    label = e.add_rule("reach(X, X) :- edge(X, Y).")
                else:
                    e.remove_rule(label)
                    label = None
        assert e.number is not None
        states[e.number] = set(db["reach"])
    return states


def check_replay(items: Sequence[Item], begin: set[Any], states: dict[int, set[Any]]) -> None:
    """The changes, applied in order, lead through all states of the view."""
    by_epoch = {item.epoch: item for item in items if isinstance(item, FeedChange)}
    assert list(by_epoch) == sorted(by_epoch)
    assert len(by_epoch) == len(items)
    known = set(begin)
    for epoch, state in states.items():
        change = by_epoch.pop(epoch, None)
        if change is not None:
            inserted, deleted = set(change.inserted), set(change.deleted)
            assert len(inserted) == len(change.inserted)
            assert len(deleted) == len(change.deleted)
            assert not inserted & known
            assert deleted <= known
            assert inserted or deleted
            known = (known - deleted) | inserted
        assert known == state, epoch
    assert not by_epoch


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_changes_lead_through_every_state_of_the_view(seed: int, partitions: int, stored: bool, tmp_path: Path) -> None:
    with Engine(REACH, partitions=partitions, path=tmp_path / "s" if stored else None) as db:
        before = random_epochs(db, seed, 10)
        begin, received = set(db["reach"]), list[Item]()
        feed = db.feed("reach")
        db.on_change("reach", received.append)
        late = db.feed("reach", since=0) if stored else None
        after = random_epochs(db, seed + 100, 30)
    check_replay(list(feed), begin, after)
    check_replay(received, begin, after)
    if late is not None:
        with Engine(path=tmp_path / "s") as db:
            for since in (0, 3, 7):
                whole: list[Item] = []
                with db.on_change("reach", whole.append, since=since) as subscription:
                    assert subscription.wait(LONG)
                states = {epoch: state for epoch, state in {**before, **after}.items() if epoch > since}
                check_replay(whole, before.get(since, set()), states)


def test_a_change_names_its_epoch_its_view_its_author_and_its_note(tmp_path: Path) -> None:
    with Engine(COPY, path=tmp_path) as db:
        feed = db.feed("p")
        insert(db, 1, author="ann", note="first")
        with db.epoch() as e:
            e.insert("other", [(1,)])
        with db.epoch() as e:
            e.delete("q", [(1,)])
        expected = [FeedChange(2, "p", [(1,)], [], "ann", "first"), FeedChange(4, "p", [], [(1,)])]
        assert [next(feed), next(feed)] == expected
        past = db.feed("p", since=1)
        assert [next(past), next(past)] == expected
        assert (feed.view, feed.epoch, past.epoch) == ("p", 4, 4)


def test_history_and_new_epochs_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribers, "MANY", 3)
    monkeypatch.setattr(subscribers, "MUCH", 2)
    with Engine(COPY, path=tmp_path) as db:
        for value in range(10):
            insert(db, value, -value - 1)
        feed = db.feed("p", since=1)
        first = [next(feed) for _ in range(4)]
        for value in range(10, 15):
            insert(db, value)
        assert epochs(first + [next(feed) for _ in range(11)]) == list(range(2, 17))
        again = db.feed("p", since=feed.epoch)
        insert(db, 100)
        assert epochs([next(feed), next(again)]) == [17, 17]


def test_epochs_of_other_threads_arrive_once_and_in_order() -> None:
    with Engine(COPY, threads=1) as db:
        received: list[Item] = []
        db.on_change("p", received.append, capacity=10_000)
        feeds = [db.feed("p", capacity=10_000)]

        def change(base: int) -> None:
            for value in range(50):
                insert(db, base + value)
                if value % 10 == 0:
                    feeds.append(db.feed("p", capacity=10_000))

        writers = [threading.Thread(target=change, args=(base,)) for base in (0, 100, 200)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        last = db.epoch_number
        begins = [feed.epoch for feed in feeds]
    assert epochs(received) == list(range(2, 152))
    for begin, feed in zip(begins, feeds, strict=True):
        assert epochs(list(feed)) == list(range(begin + 1, last + 1))


def test_a_slow_subscriber_does_not_block_epochs_and_receives_one_gap(tmp_path: Path) -> None:
    go_on, received = threading.Event(), list[Item]()

    def slow(item: Item) -> None:
        received.append(item)
        go_on.wait(LONG)

    with Engine(COPY, path=tmp_path) as db:
        subscription, quick = db.on_change("p", slow, capacity=2), db.feed("p")
        for value in range(10):  # none of them waits for `slow`, which waits for the last one
            insert(db, value)
            while not received:
                pass
        assert not subscription.wait(0)
        go_on.set()
        assert subscription.wait(LONG)
        assert epochs(received) == [2, 3, 4]
        assert received[3:] == [Gap(5, 11)]
        assert subscription.epoch == 11
        missed = [each for each in db.changes("p", since=4) if each.epoch <= 11]
        assert missed == [Change(epoch, 1, (epoch - 2,)) for epoch in range(5, 12)]
        insert(db, 10)
        assert subscription.wait(LONG)
        assert epochs(received) == [2, 3, 4, 12]
        assert epochs([next(quick) for _ in range(11)]) == list(range(2, 13))
        resumed = db.feed("p", since=4)
        assert epochs([next(resumed) for _ in range(8)]) == list(range(5, 13))


def test_a_gap_grows_until_it_is_reached() -> None:
    db = Engine(COPY)
    feed = db.feed("p", capacity=1)
    for value in range(3):
        insert(db, value)
    assert epochs([next(feed)]) == [2]
    insert(db, 3)
    assert next(feed) == Gap(3, 5)
    insert(db, 4)
    insert(db, 5)
    assert [next(feed), next(feed)] == [FeedChange(6, "p", [(4,)]), Gap(7, 7)]
    db.close()


def test_history_that_is_removed_while_it_is_read_is_a_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribers, "MANY", 2)
    with Engine(COPY, path=tmp_path, history=4) as db:
        for value in range(4):
            insert(db, value)
        feed = db.feed("p", since=1)
        assert epochs([next(feed), next(feed)]) == [2, 3]
        for value in range(4, 12):
            insert(db, value)
            db.snapshot()
        assert next(feed) == Gap(4, 5)
        assert epochs([next(feed) for _ in range(8)]) == list(range(6, 14))
        with pytest.raises(StateError) as error:
            db.feed("p", since=1)
        assert error.value.code == "TL5103"


def test_a_callback_that_fails_is_logged_and_called_with_the_next_change(caplog: pytest.LogCaptureFixture) -> None:
    received: list[Item] = []

    def fail(item: Item) -> None:
        received.append(item)
        raise ValueError("no disk")

    with caplog.at_level(logging.ERROR, "tidelog"), Engine(COPY) as db:
        db.on_change("p", fail)
        insert(db, 1)
        insert(db, 2)
    assert epochs(received) == [2, 3]
    assert [record.getMessage() for record in caplog.records] == [
        "the callback for `p` failed at epoch 2",
        "the callback for `p` failed at epoch 3",
    ]
    assert "no disk" in caplog.text


def test_a_listener_that_fails_leaves_the_epoch_committed_and_others_called(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int | None] = []

    def fail(epoch: object) -> None:
        raise ValueError("no disk")

    with caplog.at_level(logging.ERROR, "tidelog"), Engine(COPY) as db:
        core_of(db).listeners.extend([fail, lambda epoch: heard.append(epoch.number)])
        assert insert(db, 1) == 2
        assert (heard, list(db["p"])) == ([2], [(1,)])
    assert [record.getMessage() for record in caplog.records] == ["epoch 2 was committed, but a listener failed"]
    assert "no disk" in caplog.text


def test_changes_that_cannot_be_read_are_a_gap_and_the_epoch_is_committed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine(COPY) as db:
        feed = db.feed("p")
        with monkeypatch.context() as patch, caplog.at_level(logging.ERROR, "tidelog"):
            patch.setattr(subscribers, "_read", lambda *_: 1 / 0)
            insert(db, 1)
        insert(db, 2)
        assert db["p"].rows() == [(1,), (2,)]
        assert next(feed) == Gap(2, 3)
    assert "the changes of `p` in epoch 2 could not be read for a subscriber" in caplog.text


def test_closing_the_engine_delivers_what_was_committed_and_ends_feeds() -> None:
    received: list[Item] = []
    db = Engine(COPY)
    subscription, feed = db.on_change("p", received.append), db.feed("p")
    insert(db, 1)
    db.close()
    assert epochs(received) == [2]
    assert epochs(list(feed)) == [2]
    assert list(feed) == []
    subscription._thread.join(LONG)
    assert not subscription.is_open
    subscription.close()


def test_the_engine_may_be_closed_by_a_callback() -> None:
    db, closed = Engine(COPY), threading.Event()

    def close(_: Item) -> None:
        db.close()
        closed.set()

    db.on_change("p", close)
    insert(db, 1)
    assert closed.wait(LONG)
    assert code_of(lambda: db["p"]) == "TL4055"


def test_a_feed_that_waits_ends_with_the_engine() -> None:
    db, received = Engine(COPY), list[Item]()
    feed = db.feed("p")
    reader = threading.Thread(target=lambda: received.extend(feed))
    reader.start()
    insert(db, 1)
    db.close()
    reader.join(LONG)
    assert not reader.is_alive()
    assert epochs(received) == [2]


def test_who_unsubscribes_receives_nothing_more() -> None:
    with Engine(COPY) as db:
        received: list[Item] = []
        with db.on_change("p", received.append) as subscription, db.feed("p") as feed:
            insert(db, 1)
            assert subscription.wait(LONG)
        insert(db, 2)
        assert subscription.wait(LONG)
        assert epochs(received) == [2]
        assert list(feed) == []
        assert boxes(db) == ()


def test_who_unsubscribes_while_history_is_delivered_receives_nothing_more(tmp_path: Path) -> None:
    with Engine(COPY, path=tmp_path) as db:
        for value in range(5):
            insert(db, value)
        received, subscriptions = list[Item](), list[subscribers.Subscription]()
        ready = threading.Event()

        def once(item: Item) -> None:
            received.append(item)
            ready.wait(LONG)
            subscriptions[0].close()

        subscriptions.append(db.on_change("p", once, since=1))
        ready.set()
        assert subscriptions[0].wait(LONG)
        assert epochs(received) == [2]


def test_a_feed_that_reads_history_of_a_closed_engine_is_refused(tmp_path: Path) -> None:
    with Engine(COPY, path=tmp_path) as db:
        insert(db, 1)
        feed = db.feed("p", since=0)
    assert code_of(lambda: next(feed)) == "TL4055"


def test_a_feed_that_is_no_longer_referenced_is_forgotten() -> None:
    with Engine(COPY) as db:
        feed = db.feed("p")
        insert(db, 1)
        assert len(boxes(db)) == 1
        del feed
        gc.collect()
        insert(db, 2)
        assert boxes(db) == ()


def test_callbacks_read_and_change_the_engine() -> None:
    seen: list[tuple[int, int]] = []
    with Engine(COPY) as db:

        def react(item: Item) -> None:
            assert isinstance(item, FeedChange)
            seen.append((item.epoch, len(db["p"])))
            if len(seen) < 3:
                insert(db, 10 + len(seen))

        subscription = db.on_change("p", react)
        insert(db, 1)
        assert subscription.wait(LONG)
    assert seen == [(2, 1), (3, 2), (4, 3)]


def test_a_view_that_is_dropped_and_comes_back_is_followed() -> None:
    with Engine("q(1).") as db:
        with db.epoch() as e:
            label = e.add_rule("p(X) :- q(X).")
        feed = db.feed("p")
        with db.epoch() as e:
            e.remove_rule(label)
        with db.epoch() as e:
            e.add_rule("p(X, Y) :- q(X), q(Y).")
    assert list(feed) == [FeedChange(3, "p", [], [(1,)]), FeedChange(4, "p", [(1, 1)])]


def test_repartition_changes_nothing_for_subscribers(tmp_path: Path) -> None:
    with Engine(COPY, partitions=2, path=tmp_path) as db:
        feed = db.feed("p")
        insert(db, "a")
        db.repartition(3)
        insert(db, "b")
        past = db.feed("p", since=1)
        expected = [FeedChange(2, "p", [("a",)]), FeedChange(4, "p", [("b",)])]
        assert [next(past), next(past)] == expected
    assert list(feed) == expected


def test_arguments_are_checked(tmp_path: Path) -> None:
    async def later(_: Item) -> None: ...

    with Engine(COPY) as db:
        insert(db, 1)
        for call, code in (
            (lambda: db.feed("pp"), "TL4050"),
            (lambda: db.feed("p", since=1), "TL4059"),
            (lambda: db.feed("p", since=3), "TL4073"),
            (lambda: db.feed("p", since=-1), "TL4073"),
            (lambda: db.feed("p", since=True), "TL4073"),
            (lambda: db.feed("p", capacity=0), "TL4073"),
            (lambda: db.on_change("p", None), "TL4073"),  # type: ignore[arg-type]  # refused
            (lambda: db.on_change("p", later), "TL4073"),
        ):
            with pytest.raises(EngineError) as error:
                call()
            assert error.value.code == code, error.value
        insert(db, 2)
        assert boxes(db) == ()  # refused feeds are not kept
        assert db.feed("p", since=3).epoch == 3


def test_a_forked_child_is_refused() -> None:
    with Engine(COPY) as db:
        feed, subscription = db.feed("p"), db.on_change("p", print)
        with feed._box._news:  # as a thread that commits may have it
            refusals = in_child(lambda: [code_of(act) for act in (lambda: next(feed), subscription.wait, feed.close)])
        assert refusals == ["TL4061", "TL4061", "answered"]
        insert(db, 1)
        assert epochs([next(feed)]) == [2]


# asyncio


def test_an_asyncio_program_follows_a_view(tmp_path: Path) -> None:
    async def main() -> list[Item]:
        with Engine(COPY, path=tmp_path) as db:
            insert(db, 0)
            feed, received = db.feed("p", since=1), list[Item]()

            async def follow() -> None:
                async for change in feed:
                    received.append(change)
                    if len(received) == 5:
                        return

            following = asyncio.create_task(follow())
            for value in range(1, 4):
                async with db.epoch() as e:
                    e.insert("q", [(value,)])
            async with db.epoch() as e:
                e.insert("q", [(value,) for value in range(10, 10 + 2 * subscribers.SMALL)])
            await asyncio.wait_for(following, LONG)
            return received

    received = asyncio.run(main())
    assert epochs(received) == [2, 3, 4, 5, 6]
    assert isinstance(received[-1], FeedChange)
    assert len(received[-1].inserted) == 2 * subscribers.SMALL


def test_many_feeds_wait_on_one_loop_and_end_with_the_engine() -> None:
    async def main() -> list[list[Item]]:
        db = Engine(COPY)
        feeds = [db.feed("p") for _ in range(50)]

        async def follow(feed: subscribers.Feed) -> list[Item]:
            return [change async for change in feed]

        following = [asyncio.create_task(follow(feed)) for feed in feeds]
        await asyncio.sleep(0)
        async with db.epoch() as e:
            e.insert("q", [(1,)])
        await asyncio.to_thread(db.close)
        return await asyncio.wait_for(asyncio.gather(*following), LONG)

    assert asyncio.run(main()) == [[FeedChange(2, "p", [(1,)])]] * 50


def test_a_wait_that_is_cancelled_loses_nothing(tmp_path: Path) -> None:
    async def main() -> list[Item]:
        with Engine(COPY, path=tmp_path) as db:
            insert(db, 1)
            feed = db.feed("p", since=1)
            task = asyncio.ensure_future(anext(feed))
            await asyncio.sleep(0)
            task.cancel()  # while the history is read
            with pytest.raises(asyncio.CancelledError):
                await task
            found = [await anext(feed)]
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(feed), 0.01)
            insert(db, 2)
            return [*found, await anext(feed)]

    assert epochs(asyncio.run(main())) == [2, 3]


def test_a_loop_that_is_closed_does_not_disturb_epochs() -> None:
    with Engine(COPY) as db:
        feed = db.feed("p")

        async def give_up() -> None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(feed), 0.01)

        asyncio.run(give_up())
        insert(db, 1)
        assert epochs([next(feed)]) == [2]
