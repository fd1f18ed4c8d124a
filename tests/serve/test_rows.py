"""Rows that clients send: objects and lists convert alike, and a bad value is reported with its place."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.serve.running import Running, refused, running
from tidelog import Variant
from tidelog.client import connect
from tidelog.errors import DataError

W = "w" * 43
PROGRAM = """
.type P = [a: number, at: date]
.type T = Leaf {v: P, f: float} | Nil {}
.decl v(n: number, u: unsigned, f: float, s: symbol, b: boolean, d: date, t: timestamp, l: list, p: P, x: T)
"""
NAMES = ("n", "u", "f", "s", "b", "d", "t", "l", "p", "x")
DAY, TIME = datetime.date(1969, 12, 31), datetime.datetime(2026, 6, 1, 10, 0, 0, 5)
VALUES = (
    -7,
    2**64 - 1,
    math.inf,
    "true",
    True,
    DAY,
    TIME,
    (1, ("a", 0.5)),
    (3, DAY),
    Variant("Leaf", (4, DAY), -math.inf),
)
SENT: list[list[Any]] = [
    [-7, 2**64 - 1, "Infinity", "true", True, "1969-12-31", "2026-06-01T10:00:00.000005", [1, ["a", 0.5]],
     "[3, 1969-12-31]", "$Leaf([4, 1969-12-31], -inf)"],
    [-7, 2**64 - 1, "Infinity", "true", True, "1969-12-31", "2026-06-01T10:00:00.000005", "[1, [a, 0.5]]",
     [3, "1969-12-31"], {"constructor": "Leaf", "Leaf": {"v": {"a": 4, "at": "1969-12-31"}, "f": "-Infinity"}}],
]  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(PROGRAM) as found:
        yield found


@pytest.mark.parametrize("form", [list, lambda row: dict(zip(NAMES, row, strict=True))], ids=["list", "object"])
@pytest.mark.parametrize("row", SENT, ids=["texts", "nested"])
def test_objects_and_lists_convert_alike(server: Running, row: list[Any], form: Any) -> None:
    server.post("/epochs", {"insert": {"v": [form(row)]}})
    assert list(server.service.engine["v"]) == [VALUES]
    assert server.get("/views/v")["rows"] == [SENT[0]]
    server.post("/epochs", {"delete": {"v": [form(row)]}})
    assert list(server.service.engine["v"]) == []


@pytest.mark.parametrize("form", [list, lambda row: dict(zip(NAMES, row, strict=True))], ids=["list", "object"])
@pytest.mark.parametrize(("place", "wrong"), [(5, "01/02/2028"), (6, "noon"), (8, "[3, soon]"), (0, "7")])
def test_a_bad_value_is_reported_with_relation_column_and_row(
    server: Running, form: Any, place: int, wrong: str
) -> None:
    row = [*SENT[0][:place], wrong, *SENT[0][place + 1 :]]
    answer = server.http.post("/v1/epochs", json={"insert": {"v": [form(SENT[0]), form(row)]}})
    message = refused(answer, 400, "TL1002")["message"]
    assert message.startswith(f"v, column {place + 1}: ")
    assert "row 2" in message
    assert wrong in message


def test_the_client_sends_what_an_engine_takes(server: Running) -> None:
    with connect(server.url, W) as client:
        for row in (VALUES, dict(zip(NAMES, VALUES, strict=True))):
            with client.epoch() as e:
                e.insert("v", [row])
            assert list(server.service.engine["v"]) == [VALUES]
            with client.epoch() as e:
                e.delete("v", list(client["v"]))
            assert list(server.service.engine["v"]) == []
        with pytest.raises(DataError, match="v, column 6: 'soon' in row 1"), client.epoch() as e:
            e.insert("v", [(*VALUES[:5], "soon", *VALUES[6:])])
