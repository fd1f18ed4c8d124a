"""Columns that an epoch adds, drops, renames, reorders or retypes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tidelog import Engine, EngineError, ProgramError
from tidelog.engine.base.feed_change import FeedChange, Gap
from tidelog.errors import ConstraintError, StateError, TidelogError

BEFORE = """.decl person(first: symbol, last: symbol, age: number)
.decl adult(name: symbol)
adult(f) :- person(f, _, a), a >= 18.
person("eve", "text", 20).
"""
AFTER = """.decl person(name: symbol, age: float, city: symbol = "none")
.decl adult(name: symbol, city: symbol)
adult(n, c) :- person(n, a, c), a >= 18.0.
person("eve text", 20.0, "home").
"""
COLUMNS = {"person": {"name": 'cat(first, cat(" ", last))', "age": "to_float(age)"}}
MAPPED = [("ann lee", 30.0, "none"), ("bob ray", 3.0, "none"), ("eve text", 20.0, "home")]


def filled(path: Path | None = None, partitions: int = 1) -> Engine:
    db = Engine(BEFORE, path=path, partitions=partitions)
    with db.epoch() as e:
        e.insert("person", [("ann", "lee", 30), ("bob", "ray", 3)])
    return db


def change(db: Engine) -> None:
    epoch, _ = db.epoch_to(AFTER, COLUMNS)
    epoch.commit()


@pytest.mark.parametrize("partitions", [1, 2])
def test_columns_change_with_facts_rules_and_history(tmp_path: Path, partitions: int) -> None:
    with filled(tmp_path / "s", partitions) as db:
        epoch, difference = db.epoch_to(AFTER, COLUMNS)
        lines = difference.lines(db.convention)
        assert any(line.startswith("* person(first: symbol, last: symbol, age: number) -> person(") for line in lines)
        db.preview(epoch)
        assert (epoch.number, len(db["person"])) == (None, 3)
        epoch.commit()
        assert (epoch.number, db.epoch_number) == (3, 3)
        assert sorted(db["person"]) == MAPPED
        assert sorted(db["adult"]) == [("ann lee", "none"), ("eve text", "home")]
        assert db["person"].columns == ("name", "age", "city")
        assert db.verify()
        with db.epoch() as e:
            e.delete("person", [("bob ray", 3.0, "none")])
            e.insert("person", [("cy", 50.0, "rome")])
        assert sorted(db["adult"]) == [("ann lee", "none"), ("cy", "rome"), ("eve text", "home")]
    with Engine(path=tmp_path / "s") as db:
        assert (len(db["person"]), len(db["adult"]), db.epoch_number) == (3, 3, 4)
        assert db.verify()
        assert db.query("person(n, _, c)").rows()
        _, difference = db.epoch_to(AFTER)
        assert not difference
    with Engine(path=tmp_path / "s", at=2) as db:
        assert db["person"].columns == ("first", "last", "age")
        assert sorted(db["person"]) == [("ann", "lee", 30), ("bob", "ray", 3), ("eve", "text", 20)]
        assert sorted(db["adult"]) == [("ann",), ("eve",)]
    with Engine(path=tmp_path / "s", at=3) as db:
        assert sorted(db["person"]) == MAPPED


def test_columns_change_without_a_state_folder() -> None:
    with filled() as db:
        epoch, _ = db.epoch_to(AFTER.replace('person("eve text", 20.0, "home").', ""), COLUMNS)
        epoch.commit()
        assert sorted(db["person"]) == [*MAPPED[:2], ("eve text", 20.0, "none")]
        with pytest.raises(EngineError, match="changed columns"):
            db.revert(epoch)
        assert db.why('adult("ann lee", "none")')
        assert db.verify()


def test_columns_are_reordered_by_their_names(tmp_path: Path) -> None:
    with filled(tmp_path / "s") as db:
        text = BEFORE.replace("first: symbol, last: symbol, age: number", "age: number, last: symbol, first: symbol")
        text = text.replace("person(f, _, a)", "person(a, _, f)").replace('"eve", "text", 20', '20, "text", "eve"')
        db.epoch_to(text)[0].commit()
        assert sorted(db["person"]) == [(3, "ray", "bob"), (20, "text", "eve"), (30, "lee", "ann")]
        assert sorted(db["adult"]) == [("ann",), ("eve",)]
        assert db.verify()


def test_nothing_is_guessed(tmp_path: Path) -> None:
    with filled(tmp_path / "s") as db:

        def refused(text: str, code: str, columns: object = None) -> None:
            with pytest.raises(EngineError) as raised:
                db.epoch_to(text, columns)  # type: ignore[arg-type]
            assert (raised.value.code, db.epoch_number) == (code, 2)

        rest = ".decl adult(name: symbol)\n"
        same = "first: symbol, last: symbol, age: number"
        refused(f".decl person({same}, city: symbol)\n{rest}", "TL4660")
        refused(f".decl person({same.replace('last', 'family')})\n{rest}", "TL4660")
        refused(f".decl person({same.replace('number', 'float')})\n{rest}", "TL4661")
        refused(f".decl person(first: symbol, last: symbol)\n{rest}", "TL4662")
        refused(f".decl person({same})\n{rest}", "TL4663", {"person": {"city": "first"}})
        refused(f".decl person({same})\n{rest}", "TL4663", {"person": {"city": None}})
        refused(f".decl person({same})\n{rest}", "TL4664", {"animal": {"city": "first"}})
        epoch, _ = db.epoch_to(f".decl person(first: symbol, last: symbol)\n{rest}", {"person": {"age": None}})
        epoch.commit()
        assert sorted(db["person"]) == [("ann", "lee"), ("bob", "ray")]
        epoch, _ = db.epoch_to(f".decl person(family: symbol, first: symbol)\n{rest}", {"person": {"family": "last"}})
        epoch.commit()
        assert sorted(db["person"]) == [("lee", "ann"), ("ray", "bob")]


def test_rules_that_no_longer_fit_refuse_the_epoch(tmp_path: Path) -> None:
    with filled(tmp_path / "s") as db:
        text = AFTER.replace("adult(n, c) :- person(n, a, c), a >= 18.0.", "adult(n, n) :- person(n, _).")
        with pytest.raises(ProgramError, match="person"):
            db.epoch_to(text, COLUMNS)[0].commit()
        with pytest.raises(ProgramError):
            db.epoch_to(AFTER, {"person": {**COLUMNS["person"], "age": "first"}})[0].commit()
        with pytest.raises(ConstraintError):
            db.epoch_to(AFTER + "none: :- person(_, a, _), a < 18.0.\n", COLUMNS)[0].commit()
        assert (db.epoch_number, len(db["person"]), sorted(db["adult"])) == (2, 3, [("ann",), ("eve",)])
        assert db.verify()
        change(db)
        assert db.verify()


def test_a_state_that_cannot_be_written_leaves_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(tmp_path / "s") as db:
        from tidelog.store.folder.durable import Durable

        def fails(*_: object, **__: object) -> None:
            raise OSError("no space")

        with monkeypatch.context() as patch:
            patch.setattr(Durable, "record", fails)
            with pytest.raises(OSError, match="no space"):
                change(db)
        assert (db.epoch_number, sorted(db["adult"])) == (2, [("ann",), ("eve",)])
        change(db)
        assert sorted(db["person"]) == MAPPED


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.engine.test_schema_changes import change, filled
from tidelog.store.folder.durable import Durable
from tidelog.store.folder.piece import Piece

def dying(method, before):
    def act(*args, **named):
        if before:
            os.kill(os.getpid(), signal.SIGKILL)
        method(*args, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    return act

points = {"piece": (Piece, "write", 0), "before": (Durable, "_append", 1), "after": (Durable, "_append", 0)}
owner, name, before = points[sys.argv[2]]
db = filled(Path(sys.argv[1]), 2)
setattr(owner, name, dying(getattr(owner, name), before))
change(db)
"""


