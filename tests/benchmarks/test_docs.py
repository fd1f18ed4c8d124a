"""The page about the benchmarks names every file of them, and no underscored name of the engine is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for path in (ROOT / "benchmarks").rglob("*.py") if path.name != "__init__.py")


def test_the_page_names_every_file() -> None:
    page = (ROOT / "docs" / "design" / "benchmarks.md").read_text("utf-8")
    assert not [name for path in FILES if f"`{(name := path.relative_to(ROOT / 'benchmarks').as_posix())}`" not in page]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_underscored_name_of_another_object_is_used(path: Path) -> None:
    assert not re.findall(r"(?<!\bself)\._[a-z]\w*", path.read_text("utf-8"))
