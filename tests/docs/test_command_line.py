"""The page of the command line: every command has its heading."""

from __future__ import annotations

import re

import typer

from tests.docs.pages import DOCS, read
from tidelog.cli import app

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
PAGE = read(DOCS / "reference" / "command-line.md")


def test_every_command_has_its_heading_and_nothing_else_has() -> None:
    assert set(re.findall(r"^## tidelog (\w+)$", PAGE, re.MULTILINE)) == set(COMMANDS)
