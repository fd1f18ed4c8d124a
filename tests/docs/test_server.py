"""The examples of the server's page are sent to a server, and every operation that accepts a body has one."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from string import Template
from typing import Any

import httpx

from tests.docs.pages import DOCS, read
from tests.serve.running import WRITES, http_client, running
from tidelog.serve.routes import OPERATIONS

EXAMPLE = re.compile(r"^```sh\n(.*?)^```$(?:\n\n^```json\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall(read(DOCS / "reference" / "server-examples.md"))
OF_A_BODY = [operation for operation in OPERATIONS if operation.method != "GET"]


def request_of(command: str, values: dict[str, str]) -> httpx.Request:
    """The request that a `curl` command sends, with the shell variables of the page."""
    program, *words = (Template(word).safe_substitute(values) for word in shlex.split(command))
    assert program == "curl", command
    options = dict(zip(words[:-1:2], words[1::2], strict=True))
    assert options.keys() <= {"-H", "-X", "--json"}, command
    name, _, value = options["-H"].partition(": ")
    body = json.loads(options["--json"]) if "--json" in options else None
    return httpx.Request(options.get("-X", "POST"), words[-1], headers={name: value}, json=body)


def shows(page: Any, got: Any) -> bool:
    """Whether a response is as the page shows it: fields may be left out, `"..."` is any value."""
    if isinstance(page, dict):
        return all(name in got and shows(value, got[name]) for name, value in page.items())
    if isinstance(page, list) and isinstance(got, list):
        return len(page) == len(got) and all(map(shows, page, got))
    return bool(page in ("...", got))


def test_examples_of_the_server_answer_as_the_page_shows(tmp_path: Path) -> None:
    with running(path=tmp_path / "state") as server, http_client() as client:
        values = {"URL": server.url, "AUTH": f"Authorization: {WRITES['Authorization']}"}
        for command, shown in EXAMPLES:
            response = client.send(request_of(command, values))
            assert response.is_success, f"{command}{response.text}"
            got = response.json() if response.content else None
            assert shows(json.loads(shown or "null"), got), f"{command}{response.text}"
            values |= {"ID": got["id"]} if got and "id" in got else {}


def test_every_operation_with_a_body_has_an_example() -> None:
    sent = [request_of(command, {"URL": "http://server", "ID": "7"}) for command, _ in EXAMPLES]
    for operation in OF_A_BODY:
        path = re.compile(re.sub(r"\{\w+\}", "[^/]+", operation.path))
        assert any(each.method == operation.method and path.fullmatch(each.url.path) for each in sent), operation.path


def test_a_response_that_differs_is_noticed() -> None:
    assert shows({"a": ["...", 1]}, {"a": [2, 1], "b": 3})
    assert not shows({"a": [1]}, {"a": [1, 2]})
    assert not shows({"b": 1}, {"a": 1})
