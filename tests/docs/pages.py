"""Where the pages are, and how they are read."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "tidelog"
RESULTS = ROOT / "benchmarks" / "results"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "proofs").glob("*.md"), *DOCS.rglob("*.md")])


@cache
def read(page: Path) -> str:
    return page.read_text("utf-8")


def name(page: Path) -> str:
    """A page as a test names it."""
    return str(page.relative_to(ROOT))


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def without_blocks(text: str) -> str:
    """A page without its blocks of code, fenced and indented; of these the lines after a blank one."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?<=\n\n)(?:    .*\n|\n)+", "\n", text)


def session_text(page: Path) -> str:
    """A page as `doctest` reads it: a closing fence right after an output line would be read as output."""
    return "\n".join("" if line.startswith("```") else line for line in read(page).splitlines())
