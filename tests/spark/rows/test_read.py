"""Files through Spark: the same rows as the embedded reader, the same files as the embedded writer, mistakes placed."""

from __future__ import annotations

import datetime
import gzip
import math

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import functions as F

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.errors import DataError, TidelogWarning
from tidelog.io.columns import arrow_column_type
from tidelog.io.files import InputFile, find_inputs, read_input, write_output
from tidelog.io.open_columns import settle_types as settle_tables
from tidelog.io.parameters import CSV, PARQUET, TEXT, TRIPLES, Layout
from tidelog.io.parquet import write_rows
from tidelog.io.rows import encode_rows, read_rows
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.rewrite.place.placement import SINGLE, Placement
from tidelog.spark.rows.decode import ViewSchema, read_view
from tidelog.spark.rows.encode import encode
from tidelog.spark.rows.read import JSON, read_file, read_files, read_table
from tidelog.spark.rows.send import send
from tidelog.spark.rows.write import write_table, write_view

NAMES = ("x", "y", "z")


def embedded_cells(file, names, types):
    (_, data), *_ = settle_tables([("r", read_input(file, names, types))], {"r": types}, lambda b: learnt(types, b))
    rows = read_rows("r", data)
    own = [t or settled(types, data, i) for i, t in enumerate(types)]
    return sorted(map(tuple, encode_rows("r", rows, own, Dictionary()).tolist())) if rows.length else []


def learnt(types, bound):
    return {"r": tuple(bound.get(("r", i), t) for i, t in enumerate(types))}


def settled(types, data, place):
    return arrow_column_type(data.column(place).type, "r")


def encoded(spark, file, names, types):
    (reading,) = read_files(spark, [file], {"r": names}, {"r": types}, lambda bound: learnt(types, bound))
    return reading.encoded(names, types)


def spark_cells(spark, file, names, types):
    frame = encoded(spark, file, names, types).frame
    rows = frame.collect()
    assert [row for row in rows if row.bad is not None] == []
    return sorted(tuple(row[f"c{i}"] for i in range(len(types))) for row in rows)


def agree(spark, file, types):
    names = NAMES[: len(types)]
    expected = embedded_cells(file, names, types)
    assert spark_cells(spark, file, names, types) == expected
    return len(expected)


def given(tmp_path, name, data, layout=None):
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return InputFile("r", path, layout or Layout())


FILES = [
    ("r.facts", b"1\ta\n2\tb c \n-3\t\n", ("number", "symbol"), None, 3),
    ("r.facts.gz", b"1\ta\n2\tb\n", ("number", "symbol"), None, 2),
    ("r.facts", b" 7 \t0x1F\r\n+8\t-0b101\r\n\n", ("number", "number"), None, 2),
    ("r.facts", b"18446744073709551615\n0xffffffffffffffff\n0\n", ("unsigned",), None, 3),
    ("r.facts", b"1.5\n.5\n1e3\n-inf\nnan\n7\n-0.0\n", ("float",), None, 7),
    ("r.facts", b"true\t2024-02-29\t2024-02-29T12:00:00\n0\t0001-01-01\t1969-12-31 23:59:59.000001\n",
     ("boolean", "date", "timestamp"), None, 2),
    ("r.facts", b"2024-02-29T12:00:00+02:00\n2024-02-29\n", ("timestamp",), None, 2),
    ("r.facts", b"[1, a, [b, \"2\"]]\n[]\n[1.5]\n", ("list",), None, 3),
    ("r.facts", b"a\n\nb\n", ("symbol",), None, 3),
    ("r.facts", b"1|2|3\n4|5|6\n", ("number", "number"), Layout(TEXT, delimiter="|", columns=(2, 0)), 2),
    ("r.facts", b"1||2\n3||4\n", ("number", "number"), Layout(TEXT, delimiter="||"), 2),
    ("r.facts", b"1\t2\n3\t4\n", (None, None), None, 2),
    ("r.facts", b"1\tx\n2.5\t3\n", (None, None), None, 2),
    ("r.facts", b"", ("number",), None, 0),
    ("r.facts", b"x\ty\ny\tx\nx\ty\n", ("symbol", "symbol"), Layout(TEXT, headers=True), 2),
    ("r.csv", b"y,x\na,1\n\"b, \"\"c\"\"\n\",2\n", ("number", "symbol"), None, 2),
    ("r.csv", b"1,a\n2,\n", ("number", "symbol"), None, 2),
    ("r.csv", b"x\ty\n1\ta\n", ("number", "symbol"), None, 1),
    ("r.csv", b"\xef\xbb\xbfx,y\n1,a\n", ("number", "symbol"), Layout(CSV, named_kind=True, headers=True), 1),
    ("r.nt", b'<urn:a> <urn:p> "x \\"y\\" \\u00e4"@en-GB . # note\n\n# only\n_:b1 <urn:p><urn:c>.\r\n'
     b'<urn:a> <urn:p> "' + b"l" * 20_000 + b'"^^<urn:t> .', ("symbol",) * 3, None, 3),
    ("r.nt.gz", "_:ä <urn:p> \"☃\" .\n".encode(), ("symbol",) * 3, Layout(TRIPLES), 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "types", "layout", "count"), FILES, ids=range(len(FILES)))
