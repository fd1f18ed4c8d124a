"""Lifetimes under random histories: who lives at every time is who a judge says that recomputes it from the history.

The judge keeps no state between epochs but the list of changes: for every fact the ends that insertions set,
put off by later ones, forgotten by deletions and by its end. Tables of a bounded size lose the facts that were inserted
or refreshed longest ago. Histories hold insertions with and without ends, refreshes, deletions, both in one epoch,
epochs without a time, failed epochs, restarts, previews, and rules that come and go; the engine has one partition or
three, and keeps its views of what lives true.
What this notices: a fact that outlives its end or dies early, a refresh that is lost, an end that a restart forgets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from tests.law.share import share
from tidelog import Engine, EngineError

CASES = share(8, 12)
PROGRAM = """
materialize(link, 10, {size}, keys(1, 2)).
.lifetime ping 5s
seen(X) :- ping(X).
both(X) :- ping(X), link(X, _), !quiet(X).
many(N) :- N = count : {{ ping(_) }}.
"""
FOREVER = float("inf")
LIVES = {"ping": 5, "link": 10, "plain": None}
Row = tuple[int, ...]


@dataclass
class Judge:
    """Who lives: ends and last insertions by relation and row."""

    size: int | None
    now: int = 0
    ends: dict[tuple[str, Row], float] = field(default_factory=dict)
    ages: dict[tuple[str, Row], int] = field(default_factory=dict)

    def epoch(self, number: int, at: int | None, changes: list[tuple[int, str, Row, int | None]]) -> None:
        """What an epoch makes of it."""
        self.now = self.now if at is None else at
        signs: dict[tuple[str, Row], int] = {}
        told: dict[tuple[str, Row], list[float]] = {}
        for sign, name, row, until in changes:
            signs[name, row] = signs.get((name, row), 0) + sign
            if sign > 0 and until is not None:
                told.setdefault((name, row), []).append(until)
        for fact, sign in signs.items():
            if sign < 0:
                self.ends.pop(fact, None)
            elif sign > 0:
                life = LIVES[fact[0]]
                end = max(told.get(fact, [FOREVER if life is None else self.now + life]))
                self.ends[fact] = max(end, self.ends.get(fact, end))
                self.ages[fact] = number
        self.ends = {fact: end for fact, end in self.ends.items() if end > self.now}
        links = [fact for fact in self.ends if fact[0] == "link"]
        if self.size is not None and len(links) > self.size:
            oldest = sorted(links, key=lambda fact: (self.ages[fact], fact[1]))
            for fact in oldest[: len(links) - self.size]:
                del self.ends[fact]

    def alive(self, name: str) -> set[Row]:
        """The facts of a relation."""
        return {row for n, row in self.ends if n == name}


def random_changes(rng: Random, now: int) -> list[tuple[int, str, Row, int | None]]:
    """Signed facts with ends, some of them inserted twice."""
    found = []
    for _ in range(rng.randrange(6)):
        name = rng.choice(["ping", "ping", "link", "plain"])
        row = tuple(rng.randrange(4) for _ in range(2 if name == "link" else 1))
        until = now + rng.randrange(-2, 12) if rng.random() < 0.3 else None
        found.append((rng.choice([1, 1, 1, -1]), name, row, until))
    return found


def tell(epoch: object, changes: list[tuple[int, str, Row, int | None]]) -> None:
    for sign, name, row, until in changes:
        if sign > 0:
            epoch.insert(name, [row], until=until)  # type: ignore[attr-defined]
        else:
            epoch.delete(name, [row])  # type: ignore[attr-defined]


def check(db: Engine, judge: Judge) -> None:
    for name in LIVES:
        assert set(db[name]) == judge.alive(name), name
    assert set(db["seen"]) == judge.alive("ping")
    links, quiet = {x for x, _ in judge.alive("link")}, set(db["quiet"])
    assert set(db["both"]) == {(x,) for (x,) in judge.alive("ping") if x in links and (x,) not in quiet}
    assert set(db["many"]) == {(len(judge.alive("ping")),)}
    assert db.time == judge.now


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("size", [None, 3])
def test_who_lives_is_who_the_history_says(partitions: int, size: int | None, tmp_path: Path) -> None:
    ended = 0
    for seed in range(CASES):
        rng, judge, folder = Random(f"{seed}/{partitions}/{size}"), Judge(size), tmp_path / str(seed)
        program = PROGRAM.format(size=size or "infinity")
        db = Engine(program + "known(X) :- plain(X).", path=folder, partitions=partitions)
        with db.epoch() as e:
            e.insert("quiet", [(3,)])
            e.insert("plain", [(9,)])
        judge.epoch(db.epoch_number, None, [(1, "plain", (9,), None)])
        for step in range(12):
            at = judge.now + rng.randrange(6) if rng.random() < 0.8 else None
            changes = random_changes(rng, judge.now if at is None else at)
            if rng.random() < 0.2:
                fail(db, at, changes)
            if rng.random() < 0.2:
                db.close()
                db = Engine(path=folder, partitions=partitions)
            with db.epoch(at=at) as e:
                tell(e, changes)
                if step == 6:
                    e.add_rule("other(X) :- ping(X), plain(X).")
            judge.epoch(db.epoch_number, at, changes)
            ended += sum(e.ended.values())
            try:
                check(db, judge)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {step}: {error}") from error
        assert db.verify()
        assert not [name for name in db.relations if name.startswith("__")]
        db.close()
    assert ended > CASES  # else nothing was tried


def fail(db: Engine, at: int | None, changes: list[tuple[int, str, Row, int | None]]) -> None:
    """An epoch that is previewed, and one that fails: neither leaves a trace."""
    before = db.state()
    epoch = db.epoch(at=at)
    tell(epoch, changes)
    db.preview(epoch)
    with pytest.raises(EngineError), db.epoch(at=at) as epoch:
        tell(epoch, changes)
        epoch.insert("seen", [(1,)], until=99)
    assert db.state() == before


def test_history_knows_who_lived(tmp_path: Path) -> None:
    db = Engine(PROGRAM.format(size="infinity"), path=tmp_path)
    for at, who in ((1, 1), (3, 2), (7, 3)):
        with db.epoch(at=at) as e:
            e.insert("ping", [(who,)])
    alive = {
        epoch: (Engine(path=tmp_path, at=epoch).time, set(Engine(path=tmp_path, at=epoch)["ping"]))
        for epoch in (2, 3, 4)
    }
    assert alive == {2: (1, {(1,)}), 3: (3, {(1,), (2,)}), 4: (7, {(2,), (3,)})}
