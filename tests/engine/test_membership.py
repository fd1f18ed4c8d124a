"""`View.contains`: each answer is that of `row in view`, for many rows at once."""

from __future__ import annotations

import datetime
from random import Random

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.read import membership
from tidelog.errors import DataError, EngineError
from tidelog.io.rows import Data
from tidelog.kernel.cells import Cells
from tidelog.partition.texts.dictionary import Dictionary
from tidelog.partition.texts.ids import symbol_id

REACH = "reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z)."


def test_answers_are_those_of_single_rows_after_every_epoch() -> None:
    rng = Random(3)
    with Engine(REACH) as db:
        for _ in range(6):
            with db.epoch() as e:
                e.insert("edge", [(rng.randrange(9), rng.randrange(9)) for _ in range(4)])
                e.delete("edge", [(rng.randrange(9), rng.randrange(9)) for _ in range(3)])
            rows = [(x, y) for x in range(9) for y in range(9)]
            assert db["reach"].contains(rows).tolist() == [row in db["reach"] for row in rows]


def test_rows_come_in_any_form() -> None:
    with Engine("v(X, N) :- e(X, N).") as db:
        with db.epoch() as e:
            e.insert("e", [("a", 1), ("b", 2)])
        view = db["v"]
        table = pa.table({"x": ["a", "b", "c"], "n": [1, 1, 1]})
        for rows in (table, pd.DataFrame({"x": ["a", "b", "c"], "n": [1, 1, 1]}), [["a", 1], ["b", 1], ["c", 1]]):
            assert view.contains(rows).tolist() == [True, False, False]
        assert view.contains([]).dtype == np.bool_
        assert view.contains([("unheard of", 1)] * 3).tolist() == [False] * 3


def test_every_type_of_value_is_found_as_it_was_inserted() -> None:
    values = [
        (1, 2**63, 1.5, "a", ("x", 2), datetime.date(2026, 6, 1), datetime.datetime(2026, 6, 1, 10), True),
        (2, 0, -0.0, "", (), datetime.date(1969, 1, 1), datetime.datetime(1969, 1, 1), False),
    ]
    program = ".decl t(a: number, b: unsigned, c: float, d: symbol, e: list, f: date, g: timestamp, h: boolean)"
    with Engine(program) as db:
        with db.epoch() as e:
            e.insert("t", values)
        changed = [(*row[:3], "other", *row[4:]) for row in values]
        assert db["t"].contains(values + changed).tolist() == [True, True, False, False]
        before = len(core_of(db).dictionary)
        db["t"].contains([(3, 3, 3.0, "new text", ("new list",), *values[0][5:])])
        assert len(core_of(db).dictionary) == before


def test_relations_without_columns_or_facts() -> None:
    with Engine("on() :- e(1).  v(X) :- e(X), !on().") as db:
        assert db["v"].contains([(1,)]).tolist() == [False]
        assert db["on"].contains([(), ()]).tolist() == [False, False]
        with db.epoch() as e:
            e.insert("e", [(1,)])
        assert db["on"].contains([()]).tolist() == [True]


def test_a_collision_of_hashes_is_not_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(_: str, data: Data, __: object, dictionary: Dictionary) -> Cells:
        dictionary.enter([(symbol_id("a"), *data.columns[0])])  # "b" gets the id of "a"
        return np.array([[symbol_id("a")]], np.int64)

    with Engine("v(X) :- e(X).") as db:
        with db.epoch() as e:
            e.insert("e", [("a",)])
        monkeypatch.setattr(membership, "encode_rows", encode)
        assert db["v"].contains([("a",)]).tolist() == [True]
        assert db["v"].contains([("b",)]).tolist() == [False]


def test_rows_of_the_wrong_form_are_errors() -> None:
    with Engine("v(X, Y) :- e(X, Y).  e(1, 2).") as db:
        with pytest.raises(DataError, match="has 2 columns"):
            db["v"].contains([(1,)])
        with pytest.raises(DataError, match="number"):
            db["v"].contains([("a", 1)])
        view = db["v"]
    with pytest.raises(EngineError):
        view.contains([(1, 2)])
