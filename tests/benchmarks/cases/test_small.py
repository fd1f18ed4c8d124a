"""What threads gain and what an epoch costs outside of compiled code: compared with something, shown on the page."""

from __future__ import annotations

import pytest
from benchmarks.cases.overhead import overhead
from benchmarks.cases.threads import STATES, threads
from benchmarks.options import Options
from benchmarks.report.engine import DETAILS, label


@pytest.fixture
def quick() -> Options:
    return Options(quick=True, repeat=1)


def test_threads_are_measured_beside_engines_that_share_nothing(quick: Options) -> None:
    records = list(threads(quick))
    assert len(records) == len(STATES)
    assert all(record["two engines side by side"] > 0 and record.headline for record in records)
    assert all(label(record) and "side by side" in DETAILS[record.kind](record) for record in records)


def test_an_epoch_is_compiled_code_and_the_rest(quick: Options) -> None:
    for record in overhead(quick):
        assert record.headline is not None
        assert record.headline.target is not None
        assert 0 < record["compiled"] < record["epoch"]
        assert record.headline.value == pytest.approx(record["epoch"] - record["compiled"])
        assert "compiled" in DETAILS[record.kind](record)
