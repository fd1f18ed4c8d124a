"""Columns of strings in all forms that Arrow has them, to ids and back; the judge is `symbol_id`."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from tidelog.errors import DataError
from tidelog.io.columns import decode_arrow, decode_column, encode_arrow, encode_column
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.ids import symbol_id

FORMS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    *(pa.dictionary(t, pa.string()) for t in (pa.int8(), pa.uint32())),
]
WORDS = ["", "a", "ä☃", 'lone " quote', "tab\tand\nline", "x" * 10_000, *(f"word {number}" for number in range(40))]


def cells_of(column: pa.ChunkedArray, known: Dictionary) -> list[int]:
    return encode_arrow(column, "symbol", known, "r, column 1").tolist()


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_of_strings_has_the_ids_of_its_strings(form: pa.DataType) -> None:
    rng = Random(4)
    for _ in range(20):
        texts = rng.choices(WORDS, k=rng.choice([0, 1, 100]))
        chunks = [pa.array(texts[:30], pa.string()).cast(form), pa.array(texts[30:], pa.string()).cast(form)]
        column, known = pa.chunked_array(chunks), Dictionary()
        start = rng.randrange(len(texts) + 1)
        assert cells_of(column.slice(start), known) == [symbol_id(text) for text in texts[start:]]
        cells = np.array([known.symbol(text) for text in texts], np.int64)
        assert decode_arrow(cells, "symbol", known).to_pylist() == texts
        assert decode_column(cells, "symbol", known) == texts


def test_empty_columns_have_no_ids() -> None:
    assert cells_of(pa.chunked_array([], pa.string()), Dictionary()) == []
    assert decode_arrow(np.zeros(0, np.int64), "symbol", Dictionary()).to_pylist() == []


@pytest.mark.parametrize("count", [3, 100])
def test_python_strings_are_encoded_alike_few_or_many(count: int) -> None:
    class Word(str):
        pass

    texts = [f"w{number}" for number in range(count)]
    wanted = [symbol_id(text) for text in texts]
    assert encode_column(texts, "symbol", Dictionary(), "r").tolist() == wanted
    assert encode_column([*texts[:-1], Word(texts[-1])], "symbol", Dictionary(), "r").tolist() == wanted
    known = Dictionary()
    broken = encode_column([*texts, "\ud800"], "symbol", known, "r")
    assert decode_column(broken, "symbol", known) == [*texts, "\ud800"]


@pytest.mark.parametrize("count", [3, 100])
@pytest.mark.parametrize(("wrong", "output"), [(None, "row 3 is null"), (5, "5 in row 3"), (b"w", "b'w' in row 3")])
def test_the_first_value_that_is_no_string_is_named(count: int, wrong: object, output: str) -> None:
    texts: list[object] = [f"w{number}" for number in range(count)]
    texts[2] = wrong
    with pytest.raises(DataError, match=output):
        encode_column(texts, "symbol", Dictionary(), "r, column 1")


def test_nulls_inside_a_dictionary_are_nulls() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None]))
    with pytest.raises(DataError, match="row 2 is null"):
        cells_of(pa.chunked_array([column]), Dictionary())


def test_strings_that_are_no_utf8_are_refused() -> None:
    broken = pa.StringArray.from_buffers(2, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"a\xff"))
    with pytest.raises(DataError, match="UTF8"):
        cells_of(pa.chunked_array([broken]), Dictionary())


def test_a_lone_surrogate_has_no_arrow_string() -> None:
    known = Dictionary()
    cells = np.array([known.symbol("a\ud800")], np.int64)
    with pytest.raises(DataError, match=r"'a\\ud800' is not valid Unicode"):
        decode_arrow(cells, "symbol", known)
