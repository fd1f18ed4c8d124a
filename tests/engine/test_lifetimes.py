"""Facts that end: times of epochs, lifetimes, ends, bounded tables and windows."""

from __future__ import annotations

import datetime
import time
from pathlib import Path

import pytest

from tidelog import Engine, EngineError, ProgramError
from tidelog.engine.engine import core_of

SESSIONS = """
.decl session(user: symbol)
.decl online(user: symbol)
.lifetime session 30m
online(u) :- session(u).
"""
PINGS = """
.decl ping(t: timestamp, x: number)
.decl total(t: timestamp, n: number)
.decl recent(t: timestamp, n: number)
.lifetime ping 1h by t
total(s, n) :- ping(t, _), s = window(t, 5m), n = sum x : { ping(u, x), window(u, 5m) = s }.
recent(s, n) :- ping(t, _), s = hop(t, 10m, 5m), n = count : { ping(u, _), s = hop(u, 10m, 5m) }.
"""


def minute(number: int) -> datetime.datetime:
    return datetime.datetime(2026, 1, 1) + datetime.timedelta(minutes=number)


def test_a_fact_ends_by_the_time_of_an_epoch_and_a_refresh_extends_it() -> None:
    db = Engine(SESSIONS)
    with db.epoch(at=0) as e:
        e.insert("session", [("ann",), ("bob",)])
    with db.epoch(at=1000) as e:
        e.insert("session", [("ann",)])
    assert not e.changes
    epoch = db.advance(1800)
    assert (epoch.ended, list(epoch.changes["online"].deleted)) == ({"session": 1}, [("bob",)])
    assert list(db.advance(2799).changes) == []
    assert list(db.advance(2800).changes["online"].deleted) == [("ann",)]
    assert db.time == 2800


def test_a_deletion_ends_a_fact_and_its_end() -> None:
    db = Engine(SESSIONS)
    with db.epoch(at=0) as e:
        e.insert("session", [("ann",)])
    with db.epoch(at=1) as e:
        e.delete("session", [("ann",)])
    with db.epoch(at=2) as e:
        e.insert("session", [("ann",)])
    assert not db.advance(1801).changes
    assert db.advance(1802).ended == {"session": 1}


def test_an_end_is_told_with_an_insertion_and_only_put_off() -> None:
    db = Engine()
    with db.epoch(at=5) as e:
        e.insert("lock", [(1,), (2,)], until=10)
        e.insert("lock", [(3,)])
    with db.epoch() as e:
        e.insert("lock", [(1,)], until=8)
        e.insert("lock", [(2,)])
        e.insert("lock", [(3,)], until=9)
    db.advance(10)
    assert sorted(db["lock"]) == [(2,), (3,)]  # what has no end keeps none


def test_a_fact_whose_end_has_passed_is_not_inserted() -> None:
    db = Engine()
    db.advance(10)
    with db.epoch() as e:
        e.insert("lock", [(1,), (2,)], until=10)
    assert (len(db["lock"]), e.late) == (0, {"lock": 2})


def test_time_never_falls() -> None:
    db = Engine(SESSIONS)
    db.advance(datetime.datetime(1970, 1, 1, 0, 0, 10, tzinfo=datetime.UTC))
    with pytest.raises(EngineError, match=r"the epoch has time 9\.5, but the last epoch had 10") as raised:
        db.advance(9.5)
    assert raised.value.code == "TL4952"
    assert db.time == 10
    for wrong in ("10", True, float("nan"), None):
        with pytest.raises(EngineError, match="a time: a number of seconds, or a datetime"):
            db.advance(wrong)  # type: ignore[arg-type]


def test_nothing_looks_at_the_wall_clock_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 100 * 10**9)
    db, wall = Engine(SESSIONS), Engine(SESSIONS, clock="wall")
    for each in (db, wall):
        with each.epoch() as e:
            e.insert("session", [("ann",)])
    assert (db.time, wall.time) == (0, 100)
    monkeypatch.setattr(time, "time_ns", lambda: 2000 * 10**9)
    for each in (db, wall):
        with each.epoch():
            pass
    assert (len(db["online"]), len(wall["online"])) == (1, 0)
    with pytest.raises(EngineError, match="clock"):
        Engine(clock="sun")


