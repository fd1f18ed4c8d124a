"""The TypeScript client: generated from the OpenAPI document, and tried in node against a server that runs."""

from __future__ import annotations

import doctest
import json
import os
import shutil
import subprocess

import pytest
from scripts import typescript_client
from scripts.typescript_client import FOLDER, files

from tests.serve.running import running
from tidelog import __version__

PROGRAM = """
.decl edge(x: number, y: number)
.decl reach(X: number, Y: number)
.decl count(name: symbol, n: number)
reach(X, Y) :- edge(X, Y).
reach(X, Z) :- edge(X, Y), reach(Y, Z).
"""


@pytest.mark.parametrize("name", sorted(files()))
def test_the_operations_are_those_of_the_document(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == files()[name], "run `make docs`"


def test_its_version_is_that_of_tidelog() -> None:
    assert json.loads((FOLDER / "package.json").read_text("utf-8"))["version"] == __version__


def test_its_examples() -> None:
    assert doctest.testmod(typescript_client).failed == 0


def test_the_client_against_a_server() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node, version 20 or later")
    with running(PROGRAM) as server:
        done = subprocess.run(
            [node, "--test", str(FOLDER / "test")],
            env={**os.environ, "TIDELOG_URL": server.url, "TIDELOG_TOKEN": "w" * 43},
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stdout + done.stderr
