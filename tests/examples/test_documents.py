"""The tutorial runs as it is printed; the reference names every command, option and parameter there is."""

import doctest
import re
from pathlib import Path

import pytest
import typer

from tidelog.cli import app
from tidelog.io.catalogue import ENTRIES
from tidelog.io.parameters import ENDINGS, KINDS, KNOWN

DOCS = Path(__file__).parents[2] / "docs"
COMMAND_LINE = (DOCS / "reference" / "command-line.md").read_text("utf-8")
FILES = (DOCS / "reference" / "files.md").read_text("utf-8")


def test_the_tutorial_runs():
    result = doctest.testfile(str(DOCS / "tutorial" / "start.md"), module_relative=False)
    assert result.attempted > 35
    assert result.failed == 0


def test_every_command_has_a_heading():
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert set(re.findall(r"^## tidelog (\w+)$", COMMAND_LINE, re.MULTILINE)) == set(commands)


def test_every_option_of_run_is_told():
    options = typer.main.get_command(app).commands["run"].params  # type: ignore[attr-defined]
    for option in options:
        for name in option.opts:
            assert name in COMMAND_LINE or name in ("program", "--help")


@pytest.mark.parametrize("word", sorted({*KNOWN["input"], *KNOWN["output"], *KINDS["output"], *ENDINGS} - {"name"}))
def test_every_parameter_kind_and_ending_is_told(word):
    assert f"`{word}`" in FILES


def test_every_code_is_told():
    assert all(f"**{entry.code}** {entry.title}" in FILES for entry in ENTRIES)


@pytest.mark.parametrize("page", ["tutorial/start.md", "reference/files.md", "reference/command-line.md"])
def test_links_lead_to_files_that_exist(page):
    path = DOCS / page
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target
