"""Notebooks executed in a kernel: a small one, and the examples, which show what they showed when they were written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tests.notebook.execute import NOTEBOOKS, executed, outputs, read

SMALL = [
    "%load_ext tidelog",
    "%%tidelog\nedge(1, 2). edge(2, 3).\nreach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).",
    "%why reach(1, 3)",
    "%%tidelog\n?reach(1, X)",
    "%whynot reach(3, 1)",
    "%graph",
    "%explain",
    "rows = %tidelog ?reach(X, 3)\nsorted(rows)",
]


def notebook(*cells: str) -> Any:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


def test_a_notebook_shows_changes_tables_proofs_and_graphs(tmp_path: Path) -> None:
    made = notebook(*SMALL, "%%tidelog\np(X) :- q(Y).", "never = True")
    with pytest.raises(CellExecutionError, match="TL301"):
        executed(made, tmp_path)
    output = outputs(made)
    assert "+ reach(1, 3)" in output[1][0]
    assert output[2][0].startswith("reach(1, 3)  by r2")
    assert output[3][0].startswith("X\n─\n2\n3\n2 answers")
    assert "is not true" in output[4][0]
    assert "reach <- edge, reach  (3 facts)" in output[5][0]
    assert "stratum 1, recursive: reach" in output[6][0]
    assert output[7] == ["[(1,), (2,)]"]
    assert not made.cells[9].outputs
    for number in (2, 5):
        assert "<svg" in made.cells[number].outputs[0]["data"]["text/html"]


def marks(path: Path) -> list[Any]:
    return [pytest.mark.long, *([pytest.mark.spark] if "spark" in path.stem else [])]


@pytest.mark.parametrize("path", [pytest.param(path, marks=marks(path), id=path.stem) for path in NOTEBOOKS])
def test_an_example_shows_what_it_showed(path: Path, tmp_path: Path) -> None:
    kept = outputs(read(path))
    assert outputs(executed(read(path), tmp_path)) == kept, "run `python -m tests.notebook.execute`"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_an_example_is_kept_whole_and_without_errors(path: Path) -> None:
    made = read(path)
    nbformat.validate(made)
    assert re.fullmatch(r"\d\d_[a-z_]+", path.stem)
    assert made.cells[0].source.startswith("# ")
    counted = [cell.execution_count for cell in made.cells if cell.cell_type == "code"]
    assert counted == list(range(1, len(counted) + 1)), "executed from the first cell to the last"
    assert not [out for cell in made.cells for out in cell.get("outputs", ()) if out.output_type == "error"]
