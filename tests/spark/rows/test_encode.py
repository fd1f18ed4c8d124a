"""DataFrames on their way to partitions: matched, checked, encoded, delivered to owners; and refused as a whole."""

from __future__ import annotations

import datetime
import json
import uuid
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pytest
from pyspark.sql import functions as F

from tidelog.errors import DataError
from tidelog.io.rows import encode_rows, read_rows
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.rewrite.place.placement import MIRRORED, SINGLE, Placement
from tidelog.spark import Peer, ResidentStage
from tidelog.spark.rows.deliver import Delivery
from tidelog.spark.rows.encode import encode
from tidelog.spark.rows.send import send
from tidelog.spark.rows.tables import cells_of, entries_of, entry_owners


@dataclass(frozen=True)
class FolderEndpoint:
    """A partition that keeps what it is given in files."""

    folder: str

    def deliver(self, descriptor, table):
        path = Path(self.folder) / uuid.uuid4().hex
        path.parent.mkdir(parents=True, exist_ok=True)
        with pa.ipc.new_file(f"{path}.arrow", table.schema) as file:
            file.write_table(table)
        path.with_suffix(".json").write_text(json.dumps(descriptor))

    def received(self, kind, attempts=None):
        for path in sorted(Path(self.folder).glob("*.json")):
            label = json.loads(path.read_text())
            if label["kind"] == kind and (attempts is None or label["attempt"] in attempts):
                yield label, pa.ipc.open_file(path.with_suffix(".arrow")).read_all()

    def rows(self, attempts=None):
        return sorted(
            (label["sign"], *row) for label, t in self.received("rows", attempts) for row in cells_of(t).tolist()
        )

    def entries(self, attempts=None):
        return [entry for _, t in self.received("entries", attempts) for entry in entries_of(t)]


@dataclass(frozen=True)
class Faltering(FolderEndpoint):
    """A partition that breaks off the first attempt after it took its rows."""

    def deliver(self, descriptor, table):
        FolderEndpoint.deliver(self, descriptor, table)
        broken = Path(self.folder) / "broken"
        if descriptor["kind"] == "rows" and not broken.exists():
            broken.touch()
            raise OSError("the connection was lost")


@pytest.fixture
def endpoints(tmp_path):
    return [FolderEndpoint(str(tmp_path / f"p{number}")) for number in range(3)]


def frame(spark, rows, schema):
    """A few rows in one task, since every task starts a Python worker."""
    return spark.createDataFrame(rows, schema).coalesce(1)


def in_python(rows, types):
    dictionary = Dictionary()
    return encode_rows("r", read_rows("r", rows), types, dictionary), dictionary


ROWS = [(i, f"symbol {i % 40}") for i in range(300)]


def test_rows_go_to_the_owner_of_their_location_and_entries_to_the_owner_of_their_id(spark, endpoints):
    encoded = encode(frame(spark, ROWS, "x bigint, y string").repartition(2), "edge", ("x", "y"), ("number", "symbol"))
    sent = send(encoded, Placement(1), endpoints, "stage-1")
    cells, dictionary = in_python(ROWS, ("number", "symbol"))
    owner = entry_owners(cells[:, 1].tolist(), 3)
    for number, endpoint in enumerate(endpoints):
        assert endpoint.rows() == sorted((1, *row) for row in cells[owner == number].tolist())
        expected = {(c, v) for c, v in dictionary.entries.since(0) if entry_owners([c], 3)[0] == number}
        assert set(endpoint.entries()) == expected
    assert sum(counts.rows for _, counts in sent) == 300
    assert {label["attempt"] for e in endpoints for label, _ in e.received("rows")} == {key for key, _ in sent}
    assert {label["stage"] for e in endpoints for label, _ in e.received("rows")} == {"stage-1"}


