"""Stone 5: no thread of Arrow's outlives the interpreter with memory of Python's in its hands."""

from __future__ import annotations

import contextlib
import threading
import time

import pyarrow as pa
import pyarrow.csv
import pytest

from tidelog.errors import DataError
from tidelog.io.delimited import DelimitedShape, read_delimited
from tidelog.io.lent import read_lent


def test_reading_is_over_when_the_last_thread_has_dropped_the_text() -> None:
    dropped = []

    def hold(stream: list[pa.BufferReader]) -> None:
        time.sleep(0.2)
        dropped.append(stream.pop())
        dropped.clear()
        dropped.append("dropped")  # type: ignore[arg-type]  # that it is gone

    def read(stream: pa.BufferReader) -> int:
        threading.Thread(target=hold, args=([stream],)).start()
        return stream.size()

    assert read_lent(b"1\t2\n", read) == 4
    assert dropped == ["dropped"]


@pytest.mark.parametrize(
    "text", [b"1\ta\n2\tb\n" * 1000, b"1\ta\n2\n", b"x\ty\n"], ids=["rows", "ragged", "no numbers"]
)
def test_the_reader_of_arrow_keeps_nothing_of_the_text(text: bytes) -> None:
    shape = DelimitedShape("edge.facts", "edge", ("x", "y"), ("number", "symbol"))
    began = time.perf_counter()
    with contextlib.suppress(DataError):  # what it says is the business of other tests
        read_delimited(text, shape)
    assert time.perf_counter() - began < 5  # a text that is kept is waited for twice as long
