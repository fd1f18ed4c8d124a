"""Small sessions in local mode: as many partitions as fit, none of them if need be, and a word about it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.spark.apart import run_apart
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import TidelogWarning
from tidelog.spark.session.session import open_session


@pytest.mark.long
def test_sessions_with_one_and_two_slots_hold_an_engine() -> None:
    for master, partitions, words in (
        (
            "local[1]",
            0,
            "local[1] has 1 task slot, but 2 partitions need 3: this engine runs its only partition in the driver",
        ),
        ("local[2]", 1, "local[2] has 2 task slots, but 2 partitions need 3: this engine has 1"),
    ):
        output, resident, rows = run_apart(hold, master)
        assert output.startswith(words)
        assert resident == partitions
        assert rows == [(0,), (1,), (2,)]


@pytest.mark.long
def test_a_state_of_more_partitions_than_fit_is_opened_with_fewer(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X).", path=tmp_path, partitions=6) as db, db.epoch() as epoch:
        epoch.insert("q", [(n,) for n in range(20)])
    output, resident, rows = run_apart(open_again, "local[4]", str(tmp_path))
    assert output.startswith("local[4] has 4 task slots, but 6 partitions need 7: this engine has 3")
    assert (resident, rows) == (3, 20)


def open_again(master: str, folder: str) -> tuple[str, int, int]:
    """A state whose number of partitions is not given, in a session that is too small for it."""
    spark = open_session(2, master=master)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        db = Engine(path=folder, spark=spark)
    with db:
        found = core_of(db).runtime.partitions, len(db["p"])
    spark.stop()
    (only,) = [str(each.message) for each in caught if each.category is TidelogWarning]
    return only, *found


def hold(master: str) -> tuple[str, int, list[Any]]:
    """An engine for two partitions, with rows of a DataFrame, in a session that is too small."""
    spark = open_session(2, master=master)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        db = Engine("p(X) :- q(X).", spark=spark, partitions=2)
    output = [str(each.message) for each in caught if each.category is TidelogWarning]
    with db:
        with db.epoch() as epoch:
            epoch.insert("q", spark.range(3))
        resident = core_of(db).runtime.partitions if core_of(db).runtime.session is not None else 0
        assert db["p"].to_spark().count() == 3
        rows = sorted(db["p"])
    spark.stop()
    (only,) = output
    return only, resident, rows
