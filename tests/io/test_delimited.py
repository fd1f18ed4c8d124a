"""Delimited text: the two readers agree, mistakes are placed, and what is written reads back."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import DataError
from tidelog.io.delimited import READ_TYPES, DelimitedShape, _read_exactly, _read_fast, read_delimited, write_delimited

EDGE = DelimitedShape("edge.facts", "edge", ("x", "y"), ("number", "symbol"))


def shape(*types, **more):
    return DelimitedShape("r.facts", "r", tuple(f"c{i + 1}" for i in range(len(types))), types, **more)


def rows(data):
    return data if isinstance(data, list) else list(zip(*(c.to_pylist() for c in data.columns), strict=True))


def test_types_come_from_the_relation():
    data = read_delimited(b"1\t2\t3\t4\n", shape("number", "symbol", "float", "unsigned"))
    assert rows(data) == [(1, "2", 3.0, 4)]
    assert data.schema.types == [pa.int64(), READ_TYPES["symbol"], pa.float64(), pa.uint64()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", []),
        (b"1\ta\n", [(1, "a")]),
        (b"1\ta", [(1, "a")]),
        (b"1\ta\r\n2\tb\r\n", [(1, "a"), (2, "b")]),
        (b"1\t\n", [(1, "")]),
        (b"1\ta\n\n2\tb\n\n", [(1, "a"), (2, "b")]),
        (b"+1\t a \n", [(1, " a ")]),
        (b'1\t"a"\n', [(1, '"a"')]),
        (b"1\t\xc3\xa9\n", [(1, "é")]),
        (b"\xef\xbb\xbf1\ta\n", [(1, "a")]),
        (b"1\ta\rb\n", [(1, "a\rb")]),
        (b"1\tNULL\n", [(1, "NULL")]),
    ],
)
def test_lines_are_rows(text, expected):
    assert rows(read_delimited(text, EDGE)) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"1\ta\nx\tb\n", r"edge\.facts:2: column 1 \(`x`\) of `edge`: `x` is not a number"),
        (b"1\ta\n2\n", r"edge\.facts:2: 1 column separated by tabs, but `edge\(x, y\)` needs 2: `2`"),
        (b"1\ta\tb\n", r"edge\.facts:1: 3 columns"),
        (b"1,a\n", r'did you mean delimiter=","\?'),
        (b"\ta\n", r"edge\.facts:1: column 1 .*`` is not a number"),
        (b"1\ta\n2\t\xff\n", r"edge\.facts:2: not UTF-8 text \(byte 0xff\)"),
        (b"99999999999999999999\ta\n", r"is not a number \(a whole number from"),
    ],
)
def test_mistakes_are_named_with_file_line_column_and_text(text, told):
    with pytest.raises(DataError, match=told):
        read_delimited(text, EDGE)


CELLS = st.text(st.characters(exclude_characters="\t\n\r\x00", exclude_categories=("Cs",)), max_size=5)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), CELLS, st.floats(allow_nan=False)), max_size=6))
def test_both_readers_agree_and_writing_reads_back(given_rows):
    kinds = shape("number", "symbol", "float")
    columns = list(zip(*given_rows, strict=True)) or [(), (), ()]
    table = pa.table(
        [pa.array(c, t) for c, t in zip(columns, (pa.int64(), pa.string(), pa.float64()), strict=True)], list("abc")
    )
    data = write_delimited(table, kinds.types, kinds)
    if data:
        assert rows(_read_exactly(data, kinds, 0)) == given_rows
        fast = _read_fast(data, kinds)
        assert fast is None or rows(fast) == given_rows
    assert rows(read_delimited(data, kinds)) == given_rows


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=5), CELLS),
        max_size=5,
    )
)
def test_quoted_text_holds_any_symbol(given_rows):
    kinds = shape("symbol", "symbol", delimiter=",", quoted=True, headers=True)
    columns = list(zip(*given_rows, strict=True)) or [(), ()]
    table = pa.table([pa.array(c, pa.string()) for c in columns], names=["c1", "c2"])
    data = write_delimited(table, kinds.types, kinds)
    assert data.startswith(b"c1,c2\n")
    assert rows(read_delimited(data, kinds)) == given_rows


@pytest.mark.parametrize(("value", "told"), [("a\tb", "the delimiter"), ("a\nb", "a line break")])
def test_symbol_that_would_break_the_format_is_refused(value, told):
    with pytest.raises(DataError, match=told):
        write_delimited(pa.table({"c1": [value]}), ("symbol",), shape("symbol"))


def test_header_is_recognised_by_the_relations_names_and_may_change_the_order():
    text = b"y,x\nb,1\n"
    assert rows(read_delimited(text, DelimitedShape("e", "e", ("x", "y"), ("number", "symbol"), ",", True))) == [
        (1, "b")
    ]
    with pytest.raises(DataError, match="headers=true"):
        read_delimited(b"from,to\n1,2\n", DelimitedShape("e", "e", ("x", "y"), ("number", "number"), ",", True))
    named = DelimitedShape("e", "e", ("x", "y"), ("number", "number"), ",", True, headers=True)
    assert rows(read_delimited(b"from,to\n1,2\n", named)) == [(1, 2)]
    assert rows(
        read_delimited(b"y\tb\n", DelimitedShape("e", "e", ("x", "y"), ("symbol", "symbol"), headers=False))
    ) == [("y", "b")]


def test_columns_are_picked_by_position():
    kinds = shape("number", "symbol", picked=(2, 0))
    assert rows(read_delimited(b"a\t-\t1\nb\t-\t2\n", kinds)) == [(1, "a"), (2, "b")]
    with pytest.raises(DataError, match="needs at least 3"):
        read_delimited(b"a\tb\n", kinds)


def test_long_delimiters_and_lists_are_read_by_the_exact_reader():
    assert rows(read_delimited(b"1::a\n", shape("number", "symbol", delimiter="::"))) == [(1, "a")]
    assert rows(read_delimited(b"[1, a]\t2\n", shape("list", "number"))) == [((1, "a"), 2)]
    with pytest.raises(DataError, match="delimiter of one character"):
        read_delimited(b"1::a\n", shape("number", "symbol", delimiter="::", quoted=True))


def test_single_column_of_symbols_holds_the_empty_text():
    assert rows(read_delimited(b"a\n\nb\n", shape("symbol", headers=False))) == [("a",), ("",), ("b",)]
    assert rows(read_delimited(b"1\n\n2\n", shape("number"))) == [(1,), (2,)]


def test_relations_without_columns():
    assert read_delimited(b"()\n", shape()) == [()]
    assert read_delimited(b"\n", shape()) == [()]
    assert read_delimited(b"", shape()) == []
    with pytest.raises(DataError, match="has no columns"):
        read_delimited(b"1\n", shape())
    assert write_delimited(pa.table({"present": [True]}), (), shape()) == b"()\n"


def test_up_to_ten_bad_rows_of_a_file_are_reported_and_how_many_more():
    shape = DelimitedShape("edge.facts", "edge", ("x", "y"), ("number", "number"))

    def told(bad):
        lines = [f"{i}\tx{i}" if i % 2 else f"{i}" for i in range(1, bad + 1)]
        with pytest.raises(DataError) as found:
            read_delimited("\n".join(["0\t0", *lines, "5\t5", ""]).encode(), shape)
        return str(found.value).split("\n  ")

    (one,) = told(1)
    assert one.startswith("edge.facts:2: column 2 (`y`) of `edge`: `x1` is not a number")
    assert one.endswith("; nothing was read")
    three = told(3)
    assert [line.split(": ")[0] for line in three[:3]] == ["edge.facts:2", "edge.facts:3", "edge.facts:4"]
    assert three[3] == "3 rows do not fit; nothing was read"
    many = told(1234)
    assert len(many) == 11
    assert many[-1] == "and 1,224 more; nothing was read"
    assert sum("nothing was read" in line for line in many) == 1
