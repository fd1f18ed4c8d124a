"""Undo: the inverse of past epochs is an epoch, or is refused with every reason."""

from __future__ import annotations

import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tidelog import Engine
from tidelog.errors import EngineError

REACH = "r1: reach(X, Y) :- edge(X, Y). r2: reach(X, Z) :- edge(X, Y), reach(Y, Z)."


def change(db: Engine, *facts: tuple[int, str, tuple[Any, ...]]) -> int:
    with db.epoch() as e:
        for sign, name, row in facts:
            (e.insert if sign > 0 else e.delete)(name, [row])
    assert e.number is not None
    return e.number


def contents(db: Engine) -> tuple[dict[str, str], dict[str, list[Any]], dict[str, list[Any]]]:
    """Rules, base facts and views."""
    views = {name: sorted(db[name]) for name in db.relations if len(db[name])}
    return db.rules, {name: sorted(db.asserted(name)) for name in views}, views


def test_facts_come_back_and_views_follow(tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db:
        change(db, (1, "edge", (1, 2)), (1, "edge", (2, 3)))
        change(db, (-1, "edge", (1, 2)), (1, "edge", (3, 4)))
        undone = db.revert(author="ann")
        assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
        assert sorted(undone.changes["edge"].inserted) == [(1, 2)]
        entry = db.log()[-1]
        assert (entry.author, entry.note) == ("ann", "revert of epoch 3")
        assert [each.epoch for each in db.log()][-2:] == [3, 4]  # history keeps both
        db.revert()
        assert sorted(db["edge"]) == [(2, 3), (3, 4)]


def test_only_effective_changes_are_inverted(tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db:
        change(db, (1, "edge", (1, 2)))
        again = change(db, (1, "edge", (1, 2)), (1, "edge", (2, 3)), (-1, "edge", (9, 9)))
        db.revert(again)
        assert sorted(db["edge"]) == [(1, 2)]


def test_rules_come_back_with_their_labels(tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db:
        change(db, (1, "edge", (1, 2)), (1, "edge", (2, 3)))
        with db.epoch() as e:
            e.remove_rule("r2")
            added = e.add_rule("back(X, Y) :- reach(Y, X).")
        db.revert()
        assert sorted(db.rules) == ["r1", "r2"]
        assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
        db.revert()
        assert sorted(db.rules) == sorted(["r1", added])


def test_a_change_that_was_changed_again_is_refused_with_every_reason(tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db:
        first = change(db, (1, "edge", (1, 2)), (1, "edge", (5, 6)))
        change(db, (-1, "edge", (1, 2)))
        change(db, (1, "edge", (1, 2)))
        before = contents(db)
        with pytest.raises(
            EngineError, match=r"cannot revert epoch 2: edge\(1, 2\) was asserted, and epoch 4"
        ) as raised:
            db.revert(first)
        assert raised.value.code == "TL4656"
        assert contents(db) == before
        assert db.epoch_number == 4
        db.revert(since=1)
        assert list(db["edge"]) == []


def test_several_epochs_at_once_are_net(tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db:
        change(db, (1, "edge", (1, 2)))
        change(db, (1, "edge", (2, 3)))
        change(db, (-1, "edge", (2, 3)), (-1, "edge", (1, 2)))
        change(db, (1, "edge", (7, 8)))
        db.revert(4, since=2)
        assert sorted(db["edge"]) == [(1, 2), (7, 8)]


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    with Engine(REACH, path=tmp_path) as db:
        change(db, (1, "edge", (1, 2)))
        tried = db.revert(dry_run=True)
        assert sorted(tried.changes["reach"].deleted) == [(1, 2)]
        assert db.epoch_number == 2
        assert sorted(db["edge"]) == [(1, 2)]


def test_a_row_with_a_key_is_restored_and_refused_by_its_key(tmp_path: Path) -> None:
    program = "materialize(owner, infinity, infinity, keys(1))."
    with Engine(program, path=tmp_path) as db:
        change(db, (1, "owner", ("car", "ann")))
        taken = change(db, (1, "owner", ("car", "bob")))
        db.revert(taken)
        assert list(db["owner"]) == [("car", "ann")]
        with pytest.raises(EngineError, match="epoch 3 changed it again"):
            db.revert(taken)


def test_declarations_come_back(tmp_path: Path) -> None:
    with Engine(".decl p(x: number)", path=tmp_path) as db:
        with db.epoch() as e:
            e.declare(".decl q(x: number) q(x) :- p(x).")
        before = db.program
        db.revert()
        assert db.rules == {}
        assert [d.relation for d in db.program.declarations] == ["p"]
        db.revert()
        assert db.program == before


def test_facts_that_expired_and_lifetimes_are_not_restored(tmp_path: Path) -> None:
    start = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC).timestamp()
    with Engine("p(X) :- q(X).", path=tmp_path) as db:
        with db.epoch(at=start) as e:
            e.insert("q", [(1,)], until=start + 10)
            e.insert("q", [(2,)], until=start + 100)
        db.advance(start + 20)
        with pytest.raises(EngineError) as raised:
            db.revert()
        assert raised.value.code == "TL4657"
        with db.epoch() as e:
            e.delete("q", [(2,)])
        with pytest.raises(EngineError, match="lifetimes of `q` were changed"):
            db.revert()


def test_without_a_state_folder_the_last_epoch_can_be_undone() -> None:
    db = Engine(REACH)
    with db.epoch() as first:
        first.insert("edge", [(1, 2)])
    with db.epoch() as second:
        second.insert("edge", [(2, 3)])
        second.remove_rule("r2")
    undone = db.revert(second)
    assert sorted(db["reach"]) == [(1, 2)]
    assert sorted(db.rules) == ["r1", "r2"]
    db.revert(undone)
    assert sorted(db["edge"]) == [(1, 2), (2, 3)]
    with pytest.raises(EngineError) as raised:
        db.revert(first)
    assert raised.value.code == "TL4652"
    with pytest.raises(EngineError, match="state folder"):
        db.revert(1)


@pytest.mark.parametrize("number", [0, -1, 9])
def test_an_epoch_that_does_not_exist_is_refused(tmp_path: Path, number: int) -> None:
    with Engine(REACH, path=tmp_path) as db, pytest.raises(EngineError) as raised:
        db.revert(number)
    assert raised.value.code == "TL4654"


RULES = ("a(X) :- e(X, _).", "a(Y) :- e(_, Y), !c(Y).", "b(X, count<Y>) :- e(X, Y).", "e(X, X) :- c(X).")


def random_epoch(db: Engine, rng: Random) -> None:
    with db.epoch() as e:
        for _ in range(rng.randint(1, 3)):
            name = rng.choice(["e", "e", "c"])
            row = tuple(rng.randrange(3) for _ in range(2 if name == "e" else 1))
            (e.insert if rng.random() < 0.6 else e.delete)(name, [row])
        if db.rules and rng.random() < 0.3:
            e.remove_rule(rng.choice(sorted(db.rules)))
        if rng.random() < 0.4:
            e.add_rule(rng.choice(RULES))


@pytest.mark.parametrize("partitions", [None, 2])
@pytest.mark.parametrize("seed", range(4))
def test_reverting_all_epochs_since_one_restores_it(tmp_path: Path, seed: int, partitions: int | None) -> None:
    rng = Random(seed)
    program = ".decl e(x: number, y: number) .decl c(x: number) .convention prolog a(X) :- c(X)."
    with Engine(program, path=tmp_path, partitions=partitions) as db:
        seen = [contents(db)]
        for _ in range(6):
            random_epoch(db, rng)
            seen.append(contents(db))
        since = rng.randint(1, 5)
        if seen[since - 1][:2] != seen[-1][:2]:
            db.revert(since=since)
        assert contents(db) == seen[since - 1]
        assert db.verify()