def test_rows_go_to_one_or_to_all_partitions_by_placement(spark, endpoints, tmp_path):
    encoded = encode(spark.range(5, numPartitions=1).toDF("x"), "node", ("x",), ("number",), sign=-1)
    send(encoded, Placement(SINGLE), endpoints, "s")
    assert [len(e.rows()) for e in endpoints] == [5, 0, 0]
    assert endpoints[0].rows() == [(-1, i) for i in range(5)]
    others = [FolderEndpoint(str(tmp_path / f"all{number}")) for number in range(2)]
    send(encoded, Placement(MIRRORED), others, "s")
    assert [e.rows() for e in others] == [[(-1, i) for i in range(5)]] * 2


def test_columns_are_matched_by_name_or_by_position(spark, endpoints):
    df = frame(spark, [("a", 1)], "y string, x int")
    send(encode(df, "edge", ("x", "y"), ("number", "symbol")), Placement(SINGLE), endpoints, "s")
    cells, _ = in_python([(1, "a")], ("number", "symbol"))
    assert endpoints[0].rows() == [(1, *cells[0].tolist())]
    assert encode(df, "edge", ("c1", "c2"), (None, None)).types == ("symbol", "number")
    with pytest.raises(
        DataError, match=r"`edge`.*|edge, column 1: the DataFrame has string, but number is expected"
    ) as refused:
        encode(df, "edge", ("a", "b"), ("number", "symbol"))
    assert refused.value.code == "TL1504"
    with pytest.raises(
        DataError, match=r"relation `edge` has 3 columns \(a, b, c\), but the DataFrame has 2 \(y, x\)"
    ) as refused:
        encode(df, "edge", ("a", "b", "c"), (None,) * 3)
    assert refused.value.code == "TL1503"


def test_open_types_are_learnt_from_the_schema(spark):
    df = spark.sql(
        "SELECT true b, 1Y n, CAST(1 AS DECIMAL(20,0)) u, 0.5D f, 's' s, DATE'2024-01-01' d, "
        "TIMESTAMP'2024-01-01 00:00:00' t, TIMESTAMP_NTZ'2024-01-01 00:00:00' w, array(1) l"
    )
    expected = ("boolean", "number", "unsigned", "float", "symbol", "date", "timestamp", "timestamp", "list")
    assert encode(df, "new", None, None).types == expected
    assert encode(df.select("n"), "r", ("x",), ("float",)).types == ("float",)


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("SELECT cast(1.5 as decimal(20,2)) x", "decimal.* declare the column as symbol"),
        ("SELECT struct(1, 'a') x", r"struct.*\.type T = \[col1: number, col2: symbol\]"),
        ("SELECT map('a', 1) x", "map.*its fields as separate columns"),
        ("SELECT array(struct(1)) x", "array<struct.*its fields as separate columns"),
        ("SELECT array(DATE'2024-01-01') x", "array<date>.*fields as separate columns"),
        ("SELECT array(X'00') x", "array<binary>.*its fields as separate columns"),
        ("SELECT INTERVAL '1' DAY x", "interval day is not supported; cast it to a string"),
    ],
)
def test_types_that_cannot_be_facts_are_refused_with_a_hint(spark, sql, hint):
    with pytest.raises(DataError, match=hint) as refused:
        encode(spark.sql(sql), "r", ("x",), (None,))
    assert refused.value.code == "TL1505"


BAD = [
    ("bigint", "number", [1, None, None], r"2 rows do not fit; for example \{.x.:null\}.*column 1 \(`x`\) is null"),
    ("bigint", "unsigned", [1, -5], r"1 row does not fit; for example \{.x.:-5\}.*not a value of type unsigned"),
    ("decimal(20,0)", "unsigned", [Decimal(2**64 - 1), Decimal(2**64)], "18446744073709551616.*of type unsigned"),
    ("decimal(20,0)", "number", [Decimal(2**63 - 1), Decimal(2**63)], "9223372036854775808.*of type number"),
    ("int", "boolean", [0, 1, 2], "not a value of type boolean"),
    ("array<string>", "list", [["a"], [None]], "contains a null"),
    ("array<array<string>>", "list", [[["a"]], [["b"], [None]]], "contains a null"),
    ("array<decimal(20,0)>", "list", [[Decimal(-1)]], "out of range"),
]


