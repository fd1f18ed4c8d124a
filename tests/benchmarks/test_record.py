"""Results as JSON: what is written is read back, verdicts are next to targets, and no path is recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.measure import Duration
from benchmarks.options import Options
from benchmarks.record import (
    HEADLINE,
    Record,
    Target,
    Value,
    clocked,
    from_json,
    median_of,
    read_runs,
    run_of,
    to_json,
    write_run,
)

VALUES = (
    Value(HEADLINE, 3.5, "x DuckDB", target=Target(2.5)),
    Value("speed-up", 1.75, "x", target=Target(1.5, floor=True), better="higher"),
    *clocked("change", [Duration(3.0, 1.0), Duration(5.0, 2.0), Duration(4.0, 9.0)], "ms"),
)
RECORD = Record("build", "a grid", VALUES, {"rows": 7, "months": ["199901", "200404"]}, ("left out",), "build-grid")
RUN = run_of("engine", ("engine/build-grid",), Options(quick=True, data=Path("/far/away/lubm1.tsv.gz")), [RECORD])


def test_what_is_written_is_read_back() -> None:
    assert from_json(to_json(RUN)) == RUN


def test_files_are_called_after_groups(tmp_path: Path) -> None:
    assert write_run(RUN, tmp_path / "new").name == "engine.json"
    assert read_runs(tmp_path / "new") == read_runs(tmp_path / "new" / "engine.json") == {"engine": RUN}


def test_json_tells_verdicts_beside_targets() -> None:
    plain = json.loads(to_json(RUN))["records"][0]["values"]
    assert [value["met"] for value in plain] == [False, True, None, None]
    assert plain[0]["target"] == {"limit": 2.5, "floor": False}


def test_repetitions_stand_on_one_line_with_their_median() -> None:
    assert '"runs": [1000.0, 2000.0, 9000.0]' in to_json(RUN)
    assert (RECORD["change"], RECORD.wall("change")) == (2000.0, 4000.0)
    assert median_of("x", [3.0, 1.0, 2.0], "s").value == 2.0


def test_files_are_told_by_name_only() -> None:
    assert RUN.command == "python -m benchmarks engine/build-grid --quick --data lubm1.tsv.gz"
    assert "far/away" not in to_json(RUN)


def test_another_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format 2 is not the one that is read here: 1"):
        from_json(to_json(RUN).replace('"format": 1', '"format": 2'))
