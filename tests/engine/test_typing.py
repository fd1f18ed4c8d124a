"""Insert is typed: mypy takes what can be rows and refuses what cannot; views are like sequences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import Engine

TAKEN = """
import numpy as np
import pyarrow as pa
from tidelog import Engine

db = Engine("p(X, Y) :- q(X, Y).")
pairs: list[tuple[int, str]] = [(1, "a")]
with db.epoch() as e:
    e.insert("q", pairs)
    e.insert("q", ((i, str(i)) for i in range(3)))
    e.insert("q", {(1, "a")})
    e.insert("q", [[1, "a"]])
    e.insert("q", np.zeros((2, 2)))
    e.insert("q", pa.table({"x": [1], "y": ["a"]}))
    e.delete("q", pairs)
row: tuple[object, ...] = db["p"][0]
rows: list[tuple[object, ...]] = db["p"][0:10]
answers = db.prepare("p(X, Y)", bind="X")(1)
one: int = len(answers) + len(db.query("p(X, Y)"))
"""
REFUSED = ("3", '"text"', '["ab"]', "[1, 2]", "None", "[{1, 2}]")


def errors_of(texts: dict[str, str], folder: Path) -> dict[str, list[str]]:
    """What mypy, if it is there, finds in programs, by their names: one run for all, since it reads numpy each time."""
    mypy = pytest.importorskip("mypy.api")
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    files = [str(folder / f"{name}.py") for name in texts]
    found, trouble, _ = mypy.run(["--strict", "--cache-dir", str(folder / "cache"), *files])
    assert not trouble, trouble
    told = [line for line in found.splitlines() if ": error:" in line]
    return {name: [line for line in told if f"{name}.py" in line] for name in texts}


@pytest.mark.long
def test_insert_of_rows_is_typed_for_mypy(tmp_path: Path) -> None:
    wrong = "\n".join(f'    e.insert("q", {rows})' for rows in REFUSED)
    refused = f'from tidelog import Engine\n\nwith Engine("").epoch() as e:\n{wrong}\n'
    found = errors_of({"taken_rows": TAKEN, "refused_rows": refused}, tmp_path)
    assert found["taken_rows"] == []
    lines = {line.split(":")[1] for line in found["refused_rows"]}
    assert lines == {str(4 + i) for i in range(len(REFUSED))}, found


@pytest.mark.parametrize("partitions", [1, 2])
def test_views_are_like_sequences(partitions: int) -> None:
    db = Engine("p(X, Y) :- q(X, Y).", partitions=partitions)
    with db.epoch() as e:
        e.insert("q", [(i, f"n{i}") for i in range(1000)])
    with db.epoch() as e:
        e.delete("q", [(i, f"n{i}") for i in range(100, 700)])
    view = db["p"]
    rows = view.rows()
    assert len(rows) == 400
    for place in (slice(0, 10), slice(5), slice(90, 320), slice(395, 500), slice(3, 1), slice(None), slice(-3, None)):
        assert view[place] == rows[place]
    assert view[::100] == rows[::100]
    assert [view[0], view[150], view[-1], view[399]] == [rows[0], rows[150], rows[-1], rows[399]]
    for place in (400, -401):
        with pytest.raises(IndexError):
            view[place]
    assert list(view) == rows
    assert next(iter(view)) == rows[0]
    assert list(db.query("p(X, Y)")[0:2]) == db.query("p(X, Y)").rows()[0:2]
    assert view.head(0) == []
    assert list(reversed(view)) == rows[::-1]
