"""`python -m benchmarks.network` gives its table and plot by one command, and names what it skips."""

import importlib.util
import sys
from pathlib import Path

import pytest

from benchmarks import network


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs the bench extra (matplotlib)")
def test_one_command_writes_table_and_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "triangle.tsv").write_text("a\tb\nb\tc\nc\ta\n")
    (tmp_path / "history.tsv").write_text("200001\t+\ta\tb\n200002\t+\tb\tc\n200003\t-\ta\tb\n")
    options = [f"--topologies={tmp_path}", f"--replay={tmp_path / 'history.tsv'}", f"--out={tmp_path}", "--limit=60"]
    monkeypatch.setattr(sys, "argv", ["network", *options])
    monkeypatch.setattr(network, "BUILT_IN", ())
    network.main()
    assert "skipped: history.tsv is not a file of links" in capsys.readouterr().out
    table = (tmp_path / "network.md").read_text()
    assert "| triangle (3 nodes, 3 links) " in table
    assert "> 6" in table
    assert "| ranked | 3 | 200001 | 200003 |" in table
    assert (tmp_path / "network.png").stat().st_size > 10_000


def test_absent_files_are_skipped_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert network._files(tmp_path / "absent", 10) == []
    assert network._replayed(tmp_path / "absent.tsv", 10) == {}
    said = capsys.readouterr().out
    assert "skipped: real networks" in said
    assert "skipped: replay" in said
