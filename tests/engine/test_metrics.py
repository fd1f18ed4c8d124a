"""Numbers for a monitor, and a line of the log per epoch."""

from __future__ import annotations

import logging
import re

import pytest

from tidelog import Engine
from tidelog.errors import EngineError, EvaluationError

REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z). bad(X / Y) :- divide(X, Y)."


def read(page: str) -> dict[str, float]:
    """The numbers of a page, each of which has a word of help and a type."""
    found = {}
    for line in page.splitlines():
        if not line.startswith("#"):
            name, value = re.fullmatch(r'(tidelog_\w+(?:\{relation="[^"]*"\})?) (\S+)', line).groups()  # type: ignore[union-attr]  # else it fails
            found[name] = float(value)
            assert f"# TYPE {name.partition('{')[0]} " in page
    return found


@pytest.mark.parametrize("partitions", [1, 3])
def test_page_counts_what_epochs_did(partitions: int) -> None:
    with Engine(REACH, partitions=partitions) as db:
        before = read(db.metrics())
        with db.epoch() as epoch:
            epoch.insert("edge", [(i, i + 1) for i in range(20)])
        with pytest.raises(EvaluationError), db.epoch() as epoch:
            epoch.insert("divide", [(1, 0)])
        after = read(db.metrics())
        assert after["tidelog_epochs_total"] == before["tidelog_epochs_total"] + 1
        assert after["tidelog_failed_total"] == 1
        assert after["tidelog_epoch"] == db.epoch_number
        assert after['tidelog_facts{relation="reach"}'] == 210
        assert after["tidelog_partitions"] == partitions
        assert after["tidelog_supports_total"] >= 210
        assert after["tidelog_seconds_total"] > before["tidelog_seconds_total"]
        assert (after["tidelog_messages_total"] > 0) == (after["tidelog_sent_bytes_total"] > 0)
        assert (after["tidelog_exchanges_total"] > 0) == (partitions > 1)
        assert 1 <= after["tidelog_last_epoch_skew"] <= partitions
    with pytest.raises(EngineError, match="closed"):
        db.metrics()


def test_another_number_of_partitions_is_an_epoch_like_others(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tidelog"), Engine(REACH, partitions=2) as db:
        caplog.clear()
        before = read(db.metrics())
        db.repartition(3)
        after = read(db.metrics())
        assert after["tidelog_epochs_total"] == before["tidelog_epochs_total"] + 1
        assert after["tidelog_epoch"] == before["tidelog_epoch"] + 1
        (line,) = [record.getMessage() for record in caplog.records if record.name == "tidelog"]
        assert line.startswith(f"epoch {db.epoch_number}: 2 to 3 partitions: ")


def test_a_line_of_the_log_tells_of_every_epoch(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "tidelog"), Engine(REACH) as db:
        caplog.clear()
        with db.epoch() as epoch:
            epoch.insert("edge", [(1, 2)])
        with pytest.raises(EvaluationError), db.epoch() as epoch:
            epoch.insert("divide", [(1, 0)])
        lines = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "tidelog"]
        assert [level for level, _ in lines] == ["INFO", "WARNING"]
        assert lines[0][1].startswith(f"epoch {db.epoch_number}: ")
        assert "1 supports, 2 relations changed" in lines[0][1]
        assert lines[1][1] == f"epoch {db.epoch_number + 1} failed: EvaluationError"