@pytest.mark.parametrize(("ddl", "type_", "values", "output"), BAD, ids=[f"{d}-{t}" for d, t, *_ in BAD])
def test_bad_rows_are_reported_by_count_and_example_and_nothing_counts(spark, endpoints, ddl, type_, values, output):
    encoded = encode(frame(spark, [(v,) for v in values], f"x {ddl}"), "r", ("x",), (type_,))
    with pytest.raises(DataError, match=output) as error:
        send(encoded, Placement(0), endpoints, "s")
    assert error.value.code == "TL1510"
    assert "no row of the batch was applied" in str(error.value)


def test_text_that_is_not_utf8_is_a_bad_row(spark, endpoints):
    df = spark.sql("SELECT CAST(X'FF' AS STRING) x")
    with pytest.raises(DataError, match="is not UTF-8 text"):
        send(encode(df, "r", ("x",), ("symbol",)), Placement(SINGLE), endpoints, "s")


def test_each_row_may_say_whether_it_comes_or_goes(spark, endpoints):
    df = frame(spark, [(1, 1), (-1, 2), (1, 3)], "change int, x int")
    send(encode(df, "r", ("x",), ("number",), change="change"), Placement(SINGLE), endpoints, "s")
    assert endpoints[0].rows() == [(-1, 2), (1, 1), (1, 3)]
    with pytest.raises(DataError, match=r"neither \+1 nor -1"):
        bad = df.withColumn("change", F.lit(2))
        send(encode(bad, "r", ("x",), ("number",), change="change"), Placement(SINGLE), endpoints, "s")
    with pytest.raises(DataError, match="expected one column `sign`") as refused:
        encode(df, "r", ("x",), ("number",), change="sign")
    assert refused.value.code == "TL1501"
    with pytest.raises(DataError, match=r"the column `change` must contain \+1 or -1, or .*, not double") as refused:
        floats = df.withColumn("change", F.lit(1.0))
        encode(floats, "r", ("x",), ("number",), change="change")
    assert refused.value.code == "TL1502"


def test_kinds_of_change_are_those_of_the_feeds_of_tables(spark, endpoints):
    kinds = ["insert", "update_preimage", "UPDATE_POSTIMAGE", "delete", "UPDATE_BEFORE", "update_after"]
    df = frame(
        spark,
        [(n, kind, 7, n) for n, kind in enumerate(kinds)],
        "x int, _change_type string, _commit_version int, y int",
    )
    send(encode(df, "r", None, None, change="_change_type"), Placement(SINGLE), endpoints, "s")
    signs = [1, -1, 1, -1, -1, 1]
    assert endpoints[0].rows() == sorted((sign, n, n) for n, sign in enumerate(signs))
    with pytest.raises(DataError, match=r"neither \+1 nor -1 nor a kind of change"):
        bad = df.withColumn("_change_type", F.when(F.col("x") > 0, F.col("_change_type")))
        send(encode(bad, "r", None, None, change="_change_type"), Placement(SINGLE), endpoints, "s")


def test_a_relation_without_columns_takes_rows_that_only_count(spark, endpoints):
    df = frame(spark, [(True,)], "present boolean")
    send(encode(df, "ready", (), ()), Placement(SINGLE), endpoints, "s")
    assert endpoints[0].rows() == [(1,)]


def test_an_attempt_that_was_repeated_does_not_count(tmp_path):
    endpoint = Faltering(str(tmp_path / "p"))
    batch = pa.record_batch({"c0": [1, 2], "sign": [1, 1], "bad": pa.nulls(2, pa.string()), "example": pa.nulls(2)})
    delivery = Delivery("r", 1, (), (endpoint,), "s")
    with pytest.raises(OSError, match="lost"):
        list(delivery(iter([batch])))
    (report,) = delivery(iter([batch]))
    assert endpoint.rows() == [(1, 1), (1, 1), (1, 2), (1, 2)]
    assert endpoint.rows(report.column("attempt").to_pylist()) == [(1, 1), (1, 2)]


