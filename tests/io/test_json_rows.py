"""JSON and lines of JSON: what is written reads back the same, in all types; misfits are reported by line."""

from __future__ import annotations

import datetime
import gzip
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runner import CliRunner
from tidelog import DataError
from tidelog.cli import app
from tidelog.io.columns import decode_arrow, encode_column
from tidelog.io.files import InputFile, read_input, write_output
from tidelog.io.json_rows import JsonShape, read_json
from tidelog.io.parameters import Layout
from tidelog.io.texts import show_text
from tidelog.partition.texts.dictionary import Dictionary

TYPES = ("number", "unsigned", "float", "symbol", "list", "boolean", "date", "timestamp")
NAMES = tuple("abcdefgh")
NIGHT = datetime.datetime(2024, 2, 29, 12, 30, 1, 5)
ROWS: list[tuple[Any, ...]] = [
    (0, 0, 0.0, "", (), False, datetime.date(1970, 1, 1), datetime.datetime(1970, 1, 1)),
    (
        -(2**63),
        2**64 - 1,
        1e300,
        'a "b"\n\tä☃',
        (1, "a", (2.5, ())),
        True,
        datetime.date.min,
        datetime.datetime(1, 1, 1),
    ),
    (2**63 - 1, 7, math.inf, "null", ("1", "true", 2**63), True, datetime.date.max, NIGHT),
    (5, 8, -math.inf, "inf", (math.inf, "inf"), True, datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29)),
]
VALUES = {
    "number": st.integers(-(2**63), 2**63 - 1),
    "unsigned": st.integers(0, 2**64 - 1),
    "float": st.floats(allow_nan=False).map(lambda v: v + 0.0),
    "symbol": st.text(),
    "boolean": st.booleans(),
    "date": st.dates(),
    "timestamp": st.datetimes().map(lambda moment: moment.replace(fold=0)),
    "list": st.recursive(
        st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False).map(lambda v: v + 0.0) | st.text(),
        lambda part: st.lists(part, max_size=3).map(tuple),
        max_leaves=6,
    ).map(lambda value: value if isinstance(value, tuple) else (value,)),
}


def table_of(rows: list[tuple[Any, ...]], types: tuple[str, ...] = TYPES) -> pa.Table:
    """Rows as a session hands them to a file: lists as their texts."""
    known, arrays = Dictionary(), []
    for place, type_ in enumerate(types):
        column = [row[place] for row in rows]
        texts = [show_text(value, type_) for value in column]
        cells = encode_column(column, type_, known, "p")
        arrays.append(pa.array(texts) if type_ == "list" else decode_arrow(cells, type_, known))
    return pa.table(arrays, names=list(NAMES[: len(types)]))


def back(path: Path, types: tuple[str | None, ...] = TYPES, names: tuple[str, ...] = NAMES) -> Any:
    return read_input(InputFile("p", path, Layout()), names[: len(types)], types)


@pytest.mark.parametrize("name", ["p.json", "p.jsonl", "p.json.gz"])
def test_json_reads_back_as_it_was_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_output("p", table_of(ROWS), TYPES, Layout("json"), path)
    assert repr(back(path)) == repr(ROWS)
    raw = path.read_bytes()
    assert (gzip.decompress(raw) if name.endswith("gz") else raw).count(b"\n") == len(ROWS)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(*(VALUES[type_] for type_ in TYPES)), max_size=5))
def test_json_reads_back_as_it_was_written_on_random_values(rows: list[tuple[Any, ...]]) -> None:
    text = write(rows)
    assert repr(read_json(text, JsonShape("p.json", "p", NAMES, TYPES))) == repr(rows)
    listed = b"[" + b",\n".join(text.split(b"\n")[:-1]) + b"]"
    assert repr(read_json(listed, JsonShape("p.json", "p", NAMES, TYPES))) == repr(rows)


def write(rows: list[tuple[Any, ...]]) -> bytes:
    from tidelog.io.json_rows import write_json

    return write_json(table_of(rows), TYPES)


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1, "y": "a"}\n{"y": "b", "x": 2}\n',
        '[{"x": 1, "y": "a"},\n {"x": 2, "y": "b"}]',
        '[1, "a"]\n[2, "b"]',
        '[[1, "a"], [2, "b"]]\n',
        '{"x": 1,\n "y": "a"}\n\n{"x": 2,\n "y": "b"}',
        '\ufeff{"x": 1, "y": "a"}{"x": 2, "y": "b"}',
    ],
)
def test_rows_are_objects_or_lists_one_after_the_other_or_in_a_list(text: str) -> None:
    shape = JsonShape("p.json", "p", ("x", "y"), ("number", "symbol"))
    assert read_json(text.encode(), shape) == [(1, "a"), (2, "b")]
    assert read_json(text.encode(), JsonShape("p.json", "p", ("x", "y"), (None, None))) == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("text", ["", "\n", "[]", " [ ]\n"])
