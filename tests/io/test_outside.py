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

from tidelog import Engine, ProgramError, Variant
from tidelog.errors import DataError, EngineError
from tidelog.io.parquet import write_rows
from tidelog.partition.texts.dictionary import Dictionary

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
    (pa.decimal128(20, 0), [Decimal(2**64 - 1), Decimal(0)]),
    (pa.decimal128(30, 0), [Decimal(2**63 - 1), Decimal(-(2**63))]),
    (pa.binary(), [b"", b"\x00\xff"]),
    (pa.bool_(), [True, False]),
    (pa.date32(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
    (pa.timestamp("us"), MOMENTS),
    (pa.timestamp("ns"), MOMENTS),
    (pa.timestamp("s", "America/New_York"), MOMENTS),
    (pa.list_(pa.bool_()), [[True], [], [False, True]]),
    (pa.list_(pa.int16()), [[1, 2], []]),
    (pa.list_(pa.decimal128(20, 0)), [[Decimal(2**64 - 1)], []]),
    (pa.list_(pa.list_(pa.float32())), [[[0.5]], [[], [1.0]]]),
]


@pytest.mark.parametrize(("type_", "values"), COLUMNS, ids=[str(type_) for type_, _ in COLUMNS])
def test_arrow_types_come_back(type_: pa.DataType, values: list[Any]) -> None:
    table = pa.table({"key": range(len(values)), "value": pa.array(values, type_)})
    db = Engine("copy(K, V) :- t(K, V). one(V) :- t(K, V), K < 1.")
    with db.epoch() as e:
        e.insert("t", table)
    assert db["t"].to_arrow().sort_by("key").equals(table)
    assert db["copy"].to_arrow().sort_by("K").equals(table.rename_columns(["K", "V"]))
    assert e.changes["copy"].inserted.to_arrow().schema.field(1).type == type_
    assert db["one"].to_arrow()["V"].type == type_
    again = Engine("")
    with again.epoch() as e:
        e.insert("t", db["t"])
    assert again["t"].to_arrow().sort_by("key").equals(table)


@pytest.mark.parametrize(("type_", "values"), COLUMNS, ids=[str(type_) for type_, _ in COLUMNS])
def test_a_data_frame_of_a_view_can_be_deleted_and_inserted_again(type_: pa.DataType, values: list[Any]) -> None:
    table = pa.table({"key": range(len(values)), "value": pa.array(values, type_)})
    db = Engine("")
    with db.epoch() as e:
        e.insert("t", table)
    frame = db["t"].to_pandas()
    with db.epoch() as e:
        e.delete("t", frame)
    assert len(db["t"]) == 0
    with db.epoch() as e:
        e.insert("t", frame)
    assert db["t"].to_arrow().sort_by("key").equals(table)


@pytest.mark.parametrize(
    ("type_", "values", "back"),
    [
        (pa.date64(), [datetime.date(2024, 2, 29), datetime.date(1960, 5, 5)], pa.date32()),
        (pa.large_string(), ["a", ""], pa.string()),
        (pa.string_view(), ["a", ""], pa.string()),
        (pa.binary(2), [b"ab", b"\x00\xff"], pa.binary()),
        (pa.large_binary(), [b"ab", b""], pa.binary()),
        (pa.binary_view(), [b"ab", b""], pa.binary()),
        (pa.large_list(pa.large_string()), [["a"], []], pa.list_(pa.string())),
        (pa.list_(pa.int32(), 2), [[1, 2], [3, 4]], pa.list_(pa.int32())),
    ],
    ids=str,
)
def test_kindred_types_of_arrow_come_back_as_the_documented_one(
    type_: pa.DataType, values: list[Any], back: pa.DataType
) -> None:
    for first in (type_, back):
        db = Engine("")
        for given in (first, type_):
            with db.epoch() as e:
                e.insert("t", pa.table({"x": pa.array(values, given)}))
        assert db["t"].to_arrow()["x"].type == back
        assert sorted(db["t"].to_arrow()["x"].to_pylist()) == sorted(values)
        with db.epoch() as e:
            e.delete("t", pa.table({"x": pa.array(values, type_)}))
        assert len(db["t"]) == 0


def test_a_column_of_dates_takes_times_at_midnight_and_no_others() -> None:
    midnight = datetime.datetime(2024, 2, 29)
    forms = (lambda t: [(t,)], lambda t: pd.DataFrame({"x": [t]}), lambda t: pa.table({"x": [t]}))
    for form in forms:
        db = Engine(".decl p(x: date)")
        with db.epoch() as e:
            e.insert("p", form(midnight))
        assert list(db["p"]) == [(midnight.date(),)]
        for wrong in (midnight.replace(second=1), midnight.replace(tzinfo=datetime.UTC)):
            with pytest.raises(DataError, match="is not a value of type date"), db.epoch() as e:
                e.insert("p", form(wrong))


def test_a_data_frame_with_records_can_be_deleted_and_inserted_again() -> None:
    db = Engine(".type P = [a: number, l: list]\n.type T = Leaf {v: P} | Nil {}\n.decl p(x: P, y: T, z: list)")
    rows = [((1, (2, ("a", 0.5))), Variant("Nil"), ("b", (1,))), (None, Variant("Leaf", (1, ())), ())]
    with db.epoch() as e:
        e.insert("p", rows)
    frame = db["p"].to_pandas()
    with db.epoch() as e:
        e.delete("p", frame)
    assert len(db["p"]) == 0
    with db.epoch() as e:
        e.insert("p", frame)
    assert set(db["p"]) == set(rows)


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
    types = {name: db[name].to_arrow().column(0).type for name in ("more", "total", "mixed", "least")}
    assert types == {"more": pa.int64(), "total": pa.int64(), "mixed": pa.int64(), "least": pa.int8()}
    assert [declared[name].to_arrow()["x"].type for name in ("t", "told")] == [pa.int8(), pa.int64()]


def test_types_are_remembered_and_a_rule_that_goes_takes_its_values_along(tmp_path: Path) -> None:
    with Engine("p(X) :- a(X).\nwide: p(X) :- b(X).", path=tmp_path / "s") as db, db.epoch() as e:
        e.insert("a", pa.table({"x": pa.array([1], pa.int8())}))
        e.insert("b", [(2**40,)])
    with Engine(path=tmp_path / "s") as db:
        assert db["a"].to_arrow().schema == pa.schema([("x", pa.int8())])
        assert db["p"].to_arrow()["X"].type == pa.int64()
        with db.epoch() as e:
            e.remove_rule("wide")
        assert db["p"].to_arrow()["X"].type == pa.int8()
        assert e.changes["p"].deleted.to_arrow().to_pylist() == [{"X": 2**40}]


def test_values_beyond_the_type_of_a_column_are_reported(tmp_path: Path) -> None:
    cells = np.array([[300]], np.int64)
    with pytest.raises(DataError, match="out of range for int8") as output:
        write_rows(str(tmp_path / "f.parquet"), cells, ["number"], ["x"], Dictionary(), outside=["int8"])
    assert output.value.code == "TL1085"


def test_a_state_with_types_that_are_none_is_refused() -> None:
    from tidelog.errors import StateError
    from tidelog.store.image.rules import ruleset_from_values

    values = {"program": "", "used": [], "bound": [], "known": {}, "functions": {}, "origins": {"t": [None, ["int9"]]}}
    with pytest.raises(StateError, match="has invalid types"):
        ruleset_from_values(values, {}, "s")


CLOCK = datetime.datetime(2020, 7, 1)
RECORDS = ".type P = [t: timestamp, n: number]\n.type V = Dot {p: P, l: list} | None {}\n"


def times(zone: str | None, *, unit: str = "us") -> pa.Array:
    return pa.array([CLOCK], pa.timestamp(unit)).cast(pa.timestamp(unit, zone))


def in_records(zone: str | None) -> pa.Table:
    return pa.table({"p": pa.StructArray.from_arrays([times(zone), pa.array([1], pa.int8())], ["t", "n"])})


def refused(db: Engine, insert: str, table: pa.Table, *, delete: bool = False) -> None:
    with pytest.raises(EngineError, match="without a zone") as output, db.epoch() as e:
        (e.delete if delete else e.insert)(insert, table)
    assert output.value.code == "TL4585"


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("apart", [True, False])
def test_datetimes_of_python_are_what_the_tables_are(zone: str, apart: bool) -> None:
    for output, other in ((None, zone), (zone, None)):
        db = Engine("copy(T) :- a(T).")
        steps = ([(datetime.datetime(2019, 7, 1, 0, 0, 0, 5),)], pa.table({"t": times(output, unit="s")}))
        if apart:
            for rows in steps:
                with db.epoch() as e:
                    e.insert("a", rows)
        else:
            with db.epoch() as e:
                for rows in steps:
                    e.insert("a", rows)
        assert db["a"].to_arrow().schema.types == db["copy"].to_arrow().schema.types == [pa.timestamp("us", output)]
        for delete in (False, True):
            refused(db, "a", pa.table({"t": times(other)}), delete=delete)
        with db.epoch() as e:
            e.insert("a", [(datetime.datetime(2018, 7, 1),)])
        assert db["a"].to_arrow().schema.types == [pa.timestamp("us", output)]


def test_a_datetime_with_a_zone_is_an_instant() -> None:
    db = Engine("")
    east = datetime.timezone(datetime.timedelta(hours=2))
    with db.epoch() as e:
        e.insert("a", [(CLOCK.replace(tzinfo=east),), (CLOCK,)])
        e.insert("b", pa.table({"t": times(None)}))
    assert db["a"].to_arrow().schema.types == [pa.timestamp("us", "UTC")]
    refused(db, "a", pa.table({"t": times(None)}))
    with pytest.raises(EngineError, match="without a zone"), db.epoch() as e:
        e.insert("b", [(CLOCK.replace(tzinfo=east),)])


def test_rows_that_go_leave_no_types() -> None:
    db = Engine("")
    with db.epoch() as e:
        e.insert("a", [(CLOCK,), (CLOCK.replace(year=2021),)])
    with db.epoch() as e:
        e.delete("a", pa.table({"t": times("UTC")}))
    with db.epoch() as e:
        e.insert("a", pa.table({"t": times(None)}))
    assert db["a"].to_arrow().schema.types == [pa.timestamp("us")]
    refused(db, "a", pa.table({"t": times("UTC")}), delete=True)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_a_field_holds_times_of_one_kind(zone: str) -> None:
    rules = ".decl a(p: P)\n.decl b(p: P)\n.decl p(p: P)\n.decl v(v: V)\n.decl q(t: timestamp)\n"
    rules += "p(x) :- a(x).\np(x) :- b(x).\nv($Dot(x, [])) :- a(x).\nq(t) :- v($Dot([t, n], l))."
    for output, other in ((None, zone), (zone, None)):
        db = Engine(RECORDS + rules)
        with db.epoch() as e:
            e.insert("a", in_records(output))
        kind = pa.timestamp("us", output)
        shown = pa.timestamp("us", "UTC" if output else None)  # of what is computed
        assert db["a"].to_arrow().equals(in_records(output))
        assert db["p"].to_arrow().schema.field("p").type.field("t").type == kind
        assert db["v"].to_arrow().schema.field("v").type.field("Dot").type.field("p").type.field("t").type == shown
        assert db["q"].to_arrow().schema.types == [shown]
        refused(db, "b", in_records(other))
        refused(db, "a", in_records(other), delete=True)
        refused(db, "q", pa.table({"t": times(other)}))
        with db.epoch() as e:
            e.insert("a", [((CLOCK, 300),)])
        assert db["a"].to_arrow().schema.field("p").type == pa.struct([("t", kind), ("n", pa.int64())])
        refused(db, "a", in_records(other))


def test_times_do_not_meet_in_records() -> None:
    rules = ".decl a(t: timestamp)\n.decl b(t: timestamp)\n.decl p(p: P)\np([A, 1]) :- a(A).\np([B, 1]) :- b(B)."
    db = Engine(RECORDS + rules)
    with db.epoch() as e:
        e.insert("a", pa.table({"t": times(None)}))
    refused(db, "b", pa.table({"t": times("UTC")}))
    with db.epoch() as e:
        e.insert("b", pa.table({"t": times(None)}))


@pytest.mark.parametrize("rule", ["p([A]) :- a(A).", "p(L) :- x(K), a(A), L = f_append(K, A).", "x([[A]]) :- a(A)."])
def test_times_are_in_no_list(rule: str) -> None:
    db = Engine(rule)
    with pytest.raises(ProgramError, match="TL413"), db.epoch() as e:
        e.insert("a", pa.table({"t": times(None)}))
    assert "a" not in db or not len(db["a"])


def test_dates_that_python_does_not_know_are_reported() -> None:
    table = pa.table({"d": pa.array([0, 3_000_000], pa.date32()), "t": pa.array([0, 2**60], pa.timestamp("us"))})
    for name in ("d", "t"):
        db = Engine("")
        with db.epoch() as e:
            e.insert("a", table.select([name]))
        with pytest.raises(DataError, match="outside the years 1 to 9999") as output:
            db["a"].rows()
        assert output.value.code == "TL1086"
        assert db["a"].to_arrow().sort_by(name).equals(table.select([name]))


@pytest.mark.parametrize(
    "element", [pa.binary(), pa.decimal128(9, 2), pa.timestamp("us"), pa.struct([("b", pa.binary())])]
)
def test_lists_of_what_no_list_holds_are_refused(element: pa.DataType) -> None:
    for rules in ("", ".decl t(x: list)"):
        with pytest.raises(DataError, match="cast its elements") as output, Engine(rules).epoch() as e:
            e.insert("t", pa.table({"x": pa.array([[]], pa.list_(element))}))
        assert output.value.code == "TL1004"


def test_decimals_of_twenty_digits_are_unsigned() -> None:
    long = pa.decimal128(20, 0)
    for rules, value, fits in (
        ("", -5, False),
        ("", 2**64 - 1, True),
        ("", 2**64, False),
        (".decl t(x: number)", -5, True),
        (".decl t(x: number)", 2**64 - 1, False),
        (".decl t(x: float)", 2**64 - 1, True),
    ):
        db = Engine(rules)
        table = pa.table({"x": pa.array([Decimal(value)], long)})
        if fits:
            with db.epoch() as e:
                e.insert("t", table)
            assert db["t"].rows() == [(float(value) if "float" in rules else value,)]
        else:
            with pytest.raises(DataError), db.epoch() as e:
                e.insert("t", table)
