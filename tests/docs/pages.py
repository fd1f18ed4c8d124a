"""Where the pages are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "tidelog"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])


def session_text(page: Path) -> str:
    """A page as `doctest` reads it: a closing fence right after an output line would be read as output."""
    return "\n".join("" if line.startswith("```") else line for line in page.read_text("utf-8").splitlines())
