"""Memos of sources: after every epoch, snapshot, restart and failure they are those of the last committed epoch."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tidelog import Engine, TidelogError
from tidelog.engine.engine import core_of
from tidelog.store.folder.scrub import scrub


@pytest.mark.parametrize("partitions", [1, 2])
def test_memos_are_those_of_the_last_committed_epoch(tmp_path: Path, partitions: int) -> None:
    chance = random.Random(partitions)
    wanted: dict[str, str] = {}
    at: dict[int, dict[str, str]] = {}
    db = Engine("p(X, Y / X) :- q(X, Y).", path=tmp_path / "s", partitions=partitions, history=None)
    for offset in range(40):
        changes = {
            f"m{chance.randrange(6)}": chance.choice([None, f"text {offset}"]) for _ in range(chance.randrange(4))
        }
        fails, repeats = chance.random() < 0.2, offset > 0 and chance.random() < 0.2
        try:
            with db.epoch("source", offset - repeats) as epoch:
                epoch.memos.update(changes)
                epoch.insert("q", [(0 if fails else 1, offset)])
        except TidelogError:
            assert fails
        if epoch.number is not None:
            wanted = {name: text for name, text in {**wanted, **changes}.items() if text is not None}
            at[epoch.number] = wanted
        elif not fails:
            assert repeats
        assert core_of(db).memos == wanted
        if chance.random() < 0.2:
            db.snapshot()
        if chance.random() < 0.2:
            db.close()
            db = Engine(path=tmp_path / "s", history=None)
    db.close()
    assert len(wanted) > 1
    assert not scrub(str(tmp_path / "s")).wrong
    for number in random.Random(1).sample(sorted(at), 5):
        with Engine(path=tmp_path / "s", at=number) as old:
            assert core_of(old).memos == at[number]


def test_an_engine_in_memory_has_memos() -> None:
    with Engine("") as db:
        with db.epoch("source", 1) as epoch:
            epoch.memos["a"] = "1"
        assert core_of(db).memos == {"a": "1"}
