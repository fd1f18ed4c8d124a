"""Loading: all systems find every row of the same file, and one that does not is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.cases.loading import GROUP, arrow_of, duckdb_of, engine_of, repeated
from benchmarks.data.statements import statement_text
from benchmarks.options import Options
from benchmarks.outcome import Disagreement


@pytest.mark.parametrize("case", GROUP.cases)
def test_every_case_has_a_target_and_a_peer(case: str) -> None:
    (record,) = GROUP.cases[case].run(Options(quick=True, repeat=1))
    assert {"Tidelog", "DuckDB"} < {value.name for value in record.values} | {"measured"}
    assert [value for value in record.values if value.target is not None]


def test_all_systems_read_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "move.facts"
    path.write_text(statement_text(300))
    assert engine_of(path) == duckdb_of(path) == arrow_of(path) == (300, 300)


def test_a_row_too_few_is_told() -> None:
    with pytest.raises(Disagreement, match="3 rows were written"):
        repeated(lambda: (2, 2), 3, 1)
