"""Checks with facts that are not stored: what `what_if` and a commit say, and nothing remains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

import pytest

from tests.law.harness import Case, commit, counts_of, tell
from tests.law.share import share
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import TidelogError
from tidelog.testing.changes import EpochChanges

CASES = share(16, 16)
BLOCK = 8
PARTITIONS = (1, 2)


def only_facts(change: EpochChanges) -> EpochChanges:
    return EpochChanges(change.inserts, change.deletes)


def rows_of(db: Engine, rng: Random) -> dict[str, list[tuple[object, ...]]]:
    """Some rows of each relation that has types: present ones and others."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for name in db.relations:
        there = sorted(db[name], key=repr)
        if there and len(there[0]):
            columns: Sequence[Sequence[object]] = list(zip(*there, strict=True))
            mixed = [tuple(rng.choice(column) for column in columns) for _ in range(10)]
            found[name] = [*there[:20], *mixed]
    return found


@pytest.mark.parametrize("kind", ["plain", "all", "times"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_given_facts_have_the_effect_of_a_commit(first: int, kind: str) -> None:
    differing = 0
    for seed in range(23 * 10**6 + first, 23 * 10**6 + first + BLOCK):
        case, rng = Case.random(seed, kind), Random(seed)
        convention = case.program.convention
        with Engine(case.program, partitions=rng.choice(PARTITIONS)) as db:
            for change in case.changes:
                facts, asked = only_facts(change), rows_of(db, rng)
                before, texts = counts_of(db), len(core_of(db).dictionary.entries)
                try:
                    tried = db.what_if(partial(tell, change=facts, convention=convention))
                    found = db.contains(asked, given=partial(tell, change=facts, convention=convention))
                except TidelogError:
                    tried = None
                assert counts_of(db) == before, f"seed {seed}"
                assert len(core_of(db).dictionary.entries) >= texts
                now = db.contains(asked)
                if tried is not None and tried.refused is None:
                    for name, rows in asked.items():
                        would = set(tried[name]) if name in tried.changes else set(db[name])
                        assert found[name].tolist() == [row in would for row in rows], f"seed {seed}, {name}\n{case}"
                        differing += found[name].tolist() != now[name].tolist()
                commit(db, change, convention)
    assert differing


def test_texts_of_given_facts_are_dropped() -> None:
    with Engine('hello(X, cat(X, Y)) :- name(X), greeting(Y).  greeting("!").  name("ann").') as db:
        entries = core_of(db).dictionary.entries
        before = len(entries)
        for n in range(100):
            asked = {"hello": [(f"x{n}", f"x{n}!"), (f"x{n}", f"y{n}!"), ("ann", "ann!")]}
            found = db.contains(asked, given=lambda e, n=n: e.insert("name", [(f"x{n}",)]))
            assert found["hello"].tolist() == [True, False, True]
            assert len(entries) == before
        assert sorted(db["name"]) == [("ann",)]


def test_constraints_are_not_checked_and_errors_change_nothing() -> None:
    with Engine("p(X) :- q(X).  :- q(X), X > 3.  r(X / Y) :- q(X), d(Y).  d(1).  q(0).") as db:
        assert db.contains({"p": [(4,)]}, given="+q(4).")["p"].tolist() == [True]
        with pytest.raises(TidelogError, match="zero"):
            db.contains({"p": [(4,)]}, given="+d(0).")
        assert db.contains({"p": [(4,), (0,)]})["p"].tolist() == [False, True]
        assert db.epoch_number == 1


def test_keys_replace_and_unknown_relations_are_refused() -> None:
    program = "materialize(at, infinity, infinity, keys(1)).  seen(P) :- at(_, P).  "
    with Engine(program + 'at("ann", "home").') as db:
        asked = {"seen": [("home",), ("work",)], "at": [("ann", "home"), ("ann", "work")]}
        found = db.contains(asked, given=lambda e: e.insert("at", [("ann", "work")]))
        assert {name: rows.tolist() for name, rows in found.items()} == {"seen": [False, True], "at": [False, True]}
        with pytest.raises(TidelogError):
            db.contains({"nowhere": [(1,)]}, given="")
