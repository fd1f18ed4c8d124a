"""The benchmark of starting runs all its processes and writes its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.cases.starting import STARTS, Start, run
from benchmarks.outcome import Disagreement
from benchmarks.record import read_run

from benchmarks.cases import starting


def test_every_process_is_timed_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "QUICK", 1)
    main(["starting", "--quick", "--out", str(tmp_path), "--write"])
    found = read_run(tmp_path / "starting.json").of("start")
    assert [record.title for record in found] == list(STARTS)
    assert all(0 < record["start"] < 60 for record in found)
    assert "| tidelog check |" in (tmp_path / "starting.md").read_text()


def test_a_process_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Disagreement, match="ends with 3"):
        run(Start(("-c", "raise SystemExit(3)")), tmp_path)