def test_a_bounded_table_loses_what_was_refreshed_longest_ago() -> None:
    db = Engine("materialize(link, infinity, 3, keys(1)).")
    with db.epoch() as e:
        e.insert("link", [(1, 1), (2, 1)])
    with db.epoch() as e:
        e.insert("link", [(1, 1), (3, 1), (4, 1)])
    assert (sorted(db["link"]), e.ended) == ([(1, 1), (3, 1), (4, 1)], {"link": 1})
    with db.epoch() as e:
        e.insert("link", [(1, 7)])  # takes the place of the row with its key
    assert sorted(db["link"]) == [(1, 7), (3, 1), (4, 1)]
    with db.epoch() as e:
        e.insert("link", [(i, 0) for i in range(10, 15)])
    assert sorted(db["link"]) == [(12, 0), (13, 0), (14, 0)]


def test_windows_and_late_rows() -> None:
    db = Engine(PINGS)
    with db.epoch(at=minute(12)) as e:
        e.insert("ping", [(minute(7), 1), (minute(8), 2), (minute(11), 5)])
    assert sorted(db["total"]) == [(minute(5), 3), (minute(10), 5)]
    assert sorted(db["recent"]) == [(minute(0), 2), (minute(5), 3), (minute(10), 1)]
    with db.epoch(at=minute(68)) as e:
        e.insert("ping", [(minute(8), 100), (minute(60), 3)])
    assert (e.late, e.ended) == ({"ping": 1}, {"ping": 2})
    assert sorted(db["total"]) == [(minute(10), 5), (minute(60), 3)]
    assert db.verify()


def test_windows_of_numbers() -> None:
    db = Engine("w(window(X, 10)) :- n(X). n(7). n(-3). n(10). long(X) :- n(X), X < 1ms.")
    assert sorted(db["w"]) == [(-10,), (0,), (10,)]
    assert len(db["long"]) == 3


def test_only_asserted_facts_have_an_end() -> None:
    with pytest.raises(ProgramError) as raised:
        Engine(SESSIONS + ".lifetime online 1m")
    assert raised.value.code == "TL602"
    db = Engine(SESSIONS)
    with pytest.raises(EngineError) as refused, db.epoch() as e:
        e.insert("online", [("ann",)], until=5)
    assert refused.value.code == "TL4953"
    with pytest.raises(ProgramError), db.epoch() as e:
        e.add_rule("session(u) :- online(u).")


def test_ends_are_kept_through_a_restart_and_in_history(tmp_path: Path) -> None:
    db = Engine(SESSIONS, path=tmp_path)
    with db.epoch(at=10) as e:
        e.insert("session", [("ann",)])
    db.snapshot()
    db.close()
    db = Engine(path=tmp_path)
    assert db.time == 10
    assert db.advance(1810).ended == {"session": 1}
    past = Engine(path=tmp_path, at=2)
    assert (past.time, list(past["online"])) == (10, [("ann",)])


def test_a_preview_tells_what_would_end_and_changes_nothing() -> None:
    db = Engine(SESSIONS)
    with db.epoch(at=0) as e:
        e.insert("session", [("ann",)])
    epoch = db.epoch(at=1800)
    db.preview(epoch)
    assert (epoch.ended, db.time, len(db["session"])) == ({"session": 1}, 0, 1)
    assert db.advance(1800).ended == {"session": 1}


def test_what_ends_costs_what_it_is() -> None:
    db = Engine(SESSIONS)
    for second in range(50):
        with db.epoch(at=second) as e:
            e.insert("session", [(f"u{second}",)])
    times = core_of(db).times
    assert len(times.due(1799 * 10**6)) == 0
    assert len(times.due(1802 * 10**6)["session"]) == 3
    db.advance(1802)
    assert len(times.ends) == 47


def test_hidden_relations_stay_hidden(tmp_path: Path) -> None:
    db = Engine(SESSIONS, path=tmp_path)
    with db.epoch(at=1) as e:
        e.insert("session", [("ann",)])
    assert db.relations == ("online", "session")
    for told in (e.changes, db.explain(), db.profile(), db, db.verify(), db.log()):
        assert "__" not in str(told)
