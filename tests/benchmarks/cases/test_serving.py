"""The server's cases: they run, compare every answer, and their page is made of what they found."""

from __future__ import annotations

import pytest
from benchmarks.cases.served import LENGTH, chains
from benchmarks.cases.serving import GROUP, _recomputed
from benchmarks.options import Options
from benchmarks.record import Record


def test_the_peer_finds_the_same_rows() -> None:
    assert len(chains(3)) == 3 * LENGTH
    assert _recomputed(2, 0.01) > 0


@pytest.mark.long
def test_every_case_of_the_server_runs() -> None:
    found: list[Record] = []
    for case in GROUP.cases.values():
        found += case.run(Options(quick=True, repeat=1, epochs=50))
    found = [record for record in found if record.kind != "rates"]  # none without wrk
    assert [record.kind for record in found] == ["reads", "feeds", "memory"]
    assert all(value.value >= 0 for record in found for value in record.values)
    assert found[0].facts["rows"] == 5 * LENGTH * (LENGTH + 1) // 2
