"""Values as text: what is written reads back as the same value."""

import datetime
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import DataError
from tidelog.io.texts import read_list, read_text, show_text

SCALARS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(max_size=6))
LISTS = st.recursive(
    st.lists(SCALARS, max_size=4).map(tuple), lambda inner: st.lists(inner | SCALARS, max_size=3).map(tuple)
)


@settings(max_examples=150, deadline=None)
@given(LISTS)
def test_lists_read_back_as_they_were_written(value):
    read = read_list(show_text(value, "list"))
    assert read == value
    assert repr(read) == repr(value).replace("-0.0", "0.0") or "0.0" in repr(value)


@pytest.mark.parametrize(
    "text", ["", "[", "]", "[1", "1", "[1,]", "[,1]", "[1 2] 3", "[1][2]", "[[1]", '["a]', '["a"b]']
)
def test_text_that_is_no_list_is_refused(text):
    with pytest.raises(DataError, match="is not a list"):
        read_text(text, "list")


def test_types_are_read_exactly():
    assert read_text(" -7 ", "number") == -7
    assert read_text("0x10", "number") == 16
    assert read_text("18446744073709551615", "unsigned") == 2**64 - 1
    assert read_text("1e3", "float") == 1000.0
    assert math.isnan(read_text("nan", "float"))
    assert read_text(" a ", "symbol") == " a "
    assert read_text("true", "boolean") is True
    assert read_text("2024-02-29", "date") == datetime.date(2024, 2, 29)
    assert read_text("2024-02-29T01:02:03", "timestamp") == datetime.datetime(2024, 2, 29, 1, 2, 3)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("", "number"),
        ("1.0", "number"),
        ("9223372036854775808", "number"),
        ("-1", "unsigned"),
        ("one", "float"),
        ("yes", "boolean"),
        ("2023-02-29", "date"),
        ("noon", "timestamp"),
    ],
)
def test_text_of_another_type_is_refused_with_what_was_expected(text, type_):
    with pytest.raises(DataError, match=rf"is not an? .*{type_}"):
        read_text(text, type_)


def test_long_text_is_shortened_in_errors():
    with pytest.raises(DataError, match=r"`x{57}\.\.\.` is not a number"):
        read_text("x" * 200, "number")


@pytest.mark.parametrize("value", [True, False, 3, 2.5, "a b", datetime.date(2020, 1, 2)])
def test_scalars_are_shown_as_they_are_read(value):
    type_ = {bool: "boolean", int: "number", float: "float", str: "symbol", datetime.date: "date"}[type(value)]
    assert read_text(show_text(value, type_), type_) == value
