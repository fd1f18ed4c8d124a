"""The benchmark of durability runs, compares results and writes its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.record import read_run


@pytest.mark.long
def test_the_benchmark_writes_a_page_with_equal_results(tmp_path: Path) -> None:
    main(["durability/rmat", "--quick", "--out", str(tmp_path), "--write"])
    assert "R-MAT, 256 nodes, 2,000 edges | 1 %" in (tmp_path / "durability.md").read_text()
    epochs = read_run(tmp_path / "durability.json").of("epochs")
    assert all(record["bytes"] > record["records"] > 0 for record in epochs)
