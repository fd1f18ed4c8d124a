"""How a cell is cut into inputs, and what is shown while one takes long."""

from __future__ import annotations

import threading

import pytest

from tidelog.notebook import progress as shown
from tidelog.notebook.cells import cell_inputs


@pytest.mark.parametrize(
    ("cell", "inputs"),
    [
        ("", []),
        ("\n\n", []),
        ("// nothing\n% here\n", []),
        ("p(1).\n\np(2).", ["p(1).\n\np(2)."]),
        ("p(X) :-\n  q(X).\nq(1).\n", ["p(X) :-\n  q(X).\nq(1).\n"]),
        ("// why\np(1).\n?p(X)\n", ["\np(1).\n", "\n\n?p(X)\n"]),
        (".decl p(x: number,\n  y: number)\np(1, 2).\n", [".decl p(x: number,\n  y: number)\n", "\n\np(1, 2).\n"]),
        ("-p(1).\n+p(2).\np(3).\n", ["-p(1).\n+p(2).\n", "\n\np(3).\n"]),
        (":rules\n:why p(1)\n", [":rules\n", "\n:why p(1)\n"]),
        ("p(1).\np(2", ["p(1).\np(2"]),
        ("?p(X)\np(2", ["?p(X)\n", "\np(2"]),
        (":dry p(X) :-\n  q(X).\n?p(X)", [":dry p(X) :-\n  q(X).\n", "\n\n?p(X)"]),
    ],
)
def test_inputs_of_a_cell(cell: str, inputs: list[str]) -> None:
    found = list(cell_inputs(cell, lambda: "prolog"))
    assert [text.strip() for text in found] == [text.strip() for text in inputs]
    for text in found:
        start = len(text) - len(text.lstrip("\n"))
        assert cell.splitlines()[start].startswith(text.lstrip("\n").split("\n")[0])


class Line:
    """A line of a page that remembers what it held."""

    def __init__(self) -> None:
        self.held: list[str] = []
        self.seen = threading.Event()

    def open(self, page: str) -> Line:
        self.update(page)
        return self

    def update(self, page: str) -> None:
        self.held.append(page)
        self.seen.set()


def test_progress_tells_facts_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "PATIENCE", 0.0)
    monkeypatch.setattr(shown, "INTERVAL", 0.01)
    line = Line()
    with shown.progress("epoch", lambda: 1234, line.open):
        assert line.seen.wait(60)
    assert "epoch: 1,234 facts" in line.held[0]
    assert line.held[-1] == ""


def test_short_work_shows_nothing() -> None:
    line = Line()
    with shown.progress("epoch", lambda: 0, line.open):
        pass
    assert line.held == []
