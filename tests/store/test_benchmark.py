"""The benchmark of durability runs, compares results and writes its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.durability import main


@pytest.mark.long
def test_the_benchmark_writes_a_page_with_equal_results(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    main(["--quick", "--only", "rmat", "--page", str(page)], show=lambda text: None)
    assert "R-MAT, 256 nodes, 2,000 edges | 1 %" in page.read_text()
    assert "rows differ" not in page.read_text()
