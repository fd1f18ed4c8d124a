"""The law of blame on random histories: undoing the causes alone undoes the change, and none can be left out.

Programs with negation, aggregates, recursion and changes of rules; the judge is evaluation from scratch. It cannot
notice that another minimal set would have been a better answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.blame.judge import Judge
from tests.law.harness import Case, commit, tell
from tests.law.share import share
from tidelog.blame import Blame
from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch, kept_input
from tidelog.errors import TidelogError
from tidelog.plan.ruleset import Ruleset
from tidelog.syntax import parse_program, print_program
from tidelog.testing import EpochChanges, State

CASES = share(20, 2)
ASKED = 2  # facts of each relation, in each epoch

Act = Callable[[Engine, EpochChanges, str], Epoch]


def told(seed: int, kind: str, act: Act, **options: object) -> Iterator[tuple[Engine, Epoch, Judge]]:
    """Every epoch of a random history once it has been committed."""
    case = Case.random(seed, kind)
    convention, state = case.program.convention, State.start(case.program)
    with Engine(parse_program(print_program(case.program)), **options) as db:  # type: ignore[arg-type]
        for change in case.changes:
            before: Ruleset = core_of(db).rules
            after = state.after(change)
            try:
                epoch = act(db, change, convention)
            except TidelogError:
                return
            ran = kept_input(epoch)
            assert ran is not None
            yield db, epoch, Judge(state, after, (before, ran.after))
            state = after


def asked_rows(epoch: Epoch, rng: Random) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Some of the facts that an epoch changed."""
    for name in epoch.changes:
        rows = [row for _, row in epoch.changes[name].signed]
        rng.shuffle(rows)
        yield from ((name, row) for row in rows[:ASKED])


def preview(db: Engine, change: EpochChanges, convention: str) -> Epoch:
    """An epoch that is tried out."""
    epoch = db.epoch()
    tell(epoch, change, convention)
    db.preview(epoch)
    return epoch


def is_blamed(epoch: Epoch, judge: Judge, name: str, row: tuple[object, ...]) -> None:
    blame = epoch.blame((name, row))
    assert isinstance(blame, Blame)
    judge.check(blame, name, row)


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("seed", range(CASES))
def test_causes_undo_a_change_and_none_can_be_left_out(seed: int, kind: str) -> None:
    for _, epoch, judge in told(seed, kind, commit):
        for name, row in asked_rows(epoch, Random(seed)):
            is_blamed(epoch, judge, name, row)


@pytest.mark.parametrize("seed", range(1000, 1000 + CASES))
def test_preview_is_blamed_as_its_commit_would_be(seed: int) -> None:
    for db, epoch, judge in told(seed, "all", preview):
        for name, row in asked_rows(epoch, Random(seed)):
            is_blamed(epoch, judge, name, row)
        again = db.epoch()
        again.collected = epoch.collected
        again.commit()


@pytest.mark.parametrize("seed", range(2000, 2000 + (CASES + 1) // 2))
def test_several_partitions_are_blamed_alike(seed: int) -> None:
    for _, epoch, judge in told(seed, "all", commit, partitions=2):
        for name, row in asked_rows(epoch, Random(seed)):
            is_blamed(epoch, judge, name, row)


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("seed", range(3000, 3000 + (CASES + 2) // 3))
def test_past_epochs_are_blamed_from_the_state_folder(seed: int, partitions: int, tmp_path: Path) -> None:
    past = []
    for _, epoch, judge in told(seed, "all", commit, path=tmp_path / "state", partitions=partitions):
        past.append((epoch.number, judge, list(asked_rows(epoch, Random(seed)))))
    with Engine(path=tmp_path / "state", at=-1) as db:
        for number, judge, rows in past:
            for name, row in rows[:4]:
                blame = db.blame((name, row), epoch=number)
                assert isinstance(blame, Blame)
                assert blame.origin.epoch == number
                judge.check(blame, name, row)


@pytest.mark.parametrize("seed", range(4000, 4000 + (CASES + 2) // 3))
def test_several_epochs_together_are_blamed_net(seed: int, tmp_path: Path) -> None:
    judges = [judge for _, _, judge in told(seed, "all", commit, path=tmp_path / "state")]
    if not judges:
        return
    with Engine(path=tmp_path / "state", at=-1) as db:
        judge = Judge(judges[0].before, judges[-1].after, (judges[0].rules[0], judges[-1].rules[1]))
        since, final = db.epoch_number - len(judges), judge.after.model()
        for name in final:
            for row in sorted(final[name] ^ judge.model.get(name, frozenset()), key=repr)[:ASKED]:
                blame = db.blame((name, row), since=since)
                assert isinstance(blame, Blame)
                judge.check(blame, name, row)
                assert all(since < (change.origin.epoch or 0) for change in blame.changes)
