"""Undocumented things fail: every command, option and public name has its place in the reference."""

from __future__ import annotations

import inspect
import re

import pytest
import typer

import tidelog
from tests.docs.pages import DOCS
from tidelog.cli import app
from tidelog.engine.engine import Engine
from tidelog.engine.epoch import Epoch
from tidelog.engine.view import View

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
SHELLS = {"--install-completion", "--show-completion"}


def page(name: str) -> str:
    return (DOCS / "reference" / name).read_text("utf-8")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_its_heading(command: str) -> None:
    assert re.search(
        rf"^#+ .*\btidelog {command}\b|^#+ .*`{command}`|^#+ {command}\b", page("command-line.md"), re.MULTILINE
    )


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (name, option)
        for name, command in sorted(COMMANDS.items())
        for parameter in command.params
        if isinstance(parameter, typer.core.TyperOption)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--") and option not in SHELLS
    ],
)
def test_every_option_is_documented(command: str, option: str) -> None:
    assert re.search(rf"{re.escape(option)}\b", page("command-line.md")), f"tidelog {command} {option}"


@pytest.mark.parametrize("name", tidelog.__all__)
def test_every_exported_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", page("python.md"))


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (kind.__name__, name)
        for kind in (Engine, Epoch, View)
        for name, _ in inspect.getmembers(kind)
        if not name.startswith("_")
    ],
)
def test_every_public_method_is_documented(owner: str, name: str) -> None:
    if (owner, name) in INNER:
        pytest.skip("called by the engine itself")
    assert re.search(rf"\b{name}\b", page("python.md")), f"{owner}.{name}"


INNER = {("Engine", name) for name in ("commit", "check_relation_name", "read_rule", "no_change", "takes_frames")}


def test_exported_names_are_sorted_and_exist() -> None:
    assert sorted(tidelog.__all__) == tidelog.__all__
    assert all(hasattr(tidelog, name) for name in tidelog.__all__)
