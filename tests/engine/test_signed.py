"""Tables of which a column says whether their rows come or go: every row counts, or the table is refused."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tidelog import DataError, Engine, EngineError

Rows = list[tuple[int, str, int | None]]


def arrow(rows: Rows) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    types = (pa.int64(), pa.string(), pa.int8())
    return pa.table([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names=["a", "b", "sign"])


def pandas(rows: Rows) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["a", "b", "sign"])
    return frame.astype({"a": "int64", "b": object, "sign": "Int64"})


def dicts(rows: Rows) -> list[dict[str, object]]:
    return [{"sign": sign, "a": a, "b": b} for a, b, sign in rows]


def chunked(rows: Rows) -> pa.Table:
    return pa.concat_tables([arrow(rows[:2]), arrow(rows[2:])])


WAYS: dict[str, Callable[[Rows], Any]] = {"arrow": arrow, "pandas": pandas, "dicts": dicts, "chunked": chunked}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(6))
def test_every_row_of_a_table_counts_or_all_are_refused(way: str, seed: int) -> None:
    rng = Random(f"{way} {seed}")
    signs = [1, -1] if seed % 2 else [1, -1, 1, -1, 2, 0, None]
    rows: Rows = [(rng.randrange(6), rng.choice("xyz"), rng.choice(signs)) for _ in range(rng.randrange(1, 9))]
    db = Engine(".decl e(a: number, b: symbol) .decl p(a: number) p(a) :- e(a, _).")
    before = {(a, b) for a in range(3) for b in "xy"}
    with db.epoch() as e:
        e.insert("e", sorted(before))
    bad = [row for row in rows if row[2] not in (1, -1)]
    if bad:
        count = "1 row does" if len(bad) == 1 else f"{len(bad)} rows do"
        shown = f'e: {count} not fit; for example {{"a":{bad[0][0]},"b":"{bad[0][1]}"}}: the change column contains'
        with pytest.raises(DataError) as error, db.epoch() as e:
            e.change("e", WAYS[way](rows), "sign")
        assert str(error.value).startswith(shown)
        assert error.value.code == "TL1510"
        assert set(db["e"]) == before
        return
    with db.epoch() as e:
        e.change("e", WAYS[way](rows), "sign")
    sums = {(a, b): sum(s or 0 for x, y, s in rows if (x, y) == (a, b)) for a, b, _ in rows}
    after = {row for row in before if sums.get(row, 0) >= 0} | {row for row, total in sums.items() if total > 0}
    assert set(db["e"]) == after


def test_a_view_with_a_column_of_signs_is_such_a_table() -> None:
    db = Engine(".decl d(a: number, change: number) .decl e(a: number) d(1, 1). d(2, -1). e(2).")
    with db.epoch() as e:
        e.change("e", db["d"])
    assert list(db["e"]) == [(1,)]


@pytest.mark.parametrize("way", ["dicts", "string", "large_string", "string_view", "dictionary"])
def test_feeds_of_tables_name_the_kind_of_change(way: str) -> None:
    kinds = ["insert", "delete", "update_preimage", "update_postimage", "DELETE", "UPDATE_BEFORE", "UPDATE_AFTER"]
    table = pa.table({"a": range(7), "_change_type": kinds, "_commit_version": [3] * 7, "_commit_timestamp": ["t"] * 7})
    if way == "dictionary":
        table = table.set_column(1, "_change_type", table["_change_type"].dictionary_encode())
    elif way != "dicts":
        table = table.set_column(1, "_change_type", table["_change_type"].cast(getattr(pa, way)()))
    db = Engine(".decl e(a: number) e(1). e(2). e(4). e(5). e(9).")
    with db.epoch() as e:
        e.change("e", table.to_pylist() if way == "dicts" else table, "_change_type")
    assert set(db["e"]) == {(0,), (3,), (6,), (9,)}


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        (pa.table({"a": [1]}), "TL1501"),
        ([(1, 1)], "TL1501"),
        (np.array([[1, 1]]), "TL1501"),
        (pa.table({"a": [1], "change": [1.0]}), "TL1502"),
        (pa.table({"a": [1], "change": ["+"]}), "TL1510"),
        (pa.table({"a": [1], "change": pa.array([None], pa.string())}), "TL1510"),
        ([{"a": 1, "change": "come"}, {"a": 2, "change": "insert"}], "TL1510"),
        (pd.DataFrame({"a": [1, 2], "change": [1, None]}), "TL1502"),
        ([{"a": 1, "change": True}], "TL1502"),
        (np.array([(1, 1.0)], [("a", "i8"), ("change", "f8")]), "TL1502"),
        (pa.table({"a": [1], "change": pa.array([2**64 - 1], pa.uint64())}), "TL1510"),
        (np.array([(1, 3)], [("a", "i8"), ("change", "i4")]), "TL1510"),
    ],
)
def test_a_table_without_signs_is_refused(rows: Any, code: str) -> None:
    db = Engine()
    with pytest.raises(DataError) as error, db.epoch() as e:
        e.change("e", rows)
    assert error.value.code == code
    assert "e" not in db


def test_no_rows_change_nothing_and_no_name_is_an_error() -> None:
    db = Engine("e(1).")
    with db.epoch() as e:
        e.change("e", [])
        e.change("e", pa.table({"a": pa.array([], pa.int64()), "change": pa.array([], pa.int64())}))
    assert list(db["e"]) == [(1,)]
    with pytest.raises(EngineError, match="change"):
        db.epoch().change("e", [], None)  # type: ignore[arg-type]
