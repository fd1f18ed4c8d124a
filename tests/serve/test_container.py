"""The parts of the Dockerfile, without Docker."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.serve.run import Address

ROOT = Path(__file__).parents[2]
LINES = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text("utf-8")).splitlines()
LAST = LINES[[number for number, line in enumerate(LINES) if line.startswith("FROM")][-1] :]


def said(word: str) -> list[str]:
    """What the last stage says after a word."""
    return [line.removeprefix(f"{word} ") for line in LAST if line.startswith(f"{word} ")]


def test_the_server_of_the_image_has_no_rights_of_its_own() -> None:
    (user,) = said("USER")
    assert user not in ("root", "0")
    assert f"useradd --system --uid 10001 --home-dir /state --shell /usr/sbin/nologin {user}" in " ".join(LAST)
    assert LAST.index(f"USER {user}") > max(i for i, line in enumerate(LAST) if line.startswith(("RUN", "COPY")))


def test_the_state_is_a_volume_and_the_port_that_of_the_server() -> None:
    assert said("VOLUME") == ["/state"]
    assert said("EXPOSE") == [str(Address().port)]


def test_the_command_of_the_image_is_one_that_there_is() -> None:
    entry, command = (json.loads(said(word)[0]) for word in ("ENTRYPOINT", "CMD"))
    assert entry == ["tidelog", "serve"]
    assert command[command.index("--state") + 1] == "/state"
    report = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).output
    assert all(word in report for word in command if word.startswith("-"))


def test_what_is_copied_into_the_image_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = {
        word for line in LINES if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    }
    assert copied == kept
    assert all((ROOT / name).exists() for name in copied)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert '".[serve]"' in "\n".join(LINES)
    assert {"starlette", "uvicorn", "httpx"} <= {re.split(r"[<>=]", name)[0] for name in extras["serve"]}