def test_spark_reads_what_the_embedded_reader_reads(spark, tmp_path, name, data, types, layout, count):
    file = given(tmp_path, name, data, layout)
    if layout is not None and layout.headers and name == "r.facts":  # a row like the header is kept, once
        assert len(set(spark_cells(spark, file, NAMES[:2], types))) == len(set(embedded_cells(file, NAMES[:2], types)))
    else:
        assert agree(spark, file, types) == count


def test_parquet_and_tables_are_read_by_name(spark, tmp_path):
    path = tmp_path / "r.parquet"
    times = pa.array([datetime.datetime(2024, 2, 29, 1, 2, 3)], pa.timestamp("us"))
    pyarrow.parquet.write_table(pa.table({"z": times, "x": [1], "y": ["a"]}), path)
    file = InputFile("r", path, Layout(PARQUET))
    assert agree(spark, file, ("number", "symbol", "timestamp")) == 1
    spark.read.parquet(str(path)).createOrReplaceTempView("some_rows")
    reading = read_table(spark, "some_rows", "r", NAMES)
    assert encode(reading.frame, "r", NAMES, (None,) * 3).types == ("number", "symbol", "timestamp")
    with pytest.raises(DataError, match=r"table no_rows: .*TABLE_OR_VIEW_NOT_FOUND") as refused:
        read_table(spark, "no_rows", "r", NAMES)
    assert refused.value.code == "TL1506"


def test_json_is_read_by_the_types_of_the_relation(spark, tmp_path):
    file = given(
        tmp_path, "r.json", b'{"y": "a", "x": 1, "more": 2}\n{"x": 2, "y": "b"}\n', Layout(JSON, named_kind=True)
    )
    with pytest.warns(TidelogWarning, match="ignored `more`"):
        cells = spark_cells(spark, file, ("x", "y"), ("number", "symbol"))
    assert cells == sorted(
        map(tuple, encode_rows("r", read_rows("r", [(1, "a"), (2, "b")]), ("number", "symbol"), Dictionary()).tolist())
    )
    with pytest.warns(TidelogWarning, match="ignored `more`"):
        assert encoded(spark, file, ("x", "y"), (None, None)).types == ("number", "symbol")
    with pytest.raises(DataError, match="no object has a field `w`") as refused:
        encoded(spark, file, ("x", "w"), (None, None))
    assert refused.value.code == "TL1508"


