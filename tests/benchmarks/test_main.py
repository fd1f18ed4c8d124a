"""The one entry: cases are listed, a run writes JSON and shows its page, pages are made from JSON again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from benchmarks.cases.catalogue import listed
from benchmarks.options import Options
from benchmarks.record import Record, Value, read_run

from benchmarks import __main__ as entry


def test_the_list_has_every_case_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    entry.main(["--list"])
    lines = capsys.readouterr().out.splitlines()
    for full, case in listed():
        assert any(line.split()[0] == full and case.line in line for line in lines)


def test_a_run_writes_json_and_shows_its_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry.main(["language", "--quick", "--repeat", "1", "--out", str(tmp_path)])
    shown = capsys.readouterr()
    assert "read 400 rules" in shown.out
    assert "language/program: done after" in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["language.json"]


def test_a_page_made_again_from_json_is_the_same(tmp_path: Path) -> None:
    entry.main(["language", "--quick", "--repeat", "1", "--out", str(tmp_path), "--write"])
    page = tmp_path / "language.md"
    written = page.read_text()
    page.unlink()
    entry.main(["page", str(tmp_path)])
    assert page.read_text() == written


def test_a_case_measured_again_keeps_the_results_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def records_of(name: str, cases: Sequence[str], options: Options) -> Iterator[Record]:
        for case in cases:
            yield Record("edge", f"title of {case}", (Value("measured", len(runs), "ms"),), case=case)

    runs: list[None] = []
    monkeypatch.setattr("benchmarks.run.records_of", records_of)
    monkeypatch.setattr("benchmarks.run.show", lambda *page: None)
    monkeypatch.setattr("benchmarks.run.page_of", lambda run: None)
    monkeypatch.setattr("benchmarks.run.write_page", lambda path: ())
    for cases in (["engine/edge", "engine/overhead", "engine/memory"], ["engine/overhead"], ["engine/overhead"]):
        entry.main([*cases, "--out", str(tmp_path), "--write"])
        runs.append(None)
    run = read_run(tmp_path / "engine.json")
    assert [(record.case, record["measured"]) for record in run.records] == [
        ("edge", 0),
        ("overhead", 2),
        ("memory", 0),
    ]
    assert run.command == (
        "python -m benchmarks engine/edge engine/overhead engine/memory; python -m benchmarks engine/overhead"
    )
    with pytest.raises(SystemExit, match="measured with other versions or sizes"):
        entry.main(["engine/overhead", "--quick", "--out", str(tmp_path), "--write"])
    assert read_run(tmp_path / "engine.json") == run


def test_results_are_kept_apart_unless_they_are_to_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, bool]] = []
    monkeypatch.setattr(entry, "run", lambda cases, options, out, pages: asked.append((out, pages)))
    entry.main(["edge"])
    entry.main(["edge", "--write"])
    assert asked == [(entry.SCRATCH, False), (entry.RESULTS, True)]


def test_a_repeat_of_zero_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        entry.main(["edge", "--repeat", "0"])
    assert "0 is not positive" in capsys.readouterr().err
