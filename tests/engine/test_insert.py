"""Rows come in as tuples, Arrow, pandas and numpy, in every column type, and come out as what they were (D14)."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tidelog import DataError, Engine, EngineError
from tidelog.runtime.one.embedded import EmbeddedRuntime

EDGES = [(1, 2), (2, 3), (2, 2)]
DAY = datetime.date(1969, 12, 30)
MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 1, 250)
COLUMNS = {
    "number": [0, -1, 2**63 - 1, -(2**63)],
    "unsigned": [0, 1, 2**63, 2**64 - 1],
    "float": [0.5, -1e300, math.inf, 3.0],
    "symbol": ["", "a", "ä b", 'quote " and \\ and \n'],
    "boolean": [True, False, True, True],
    "date": [DAY, datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(1970, 1, 1)],
    "timestamp": [MOMENT, datetime.datetime(1969, 12, 31, 23, 59, 59), datetime.datetime(1, 1, 1), MOMENT],
}
ARROW = {
    "number": pa.int64(),
    "unsigned": pa.uint64(),
    "float": pa.float64(),
    "symbol": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}


def loaded(rows: object, program: str = "copy(X,Y) :- edge(X,Y).") -> Engine:
    db = Engine(program)
    with db.epoch() as e:
        e.insert("edge", rows)
    return db


@pytest.mark.parametrize(
    "rows",
    [
        EDGES,
        tuple(EDGES),
        iter(EDGES),
        set(EDGES),
        [list(row) for row in EDGES],
        np.array(EDGES),
        np.array(EDGES, np.int8),
        pa.table({"c1": [1, 2, 2], "c2": [2, 3, 2]}),
        pa.table({"c2": [2, 3, 2], "c1": [1, 2, 2]}),  # the names of the relation's columns: matched by name
        pa.table({"src": [1, 2, 2], "dst": [2, 3, 2]}),  # other names: matched by position
        pa.record_batch({"c1": [1, 2, 2], "c2": [2, 3, 2]}),
        pa.table({"a": pa.array([1, 2, 2], pa.int32()), "b": pa.array([2, 3, 2], pa.uint8())}),
        pd.DataFrame({"a": [1, 2, 2], "b": [2, 3, 2]}),
        pd.DataFrame({"a": [1, 2, 2], "b": [2, 3, 2]}, index=[7, 8, 9]),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_rows_are_taken_in_any_form(rows: object) -> None:
    assert sorted(loaded(rows)["copy"]) == sorted(EDGES)


@pytest.mark.parametrize("type_", COLUMNS)
def test_values_come_back_as_they_went_in(type_: str) -> None:
    rows = [(i, value) for i, value in enumerate(COLUMNS[type_])]
    db = loaded(rows)
    assert db["copy"].types == ("number", type_)
    assert sorted(db["copy"]) == rows
    assert all(row in db["copy"] for row in rows)


@pytest.mark.parametrize("type_", COLUMNS)
def test_arrow_columns_come_back_in_their_own_type(type_: str) -> None:
    table = pa.table({"X": pa.array(range(4)), "Y": pa.array(COLUMNS[type_], ARROW[type_])})
    back = loaded(table)["copy"].to_arrow().sort_by("X")
    assert back.schema.field("Y").type == ARROW[type_]
    assert back.to_pydict() == table.to_pydict()
    again = loaded(loaded(table)["copy"].to_arrow())["copy"].to_arrow().sort_by("X")
    assert again.to_pydict() == table.to_pydict()


@pytest.mark.parametrize("type_", COLUMNS)
def test_pandas_columns_come_back_equal(type_: str) -> None:
    if type_ == "timestamp":
        pytest.skip("pandas keeps nanoseconds, which end in 2262")
    frame = pd.DataFrame({"X": range(4), "Y": COLUMNS[type_]})
    back = loaded(frame)["copy"].to_pandas().sort_values("X", ignore_index=True)
    assert back["Y"].tolist() == COLUMNS[type_]


def test_lists_nest_and_come_back_as_tuples() -> None:
    rows = [(1, ()), (2, (1, 2)), (3, ("a", (1, "b"))), (4, ((),)), (5, (1.0,)), (6, (1,))]
    db = loaded(rows)
    assert sorted(db["copy"]) == rows
    assert [type(row[1][0]) for row in sorted(db["copy"]) if row[0] > 4] == [float, int]
    assert loaded([(1, [1, [2]])])["copy"].rows() == [(1, (1, (2,)))]


def test_arrow_lists_come_in_and_go_out() -> None:
    table = pa.table({"X": [1, 2], "Y": pa.array([[1, 2], []], pa.list_(pa.int64()))})
    db = loaded(table)
    assert sorted(db["copy"]) == [(1, (1, 2)), (2, ())]
    assert db["copy"].to_arrow().sort_by("X")["Y"].to_pylist() == [[1, 2], []]


def test_dictionary_encoded_and_chunked_strings_are_taken() -> None:
    column = pa.chunked_array([pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "c"]).dictionary_encode()])
    table = pa.table({"c1": [1, 2, 3, 4], "c2": column})
    assert sorted(loaded(table)["copy"]) == [(1, "a"), (2, "b"), (3, "b"), (4, "c")]


def test_zeros_are_one_and_nan_equals_itself() -> None:
    db = loaded([(1, 0.0), (1, -0.0), (2, math.nan), (2, float("nan"))])
    assert len(db["copy"]) == 2
    with db.epoch() as e:
        e.delete("edge", [(2, math.nan), (1, -0.0)])
    assert len(db["copy"]) == 0


def test_numbers_and_floats_in_one_column_are_floats() -> None:
    assert sorted(loaded([(1, 2), (2, 0.5)])["edge"]) == [(1, 2.0), (2, 0.5)]


def test_declared_types_decide() -> None:
    db = Engine(".decl p(x: float, y: unsigned)\n.decl q(x: float, y: unsigned)\nq(x, y) :- p(x, y).")
    with db.epoch() as e:
        e.insert("p", [(1, 2**64 - 1)])
    assert list(db["q"]) == [(1.0, 2**64 - 1)]
    assert db["q"].columns == ("x", "y")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1,)], "has 2 columns, but these rows have 1"),
        ([(1, 2), (1,)], "row 2, \\(1,\\), is not a tuple of 2 values"),
        ([1, 2], "row 1, 1, is not a tuple"),
        ("12", "not str"),
        (12, "not int"),
        ({"a": 1}, "not dict"),
        ([(1, None)], "column 2: row 1 is null"),
        ([(1, 1), (None, 2)], "column 1: row 2 is null"),
        ([(1, "a")], "column 2: 'a' in row 1 is not a value of type number"),
        ([(1, 2**63)], "column 2: 9223372036854775808 in row 1 is not a value of type number"),
        ([(1, 0.5)], "column 2: 0.5 in row 1 is not a value of type number"),
        (np.zeros(3), "has 2 columns, but these rows have 1"),
        (np.zeros((2, 2, 2)), "two dimensions"),
        (pa.table({"a": [1], "b": pa.array([None], pa.int64())}), "row 1 is null"),
        (pa.table({"a": [1], "b": ["x"]}), "is not a value of type number"),
    ],
    ids=str,
)
def test_rows_that_do_not_fit_are_refused_by_name(rows: object, said: str) -> None:
    db = loaded(EDGES)
    before = db.state()
    with pytest.raises(DataError, match=said), db.epoch() as e:
        e.insert("edge", [(9, 9)])
        e.insert("edge", rows)
    assert db.state() == before


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pa.array([1], pa.decimal128(20, 2)), "decimal128.* is not supported; declare the column as symbol"),
        (pa.array([{"x": 1}]), "struct.* is not supported; declare the column with a record type"),
        (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), "map.* is not supported; pass its fields"),
    ],
    ids=str,
)
def test_arrow_types_without_a_meaning_are_refused_with_a_hint(column: pa.Array, said: str) -> None:
    with pytest.raises(DataError, match=said):
        loaded(pa.table({"a": [1], "b": column}))


def test_objects_of_other_kinds_are_refused() -> None:
    with pytest.raises(DataError, match="column 2"):
        loaded([(1, object())])


def test_names_that_no_relation_may_have_are_refused() -> None:
    db = Engine()
    with pytest.raises(EngineError, match="are reserved"), db.epoch() as e:
        e.insert("__secret", [(1,)])
    with pytest.raises(EngineError, match="is not a valid relation name"), db.epoch() as e:
        e.insert("no such name", [(1,)])


def test_undeclared_relation_is_refused_where_relations_are_declared() -> None:
    db = Engine(".decl edge(x: number, y: number)")
    with pytest.raises(EngineError, match=r"unknown relation `egde`.*did you mean `edge`"), db.epoch() as e:
        e.insert("egde", [(1, 2)])


def test_relation_without_columns_holds_one_fact_or_none() -> None:
    db = Engine("on() :- switch().")
    with db.epoch() as e:
        e.insert("switch", [()])
    assert list(db["on"]) == [()]
    with db.epoch() as e:
        e.delete("switch", [()])
    assert list(db["on"]) == []


def test_empty_batches_change_nothing() -> None:
    db = loaded(EDGES)
    with db.epoch() as e:
        e.insert("edge", [])
        e.delete("edge", pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}))
    assert not e.changes["edge"]


def test_deletions_in_any_form() -> None:
    db = loaded(EDGES)
    with db.epoch() as e:
        e.delete("edge", np.array([(1, 2)]))
        e.delete("edge", pd.DataFrame({"a": [2], "b": [3]}))
        e.delete("edge", [(77, 77)])  # not there: passed over
    assert list(db["copy"]) == [(2, 2)]


def test_signs_of_one_fact_are_summed() -> None:
    db = loaded(EDGES)
    with db.epoch() as e:
        e.delete("edge", [(1, 2)])
        e.insert("edge", [(1, 2), (1, 2)])
        e.insert("edge", [(5, 5)])
        e.delete("edge", [(5, 5)])
    assert sorted(db["edge"]) == sorted(EDGES)
    assert not e.changes


@pytest.mark.parametrize("partitions", [1, 2])
def test_memory_counts_every_text_once(partitions: int) -> None:
    with Engine(".decl name(x: symbol)", partitions=partitions) as db:
        before = db.memory
        with db.epoch() as e:
            e.insert("name", [(f"{number:01000}",) for number in range(2000)])
        assert 2_000_000 < db.memory - before < 3_500_000


def test_stone_19_a_first_row_that_is_no_tuple_is_told_as_such() -> None:
    db = Engine("reach(X) :- edge(X).")
    for rows, told in (([1, 2], "row 1, 1, is not a tuple$"), ([(1,), "ab"], "row 2, 'ab', is not a tuple$")):
        with pytest.raises(DataError, match=told), db.epoch() as e:
            e.insert("edge", rows)
    with pytest.raises(DataError, match=r"row 2, \(3, 4\), is not a tuple of 1 value"), db.epoch() as e:
        e.insert("edge", [(1,), (3, 4)])
    with pytest.raises(DataError, match="str, bool, dates, datetimes and tuples"), db.epoch() as e:
        e.insert("edge", [({1},)])


def test_rows_are_freed_once_they_are_facts(monkeypatch):
    run, works = EmbeddedRuntime.run, []

    def noted(self, work, *rest):
        works.append(work)
        return run(self, work, *rest)

    monkeypatch.setattr(EmbeddedRuntime, "run", noted)
    many = [(x, x + 1) for x in range(5000)]
    db = Engine("q(Y) :- p(_, Y). r(X) :- s(X).")
    with db.epoch() as epoch:
        epoch.insert("p", many)
        epoch.insert("s", [(1,)])
    assert {name: len(rows) for name, rows in works[-1].inserts.items()} == {"p": 0, "s": 0}
    again = db.epoch()
    again.insert("p", [(x, -x) for x in range(1, 5000)])
    db.preview(again)
    again.commit()
    assert len(db["p"]) == 9999
    assert {(-4999,), (5000,)} <= set(db["q"])
    assert db["r"].rows() == [(1,)]
