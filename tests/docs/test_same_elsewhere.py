"""The table of interfaces: every command, method and address that it names exists."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, read
from tidelog import Engine
from tidelog.cli.commands import summaries
from tidelog.cli.repl.commands import COMMANDS
from tidelog.engine.read.view import View
from tidelog.serve.routes import OPERATIONS

ROWS = re.findall(
    r"^\| (.+) \|$", read(DOCS / "reference" / "python.md").split("## The same elsewhere")[1], re.MULTILINE
)
CELLS = [row.split(" | ") for row in ROWS[2:]]
TAKEN = {"save", "load", "time"}  # line magics of IPython


def codes(place: int) -> list[str]:
    return [name for row in CELLS for name in re.findall(r"`([^`]+)`", row[place])]


def test_every_name_in_the_table_exists() -> None:
    assert len(CELLS) > 15
    assert {len(row) for row in CELLS} == {7}
    methods = {re.split(r"\W", name.removeprefix("view."))[0] for name in codes(1)}
    methods -= {"Engine", "columns", "nulls", "insert", "svg", "sparql_rules"}
    assert [name for name in methods if not (hasattr(Engine, name) or hasattr(View, name))] == []
    commands = {name.split()[0] for name in codes(2)} - {".input"}
    assert {name for name in commands if not name.startswith("--")} <= summaries().keys()
    assert {name[1:].split()[0] for name in codes(3) if name.startswith(":")} <= COMMANDS.keys()
    magics = {name[1:].split()[0] for name in codes(4) if re.match(r"%[a-z]", name)} - {"tidelog"}
    assert magics <= COMMANDS.keys() - TAKEN
    served = {f"{operation.method} {operation.path}" for operation in OPERATIONS}
    assert {name for name in codes(5) if " " in name} <= served
