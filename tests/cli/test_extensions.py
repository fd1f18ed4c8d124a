"""Packages that add to the command line: what they name exists, and the command line works without them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.cli.act import run_program
from tidelog.cli.base import extensions
from tidelog.cli.commands import SUMMARIES, summaries


def test_the_lab_is_an_extension() -> None:
    assert {"simulate", "test-order"} == extensions.added_commands().keys()
    assert not extensions.added_commands().keys() & SUMMARIES.keys()
    assert summaries().keys() == {*SUMMARIES, *extensions.added_commands()}


def test_what_an_extension_names_exists() -> None:
    for each in extensions.extensions():
        for name in (*each.findings, *each.failures):
            assert import_module(name).ENTRIES
        for algorithm in each.sessions:
            assert extensions.session_class(algorithm) is not None


def test_an_algorithm_without_its_extension_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_program, "session_class", lambda name: None)
    (tmp_path / "p.dl").write_text("p(X) :- q(X). q(1).", "utf-8")
    ended = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "--algorithm", "circuit"])
    assert ended.exit_code == 1
    assert "TL4822" in ended.output
