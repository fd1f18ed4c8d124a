"""The page about files names every parameter, kind, ending and code there is."""

from __future__ import annotations

import pytest

from tests.docs.pages import DOCS, read
from tidelog.io.io_catalogue import ENTRIES
from tidelog.io.parameters import ENDINGS, KINDS, PARAMETERS

PAGE = read(DOCS / "reference" / "files.md")


@pytest.mark.parametrize(
    "word", sorted({*PARAMETERS["input"], *PARAMETERS["output"], *KINDS["output"], *ENDINGS} - {"name"})
)
def test_every_parameter_kind_and_ending_is_told(word: str) -> None:
    assert f"`{word}`" in PAGE


def test_every_code_is_told() -> None:
    assert all(f"**{entry.code}** {entry.title}" in PAGE for entry in ENTRIES)
