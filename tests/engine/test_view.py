"""Views and query results: conversions, how they show themselves, and what they compare to."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog import Engine, EngineError, ProgramError

ROWS = [(i, f"n{i % 4}") for i in range(12)]


@pytest.fixture
def db() -> Engine:
    db = Engine(".decl p(id: number, name: symbol)\n.decl q(name: symbol)\nq(n) :- p(_, n).")
    with db.epoch() as e:
        e.insert("p", ROWS)
    return db


def test_view_is_read_as_tuples(db: Engine) -> None:
    view = db["p"]
    assert sorted(view) == ROWS
    assert len(view) == 12
    assert (3, "n3") in view
    assert (3, "n0") not in view
    assert (3,) not in view
    assert ("n3", 3) not in view
    assert 3 not in view
    assert view.name == "p"
    assert view.columns == ("id", "name")


def test_view_is_a_handle_on_the_last_epoch(db: Engine) -> None:
    view, table = db["q"], db["q"].to_arrow()
    with db.epoch() as e:
        e.delete("p", ROWS)
    assert len(view) == 0
    assert table.num_rows == 4


def test_view_converts(db: Engine) -> None:
    assert db["p"].to_arrow().sort_by("id").to_pylist()[1] == {"id": 1, "name": "n1"}
    assert db["p"].to_pandas().sort_values("id")["name"].tolist() == [name for _, name in ROWS]
    values = db["p"].to_numpy()
    assert values.shape == (12, 2)
    assert values.dtype == object
    numbers = db.query('p(x, "n1")').to_numpy()
    assert numbers.dtype == np.int64
    assert sorted(numbers[:, 0].tolist()) == [1, 5, 9]


def test_relation_without_columns_converts() -> None:
    db = Engine("on() :- p(X).")
    with db.epoch() as e:
        e.insert("p", [(1,)])
    assert db["on"].to_arrow().num_rows == 1
    assert repr(db["on"]) == "on: 1 row"


def test_view_shows_its_first_rows_in_a_terminal(db: Engine) -> None:
    shown = repr(db["p"]).splitlines()
    assert shown[0] == "p: 12 rows"
    assert shown[1].split() == ["id", "name"]
    assert len(shown) == 13
    assert shown[-1] == "  ... 2 more"


def test_view_shows_itself_in_a_notebook(db: Engine) -> None:
    with db.epoch() as e:
        e.insert("p", [(-1, "<b>&")])
        e.delete("p", ROWS)
    shown = db["p"]._repr_html_()
    assert all(text in shown for text in (">id</th>", ">name</th>", ">&lt;b&gt;&amp;</td>", "p: 1 row"))
    assert ">&lt;b&gt;&amp;</td>" in e.changes["p"]._repr_html_()


def test_engine_shows_its_relations(db: Engine) -> None:
    assert repr(db) == "Engine(epoch 2, 1 rule; p: 12, q: 4)"


def test_query_binds_variables_in_order_of_appearance() -> None:
    db = Engine("reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z).")
    with db.epoch() as e:
        e.insert("edge", [(0, 1), (1, 2), (2, 0)])
    assert db.query("reach(0, X)") == [(0,), (1,), (2,)]
    assert db.query("reach(0, X), edge(X, Y), X < Y").columns == ("X", "Y")
    assert db.query("?reach(X, X).") == {(0,), (1,), (2,)}
    assert db.query("reach(0, 5)") == []
    assert db.query("reach(0, 1)") == [()]
    assert db.query("edge(X, Y), !edge(Y, X), N = count : { reach(X, _) }").columns[-1] == "N"


def test_query_sees_new_symbols_and_gives_them_back(db: Engine) -> None:
    assert db.query('q(n), m = cat(n, "!"), n = "n1"') == [("n1", "n1!")]


def test_query_that_is_wrong_is_refused() -> None:
    db = Engine("p(X) :- q(X).")
    with pytest.raises(ProgramError, match="TL"):
        db.query("q(X), ")
    with pytest.raises(ProgramError, match="TL3"):
        db.query("q(X), Y < 3")
    assert "answers" not in db


def test_rows_of_a_query_stay_as_they_are(db: Engine) -> None:
    rows = db.query("q(n)")
    with db.epoch() as e:
        e.delete("p", ROWS)
    assert len(rows) == 4
    assert rows == db.query("q(n)") or len(db["q"]) == 0


def test_auxiliary_relations_are_not_shown() -> None:
    db = Engine("deg(X, count<*>) :- edge(X, Y).  lone(X) :- node(X), !edge(X, _).")
    with db.epoch() as e:
        e.insert("edge", [(1, 2)])
        e.insert("node", [(1,), (2,)])
    assert db.relations == ("deg", "edge", "lone", "node")
    assert not any(name.startswith("__") for name in e.changes)
    assert list(db["lone"]) == [(2,)]


def test_hidden_relations_cannot_be_read() -> None:
    db = Engine("lone(X) :- node(X), !edge(X, _).")
    hidden = [name for name in db.state().schema if name.startswith("__")]
    assert hidden
    assert hidden[0] not in db
    with pytest.raises(EngineError):
        db["__nothing"]


def test_undeclared_columns_are_named_by_the_first_rule_as_long_as_it_is_there() -> None:
    db = Engine("total(City, sum<N>) :- sale(City, N). again: total(Town, Town + 1) :- other(Town).")
    with db.epoch() as e:
        e.insert("sale", [(1, 3)])
        e.insert("other", [(1,)])
    assert db["total"].columns == ("City", "sum")
    assert db["total"].to_arrow().column_names == ["City", "sum"]
    assert db["sale"].columns == ("c1", "c2")
    with db.epoch() as e:
        e.remove_rule("r1")
    assert db["total"].columns == ("Town", "c2")
    other = Engine("copy(A, B) :- total(A, B).")
    with other.epoch() as e:
        e.insert("total", db["total"])  # `c2` in its place is no name
    assert other["total"].columns == ("Town", "c2")
