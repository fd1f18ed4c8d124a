"""The console's files: served without a token, known by name alone, complete, and with nothing from outside."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

import httpx
import pytest
from starlette.applications import Starlette

from tidelog.serve.console import console_files
from tidelog.serve.console_routes import console_routes

FILES = console_files()
MODULES = {name: text for name, text in FILES.items() if name.endswith(".js")}


APPLICATION = Starlette(routes=console_routes())


def get(path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """What is answered, without a server in between."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=APPLICATION)
        async with httpx.AsyncClient(transport=transport, base_url="http://console") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(ask())


def test_page_may_load_and_reach_nothing_but_this_server() -> None:
    answer = get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("name", FILES)
def test_file_is_served_with_its_type_and_known_again(name: str) -> None:
    answer = get(f"/console/{name}")
    assert answer.status_code == 200
    assert answer.text == FILES[name]
    kind = {"css": "text/css", "html": "text/html", "js": "text/javascript", "svg": "image/svg+xml"}
    assert answer.headers["content-type"].startswith(kind[name.rpartition(".")[2]])
    again = get(f"/console/{name}", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["__init__.py", "../tokens.py", "..%2ftokens.py", "%2e%2e/tokens.py", "/etc/passwd", "", "a.js%00"]
)
def test_no_other_file_can_be_named(path: str) -> None:
    assert get(f"/console/{path}").status_code == 404


def test_page_names_files_that_are_there() -> None:
    named = re.findall(r'(?:href|src)="console/([^"]+)"', FILES["index.html"])
    assert set(named) <= FILES.keys()
    assert {name for name in FILES if name.endswith(".css")} <= set(named)


@pytest.mark.parametrize("name", MODULES)
def test_module_imports_what_others_export_and_uses_it(name: str) -> None:
    for names, source in re.findall(r'^import \{([^}]*)\} from "\./([^"]+)";', MODULES[name], re.MULTILINE):
        exported = re.findall(r"^export (?:async )?(?:function\*?|const|class) (\w+)", MODULES[source], re.MULTILINE)
        for taken in filter(None, map(str.strip, names.split(","))):
            assert taken in exported, f"{taken} of {source}"
            assert len(re.findall(rf"\b{taken}\b", MODULES[name])) > 1, f"{taken} is not used"


@pytest.mark.parametrize("name", FILES)
def test_file_takes_nothing_from_outside_and_writes_no_markup(name: str) -> None:
    text = FILES[name].replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r"\bstyle=|<script>|onclick=\"", text)


@pytest.mark.parametrize("name", FILES)
def test_lines_are_short(name: str) -> None:
    assert max(map(len, FILES[name].splitlines())) <= 120