MISTAKES = [
    ("r.facts", b"1\ta\nb\tc\n", ("number", "symbol"), r"r\.facts:2: column 1 \(`x`\) of `r`: `b` is not a number"),
    ("r.facts", b"1\ta\n2\n", ("number", "symbol"), r"r\.facts:2: 1 column separated by tabs"),
    ("r.facts", b"1\t\xff\n", ("number", "symbol"), r"r\.facts:1: not UTF-8 text"),
    ("r.facts", b"-1\n", ("unsigned",), r"r\.facts:1: .*`-1` is not an unsigned"),
    ("r.facts", b"[1\n", ("list",), r"r\.facts:1: .*is not a list"),
    ("r.csv", b"1,a\n2,b,c\n", ("number", "symbol"), r"r\.csv:2: 3 columns"),
    ("r.nt", b"<urn:a> <urn:b> c .\n", ("symbol",) * 3, r"r\.nt:1: not a statement"),
]


@pytest.mark.parametrize(("name", "data", "types", "report"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_in_a_file_is_reported_with_its_line(spark, tmp_path, name, data, types, report):
    file = given(tmp_path, name, data)
    with pytest.raises(DataError, match=report):
        send(encoded(spark, file, NAMES[: len(types)], types), Placement(SINGLE), [], "s")


def test_a_mistake_in_a_large_file_is_reported_by_an_example(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("tidelog.spark.rows.read.EXACT", 1)
    file = given(tmp_path, "r.facts", b"1\nb\n")
    with pytest.raises(DataError, match=r"1 row does not fit; for example `b`: column 1 \(`x`\): `b` is not a number"):
        send(encoded(spark, file, ("x",), ("number",)), Placement(SINGLE), [], "s")


def test_json_that_is_none_is_reported_by_an_example(spark, tmp_path):
    file = given(tmp_path, "r.json", b'{"x": "a"}\n', Layout(JSON, named_kind=True))
    with pytest.raises(DataError, match="not an object with fields of the expected types"):
        send(encoded(spark, file, ("x",), ("number",)), Placement(SINGLE), [], "s")


def test_a_packed_file_with_another_name_is_refused(spark, tmp_path):
    path = tmp_path / "r.facts"
    path.write_bytes(gzip.compress(b"1\n"))
    with pytest.raises(DataError, match="is compressed with gzip, but its name does not end in") as refused:
        read_file(spark, InputFile("r", path, Layout()), ("x",), ("number",))
    assert refused.value.code == "TL1507"


VIEW = [(2, "b", 0.1), (1, 'a "q"', math.inf), (10, "", 1e22)]
LAYOUTS = [
    Layout(),
    Layout(CSV, named_kind=True),
    Layout(TEXT, delimiter="|", headers=True),
    Layout(TEXT, compressed=True),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=range(len(LAYOUTS)))
def test_spark_writes_what_the_embedded_writer_writes(spark, tmp_path, layout):
    types, table = ("number", "symbol", "float"), pa.table([list(c) for c in zip(*sorted(VIEW), strict=True)], NAMES)
    name = "v.csv.gz" if layout.compressed else "v.csv"
    write_output("v", table, types, layout, tmp_path / "embedded" / name)
    df = spark.createDataFrame(VIEW, "x bigint, y string, z double").repartition(2)
    write_view(df, "v", types, layout, tmp_path / "spark" / name)
    found, expected = ((tmp_path / folder / name).read_bytes() for folder in ("spark", "embedded"))
    unpacked = gzip.decompress if layout.compressed else bytes
    assert unpacked(found) == unpacked(expected)
    assert [path.name for path in (tmp_path / "spark").iterdir()] == [name]


def test_parquet_json_tables_and_triples_are_written_and_read_again(spark, tmp_path):
    df = spark.createDataFrame(VIEW, "x bigint, y string, z double")
    write_view(df, "v", ("number", "symbol", "float"), Layout(PARQUET), tmp_path / "v.parquet")
    assert sorted(pyarrow.parquet.read_table(tmp_path / "v.parquet").column("x").to_pylist()) == [1, 2, 10]
    write_view(df, "v", ("number", "symbol", "float"), Layout(JSON), tmp_path / "v.json")
    assert spark.read.json(str(tmp_path / "v.json")).count() == 3
    triple = spark.createDataFrame([("<urn:a>", "<urn:p>", '"x"')], "s string, p string, o string")
    write_view(triple, "t", ("symbol",) * 3, Layout(TRIPLES), tmp_path / "t.nt")
    assert (tmp_path / "t.nt").read_text() == '<urn:a> <urn:p> "x" .\n'


def test_a_symbol_that_a_format_cannot_hold_is_an_error_and_leaves_no_file(spark, tmp_path):
    df = spark.createDataFrame([("a\tb",)], "x string")
    with pytest.raises(DataError, match="contains the delimiter"):
        write_view(df, "v", ("symbol",), Layout(), tmp_path / "v.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_view_is_written_from_the_files_of_its_partitions(spark, tmp_path):
    dictionary = Dictionary()
    cells = encode_rows("v", read_rows("v", [((1, "a"), True)]), ("list", "boolean"), dictionary)
    kinds = write_rows(
        str(tmp_path / "v.parquet"), cells, ("list", "boolean"), ("l", "b"), dictionary, lists_as_text=True
    )
    schema = ViewSchema(("l", "b"), ("list", "boolean"), [kinds], lists_as_text=True)
    write_view(read_view(spark, str(tmp_path / "v.parquet"), schema), "v", schema.types, Layout(), tmp_path / "v.csv")
    assert (tmp_path / "v.csv").read_text() == "[1, a]\t1\n"


def test_a_table_is_replaced(spark, tmp_path):
    spark.sql(f"CREATE DATABASE some_place LOCATION '{tmp_path}'")
    for value in (1, 2):
        write_table(spark.range(value, value + 1).select(F.col("id").alias("x")), "some_place.rows")
    try:
        assert [row.x for row in spark.table("some_place.rows").collect()] == [2]
    finally:
        spark.sql("DROP DATABASE some_place CASCADE")


@pytest.mark.parametrize("runtime", ["embedded", "spark"])
def test_a_null_where_rules_look_for_a_constant_is_refused(spark, tmp_path, monkeypatch, runtime):
    monkeypatch.delenv("TIDELOG_RUNTIME", raising=False)
    rows = pa.table({"id": [1, 2, 3], "land": ["DE", "FR", None]})
    pa.parquet.write_table(rows, tmp_path / "sale.parquet")
    (tmp_path / "p.dl").write_text("""
        .decl sale(id: number, land: symbol)
        .input sale(filename="sale.parquet", IO=parquet)
        .decl sold(id: number)
        sold(n) :- sale(n, "DE").
        .output sold
    """)
    asked = ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", "-", "--runtime", runtime]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 1
    assert "null" in result.stderr


def test_only_the_rows_and_columns_that_rules_use_are_read(spark, tmp_path):
    from tidelog.program.check import check_program
    from tidelog.spark.files import read_frames
    from tidelog.syntax import parse_program

    rows = [(1, "tea", 2.5, 2023, "DE"), (2, "ink", 3.5, 2024, "DE"), (3, "pen", 1.5, 2024, "FR")]
    sales = spark.createDataFrame(rows, "id long, what string, price double, year int, land string")
    sales.write.partitionBy("year").parquet(str(tmp_path / "sale.parquet"))
    text = """
        .decl sale(id: number, land: symbol, year: number)
        .input sale(filename="sale.parquet", IO=parquet, columns="0:3:4")
        .decl sold(id: number)
        sold(N) :- sale(N, "DE", 2024).
        .output sold
    """
    checked = check_program(parse_program(text))
    files = find_inputs(checked.program, checked.schema, tmp_path)
    columns = ("id", "land", "year")
    for hidden, expected in ((("sale",), [(2,)]), ((), [(1,), (2,), (3,)])):
        ((_, arrival),) = read_frames(spark, checked, files, lambda _: columns, lambda _: checked.schema, hidden)
        plan = arrival.rows._jdf.queryExecution().executedPlan().toString()
        assert [tuple(row)[:1] for row in arrival.rows.orderBy("f0").collect()] == expected
        assert ("PartitionFilters: [(" in plan) == bool(hidden), plan
        assert ("Or(EqualTo(land,DE)" in plan) == bool(hidden), plan
        assert "ReadSchema: struct<id:bigint,land:string>" in plan
