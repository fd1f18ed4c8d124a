"""Networks: a table and a plot by one command, and what cannot be used is named."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from benchmarks.__main__ import main

from benchmarks.data import networks


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs the bench extra (matplotlib)")
def test_one_command_writes_table_and_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "triangle.tsv").write_text("a\tb\nb\tc\nc\ta\n")
    (tmp_path / "history.tsv").write_text("200001\t+\ta\tb\n200002\t+\tb\tc\n200003\t-\ta\tb\n")
    monkeypatch.setattr(networks, "BUILT_IN", ())
    options = [f"--topologies={tmp_path}", f"--replay={tmp_path / 'history.tsv'}", f"--out={tmp_path}", "--limit=60"]
    main(["network", *options, "--write"])
    assert "skipped: history.tsv is not a file of links" in capsys.readouterr().err
    table = (tmp_path / "network.md").read_text()
    assert "| triangle (3 nodes, 3 links) " in table
    assert "> 6" in table
    assert "| ranked | 3 | 200001 | 200003 |" in table
    assert (tmp_path / "network.png").stat().st_size > 10_000


def test_networks_that_are_too_large_are_skipped_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "triangle.tsv").write_text("a\tb\nb\tc\nc\ta\n")
    assert networks.read_folder(tmp_path, 2) == []
    assert "skipped: triangle has 3 nodes, more than --largest 2" in capsys.readouterr().err
