"""Every session of the command line on a page gives what the page says, and commands are spelt as they are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from tests.docs.console import Step, agrees, carry_out, code_blocks, steps
from tests.docs.pages import DOCS, PAGES, ROOT, name, read
from tests.docs.test_pages import sources
from tidelog.cli import app

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
TYPED = [page for page in PAGES if page.name != "diagnostics.md"]  # its examples are run in tests/errors
SESSIONS = [page for page in TYPED if steps(read(page))]
OF_SOUFFLE = DOCS / "reference" / "souffle-options.md"  # the first column of its tables has Soufflé's options
OF_OTHERS = {"--no-compile", "--release", "--features"}  # pip and cargo
ANYWHERE = {"-h", "--help", "--version"}


@pytest.mark.parametrize("page", SESSIONS, ids=name)
def test_session_prints_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDELOG_RUNTIME", "embedded")
    monkeypatch.setenv("COLUMNS", "200")
    for folder in ("programs", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for step in steps(read(page)):
        got = carry_out(step)
        assert agrees(step.printed, got), f"{step.command}\n{got}"


def test_pages_that_show_commands_have_sessions() -> None:
    wanted = {
        *(DOCS / "reference" / f"command-line-{page}.md" for page in ("programs", "query", "run", "state", "test")),
        DOCS / "tutorial" / "simulate.md",
        *(DOCS / "jobs" / f"{job}.md" for job in ("permissions", "souffle", "rdf", "networks")),
        DOCS / "design" / "baselines.md",
    }
    assert wanted <= set(SESSIONS)


def test_a_page_that_prints_something_else_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown, checked = steps(
        "text\n\n    $ cat a.dl\n    p(1).\n    $ tidelog check \\\n        a.dl\n    a.dl: ok: 2 facts\n"
    )
    assert (shown, checked.command.split()) == (Step("cat a.dl", "p(1).\n"), ["tidelog", "check", "a.dl"])
    assert agrees(shown.printed, carry_out(shown))
    assert not agrees(checked.printed, carry_out(checked))


def options_of(command: str) -> set[str]:
    return {option for each in COMMANDS[command].params for option in (*each.opts, *each.secondary_opts)}


def commands_of(page: Path) -> list[tuple[str, str]]:
    """Every `tidelog COMMAND ...` in the code of a page, comments left out."""
    joined = read(page).replace("\\\n", " ")
    lines = "\n".join((*code_blocks(joined), *re.findall(r"`([^`\n]+)`", joined)))
    return re.findall(r"^[$ ]*tidelog ([a-z]+(?:-[a-z]+)*)([^\n#]*)", lines, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_have_the_options_that_a_page_gives_them(page: Path) -> None:
    for command, rest in commands_of(page):
        given = set(re.findall(r"(?<=[\s\[])--?[a-zA-Z][\w-]*", rest))
        assert not given - options_of(command) - ANYWHERE, f"tidelog {command}{rest}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_options_that_a_page_names_exist(page: Path) -> None:
    text = re.sub(r"^\|[^|]*\|", "", read(page), flags=re.MULTILINE) if page == OF_SOUFFLE else read(page)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z](?![\w-])", text))
    others = named - ANYWHERE - OF_OTHERS - set().union(*map(options_of, COMMANDS))
    assert not [option for option in others if f'"{option}"' not in sources("benchmarks") + sources("tests")]