def test_a_file_without_rows_is_none(text: str) -> None:
    assert read_json(text.encode(), JsonShape("p.json", "p", ("x",), ("number",))) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"x": 1}\n{"x": }', r"p\.json:2: not JSON: Expecting value"),
        ('[{"x": 1},\n\n{"x": 2}', r"p\.json:3: not JSON: expected `,` or `\]` after a row"),
        ('[{"x": 1},\n', r"p\.json:2: not JSON: the list of rows is not closed"),
        ('[{"x": 1}]\n{"x": 2}', r"p\.json:2: not JSON: something follows"),
        ("[" * 100_000, r"p\.json:1: not JSON: nested too deeply"),
        ('{"x": 1}\n{"y": 1}', r"p\.json:2: an object with `y`, but `p\(x\)` needs"),
        ("[1, 2]", r"p\.json:1: \[1, 2\], but"),
        ("7", r"p\.json:1: 7, but"),
        ('{"x": null}', r"p\.json:1: column `x` is null"),
        ('{"x": "a"}', r"p\.json:1: column `x`: 'a' is not a value of type number"),
        ('{"x": 1.5}', r"1\.5 is not a value of type number"),
        ('{"x": 9223372036854775808}', r"9223372036854775808 is not a value of type number"),
        ('{"x": {"z": 1}}', r"\{'z': 1\} is not a value of type number"),
        (b'{"x": "\xff"}', r"p\.json:1: not UTF-8 text"),
    ],
)
def test_bad_rows_are_reported_with_their_line(text: str | bytes, said: str) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(DataError, match=said):
        read_json(data, JsonShape("p.json", "p", ("x",), ("number",)))


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("date", "2024-13-01"),
        ("timestamp", 5),
        ("boolean", 2),
        ("float", "x"),
        ("symbol", 1),
        ("list", [None]),
        ("list", 1),
    ],
)
def test_values_of_other_types_are_refused(type_: str, value: Any) -> None:
    import json

    with pytest.raises(DataError, match=f"is not a value of type {type_}"):
        read_json(json.dumps({"x": value}).encode(), JsonShape("p.json", "p", ("x",), (type_,)))


def test_a_column_of_open_type_with_values_of_several_is_reported_with_its_line() -> None:
    shape = JsonShape("p.json", "p", ("x",), (None,))
    assert read_json(b"[1]\n[2.5]\n", shape) == [(1,), (2.5,)]
    assert read_json(b"[1]\n[true]\n", shape) == [(1,), (True,)]
    with pytest.raises(DataError, match=r"p\.json:2: column `x`: 'a' is not a value of type number"):
        read_json(b'[1]\n["a"]\n', shape)


