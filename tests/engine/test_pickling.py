"""Views, answers, changes and rows are pickled and copied as what they show."""

from __future__ import annotations

import copy
import datetime
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tidelog import Engine
from tidelog.engine.read.view import Rows
from tidelog.testing.generate_structures import CELL, ITEM, TREE, random_structure

TYPES = """
.type Cell = [head: number, tail: Cell]
.type Tree = Leaf {v: number} | Node {l: Tree, r: Tree} | Empty {}
.type Item = [w: float, s: symbol, t: Tree]
.type Day = [on: date, at: timestamp, is: boolean]
"""
COLUMNS = "(c: Cell, t: Tree, i: Item, d: Day, l: list, s: symbol, u: unsigned, n: number)"
PROGRAM = TYPES + f".decl p{COLUMNS}\n.decl q{COLUMNS}\nq(c, t, i, d, l, s, u, n) :- p(c, t, i, d, l, s, u, n)."
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def loaded(partitions: int) -> tuple[Engine, Any]:
    rng = Random(partitions)
    day = (datetime.date(1960, 1, 2), datetime.datetime(2026, 6, 1, 10, 0, 0, 7), True)
    db = Engine(PROGRAM, partitions=partitions)
    with db.epoch() as e:
        for number in range(6):
            structures = (random_structure(rng, CELL), random_structure(rng, TREE), random_structure(rng, ITEM))
            values = (rng.choice([day, None]), ("a", (number, 0.5)), rng.choice("ab"), 2**64 - 1, number)
            e.insert("p", [(*structures, *values)])
    return db, e


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("partitions", [1, 2])
def test_a_copy_shows_what_its_original_showed(copied: Callable[[Any], Any], partitions: int) -> None:
    db, epoch = loaded(partitions)
    tables = [db["q"], db.query("q(c, t, i, d, l, s, u, n), n > 2"), epoch.changes["q"].inserted, db.asserted("p")]
    kept = [(table.rows(), table.to_arrow(), repr(table), table.columns, table.types) for table in tables]
    copies = [copied(table) for table in tables]
    with db.epoch() as e:
        e.delete("p", db["p"])
    db.close()
    for made, (rows, arrow, text, columns, types) in zip(copies, kept, strict=True):
        assert isinstance(made, Rows)
        assert repr(made.rows()) == repr(rows)
        assert made.to_arrow().equals(arrow)
        assert (repr(made), made.columns, made.types) == (text, columns, types)
        assert rows[0] in made


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_can_be_inserted_into_another_engine(copied: Callable[[Any], Any]) -> None:
    db, _ = loaded(1)
    other = Engine(PROGRAM)
    with other.epoch() as e:
        e.insert("p", copied(db["p"]))
    assert set(map(repr, other["q"])) == set(map(repr, db["q"]))


def test_the_changes_of_an_epoch_and_rows_pickle() -> None:
    db, epoch = loaded(1)
    found = pickle.loads(pickle.dumps(epoch.changes))
    assert list(found) == ["p", "q"]
    assert repr(found) == repr(epoch.changes)
    assert repr(found["q"].signed) == repr(epoch.changes["q"].signed)
    for value in (db["q"].rows(), db["q"][0], copy.deepcopy(db["q"].rows())):
        assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_columns_of_open_type_and_types_of_tables_are_kept() -> None:
    db = Engine("")
    with db.epoch() as e:
        e.insert("t", pa.table({"when": pa.array([datetime.datetime(2026, 6, 1)], pa.timestamp("s", "UTC"))}))
        e.add_rule("u(X) :- v(X).")
    assert pickle.loads(pickle.dumps(db["t"])).to_arrow().equals(db["t"].to_arrow())
    assert pickle.loads(pickle.dumps(db["u"])).rows() == []


def test_a_data_frame_made_of_rows_has_the_names_of_their_columns() -> None:
    db = Engine(".decl edge(src: number, dst: symbol)\n.decl back(dst: symbol, src: number)\nback(d, s) :- edge(s, d).")
    with db.epoch() as e:
        e.insert("edge", [(1, "a"), (2, "b")])
    assert list(pd.DataFrame(db["edge"]).columns) == ["src", "dst"]
    assert list(pd.DataFrame(db.query("edge(x, y)")).columns) == ["x", "y"]
    assert list(pd.DataFrame(e.changes["back"].inserted).columns) == ["dst", "src"]
    assert list(pd.DataFrame(pickle.loads(pickle.dumps(db["edge"]))).columns) == ["src", "dst"]
    assert pd.DataFrame(db["edge"]).equals(db["edge"].to_pandas())
    assert repr(db["edge"][0]) == repr(tuple(db["edge"][0]))
