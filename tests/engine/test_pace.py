"""Readers and a writer take turns, by waits that are bounded."""

from __future__ import annotations

import threading
import time

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.sharing import pace
from tidelog.engine.sharing.pace import Pace


def test_a_reader_waits_for_a_short_epoch_and_then_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "WAIT", 60.0)
    monkeypatch.setattr(pace, "SHORT", 60.0)
    monkeypatch.setattr(pace, "LEAST", 60.0)
    monkeypatch.setattr(pace, "MOST", 60.0)
    turns, read = Pace(), threading.Event()
    turns.begin()
    reader = threading.Thread(target=lambda: (turns.read(), read.set()))
    reader.start()
    assert not read.wait(0.05)
    turns.end()
    assert read.wait(30)
    reader.join()
    turns.read()  # in its own time no thread waits


def test_nobody_waits_for_an_epoch_of_its_own_or_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "WAIT", 600.0)
    turns = Pace()
    turns.begin()
    turns.read()
    monkeypatch.setattr(pace, "SHORT", -1.0)
    reader = threading.Thread(target=turns.read)
    reader.start()
    reader.join(30)
    assert not reader.is_alive()


def test_a_wait_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SHORT", 600.0)
    turns = Pace()
    turns.begin()
    reader = threading.Thread(target=turns.read)
    reader.start()
    reader.join(30)
    assert not reader.is_alive()


def test_an_epoch_reads_its_own_engine_and_nests_its_turn() -> None:
    with Engine("p(X) :- q(X). q(1).") as db:
        turn = core_of(db).writing
        with turn, turn:
            assert list(db["p"]) == [(1,)]
            assert turn.pace.writer == threading.get_ident()
        assert turn.pace.writer is None


def test_readers_of_all_kinds_and_a_writer_go_on_beside_each_other() -> None:
    rows = [(i, 7 * i) for i in range(3000)]
    with Engine(".decl e(x: number, y: number)\n.decl v(x: number, y: number)\nv(x, y) :- e(x, y).") as db:
        with db.epoch() as e:
            e.insert("e", rows)
        stop, counts, view = threading.Event(), [0] * 8, db["v"]

        def read(place: int) -> None:
            while not stop.is_set():
                found = [(77, 539) in view, len(view.head(5)) == 5, len(view.rows()) in (3000, 3001)]
                found.append(db.query("v(77, y)").rows() == [(539,)])
                counts[place] += all(found)
                assert all(found)

        threads = [threading.Thread(target=read, args=(place,)) for place in range(len(counts))]
        for thread in threads:
            thread.start()
        began, epochs = time.monotonic(), 0
        while (epochs < 40 or min(counts) < 2) and time.monotonic() - began < 60:
            with db.epoch() as e:
                (e.delete if epochs % 2 else e.insert)("e", [(-1, -1)])
            epochs += 1
        stop.set()
        for thread in threads:
            thread.join()
        assert epochs >= 40
        assert min(counts) >= 2
