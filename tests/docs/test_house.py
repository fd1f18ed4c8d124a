"""Habits of the house that a machine can check: sizes, reasons beside exceptions, nothing unfinished."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.docs.pages import PACKAGE

SOURCES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FUNCTION, LONGEST_FILE = 60, 600
LONG = {("join.py", "walk")}  # the interpreter: one loop on purpose, as its docstring says


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_source_is_short_finished_and_gives_reasons(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", text)
    assert not re.search(r"# type: ignore(?:\[[\w, -]+\])?\s*$", text, re.MULTILINE), "an exception carries its reason"
    assert not re.search(r"# noqa(?:: [\w, ]+)?\s*$", text, re.MULTILINE), "an exception carries its reason"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (path.name, node.name) not in LONG:
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, f"{node.name} is too long"


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name != "__main__.py"], ids=relative)
def test_module_says_what_it_is(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert said
    assert "laceholder" not in said


def test_no_module_is_called_by_nothing() -> None:
    assert not [path for path in SOURCES if path.stem in ("utils", "helpers", "common", "misc")]
