"""Notebooks are executed as Jupyter does it: a kernel, cell by cell.

`python -m tests.notebook.execute` executes the examples and writes what they show into them.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tests.docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
TIMES = re.compile(r"\b\d[\d.,]* (?:ms|s|µs)\b")
SECONDS = 600


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def executed(notebook: Any, folder: Path) -> Any:
    """The notebook with what it shows here; raises the error of a cell."""
    path = os.pathsep.join((str(ROOT / "src"), os.environ.get("PYTHONPATH", "")))
    client = NotebookClient(notebook, timeout=SECONDS, record_timing=False, resources={"metadata": {"path": folder}})
    client.execute(env={**os.environ, "PYTHONPATH": path, "IPYTHONDIR": str(folder / "ipython")})
    return notebook


def outputs(notebook: Any) -> list[list[str]]:
    """What every cell shows, as text without times."""
    found = []
    for cell in notebook.cells:
        found.append([TIMES.sub("- s", _text(each)).strip() for each in kept(cell)])
    return found


def kept(cell: Any) -> list[Any]:
    """The outputs of a cell that are kept: neither the standard error nor lines of progress that are gone."""
    return [each for each in cell.get("outputs", ()) if each.get("name") != "stderr" and _text(each)]


def _text(output: Any) -> str:
    if output["output_type"] == "error":
        return "\n".join(output["traceback"])
    return str(output["text"] if "text" in output else output["data"]["text/plain"])


def main(names: list[str]) -> None:
    """Execute the examples, or those named, and keep what they show."""
    import tempfile

    for path in NOTEBOOKS:
        if not names or path.stem in names:
            with tempfile.TemporaryDirectory() as folder:
                notebook = executed(read(path), Path(folder))
            for cell in notebook.cells:
                if cell.cell_type == "code":
                    cell.outputs = kept(cell)
            nbformat.write(notebook, path)


if __name__ == "__main__":
    main(sys.argv[1:])