@pytest.mark.parametrize("point", ["piece", "before", "after"])
def test_a_kill_leaves_the_columns_before_or_after(tmp_path: Path, point: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(("src", "."))}
    killed = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "s", point], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    with Engine(path=tmp_path / "s") as db:
        if point == "after":
            assert (db.epoch_number, sorted(db["person"])) == (3, MAPPED)
        else:
            assert (db.epoch_number, db["person"].columns) == (2, ("first", "last", "age"))
            change(db)
        assert sorted(db["adult"]) == [("ann lee", "none"), ("eve text", "home")]
        assert db.verify()


def test_history_ends_at_the_change(tmp_path: Path) -> None:
    with filled(tmp_path / "s") as db:
        feed = db.feed("adult")
        change(db)
        with db.epoch() as e:
            e.insert("person", [("cy", 50.0, "rome")])
        assert next(feed) == Gap(3, 3)
        assert next(feed) == FeedChange(4, "adult", [("cy", "rome")], [])
        past = db.feed("adult", since=1)
        assert [next(past), next(past)] == [Gap(2, 3), FeedChange(4, "adult", [("cy", "rome")], [])]
        reverts = [lambda: db.revert(2), lambda: db.revert(3), lambda: db.revert(since=1)]
        for crossing in (lambda: db.changes("adult", 1), lambda: db.blame("adult", since=1), *reverts):
            with pytest.raises(StateError) as raised:
                crossing()
            assert raised.value.code == "TL5124"
        assert len(db.changes("adult", 3)) == 1
        db.revert(4)
        assert len(db["adult"]) == 2
        assert [entry.epoch for entry in db.log()] == [1, 2, 3, 4, 5]


