"""The pages of the command line say what `--help` says, command by command."""

from __future__ import annotations

import re

import pytest
import typer

from tests.docs.pages import DOCS, read
from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.cli.help_page import BLOCK, filled, parameters

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]  # a group
INDEX = DOCS / "reference" / "command-line.md"
PAGES = {page.name: read(page) for page in sorted(INDEX.parent.glob("command-line-*.md"))}


def test_every_command_has_its_line_its_heading_and_its_table() -> None:
    listed = re.findall(r"\[`([\w-]+)`\]\(([\w-]+\.md)#tidelog-([\w-]+)\)", read(INDEX))
    assert sorted(listed) == sorted(
        (command, page, command)
        for page, text in PAGES.items()
        for command in re.findall(r"^## tidelog ([\w-]+)$", text, re.MULTILINE)
    )
    assert sorted(command for command, _, _ in listed) == COMMANDS
    assert sorted(found[1] for text in PAGES.values() for found in BLOCK.finditer(text)) == COMMANDS


def test_tables_are_those_of_the_command_line() -> None:
    assert {page: filled(text) for page, text in PAGES.items()} == PAGES, "run `make docs`"


@pytest.mark.parametrize("command", COMMANDS)
def test_table_has_all_that_help_tells(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    (table,) = (found[0] for text in PAGES.values() for found in BLOCK.finditer(text) if found[1] == command)
    for option in set(re.findall(r"(?<![\w-])--[a-z][\w-]*", shown)) - {"--help"}:
        assert option in table
    assert all(parameter.help in table for parameter in parameters(command))
