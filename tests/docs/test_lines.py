"""Prose is at most 120 characters wide; tables, code and links that cannot be broken may be wider."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, name, read, without_blocks

WIDEST = 120


def too_wide(text: str) -> list[str]:
    """Lines of prose that could have been broken earlier."""
    lines = [line for line in without_blocks(text).splitlines() if len(line) > WIDEST]
    return [line for line in lines if not line.startswith("|") and not is_one_link(line)]


def is_one_link(line: str) -> bool:
    return re.fullmatch(r"\s*(?:[-*] )?\[[^\]]*\]\([^)]*\)[.,;:]?", line) is not None


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_are_not_too_wide(page: Path) -> None:
    assert not too_wide(read(page))


def test_a_wide_line_is_noticed() -> None:
    wide = "word " * 25
    assert too_wide(f"{wide}\n\n- {wide}\n") == [wide, f"- {wide}"]
    assert not too_wide(f"| {wide} |\n\n    {wide}\n\n```\n{wide}\n```\n- [{wide}](page.md)\n")
