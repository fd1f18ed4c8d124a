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


TEXTS = {relative(path): path.read_text("utf-8") for path in SOURCES}


@pytest.mark.parametrize(
    "unwanted",
    [
        r"\b(TODO|FIXME|XXX|NotImplementedError)\b",
        r"# type: ignore(?:\[[\w, -]+\])?\s*$",  # an exception carries its reason
        r"# noqa(?:: [\w, ]+)?\s*$",  # the same
    ],
)
def test_sources_are_finished_and_give_reasons(unwanted: str) -> None:
    assert not [name for name, text in TEXTS.items() if re.search(unwanted, text, re.MULTILINE)]


def test_every_module_says_what_it_is() -> None:
    said = {
        name: ast.get_docstring(ast.parse(text)) or ""
        for name, text in TEXTS.items()
        if not name.endswith("__main__.py")
    }
    assert not [name for name, text in said.items() if not text or "laceholder" in text]


def test_no_module_is_called_by_nothing() -> None:
    assert not [path for path in SOURCES if path.stem in ("utils", "helpers", "common", "misc")]
