"""What an epoch reports about its changes: rows with the values that they had.

Cannot notice: a feed of a column whose type changes from one known type to another, which one file cannot hold.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest

from tidelog import Engine, Variant
from tidelog.testing.generate_structures import CELL, ITEM, TREE, random_structure

MEANS = "L1: a(X, mean<Y>) :- q(X, Y)."


def means(partitions: int = 1, path: Path | None = None) -> Engine:
    db = Engine(MEANS, partitions=partitions, path=path)
    with db.epoch() as e:
        e.insert("q", [(1, 2), (1, 3)])
    return db


@pytest.mark.parametrize("partitions", [1, 3])
def test_changes_show_a_float_after_the_rule_that_typed_it_has_gone(partitions: int) -> None:
    db = means(partitions)
    epoch = db.epoch()
    epoch.remove_rule("L1")
    epoch.add_rule("z(X) :- a(X, _).")
    db.preview(epoch)
    assert list(epoch.changes["a"].deleted) == [(1, 2.5)]
    epoch.commit()
    assert list(epoch.changes["a"].deleted) == [(1, 2.5)]
    assert epoch.changes["a"].deleted.to_arrow().to_pylist() == [{"c1": 1, "c2": 2.5}]
    assert list(epoch.changes["a"].inserted) == list(db["a"]) == []


@pytest.mark.parametrize("partitions", [1, 3])
def test_changes_tell_both_types_of_a_column_whose_type_changes(partitions: int) -> None:
    db = means(partitions)
    with db.epoch() as e:
        e.remove_rule("L1")
        e.add_rule("a(X, count<Y>) :- q(X, Y).")
    assert list(e.changes["a"].deleted) == [(1, 2.5)]
    assert repr(list(e.changes["a"].inserted)) == repr(list(db["a"])) == "[(1, 2)]"


@pytest.mark.parametrize("partitions", [1, 3])
def test_history_and_feeds_show_a_float_after_the_rule_that_typed_it_has_gone(tmp_path: Path, partitions: int) -> None:
    db = means(partitions, tmp_path / "state")
    db.write_feed("a", folder=str(tmp_path / "feed"))
    with db.epoch() as e:
        e.remove_rule("L1")
        e.add_rule("z(X) :- a(X, _).")
    told = [(2, 1, (1, 2.5)), (3, -1, (1, 2.5))]
    assert [tuple(change) for change in db.changes("a")] == told
    db.write_feed("a", folder=str(tmp_path / "late"))
    for folder in ("feed", "late"):
        rows = pq.read_table(tmp_path / folder).to_pylist()
        assert [(row["epoch"], row["change"], tuple(row.values())[:2]) for row in rows] == told
    db.close()
    with Engine(path=tmp_path / "state") as again:
        assert [tuple(change) for change in again.changes("a")] == told
    with Engine(path=tmp_path / "state") as again:
        with again.epoch() as e:
            e.remove_rule("r1")
        assert "a" not in again.relations


STRUCTURES = """
.type Cell = [head: number, tail: Cell]
.type Tree = Leaf {v: number} | Node {l: Tree, r: Tree} | Empty {}
.type Item = [w: float, s: symbol, t: Tree]
.type Bag = [all: list, item: Item]
.decl cell(x: Cell)
.decl item(x: Item, y: Tree)
.decl bag(x: Bag)
.decl both(x: Cell, y: Item, z: Tree)
both(x, y, z) :- cell(x), item(y, z).
"""
PAIRED = "PAIRED: both(x, nil, z) :- cell(x), item(_, z)."


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_history_of_a_view_is_what_its_epochs_reported(tmp_path: Path, partitions: int, seed: int) -> None:
    rng = Random(seed)
    reported: dict[str, list[tuple[int, int, str]]] = {"cell": [], "both": [], "bag": []}
    db = Engine(STRUCTURES, path=tmp_path / "state", partitions=partitions)
    for number in range(8):
        with db.epoch() as e:
            for sign in (e.insert, e.delete):
                sign("cell", [(random_structure(rng, CELL),) for _ in range(2)])
                rows = [(random_structure(rng, ITEM), random_structure(rng, TREE)) for _ in range(2)]
                sign("item", rows)
            e.insert("bag", [((("a", (number, 0.5)), random_structure(rng, ITEM)),)])
            if number in (2, 5):
                e.add_rule(PAIRED)
            if number in (3, 6):
                e.remove_rule("PAIRED")
        for view, found in reported.items():
            assert e.number is not None
            found += sorted((e.number, sign, repr(row)) for sign, row in e.changes[view].signed)
        if number == 4:
            db.close()
            db = Engine(path=tmp_path / "state", partitions=rng.choice([1, 2]))
    for _ in range(2):
        for view, found in reported.items():
            assert sorted((epoch, sign, repr(row)) for epoch, sign, row in db.changes(view)) == sorted(found)
            inserted = next(c for c in reversed(db.changes(view)) if c.sign > 0)
            assert db.blame((view, inserted.fact), epoch=inserted.epoch).what == "added"  # type: ignore[union-attr]
        db.close()
        db = Engine(path=tmp_path / "state")
    db.close()


@pytest.mark.parametrize("partitions", [1, 2])
def test_blame_over_the_folder_finds_the_epoch_of_a_record(tmp_path: Path, partitions: int) -> None:
    program = ".type P = [a: number, b: number]\n.decl p(x: P) .decl q(x: P)\nq(x) :- p(x)."
    db = Engine(program, path=tmp_path / "state", partitions=partitions)
    with db.epoch() as e:
        e.insert("p", [((1, 2),), (None,)])
    assert sorted(map(repr, db.changes("q"))) == sorted(
        ["Change(epoch=2, sign=1, fact=(P(a=1, b=2),))", "Change(epoch=2, sign=1, fact=(None,))"]
    )
    assert str(db.blame("q([1, 2])")).startswith("q([1, 2]) was added in epoch 2")
    assert "q +2 -0 in epoch 2" in str(db.blame("q"))
    db.close()


def test_a_feed_that_starts_late_is_written_from_the_history_with_records(tmp_path: Path) -> None:
    with Engine(STRUCTURES, path=tmp_path / "state") as db:
        with db.epoch() as e:
            e.insert("item", [((1.5, "a, b", Variant("Leaf", 1)), Variant("Empty"))])
        with db.epoch() as e:
            e.insert("cell", [(None,), ((1, None),)])
        db.write_feed("both", folder=str(tmp_path / "late"))
        rows = pq.read_table(tmp_path / "late").to_pylist()
    found = {(row["x"], row["y"], row["z"], row["change"]) for row in rows}
    item = '[1.5, "a, b", $Leaf(1)]'
    assert found == {("nil", item, "$Empty", 1), ("[1, nil]", item, "$Empty", 1)}
