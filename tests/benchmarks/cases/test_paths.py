"""Path queries on small graphs: systems agree, and a question that does not exist is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.record import read_run

from benchmarks.cases import paths


def test_closures_beside_sql_agree_on_small_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "EPOCHS", 2)
    main(["paths/source", "paths/both", "paths/composed", "--quick", "--repeat", "1", "--out", str(tmp_path)])
    run = read_run(tmp_path / "paths.json")
    assert [record.case for record in run.records] == ["source", "both", "composed"]
    assert all(len(record.value("edge out").runs) == 2 for record in run.records)
    assert not (tmp_path / "paths.md").exists()


def test_unknown_question_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"no case is called paths/odd; known: .*paths/all, "):
        main(["paths/odd", "--quick", "--out", str(tmp_path)])
