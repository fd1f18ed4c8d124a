"""A relation that goes leaves nothing behind, and may come again as something else.

Instances of random components, under one name, are added, filled, some with facts that end, and removed, with and
without restarts in between, on 1 and 2 partitions. After each removal the engine holds what one holds that never had
the instance, the state is certified, time goes on, and the feed of a view of the instance adds up to nothing.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random

import pyarrow.dataset as ds
import pytest

from tests.law.share import share
from tidelog import Engine, StateWarning

CASES = share(15, 8)
TURNS = 4
OUT = ".decl out(x: number)"
COMPONENTS = {
    "Plain": f".decl in(x: number) {OUT} out(x) :- in(x).",
    "Ending": f".decl in(x: number) .lifetime in 10s {OUT} out(x) :- in(x).",
    "Wide": f".decl in(x: number, y: number) .lifetime in 5s {OUT} out(x) :- in(x, y), !in(y, x).",
    "Chosen": f".decl in(x: number, y: number) choice-domain x {OUT} out(x) :- in(x, _).",
    "Same": f".decl in(x: number, y: number) eqrel {OUT} out(x) :- in(x, _).",
    "Best": f".decl in(x: number, y: number) in(x, v) <= in(x, w) :- w <= v. {OUT} out(y) :- in(_, y).",
    "Asked": f".decl in(x: number, y: number) .decl mid(x: number) magic mid(x) :- in(x, _). {OUT} out(x) :- mid(x).",
    "Counted": f".decl in(x: number) {OUT} out(n) :- n = count : {{ in(_) }}.",
    "Bound": f".decl in(x: number) {OUT} out(x) :- in(x). few: :- in(x), x > 99.",
}
NO_ENDS = ("Chosen", "Same", "Best")  # whose asserted facts are compared first
PROGRAM = ".decl other(x: number)\n" + "\n".join(f".comp {name} {{ {text} }}" for name, text in COMPONENTS.items())


def feed_sum(folder: Path, before: dict[int, int]) -> dict[int, int]:
    """What the files of a feed make of what was there before."""
    sums = dict(before)
    for row in ds.dataset(folder, partitioning="hive").to_table().to_pylist() if folder.exists() else ():
        sums[row["x"]] = sums.get(row["x"], 0) + row["change"]
    return {value: total for value, total in sums.items() if total}


@pytest.mark.parametrize("seed", range(CASES))
def test_an_instance_that_goes_leaves_nothing_behind(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    partitions, path = 1 + seed % 2, tmp_path / "state" if rng.random() < 0.7 else None
    db = Engine(PROGRAM, partitions=partitions, path=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", StateWarning)
        for turn in range(TURNS):
            kind, feed, at = rng.choice(sorted(COMPONENTS)), tmp_path / f"feed{turn}", turn * 10
            with db.epoch(at=at) as e:
                e.add_instance(f".init g = {kind}")
            before = {} if path is not None else {x: 1 for (x,) in db["g.out"]}  # without a history it begins here
            db.write_feed("g.out", folder=feed)
            width = len(db["g.in"].columns)
            for step in range(rng.randint(1, 3)):
                with db.epoch(at=at + step + 1) as e:
                    rows = [tuple(rng.randrange(4) for _ in range(width)) for _ in range(3)]
                    ends = rng.random() < 0.5 and kind not in NO_ENDS
                    e.insert("g.in", rows, until=at + rng.randrange(3, 30) if ends else None)
                assert feed_sum(feed, before) == {x: 1 for (x,) in db["g.out"]}
                if path is not None and rng.random() < 0.3:
                    db.close()
                    db = Engine(path=path, partitions=partitions)
                    db.write_feed("g.out", folder=feed)
            with db.epoch(at=at + 5) as e:
                e.remove_instance("g")
            assert db.relations == ("other",)
            assert feed_sum(feed, before) == {}
            with db.epoch(at=at + 6) as e:
                e.insert("other", [(turn,)])
            assert {name: len(rows) for name, rows in db.state().facts.items() if rows} == {
                "other": turn + 1,
                "__now": 1,
            }
            assert db.verify()
            if path is not None and rng.random() < 0.5:
                db.close()
                db = Engine(path=path, partitions=partitions)
        db.advance(1000)
        assert sorted(db["other"]) == [(turn,) for turn in range(TURNS)]
        db.close()


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("until", [None, 20])
def test_an_instance_whose_facts_end_can_be_removed(partitions: int, until: int | None) -> None:
    life = ".lifetime in 10s" if until is None else ""
    db = Engine(f".comp C {{ .decl in(x: number) {life} }}", partitions=partitions)
    with db.epoch(at=1) as e:
        e.add_instance(".init g = C")
    with db.epoch(at=2) as e:
        e.insert("g.in", [(1,)], until=until)
    with db.epoch(at=3) as e:
        e.remove_instance("g")
    assert list(e.changes["g.in"].deleted) == [(1,)]
    assert dict(db.advance(100).ended) == {}


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_relation_that_comes_again_with_other_columns_is_read_back(partitions: int, tmp_path: Path) -> None:
    program = ".comp C { .decl in(x: number) }  .comp D { .decl in(x: number, y: symbol) }"
    with Engine(program, path=tmp_path, partitions=partitions) as db:
        with db.epoch() as e:
            e.add_instance(".init g = C")
            e.insert("g.in", [(1,)])
        with db.epoch() as e:
            e.remove_instance("g")
        with db.epoch() as e:
            e.add_instance(".init g = D")
            e.insert("g.in", [(1, "a")])
        assert list(e.changes["g.in"].inserted) == [(1, "a")]
        history = [(c.epoch, c.sign, c.fact) for c in db.changes("g.in", since=3)]
    with Engine(path=tmp_path) as db:
        assert list(db["g.in"]) == [(1, "a")]
        assert [(c.epoch, c.sign, c.fact) for c in db.changes("g.in", since=3)] == history


@pytest.mark.parametrize("again", ["p(x: number)", "p(x: symbol)", "p(x: number, y: number)"])
@pytest.mark.parametrize("life", ["", ".lifetime p 10s"])
def test_a_declaration_that_goes_takes_its_facts_along(again: str, life: str, tmp_path: Path) -> None:
    rest = ".decl q(x: number)\nq(1).\n"
    with Engine(f".decl p(x: number) {life}\n{rest}", path=tmp_path) as db:
        with db.epoch(at=1) as e:
            e.insert("p", [(1,), (2,)])
        epoch, _ = db.epoch_to(rest)
        epoch.commit()
        assert sorted(epoch.changes["p"].deleted) == [(1,), (2,)]
        epoch, _ = db.epoch_to(f".decl {again}\n{rest}")
        epoch.commit()
        assert (db["p"].rows(), db["q"].rows()) == ([], [(1,)])
        assert db.verify()
    with Engine(path=tmp_path) as db:
        assert (db["p"].rows(), db["q"].rows()) == ([], [(1,)])
