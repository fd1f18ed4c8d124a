"""`tidelog mcp` against a server that runs, through the client of the protocol's own SDK."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runner import CliRunner
from tests.serve.running import Running, running
from tidelog import Engine
from tidelog.cli import app

PROGRAM = """
.decl edge(x: number, y: number)
.decl closed(x: number)
.decl reach(x: number, y: number)
reach(x, y) :- edge(x, y).
far: reach(x, z) :- edge(x, y), reach(y, z).
safe: :- closed(x), reach(x, 3).
edge(1, 2).
"""
Tool = Callable[..., Awaitable[Any]]


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with Engine(PROGRAM, path=tmp_path / "state", strict=True) as db, running(db) as found:
        found.insert("edge", [2, 3])
        yield found


def used(server: Running, folder: Path, token: bytes, use: Callable[[Any, Tool], Awaitable[None]]) -> None:
    """Use the tools in a session of a process that the SDK starts."""
    mcp = pytest.importorskip("mcp", reason="the tools of agents are an extra: pip install 'tidelog[mcp]'")
    file = folder / "token"
    file.write_bytes(token)
    words = ["-m", "tidelog.cli", "mcp", "--server", server.url, "--token-file", str(file)]
    paths = {"PYTHONPATH": ":".join(filter(None, sys.path))}
    start = mcp.StdioServerParameters(command=sys.executable, args=words, env=paths)

    async def session() -> None:
        async with mcp.Client(mcp.stdio_client(start)) as client:

            async def call(name: str, **arguments: Any) -> Any:
                result = await client.call_tool(name, arguments)
                return result.content[0].text if result.is_error else result.structured_content

            await use(client, call)

    asyncio.run(session())


def test_an_agent_asks_and_previews_and_changes_nothing(server: Running, tmp_path: Path) -> None:
    async def use(client: Any, call: Tool) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert sorted(tools) == ["ask", "blame", "describe", "dry_run", "what_if", "why", "why_not"]
        assert all(tool.description and tool.annotations.read_only_hint for tool in tools.values())
        known = {each["name"]: each for each in (await call("describe"))["relations"]}
        assert (known["reach"]["size"], known["edge"]["base"], known["reach"]["base"]) == (3, True, False)
        assert [rule["label"] for rule in (await call("describe", relation="reach"))["rules"]] == ["r1", "far"]
        assert "Known relations: " in await call("describe", relation="raech")
        page = await call("ask", query="reach(1, Y)", limit=1)
        more = await call("ask", query="reach(1, Y)", limit=1, after=page["next"])
        assert sorted([*page["rows"], *more["rows"]]) == [[2], [3]]
        assert (page["total"], more["next"]) == (2, None)
        assert (await call("ask", query="reach(1, Y)", at=1))["rows"] == [[2]]
        assert "error[TL" in await call("ask", query="raech(1, Y)")
        assert (await call("why", fact="reach(1, 3)"))["rule"] == "far"
        assert (await call("why_not", fact="reach(3, 1)"))["present"] is False
        assert "edge(2, 3)" in (await call("blame", fact="reach(1, 3)"))["text"]
        done = await call("what_if", scripts={"cut": "-edge(2, 3).", "bad": "+closed(1).", "wrong": "+edge(1)."})
        assert sorted(done["cut"]["changes"]["reach"]["minus"]) == [[1, 3], [2, 3]]
        assert (done["cut"]["refused"], done["bad"]["refused"], done["wrong"]["refused"]) == (False, True, True)
        assert done["bad"]["violations"][0]["constraint"] == "safe"
        assert "error[TL" in done["wrong"]["error"]
        done = await call("dry_run", insert={"edge": [[3, 4]]}, add_rules=["reach(x, x) :- edge(x, _)."])
        assert done["changes"]["reach"]["plus_count"] == 6
        assert "error[TL" in await call("dry_run", insert={"edge": [["a", 4]]})

    used(server, tmp_path, b"w" * 43, use)
    assert (server.get("")["epoch"], len(server.get("/views/edge")["rows"])) == (2, 2)


def test_the_tools_have_the_rights_of_the_token(server: Running, tmp_path: Path) -> None:
    async def use(client: Any, call: Tool) -> None:
        assert (await call("ask", query="edge(X, Y)"))["total"] == 2
        for preview in (call("dry_run", delete={"edge": [[1, 2]]}), call("what_if", scripts={"a": "-edge(1, 2)."})):
            assert "TL8002" in str(await preview)

    used(server, tmp_path, b"r" * 43, use)


def test_a_token_that_is_not_known_is_reported_at_the_start(server: Running, tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the tools of agents are an extra: pip install 'tidelog[mcp]'")
    (tmp_path / "token").write_text("x" * 43)
    done = CliRunner().invoke(app, ["mcp", "--server", server.url, "--token-file", str(tmp_path / "token")])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error[TL8001]" in done.stderr


def test_missing_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tidelog.client.agent_tools", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    done = CliRunner().invoke(app, ["mcp", "--server", "http://127.0.0.1:9"])
    assert done.exit_code == 1
    assert "error[TL4724]" in done.stderr
    assert "tidelog[mcp]" in done.stderr
