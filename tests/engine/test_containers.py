"""Values mean the same in every container and in every order; what is ambiguous is refused, with what to do."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tidelog import DataError, Engine, EvaluationError

CONTAINERS: dict[str, Callable[[list[Any]], object]] = {
    "tuples": lambda values: [(value,) for value in values],
    "dicts": lambda values: [{"c1": value} for value in values],
    "pandas frame": lambda values: pd.DataFrame({"x": pd.Series(values, dtype=object)}),
    "pandas series": lambda values: pd.Series(values, dtype=object),
    "numpy objects": lambda values: np.array(values, object),
    "numpy rows": lambda values: np.array(values, object).reshape(-1, 1),
}
SIZES = (1, 300)  # few values and many take different ways


def loaded(rows: object, program: str = "copy(X) :- p(X).") -> Engine:
    db = Engine(program)
    with db.epoch() as e:
        e.insert("p", rows)
    return db


def refused(rows: object, program: str = "copy(X) :- p(X).") -> str:
    with pytest.raises(DataError) as found:
        loaded(rows, program)
    return str(found.value)


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("times", SIZES)
@pytest.mark.parametrize(
    ("values", "type_", "held"),
    [
        ([True, 0], "number", [0, 1]),
        ([0, True], "number", [0, 1]),
        ([5, True], "number", [1, 5]),
        ([True, 5], "number", [1, 5]),
        ([True, False], "boolean", [False, True]),
        ([1, 2.5], "float", [1.0, 2.5]),
        ([2.5, 1], "float", [1.0, 2.5]),
        ([2**63, 1], "unsigned", [1, 2**63]),
        ([True, 2**64 - 1], "unsigned", [1, 2**64 - 1]),
        ([np.int8(3), 4], "number", [3, 4]),
        (["a", np.str_("b"), Colour.RED], "symbol", ["a", "b", "red"]),
        ([UUID(int=1), "a"], "symbol", ["00000000-0000-0000-0000-000000000001", "a"]),
    ],
    ids=str,
)
def test_one_rule_for_booleans_and_mixed_numbers(
    container: str, times: int, values: list[Any], type_: str, held: list[Any]
) -> None:
    view = loaded(CONTAINERS[container](values * times))["copy"]
    assert view.types == (type_,)
    assert repr(sorted(row[0] for row in view)) == repr(held)


@pytest.mark.parametrize(
    "rows",
    [
        [(math.nan,), (1.0,)],
        [{"c1": float("nan")}, {"c1": 1.0}],
        np.array([math.nan, 1.0]),
        np.array([[math.nan], [1.0]]),
        np.array([(math.nan,), (1.0,)], [("x", "f8")]),
        pd.DataFrame({"x": [math.nan, 1.0]}),
        pd.DataFrame({"x": pd.Series([math.nan, 1.0], dtype=object)}),
        pd.Series([math.nan, 1.0]),
        pa.table({"x": [math.nan, 1.0]}),
        pa.array([math.nan, 1.0]),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_one_rule_for_nan_which_is_a_float(rows: object) -> None:
    db = loaded(rows, "copy(X) :- p(X). twin(X, Y) :- p(X), p(Y), X = Y.")
    assert db["copy"].types == ("float",)
    assert sorted(map(str, db["twin"])) == ["(1.0, 1.0)", "(nan, nan)"]
    assert (float("nan"),) in db["copy"]
    assert db.verify()
    with db.epoch() as e:
        e.delete("p", rows)
    assert len(db["copy"]) == 0


@pytest.mark.parametrize(
    "rows",
    [
        [(1,), (None,)],
        [{"c1": 1}, {"c1": None}],
        [(1,), (pd.NA,)],
        [(datetime.datetime(2024, 1, 1),), (pd.NaT,)],
        [(datetime.datetime(2024, 1, 1),), (np.datetime64("NaT"),)],
        pd.DataFrame({"x": pd.array([1, None], "Int64")}),
        pd.DataFrame({"x": pd.array([1.5, None], "Float64")}),
        pd.DataFrame({"x": pd.to_datetime(["2024-01-01", None])}),
        pd.DataFrame({"x": pd.Categorical(["a", None])}),
        pd.DataFrame({"x": ["a", None]}),
        pd.DataFrame({"x": pd.Series([1, None], dtype=object)}),
        pd.Series(["a", pd.NA], dtype="string"),
        np.array(["2024-01-01", "NaT"], "datetime64[ns]"),
        pa.table({"x": [1, None]}),
        pa.array(["a", None]),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_one_rule_for_nulls_which_are_refused(rows: object) -> None:
    assert refused(rows) == "p, column 1: row 2 is null; nulls are refused"


def test_derived_nan_is_certified() -> None:
    program = "half(X, Y / 2.0) :- p(X, Y). most(max<Y>) :- half(_, Y). pair(X, [X, Y]) :- half(X, Y)."
    db = loaded([(1, float("nan")), (2, 4.0)], program)
    assert db.verify(), str(db.verify())
    assert str(list(db["most"])) == "[(nan,)]"


@pytest.mark.parametrize(
    ("rows", "held"),
    [
        (np.arange(3), [(0,), (1,), (2,)]),
        (pd.Series([2, 1]), [(1,), (2,)]),
        (pd.Index([2, 1]), [(1,), (2,)]),
        (pa.array(["b", "a"]), [("a",), ("b",)]),
        (pa.chunked_array([["b"], ["a"]]), [("a",), ("b",)]),
        (np.array(["2024-01-02"], "datetime64[D]"), [(datetime.date(2024, 1, 2),)]),
        (np.array(["2024-01-02T03:04:05"], "datetime64[ns]"), [(datetime.datetime(2024, 1, 2, 3, 4, 5),)]),
        (np.array([True, False]), [(False,), (True,)]),
        (np.array([2**64 - 1], np.uint64), [(2**64 - 1,)]),
        (np.array(["ä", "b"]), [("b",), ("ä",)]),
    ],
    ids=lambda rows: type(rows).__name__,
)
def test_a_vector_fills_a_unary_relation(rows: object, held: list[Any]) -> None:
    assert sorted(loaded(rows)["copy"]) == held


def test_structured_arrays_and_dicts_are_taken_by_name() -> None:
    program = ".decl edge(src: number, name: symbol)\n.decl copy(x: number, y: symbol)\ncopy(x, y) :- edge(x, y)."
    records = np.array([("a", 1), ("b", 2)], [("name", "U3"), ("src", "i4")])
    dicts = [{"name": "a", "src": 1}, {"src": 2, "name": "b"}]
    for rows in (records, dicts, pd.DataFrame(dicts), iter(dicts)):
        db = Engine(program)
        with db.epoch() as e:
            e.insert("edge", rows)
        assert sorted(db["copy"]) == [(1, "a"), (2, "b")]


def test_dicts_that_name_other_columns_are_refused() -> None:
    db = Engine("reach(X, Y) :- edge(X, Y).")
    said = "these rows have the columns `src`, `dst`; the columns of `edge` are `c1`, `c2`"
    with pytest.raises(DataError, match=said), db.epoch() as e:
        e.insert("edge", [{"src": 1, "dst": 2}])
    with pytest.raises(DataError, match=r"row 2, {'c1': 1}, is not a dict with `c1`, `c2` like the first row"):
        db.epoch().insert("edge", [{"c1": 1, "c2": 2}, {"c1": 1}])
    with pytest.raises(DataError, match="row 2, \\(1, 2\\), is not a dict"):
        db.epoch().insert("edge", [{"c1": 1, "c2": 2}, (1, 2)])
    with pytest.raises(DataError, match="columns of `new` are not known yet"), db.epoch() as e:
        e.insert("new", [{"c1": 1}])


WITHOUT_A_TYPE = [
    (Decimal("1.5"), "pass float\\(value\\) or str\\(value\\)"),
    (b"ab", "decode it to text"),
    (datetime.timedelta(1), "total_seconds"),
    (datetime.time(1), "isoformat"),
    (frozenset({1}), "pass a tuple"),
    (1 + 2j, "fields as separate columns"),
]


@pytest.mark.parametrize(
    ("container", "value", "said"),
    [
        (container, value, said)
        for container in CONTAINERS
        for value, said in WITHOUT_A_TYPE
        if not (container.startswith("pandas") and isinstance(value, Decimal | bytes))
    ],
    ids=str,
)
def test_values_without_one_meaning_are_told_what_to_give(container: str, value: object, said: str) -> None:
    rows = CONTAINERS[container]([value])
    with pytest.raises(DataError, match=f"column 1: row 1: .*{said}"):
        loaded(rows)
    with pytest.raises(DataError, match=f"column 1: .* in row 1 is not a value of type symbol; .*{said}"):
        loaded(rows, 'copy(X) :- p(X), X = "a".')


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda columns: pd.Series(columns["x"])])
def test_decimals_and_bytes_of_pandas_are_those_of_arrow(frame: Callable[[Any], object]) -> None:
    assert list(loaded(frame({"x": [Decimal("1.50"), Decimal("-2")]}))["p"].types) == ["float"]
    assert loaded(frame({"x": [Decimal("1.50"), Decimal("-2")]}))["p"].to_arrow()[0].type == pa.decimal128(3, 2)
    assert loaded(frame({"x": [b"\x01\xff", b""]}))["p"].to_arrow()[0].type == pa.binary()
    assert "pass float(value)" in refused(frame({"x": [Decimal("1.5"), "a"]}))


def test_a_mixed_object_column_is_refused_with_row_and_value() -> None:
    text = refused(pd.DataFrame({"x": [1, "a"]}))
    assert text.startswith(
        "p, column 1: 'a' in row 2 is not a value of type number; convert it with int(value), in pandas"
    )
    text = refused(pd.DataFrame({"x": ["a", 1]}))
    assert text.startswith(
        "p, column 1: 1 in row 2 is not a value of type symbol; convert it with str(value), in pandas"
    )
    assert "nan in row 2 is not a value of type symbol" in refused(pd.DataFrame({"x": ["a", math.nan]}))


def test_a_timestamp_finer_than_microseconds_is_refused() -> None:
    fine = pd.Timestamp("2024-01-01T00:00:00.000000001")
    assert "not a value of type timestamp" in refused([(fine,)])
    assert "would lose data" in refused(pd.DataFrame({"x": [fine]}))


def deep(levels: int) -> tuple[Any, ...]:
    found: tuple[Any, ...] = ()
    for _ in range(levels):
        found = (found,)
    return found


def test_a_list_nested_500_deep_is_refused() -> None:
    for levels in (500, 100_000):
        assert "row 2: a list is nested more than 100 levels deep" in refused([((),), (deep(levels),)])
    db = loaded([(deep(99),)])
    assert list(db["copy"]) == [(deep(99),)]
    assert (deep(99),) in db["copy"]
    with pytest.raises(DataError, match="nested more than 100 levels deep"):
        db.why(("p", (deep(500),)))
    with pytest.raises(EvaluationError, match="list returns a list that is nested more than 100 levels deep"):
        Engine("p([]). p([X]) :- p(X).")


def test_a_lone_surrogate_is_told_by_to_arrow() -> None:
    for value in ("a\ud800", ("a\ud800",)):
        view = loaded([(value,)])["copy"]
        assert list(view) == [(value,)]
        with pytest.raises(DataError, match="is not valid Unicode"):
            view.to_arrow()


def test_arrow_columns_of_open_type_hold_values_not_ids() -> None:
    db = loaded([(1, ("a", 2)), (2, ("b",))], "first(X, f_first(L)) :- p(X, L).")
    assert db["first"].to_arrow().sort_by("X").to_pydict() == {"X": [1, 2], "c2": ["a", "b"]}
    db = loaded([(1, ("a", 2)), (2, (7,))], "first(X, f_first(L)) :- p(X, L).")
    assert db["first"].to_arrow().sort_by("X").to_pydict() == {"X": [1, 2], "c2": ["a", "7"]}


def test_unsigned_parts_of_lists_have_an_arrow_form() -> None:
    assert loaded([((2**63,),)])["copy"].to_arrow()["X"].to_pylist() == [[2**63]]
    assert loaded([((2**63, -1),)])["copy"].to_arrow()["X"].to_pylist() == ["[9223372036854775808, -1]"]
