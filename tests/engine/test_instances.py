"""Instances of components that come and go while the engine runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import Engine
from tidelog.engine.base import engine_failures as failures
from tidelog.errors import EngineError, ProgramError

PROGRAM = """
.comp Graph<N> {
    .decl edge(x: N, y: N)
    .decl path(x: N, y: N)
    path(x, y) :- edge(x, y).
    path(x, z) :- path(x, y), edge(y, z).
    all(x) :- path(x, _).
    edge(1, 2).
    all(0).
}
.decl all(x: number)
"""


def rows(db: Engine, name: str) -> list[tuple[object, ...]]:
    return sorted(db[name])


def test_an_instance_is_added_and_removed_without_a_trace() -> None:
    db = Engine(PROGRAM)
    before = (db.relations, db.rules, rows(db, "all"))
    with db.epoch() as e:
        assert e.add_instance(".init g = Graph<number>") == "g"
        e.insert("g.edge", [(2, 3)])
    assert rows(db, "g.path") == [(1, 2), (1, 3), (2, 3)]
    assert rows(db, "all") == [(0,), (1,), (2,)]
    assert list(db.rules) == ["g.r1", "g.r2", "g.r3", "g.f1"]
    assert db.verify()
    with db.epoch() as e:
        e.remove_instance("g")
    assert (db.relations, db.rules, rows(db, "all")) == before
    assert not db.state().facts.get("g.edge")
    assert db.verify()


def test_an_instance_may_come_again_with_other_types() -> None:
    db = Engine(PROGRAM.replace("edge(1, 2).", ""))
    for type_, row in (("number", (7, 8)), ("symbol", ("a", "b")), ("number", (1, 2))):
        with db.epoch() as e:
            e.add_instance(f".comp C<T> {{ .decl p(x: T, y: T) .decl q(x: T) q(x) :- p(x, _). }} .init c = C<{type_}>")
            e.insert("c.p", [row])
        assert rows(db, "c.q") == [(row[0],)]
        with db.epoch() as e:
            e.remove_instance("c")
        assert "c.q" not in db


def test_an_instance_may_come_again_with_other_columns() -> None:
    db = Engine(".comp A { .decl p(x: number) p(1). }\n.comp B { .decl p(x: number, y: symbol) p(1, a). }\n.init c = A")
    with db.epoch() as e:
        e.remove_instance("c")
    with db.epoch() as e:
        e.add_instance(".init c = B")
    assert rows(db, "c.p") == [(1, "a")]


def test_what_other_rules_read_cannot_be_removed() -> None:
    db = Engine(PROGRAM + ".init g = Graph<number>\n.decl last(x: number)\nlast(x) :- g.path(_, x).")
    with pytest.raises(ProgramError) as error, db.epoch() as e:
        e.remove_instance("g")
    assert {d.code for d in error.value.diagnostics} == {"TL201"}
    assert rows(db, "last") == [(2,)]
    with db.epoch() as e:
        e.remove_instance("g")
        e.remove_rule("r1")
    assert rows(db, "last") == []


def test_adding_and_removing_in_one_epoch_changes_nothing() -> None:
    db = Engine(PROGRAM)
    with db.epoch() as e:
        e.add_instance(".init g = Graph<number>")
        e.insert("g.edge", [(4, 5)])
        e.remove_instance("g")
    assert db.relations == ("all",)
    assert db.rules == {}


def test_a_name_is_taken_once_and_unknown_ones_are_told() -> None:
    db = Engine(PROGRAM + ".init g = Graph<number>")
    with pytest.raises(EngineError) as error, db.epoch() as e:
        e.add_instance(".init g = Graph<number>")
    assert error.value.code == failures.INSTANCE_TAKEN.code
    with pytest.raises(EngineError) as error, db.epoch() as e:
        e.remove_instance("h")
    assert "instances: `g`" in str(error.value)
    with pytest.raises(ProgramError) as wrong, db.epoch() as e:
        e.add_instance(".init h = Grahp<number>")
    assert [d.code for d in wrong.value.diagnostics] == ["TL221"]


def test_rules_may_be_added_to_an_instance_and_removed_from_it() -> None:
    db = Engine(PROGRAM + ".init g = Graph<number>")
    with db.epoch() as e:
        label = e.add_rule("g.path(x, x) :- g.edge(x, _).")
        e.remove_rule("g.r3")
    assert rows(db, "g.path") == [(1, 1), (1, 2)]
    assert rows(db, "all") == [(0,)]
    with db.epoch() as e:
        e.remove_instance("g")
        e.remove_rule(label)
    assert db.relations == ("all",)


def test_instances_are_kept_in_the_state_folder(tmp_path: Path) -> None:
    with Engine(PROGRAM, path=tmp_path) as db, db.epoch() as e:
        e.add_instance(".init g = Graph<number>")
        e.insert("g.edge", [(2, 3)])
    with Engine(path=tmp_path) as db:
        assert rows(db, "g.path") == [(1, 2), (1, 3), (2, 3)]
        with db.epoch() as e:
            e.remove_instance("g")
            e.add_instance(".init h = Graph<number>")
        assert rows(db, "all") == [(0,), (1,)]
    with Engine(path=tmp_path) as db:
        assert db.relations == ("all", "h.edge", "h.path")
        assert db.verify()


def test_questions_speak_of_the_instances_own_names() -> None:
    db = Engine(PROGRAM + ".init g = Graph<number>")
    assert db.query("g.path(x, y)").rows() == [(1, 2)]
    assert "g.path(1, 2)  by g.r1" in str(db.why("g.path(1, 2)"))
    assert "g.r2: g.path(x, z) :- g.path(x, y), g.edge(y, z)." in str(db.explain())
    assert "g.edge(2, 3)" in str(db.why_not("g.path(1, 3)")) or "g.edge" in str(db.why_not("g.path(1, 3)"))
    assert "g.r1" in str(db.profile())
