"""The page of the command line says what `--help` says, command by command."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from tests.docs.pages import DOCS, read
from tidelog.cli import app
from tidelog.cli.help_page import BLOCK, filled, parameters

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # a group
PAGE = read(DOCS / "reference" / "command-line.md")


def test_every_command_has_its_line_its_heading_and_its_table() -> None:
    assert sorted(re.findall(r"\[`([\w-]+)`\]\(#tidelog-[\w-]+\)", PAGE.partition("\n## ")[0])) == COMMANDS
    assert sorted(re.findall(r"^## tidelog ([\w-]+)$", PAGE, re.MULTILINE)) == COMMANDS
    assert sorted(found[1] for found in BLOCK.finditer(PAGE)) == COMMANDS


def test_tables_are_those_of_the_command_line() -> None:
    assert filled(PAGE) == PAGE, "run `make docs`"


@pytest.mark.parametrize("command", COMMANDS)
def test_table_has_all_that_help_tells(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    (table,) = (found[0] for found in BLOCK.finditer(PAGE) if found[1] == command)
    for option in set(re.findall(r"(?<![\w-])--[a-z][\w-]*", shown)) - {"--help"}:
        assert option in table
    assert all(parameter.help in table for parameter in parameters(command))