def test_a_run_reads_and_writes_json_without_spark(tmp_path: Path) -> None:
    (tmp_path / "edge.jsonl").write_text('{"to": 2, "from": 1}\n{"from": 2, "to": 3}\n')
    program = tmp_path / "reach.dl"
    program.write_text(
        ".decl edge(from: number, to: number)\n.decl reach(from: number, to: number)\n.input edge\n"
        ".output reach(IO=json)\nreach(x, y) :- edge(x, y).\nreach(x, z) :- edge(x, y), reach(y, z).\n"
    )
    result = CliRunner().invoke(app, ["run", str(program), "-F", str(tmp_path), "-D", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "reach.json").read_text() == (
        '{"from": 1, "to": 2}\n{"from": 1, "to": 3}\n{"from": 2, "to": 3}\n'
    )
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    (folder / "part-0.json").write_text('{"from": 1, "to": 2}\n')
    (folder / "part-1.json").write_text('{"from": 2, "to": 3}\n')
    found = read_input(InputFile("edge", folder, Layout("json", named_kind=True)), ("from", "to"), ("number", "number"))
    assert found == [(1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"x": 1,\n{"x": 2}\n', 1),
        ('{"x": 1}\n{"x": \n{"x": 3}\n', 2),
        ('{\n  "x": 1,\n  y\n}\n', 3),
        ('[{"x": 1},\n{"x" 2},\n{"x": 3}]', 2),
    ],
)
def test_broken_json_is_reported_at_the_line_of_the_mistake(text: str, line: int) -> None:
    with pytest.raises(DataError, match=rf"p\.json:{line}: not JSON"):
        read_json(text.encode(), JsonShape("p.json", "p", ("x",), ("number",)))


@pytest.mark.parametrize(("encoding", "cure"), [("utf-16", "utf-16"), ("utf-16-le", "utf-16"), ("latin1", "latin1")])
def test_text_that_is_not_utf_8_is_reported_with_its_probable_encoding(encoding: str, cure: str) -> None:
    with pytest.raises(DataError, match="not UTF-8") as refused:
        read_json('{"x": "é"}'.encode(encoding), JsonShape("p.json", "p", ("x",), ("symbol",)))
    assert f"iconv -f {cure} " in refused.value.hint


def test_records_and_algebraic_values_are_texts_in_json(tmp_path: Path) -> None:
    columns = "(x: P, t: T, l: list)"
    (tmp_path / "p.dl").write_text(
        ".type P = [a: number, b: symbol]\n.type T = Leaf {v: P} | Nil {}\n"
        f'.decl q{columns}\n.input q(IO=json, filename="q.json")\n'
        f'.decl r{columns}\n.output r(IO=json, filename="r.json")\nr(x, t, l) :- q(x, t, l).\n'
    )
    rows = '{"x": "[1, two]", "t": "$Leaf([3, \\"a,b\\"])", "l": [1, "a", [2.5]]}\n{"x": "nil", "t": "$Nil", "l": []}\n'
    (tmp_path / "q.json").write_text(rows)
    arguments = ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", str(tmp_path)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert (tmp_path / "r.json").read_text() == rows
    (tmp_path / "q.json").write_text('{"x": [1, "two"], "t": "$Nil", "l": []}\n')
    refused = CliRunner().invoke(app, arguments)
    assert refused.exit_code == 1
    assert "q.json:1: column `x`: [1, 'two'] is not a value of type P" in refused.output


ORDERS = b"""{"orders": [
  {"id": 1, "items": [{"sku": "a", "n": 2}, {"sku": "b", "n": 1}]},
  {"id": 2, "items": [], "tags": ["red"]},
  {"id": 3, "unit price": {"eur": 1.5, "chf": 1.25}}]}
{"orders": []}
"""


@pytest.mark.parametrize(
    ("path", "names", "types", "rows"),
    [
        ("orders[*].items[*]", ("sku", "n"), ("symbol", "number"), [("a", 2), ("b", 1)]),
        ("$.orders[0].items[*]", ("n", "sku"), ("number", "symbol"), [(2, "a"), (1, "b")]),
        ("orders[*].id", ("id",), ("number",), [(1,), (2,), (3,)]),
        ("orders[*].tags[*]", ("t",), (None,), [("red",)]),
        ("orders[*].tags", ("t",), ("symbol",), [("red",)]),
        ("orders[*]['unit price'][*]", ("x",), ("float",), [(1.5,), (1.25,)]),
        ('["orders"][1].items[*]', ("sku", "n"), ("symbol", "number"), []),
    ],
)
def test_path_selects_the_rows_of_a_document(path, names, types, rows) -> None:
    assert read_json(ORDERS, JsonShape("o.json", "p", names, types, path=path)) == rows


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        (
            "orders[*].name",
            "TL1088",
            "no object there has a field `name`; the fields are `id`, `items`, `tags`, `unit price`",
        ),
        ("orders[7]", "TL1088", "no list there has an element 7"),
        (
            "orders.id",
            "TL1089",
            "o.json:1, orders: the path `orders.id` expects an object with a field `id`; write `[*]`",
        ),
        ("[0]", "TL1089", "o.json:1, document: the path `[0]` expects a list"),
        ("orders[*].id[*]", "TL1089", "o.json:1, orders[0].id: the path `orders[*].id[*]` expects a list or an object"),
        (
            "orders[*].items[*].sku",
            "TL1073",
            "o.json:1, orders[0].items[0].sku: column `x`: 'a' is not a value of type number",
        ),
        ("orders[*].items[*]", "TL1072", "o.json:1, orders[0].items[0]: an object with `sku`, `n`"),
    ],
)
def test_path_that_does_not_fit_is_refused(path, code, message) -> None:
    with pytest.raises(DataError, match=re.escape(message)) as error:
        read_json(ORDERS, JsonShape("o.json", "p", ("x",), ("number",), path=path))
    assert error.value.code == code


def test_null_that_a_path_selects_follows_the_policy() -> None:
    shape = JsonShape("o.json", "p", ("x",), ("number",), path="[*].x")
    with pytest.raises(DataError, match="null"):
        read_json(b'[{"x": 1}, {"x": null}]', shape)
    assert read_json(b'[{"x": 1}, {"x": null}]', replace(shape, nulls=(0,))) == [(1,), (None,)]
