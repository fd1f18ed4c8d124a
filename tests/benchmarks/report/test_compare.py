"""Two runs side by side: ratios beyond the threshold count as better or worse, by what is better for each value."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.options import Options
from benchmarks.record import Record, Run, Value, run_of, write_run
from benchmarks.report.compare import page, ratios
from benchmarks.report.table import page_text


def found(build: float, gain: float, rows: int = 7, case: str = "build-grid") -> Run:
    values = Value("build", build, "s", "cpu"), Value("gain", gain, "%", better="higher")
    return run_of("engine", ("engine",), Options(), [Record("build", "a grid", values, {"rows": rows}, case=case)])


def test_slower_and_less_gain_are_worse() -> None:
    told = [each.verdict(1.25) for each in ratios({"engine": found(1.0, 50.0)}, {"engine": found(2.0, 20.0)})]
    assert told == ["worse", "worse"]


def test_faster_and_more_gain_are_better() -> None:
    told = [each.verdict(1.25) for each in ratios({"engine": found(2.0, 20.0)}, {"engine": found(1.0, 50.0)})]
    assert told == ["better", "better"]


def test_what_is_within_the_threshold_is_noise() -> None:
    before, after = {"engine": found(1.0, 50.0)}, {"engine": found(1.2, 45.0)}
    assert [each.verdict(1.25) for each in ratios(before, after)] == ["", ""]
    assert "2 values: 0 worse and 0 better by more than 1.25 x; times are 1.20 x" in page_text(
        page(before, after, 1.25, changed=False)
    )


def test_a_value_of_zero_has_no_ratio() -> None:
    (build, _) = ratios({"engine": found(0.0, 50.0)}, {"engine": found(1.0, 50.0)})
    assert (build.ratio, build.verdict(1.25)) == (None, "")


def test_cases_of_one_run_only_and_sizes_that_differ_are_told() -> None:
    text = page_text(page({"engine": found(1.0, 50.0)}, {"engine": found(1.0, 50.0, rows=8)}, 1.25, changed=True))
    assert "| engine/build-grid | a grid | rows | 7 | 8 |" in text
    text = page_text(page({"engine": found(1.0, 5.0)}, {"engine": found(1.0, 5.0, case="edge")}, 1.25, changed=True))
    assert "Only in the first run: engine/build-grid." in text
    assert "Only in the second run: engine/edge." in text


def test_other_options_are_told() -> None:
    quick = run_of("engine", ("engine",), Options(quick=True), [])
    text = page_text(page({"engine": found(1.0, 50.0)}, {"engine": quick}, 1.25, changed=True))
    assert "engine: the options differ, {} and {'quick': True}." in text


def test_the_command_compares_a_file_with_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write_run(found(1.0, 50.0), tmp_path / "first")
    write_run(found(3.0, 50.0), tmp_path / "second")
    main(["compare", str(first), str(tmp_path / "second"), "--changed"])
    shown = capsys.readouterr().out
    assert "1 worse and 0 better" in shown
    assert "3.00" in shown


def test_the_command_refuses_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no such file or folder"):
        main(["compare", str(tmp_path / "absent"), str(tmp_path)])