def test_many_rows_are_delivered_in_parts_and_each_entry_once(tmp_path, monkeypatch):
    monkeypatch.setattr("tidelog.spark.rows.deliver.BUFFERED", 4)
    endpoint = FolderEndpoint(str(tmp_path / "p"))
    none = pa.nulls(3, pa.string())
    batch = pa.record_batch({"c0": [7, 7, 8], "v0": [b"a", b"a", b"b"], "sign": [1] * 3, "bad": none, "example": none})
    (report,) = Delivery("r", 1, ((0, False),), (endpoint,), "s")(iter([batch] * 3))
    assert len(list(endpoint.received("rows"))) == 2
    assert len(endpoint.rows()) == report.column("rows")[0].as_py() == 9
    assert sorted(endpoint.entries()) == [(7, "a"), (8, "b")]


def test_two_values_with_one_id_both_reach_the_owner(tmp_path):
    endpoint = FolderEndpoint(str(tmp_path / "p"))
    none = pa.nulls(1, pa.string())
    batches = [
        pa.record_batch({"c0": [7], "v0": [value], "sign": [1], "bad": none, "example": none}) for value in (b"a", b"b")
    ]
    list(Delivery("r", 1, ((0, False),), (endpoint,), "s")(iter(batches)))
    assert endpoint.entries() == [(7, "a"), (7, "b")]


def test_a_source_that_fails_is_reported_in_one_line(spark, endpoints):
    df = spark.range(3, numPartitions=1).select((1 / (F.col("id") - 1)).alias("x"))
    with pytest.raises(DataError, match=r"r: Spark could not read the rows: .*DIVIDE_BY_ZERO") as refused:
        send(encode(df, "r", ("x",), ("float",)), Placement(SINGLE), endpoints, "s")
    assert refused.value.code == "TL1509"


def test_dates_times_and_lists_are_delivered_as_python_encodes_them(spark, endpoints):
    row = (datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 1, 2, 3, 4, datetime.UTC), True, 0.5, ["a", "b"])
    df = frame(spark, [row], "d date, t timestamp, b boolean, f double, l array<string>")
    encoded = encode(df, "r", None, None)
    send(encoded, Placement(SINGLE), endpoints[:1], "s")
    cells, dictionary = in_python([(*row[:4], ("a", "b"))], encoded.types)
    assert endpoints[0].rows() == [(1, *cells[0].tolist())]
    assert dict(endpoints[0].entries()) == {int(cells[0, 4]): ("a", "b")}
    assert dictionary.decode(int(cells[0, 4]), "list") == ("a", "b")


class Taker:
    """A resident that keeps what Spark tasks deliver; a word it does not like, it refuses."""

    def __init__(self, number, partitions):
        self.rows, self.entries = [], []

    def deliver(self, descriptor, table):
        if descriptor["kind"] == "rows":
            self.rows += cells_of(table).tolist()
            return
        self.entries += entries_of(table)
        if any(value == "clash" for _, value in self.entries):
            raise DataError("`clash` has the id of another symbol")

    def call(self, method, args):
        return getattr(self, method)

    def connect(self, peers):
        pass

    def close(self):
        pass


def test_rows_reach_resident_partitions_over_flight(spark):
    rows = [(i, f"symbol {i % 7}") for i in range(50)]
    cells, dictionary = in_python(rows, ("number", "symbol"))
    with ResidentStage(spark, 2, Taker) as stage:
        peers = [Peer(endpoint) for endpoint in stage.endpoints]
        df = frame(spark, rows, "x int, y string")
        send(encode(df, "edge", ("x", "y"), (None, None)), Placement(0), peers, "s")
        for number, (got, entries) in enumerate(zip(stage.call_all("rows"), stage.call_all("entries"), strict=True)):
            assert sorted(got) == sorted(cells[entry_owners(cells[:, 0].tolist(), 2) == number].tolist())
            assert all(dictionary.decode(cell, "symbol") == value for cell, value in entries)
        with pytest.raises(DataError, match="`clash` has the id of another symbol"):
            send(encode(df.select("x", F.lit("clash")), "edge", None, None), Placement(SINGLE), peers, "s")
