"""The pictures of the console in the docs, made by going where they show something.

They are written where `TIDELOG_PICTURES` says (`make pictures` does it), and are otherwise made and thrown away: the
way to them is tested all the same.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, read
from tests.serve.console_page import NARROW, ConsolePage
from tests.serve.console_server import WRITE_TOKEN, ConsoleServer
from tests.serve.test_console import gather

pytestmark = pytest.mark.long
FOLDER = os.environ.get("TIDELOG_PICTURES")
SMALLEST = 5_000  # bytes of a picture that shows something


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ConsoleServer]:
    served = ConsoleServer(tmp_path / "state")
    yield served
    served.stop()


def show_program(page: ConsolePage, server: ConsoleServer) -> None:
    page.open("#/program/belongs")
    server.insert("member", ("gil", "guests"))
    page.until(lambda: "8 facts" in page.one('[data-node="member"]').text)


def show_views(page: ConsolePage, server: ConsoleServer) -> None:
    page.open("#/views/reads?item=wiki")
    with server.engine.epoch() as epoch:
        epoch.insert("member", [("hal", "staff")])
        epoch.delete("member", [("finn", "guests")])
    page.until(lambda: page.rows(".gained") and page.rows(".lost"))


def show_why(page: ConsolePage, server: ConsoleServer) -> None:
    page.open('#/why?fact=reads("bob","accounts")')
    for node in page.until(lambda: page.all('.proof [aria-expanded="false"] .fold')):
        node.click()
    page.until(lambda: not page.all(".state.loading"))


def show_absence(page: ConsolePage, server: ConsoleServer) -> None:
    page.open('#/why?fact=reads("gil","pay")')


def show_change(page: ConsolePage, server: ConsoleServer) -> None:
    page.open("#/change")
    gather(page, "deputy", "cid", "ann")
    page.type('[aria-label="Author"]', "ann")
    page.type('[aria-label="Note"]', "cid stands in for ann")
    page.click("#dry-run")
    page.until(lambda: page.all("[data-outcome]"))


def show_refused(page: ConsolePage, server: ConsoleServer) -> None:
    with server.engine.epoch() as epoch:
        epoch.add_rule('guarded: :- reads(p, "pay"), !member(p, "admins").')
    page.open("#/change")
    gather(page, "allows", "staff", "accounts")
    page.click("#commit")
    page.until(lambda: page.all('[data-outcome="refused"]'))


def show_running(page: ConsolePage, server: ConsoleServer) -> None:
    page.open("#/running/inherited")
    for number in range(12):
        server.insert("member", (f"visitor{number}", "guests"))
        page.browser.execute_async_script("setTimeout(arguments[0], 500)")
    page.until(lambda: page.browser.execute_script("return document.querySelector('.plot .line').getAttribute('d')"))


SCENES: dict[str, tuple[Callable[[ConsolePage, ConsoleServer], None], tuple[int, int], str]] = {
    "console-program": (show_program, (1180, 740), "light"),
    "console-views": (show_views, (1180, 560), "light"),
    "console-why": (show_why, (1180, 640), "light"),
    "console-absence": (show_absence, (1180, 560), "dark"),
    "console-change": (show_change, (1180, 760), "light"),
    "console-refused": (show_refused, (1180, 760), "light"),
    "console-running": (show_running, (1180, 760), "dark"),
    "console-narrow": (show_views, NARROW, "dark"),
}


@pytest.mark.parametrize("name", SCENES)
def test_picture_of_the_console_is_made(name: str, server: ConsoleServer, browser: Any, tmp_path: Path) -> None:
    scene, size, scheme = SCENES[name]
    page = ConsolePage(browser, server.url, WRITE_TOKEN)
    page.size(*size)
    page.look(scheme)
    scene(page, server)
    save(browser, name, tmp_path)


def test_picture_of_the_readme_shows_its_program(browser: Any, tmp_path: Path) -> None:
    program = re.findall(r"```prolog\n(.*?)```", read(ROOT / "README.md"), re.DOTALL)[0]
    facts = {
        "member": [*((f"user{n}", "staff") for n in range(20)), ("bob", "admins")],
        "inherits": [("admins", "staff")],
        "grants": [("staff", "wiki"), ("staff", "files"), ("admins", "accounts")],
    }
    server = ConsoleServer(tmp_path / "state", program, facts)
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        page.size(1180, 480)
        page.look("light")
        page.open("#/why?fact=may(bob,wiki)")
        for node in page.until(lambda: page.all('.proof [aria-expanded="false"] .fold')):
            node.click()
        page.until(lambda: not page.all(".state.loading") and "inherits(admins, staff)" in page.text("main"))
        save(browser, "console-readme", tmp_path)
    finally:
        server.stop()


def save(browser: Any, name: str, folder: Path) -> None:
    """Save the picture, which must show something."""
    file = Path(FOLDER or folder) / f"{name}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    assert browser.save_screenshot(str(file))
    assert file.stat().st_size > SMALLEST
    browser.get("about:blank")
