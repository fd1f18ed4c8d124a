"""Reading: every peer returns the same answers, and reads beside a writer are reported for every number of readers."""

from __future__ import annotations

import pytest
from benchmarks.cases.reading import GROUP, READERS, microseconds
from benchmarks.options import Options
from benchmarks.outcome import Disagreement


def test_every_reading_has_a_peer() -> None:
    records = list(GROUP.cases["alone"].run(Options(quick=True, repeat=1)))
    assert [record.title for record in records][:2] == ["len", "a row in the view"]
    assert all({"Tidelog", "DuckDB", "SQLite"} <= {value.name for value in record.values} for record in records)


def test_readers_and_the_writer_are_counted() -> None:
    records = list(GROUP.cases["beside"].run(Options(quick=True, repeat=1)))
    assert [record.facts["readers"] for record in records] == list(READERS)
    assert all(record["epochs"] > 0 for record in records)
    assert all(record["look-ups alone"] > 0 for record in records[1:])


def test_a_wrong_answer_is_told() -> None:
    with pytest.raises(Disagreement, match="1 was read, 2 is held"):
        microseconds(lambda: 1, 2, 0.0)
