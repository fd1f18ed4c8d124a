"""Columns go out in the types that they came in, and in the natural ones where they hold more."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tidelog import Engine
from tidelog.errors import DataError
from tidelog.io.parquet import write_rows
from tidelog.partition.dictionary import Dictionary

RNG = random.Random(5)
MOMENTS = [datetime.datetime(2020, 7, 1, 4) + datetime.timedelta(seconds=n) for n in range(9)]
COLUMNS: list[tuple[pa.DataType, list[Any]]] = [
    *((getattr(pa, f"int{b}")(), [-(2 ** (b - 1)), 0, 2 ** (b - 1) - 1]) for b in (8, 16, 32, 64)),
    *((getattr(pa, f"uint{b}")(), [0, 1, 2**b - 1]) for b in (8, 16, 32, 64)),
    (pa.float32(), [0.5, -1.25, 3.0]),
    (pa.float64(), [0.1, 1e300]),
    (pa.decimal128(9, 2), [Decimal(RNG.randrange(-(10**9), 10**9)).scaleb(-2) for _ in range(99)]),
    (pa.decimal128(15, 15), [Decimal(RNG.randrange(10**15)).scaleb(-15) for _ in range(99)]),
    (pa.decimal128(12, 0), [Decimal(10**12 - 1), Decimal(-7)]),
    (pa.decimal128(30, 0), [Decimal(2**63 - 1), Decimal(-(2**63))]),
    (pa.binary(), [b"", b"\x00\xff"]),
    (pa.bool_(), [True, False]),
    (pa.date32(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    (pa.timestamp("us"), MOMENTS),
    (pa.timestamp("ns"), MOMENTS),
    (pa.timestamp("s", "America/New_York"), MOMENTS),
    (pa.list_(pa.bool_()), [[True], [], [False, True]]),
    (pa.list_(pa.int16()), [[1, 2], []]),
    (pa.list_(pa.list_(pa.float32())), [[[0.5]], [[], [1.0]]]),
]


@pytest.mark.parametrize(("type_", "values"), COLUMNS, ids=[str(type_) for type_, _ in COLUMNS])
def test_arrow_types_come_back(type_: pa.DataType, values: list[Any]) -> None:
    table = pa.table({"key": range(len(values)), "value": pa.array(values, type_)})
    db = Engine("copy(K, V) :- t(K, V). one(V) :- t(K, V), K < 1.")
    with db.epoch() as e:
        e.insert("t", table)
    assert db["t"].to_arrow().sort_by("key").equals(table)
    assert db["copy"].to_arrow().sort_by("c1").equals(table.rename_columns(["c1", "c2"]))
    assert e.changes["copy"].inserted.to_arrow().schema.field(1).type == type_
    assert db["one"].to_arrow()["c1"].type == type_
    again = Engine("")
    with again.epoch() as e:
        e.insert("t", db["t"])
    assert again["t"].to_arrow().sort_by("key").equals(table)


def test_pandas_comes_back() -> None:
    frame = pd.DataFrame({"n": np.array([1, 2], np.int16), "t": pd.to_datetime(["2020-07-01", "2021-01-01"])})
    db = Engine("")
    with db.epoch() as e:
        e.insert("t", frame)
    found = db["t"].to_pandas().sort_values("n", ignore_index=True)
    assert list(found.dtypes) == list(frame.dtypes)
    assert found.equals(frame)


def test_what_does_not_fit_widens_the_column_in_any_order() -> None:
    small, wide = pa.table({"x": pa.array([1], pa.int8())}), pa.table({"x": pa.array([300], pa.int32())})
    for tables, expected in (([small, wide], pa.int32()), ([wide, small], pa.int32())):
        together, apart = Engine(""), Engine("")
        with together.epoch() as e:
            for table in tables:
                e.insert("t", table)
        for table in tables:
            with apart.epoch() as e:
                e.insert("t", table)
        assert together["t"].to_arrow()["x"].type == apart["t"].to_arrow()["x"].type == expected
    with apart.epoch() as e:
        e.insert("t", [(5,)])
    assert apart["t"].to_arrow()["x"].type == pa.int32()
    with apart.epoch() as e:
        e.insert("t", [(2**40,)])
    assert apart["t"].to_arrow()["x"].type == pa.int64()


def test_an_epoch_that_fails_leaves_types_and_names_as_they_were() -> None:
    db = Engine(":- t(X), X > 100.")
    with db.epoch() as e:
        e.insert("t", pa.table({"x": pa.array([1], pa.int8())}))
    with pytest.raises(Exception, match="constraint"), db.epoch() as e:
        e.insert("t", pa.table({"y": pa.array([101], pa.int64())}))
    assert db["t"].to_arrow().schema == pa.schema([("x", pa.int8())])


def test_names_of_the_first_table_are_those_of_the_relation() -> None:
    db, declared = Engine(""), Engine(".decl named(a: number, b: number)")
    swapped = pa.table({"target": [2], "source": [1]})
    with db.epoch() as e:
        e.insert("edge", pa.table({"source": [3], "target": [4]}))
        e.insert("edge", swapped)  # by name, in one epoch as in two
    with db.epoch() as e:
        e.insert("edge", [{"target": 6, "source": 5}])
    assert db["edge"].columns == ("source", "target")
    assert set(db["edge"]) == {(1, 2), (3, 4), (5, 6)}
    with declared.epoch() as e:
        e.insert("named", pa.table({"x": [1], "y": [2]}))
    assert declared["named"].columns == ("a", "b")


def test_computed_columns_and_declared_ones_have_natural_types() -> None:
    db = Engine("more(X+1) :- t(X). total(sum<X>) :- t(X). mixed(X) :- t(X). mixed(7). least(min<X>) :- t(X).")
    declared = Engine(".decl t(x: number)\n.decl told(x: number)\ntold(X) :- t(X).")
    for engine in (db, declared):
        with engine.epoch() as e:
            e.insert("t", pa.table({"x": pa.array([1], pa.int8())}))
    types = {name: db[name].to_arrow()["c1"].type for name in ("more", "total", "mixed", "least")}
    assert types == {"more": pa.int64(), "total": pa.int64(), "mixed": pa.int64(), "least": pa.int8()}
    assert [declared[name].to_arrow()["x"].type for name in ("t", "told")] == [pa.int8(), pa.int64()]


def test_types_are_remembered_and_a_rule_that_goes_takes_its_values_along(tmp_path: Path) -> None:
    with Engine("p(X) :- a(X).\nwide: p(X) :- b(X).", path=tmp_path / "s") as db, db.epoch() as e:
        e.insert("a", pa.table({"x": pa.array([1], pa.int8())}))
        e.insert("b", [(2**40,)])
    with Engine(path=tmp_path / "s") as db:
        assert db["a"].to_arrow().schema == pa.schema([("x", pa.int8())])
        assert db["p"].to_arrow()["c1"].type == pa.int64()
        with db.epoch() as e:
            e.remove_rule("wide")
        assert db["p"].to_arrow()["c1"].type == pa.int8()
        assert e.changes["p"].deleted.to_arrow().to_pylist() == [{"c1": 2**40}]


def test_values_beyond_the_type_of_a_column_are_told(tmp_path: Path) -> None:
    cells = np.array([[300]], np.int64)
    with pytest.raises(DataError, match="beyond int8") as told:
        write_rows(str(tmp_path / "f.parquet"), cells, ["number"], ["x"], Dictionary(), outside=["int8"])
    assert told.value.code == "TL1085"


def test_a_state_with_types_that_are_none_is_refused() -> None:
    from tidelog.errors import StateError
    from tidelog.store.rules import ruleset_from_values

    values = {"program": "", "used": [], "bound": [], "known": {}, "functions": {}, "origins": {"t": [None, ["int9"]]}}
    with pytest.raises(StateError, match="came with types that are none"):
        ruleset_from_values(values, {}, "s")