P = ".decl p(x: number, y: number)\n"


def with_p(text: str, path: Path | None = None) -> Engine:
    db = Engine(text, path=path)
    with db.epoch() as e:
        e.insert("p", [(1, 2)])
    return db


def rename(db: Engine, text: str, relation: str) -> None:
    """Turn the first column of a relation into the second of another name, so that its facts are mapped."""
    head = f".decl {relation}(x: number, y: number)"
    epoch, _ = db.epoch_to(text.replace(head, f".decl {relation}(y: number, z: number)"), {relation: {"z": "x + 1"}})
    epoch.commit()


@pytest.mark.parametrize("partitions", [1, 2])
def test_facts_that_become_equal_are_one(partitions: int) -> None:
    with Engine(P, partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("p", [(x, 7) for x in range(9)])
        db.epoch_to(".decl p(y: number)\n", {"p": {"x": None}})[0].commit()
        assert (list(db["p"]), db.epoch_number) == ([(7,)], 3)
        db.epoch_to(".decl p()\n", {"p": {"y": None}})[0].commit()
        assert (list(db["p"]), len(db["p"])) == ([()], 1)


def test_an_expression_reads_one_fact_and_respects_the_key(tmp_path: Path) -> None:
    text = P + "materialize(p, infinity, infinity, keys(1)).\n"
    with with_p(text, tmp_path / "s") as db:
        with db.epoch() as e:
            e.insert("p", [(2, 3)])
        after = text.replace("x: number", "k: number")
        for value, error in (("x / 10", "key of `p`"), ("x + count : { former_rows(_, _) }", "other facts")):
            with pytest.raises(TidelogError, match=error):
                db.epoch_to(after, {"p": {"k": value}})[0].commit()
        epoch, _ = db.epoch_to(after, {"p": {"k": "x * 10"}})
        epoch.insert("p", [(10, 77)])
        epoch.commit()
        assert sorted(db["p"]) == [(10, 77), (20, 3)]


@pytest.mark.parametrize(
    ("extra", "reason"),
    [
        (".decl q(x: number, y: number) choice-domain y\n", "choice-domain"),
        (".decl q(x: number, y: number)\n.lifetime q 10s\n", "lifetimes"),
    ],
)
def test_facts_that_depend_on_former_epochs_are_not_mapped(tmp_path: Path, extra: str, reason: str) -> None:
    text = P + extra
    with with_p(text, tmp_path / "s") as db:
        with db.epoch() as e:
            e.insert("q", [(3, 4)])
        with pytest.raises(EngineError, match=reason) as raised:
            rename(db, text, "q")
        assert (raised.value.code, db.epoch_number, sorted(db["q"])) == ("TL4664", 3, [(3, 4)])
        rename(db, text, "p")
        assert (sorted(db["p"]), sorted(db["q"])) == ([(2, 2)], [(3, 4)])
        with db.epoch(at=20) as e:
            e.insert("q", [(3, 5)])
        assert (3, 5) in db["q"] or "choice" in extra
        assert db.verify()


def test_ends_of_single_facts_are_not_mapped() -> None:
    with Engine(P) as db:
        with db.epoch() as e:
            e.insert("p", [(3, 4)], until=10)
        with pytest.raises(EngineError, match="lifetimes"):
            rename(db, P, "p")


def test_equivalences_and_choices_follow_a_changed_relation() -> None:
    text = P + (
        ".decl same(x: number, y: number) eqrel\n.decl one(x: number, y: number) choice-domain x\n"
        "same(x, y) :- p(x, y).\none(x, y) :- p(x, y).\n"
    )
    with with_p(text) as db:
        with db.epoch() as e:
            e.insert("same", [(2, 3)])
        rename(db, text, "p")
        assert sorted(db["one"]) == [(2, 2)]
        assert sorted(db["same"]) == [(2, 2), (2, 3), (3, 2), (3, 3)]
        after = text.replace("p(x: number, y: number)", "p(y: number, z: number)")
        after = after.replace("same(x: number, y: number)", "same(a: symbol, b: symbol)")
        after = after.replace("same(x, y) :-", "same(to_string(x), to_string(y)) :-")
        db.epoch_to(after, {"same": {"a": "to_string(x)", "b": "to_string(y)"}})[0].commit()
        assert sorted(db["same"]) == [("2", "2"), ("2", "3"), ("3", "2"), ("3", "3")]
        assert db.verify()


def test_files_of_changes_refuse_their_relation_alone(tmp_path: Path) -> None:
    text = P + ".decl q(x: number, y: number)\nq(x, y) :- p(y, x).\n.decl r(x: number, y: number)\n"
    with with_p(text) as db:
        db.write_feed("q", folder=tmp_path / "q")
        rename(db, text, "r")
        rename(db, text, "p")
        with pytest.raises(EngineError, match="write_feed"):
            now = text.replace("p(x: number, y: number)", "p(y: number, z: number)").replace(
                "r(x: number", "r(z: number"
            )
            db.epoch_to(now.replace("q(x: number, y: number)", "q(x: number)").replace("q(x, y)", "q(x)"))[0].commit()


def test_a_default_is_printed_and_read_back() -> None:
    db = Engine('.decl p(x: number, y: symbol = "no \\"one\\"", z: number = -3)\np(1, "a", 2).')
    from tidelog.syntax import parse_program, print_program

    assert parse_program(print_program(db.program)) == db.program
    with pytest.raises(ProgramError, match="variable"):
        Engine(".decl p(x: number = y)")
    for wrong in ('x: number = "a"', "x: symbol = 1", "x: number = nothing(1)"):
        with pytest.raises(ProgramError):
            Engine(f".decl p({wrong})")
    assert list(
        Engine('.decl p(x: float = 1.5, d: date = "2026-06-01", n: number = 2 + 3)\np(2.0, "2026-01-01", 1).')["p"]
    )


def test_facts_and_rules_join_the_epoch_that_changes_columns(tmp_path: Path) -> None:
    with filled(tmp_path / "s") as db:
        epoch, _ = db.epoch_to(AFTER, COLUMNS)
        epoch.insert("person", [("cy", 50.0, "rome")])
        epoch.delete("person", [("ann lee", 30.0, "none")])
        label = epoch.add_rule('adult(n, "also") :- person(n, _, "rome").')
        epoch.commit()
        assert sorted(db["adult"]) == [("cy", "also"), ("cy", "rome"), ("eve text", "home")]
        assert label in db.rules
        assert db.verify()


def test_other_relations_keep_what_they_have(tmp_path: Path) -> None:
    import datetime

    import pyarrow as pa

    text = BEFORE + ".decl day(at: timestamp, all: list)\n"
    moment = datetime.datetime(2026, 6, 1, 10, tzinfo=datetime.UTC)
    with Engine(text, path=tmp_path / "s") as db:
        with db.epoch() as e:
            e.insert("day", pa.table({"at": pa.array([moment], pa.timestamp("us", "UTC")), "all": [["a", "b"]]}))
        before = (db["day"].rows(), db["day"].to_arrow().schema)
        db.epoch_to(AFTER + ".decl day(at: timestamp, all: list)\n", COLUMNS)[0].commit()
        assert (db["day"].rows(), db["day"].to_arrow().schema) == before
        assert db.rules.keys() == {"r2"}
    with Engine(path=tmp_path / "s") as db:
        assert (db["day"].rows(), db["day"].to_arrow().schema) == before
