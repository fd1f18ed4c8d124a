"""`--config FILE`: options from a file mean what they mean on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.cli.act import serve_program
from tidelog.cli.act.serve_program import ServeOptions
from tidelog.cli.base.place import Runtime


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[ServeOptions]:
    """The options of servers that would be started."""
    found: list[ServeOptions] = []
    monkeypatch.setattr(serve_program, "serve_program", lambda options, _: found.append(options))
    return found


def serve(file: Path, text: str, *words: str) -> str:
    file.write_text(text)
    return CliRunner().invoke(app, ["serve", "--config", str(file), *words]).stderr


def test_options_of_a_file_are_those_of_the_command_line(tmp_path: Path, served: list[ServeOptions]) -> None:
    text = """
        state = "s"
        port = 8118
        limit-seconds = 2.5
        host-name = ["a.example", "b.example"]
        access-log = true
        no-sandbox = true
        runtime = "embedded"
        partitions = 2
        log-level = "error"
    """
    assert serve(tmp_path / "c.toml", text) == ""
    words = "--state s --port 8118 --limit-seconds 2.5 --host-name a.example --host-name b.example --access-log"
    more = "--no-sandbox --runtime embedded --partitions 2 --log-level error"
    CliRunner().invoke(app, ["serve", *words.split(), *more.split()])
    assert served[0] == served[1]
    assert (served[0].address.port, served[0].place.runtime) == (8118, Runtime.embedded)


def test_the_command_line_takes_precedence(tmp_path: Path, served: list[ServeOptions]) -> None:
    serve(tmp_path / "c.toml", 'state = "s"\nport = 8118\n', "--port", "9000")
    assert served[0].address.port == 9000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('state = "s"\nprot = 1', "unknown option `prot`; known: "),
        ('state = "s"\nport = [1]', "`port` has a list"),
        ('state = "s"\n[port]\nx = 1', "`port` is a table"),
        ('state = "s', "c.toml"),
        ('state = "s"\nconfig = "d.toml"', "unknown option `config`"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, served: list[ServeOptions], text: str, problem: str) -> None:
    message = serve(tmp_path / "c.toml", text)
    assert "TL4897" in message
    assert problem in " ".join(message.split())
    assert not served


def test_values_are_checked_as_on_the_command_line(tmp_path: Path, served: list[ServeOptions]) -> None:
    assert "port" in serve(tmp_path / "c.toml", 'state = "s"\nport = "many"')
    assert "port" in serve(tmp_path / "c.toml", 'state = "s"\nport = 70000')
    assert "log-level" in serve(tmp_path / "c.toml", 'state = "s"\nlog-level = "loud"')
    assert not served
