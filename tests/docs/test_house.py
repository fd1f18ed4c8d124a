"""Habits that a machine can check: exceptions have reasons, nothing is unfinished, every module has a docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.docs.pages import PACKAGE

SOURCES = sorted(PACKAGE.rglob("*.py"))


def relative(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", SOURCES, ids=relative)
def test_source_is_finished_and_gives_reasons(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search(r"\b(TODO|FIXME|XXX|NotImplementedError)\b", text)
    assert not re.search(r"# type: ignore(?:\[[\w, -]+\])?\s*$", text, re.MULTILINE), "an exception carries its reason"
    assert not re.search(r"# noqa(?:: [\w, ]+)?\s*$", text, re.MULTILINE), "an exception carries its reason"


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name != "__main__.py"], ids=relative)
def test_module_says_what_it_is(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert said
    assert "laceholder" not in said


def test_no_module_is_called_by_nothing() -> None:
    assert not [path for path in SOURCES if path.stem in ("utils", "helpers", "common", "misc")]
