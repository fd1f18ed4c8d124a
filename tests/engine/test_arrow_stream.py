"""Views and answers speak the Arrow PyCapsule protocol, and what speaks it goes into an epoch as it is."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest

from tidelog import DataError, Engine

PROGRAM = """
.decl edge(src: number, dst: number)
.decl reach(src: number, dst: number)
reach(x, y) :- edge(x, y).
reach(x, z) :- edge(x, y), reach(y, z).
"""


class Stream:
    """A table of a library that Tidelog knows nothing of."""

    def __init__(self, table: pa.Table | pa.ChunkedArray) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Batch:
    """A batch of such a library."""

    def __init__(self, array: pa.RecordBatch | pa.Array) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._array.__arrow_c_array__(requested_schema)


def reach(rows: object = ((1, 2), (2, 3))) -> Engine:
    db = Engine(PROGRAM)
    with db.epoch() as e:
        e.insert("edge", rows)
    return db


def test_duckdb_reads_a_view_in_sql() -> None:
    db = reach()
    view = db["reach"]  # noqa: F841  # DuckDB finds it by its name
    answers = db.query("reach(x, y), x < 2")  # noqa: F841  # likewise
    assert duckdb.sql("SELECT src, count(*), max(dst) FROM view GROUP BY src ORDER BY src").fetchall() == [
        (1, 2, 3),
        (2, 1, 3),
    ]
    assert duckdb.sql("SELECT v.dst FROM view v JOIN answers a ON v.src = a.y").fetchall() == [(3,)]
    with db.epoch() as e:
        e.insert("edge", [(3, 4)])
    assert duckdb.sql("SELECT count(*) FROM view").fetchall() == [(6,)]
    inserted = e.changes["reach"].inserted  # noqa: F841  # likewise
    assert duckdb.sql("SELECT sum(dst) FROM inserted").fetchall() == [(12,)]


def test_other_libraries_take_a_view_with_its_column_names() -> None:
    view = reach()["reach"]
    table = pa.table(view)
    assert table.column_names == ["src", "dst"]
    assert sorted(zip(*table.to_pydict().values(), strict=True)) == [(1, 2), (1, 3), (2, 3)]
    reader = pa.RecordBatchReader.from_stream(view)
    assert reader.schema.names == ["src", "dst"]
    assert reader.read_all().num_rows == 3
    assert list(pd.DataFrame(view.to_arrow().to_pandas()).columns) == ["src", "dst"]
    asked = pa.schema([("src", pa.int32()), ("dst", pa.int64())])
    assert pa.RecordBatchReader.from_stream(view, asked).schema == asked


@pytest.mark.skipif(not hasattr(pd.DataFrame, "from_arrow"), reason="pandas 3 takes streams by itself")
def test_pandas_takes_a_view_as_it_is() -> None:
    assert list(pd.DataFrame.from_arrow(reach()["reach"]).columns) == ["src", "dst"]


def test_polars_takes_a_view_as_it_is_and_goes_into_an_epoch() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(reach()["reach"])
    assert frame.columns == ["src", "dst"]
    assert len(reach(frame)["edge"]) == 3


EDGES = pa.table({"dst": [2, 3], "src": [1, 2]})


def readers() -> Iterator[tuple[str, Any]]:
    yield "reader", pa.RecordBatchReader.from_batches(EDGES.schema, EDGES.to_batches(max_chunksize=1))
    yield "stream", Stream(EDGES)
    yield "batch", Batch(EDGES.to_batches()[0])
    yield "duckdb relation", duckdb.sql("SELECT 2::BIGINT AS dst, 1 AS src UNION ALL SELECT 3, 2")
    yield "duckdb query of a frame", duckdb.sql("SELECT * FROM EDGES")
    yield "pandas through its stream", Stream(pa.table(EDGES.to_pandas()))
    yield "struct array", EDGES.to_struct_array()


@pytest.mark.parametrize("name", [name for name, _ in readers()])
def test_readers_relations_and_streams_go_into_an_epoch_by_name(name: str) -> None:
    assert sorted(reach(dict(readers())[name])["reach"]) == [(1, 2), (1, 3), (2, 3)]


def test_a_stream_of_one_column_fills_a_unary_relation() -> None:
    for rows in (Stream(pa.chunked_array([["a"], ["b"]])), Batch(pa.array(["a", "b"]))):
        db = Engine("copy(X) :- name(X).")
        with db.epoch() as e:
            e.insert("name", rows)
        assert sorted(db["copy"]) == [("a",), ("b",)]


def test_every_type_of_duckdb_that_has_a_meaning_comes_in() -> None:
    db = Engine("copy(A, B, C, D, E, F, G) :- p(A, B, C, D, E, F, G).")
    sql = """SELECT sum(3), 2.5::DOUBLE, 'ä', true, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00:00', [1, 2]"""
    with db.epoch() as e:
        e.insert("p", duckdb.sql(sql))
    day, noon = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12)
    assert list(db["copy"]) == [(3, 2.5, "ä", True, day, noon, (1, 2))]
    with db.epoch() as e:
        e.insert("q", duckdb.sql("SELECT 2.5, 'ab'::BLOB"))
    assert list(db["q"]) == [(2.5, "6162")]
    with pytest.raises(DataError, match=r"decimal128\(30, 1\).*declare the column as symbol"), db.epoch() as e:
        e.insert("r", duckdb.sql("SELECT 2.5::DECIMAL(30, 1)"))


def test_a_view_goes_into_another_engine_with_lists_as_they_are() -> None:
    db = Engine("made(X, [X, Y, [Y]]) :- p(X, Y). yes() :- p(_, _).")
    with db.epoch() as e:
        e.insert("p", [(1, "a"), (2, "b")])
    other = Engine("copy(X, L) :- made(X, L). no() :- yes().")
    with other.epoch() as e:
        e.insert("made", db["made"])
        e.insert("yes", db["yes"])
        e.insert("asked", db.query("made(X, L), X > 1"))
    assert sorted(other["copy"]) == [(1, (1, "a", ("a",))), (2, (2, "b", ("b",)))]
    assert list(other["no"]) == [()]
    assert list(other["asked"]) == [(2, (2, "b", ("b",)))]
    with other.epoch() as e:
        e.delete("made", db["made"])
    assert len(other["copy"]) == 0


def test_a_stream_that_breaks_is_told_and_nothing_is_inserted() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield EDGES.to_batches()[0]
        raise ValueError("the line is dead")

    db = reach()
    said = r"edge: cannot read the rows of this RecordBatchReader: .*the line is dead"
    with pytest.raises(DataError, match=said) as told, db.epoch() as e:
        e.insert("edge", pa.RecordBatchReader.from_batches(EDGES.schema, batches()))
    assert told.value.code == "TL1013"
    assert db.epoch_number == 2
