"""The console where changes are governed: refusals with their proofs, new relations, exports, hidden characters.

The tests need chromium with its driver, as those of `test_console`.
"""

from __future__ import annotations

import csv
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.console_page import NARROW, ConsolePage
from tests.serve.console_server import WRITE_TOKEN, ConsoleServer
from tests.serve.test_console import gather

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore::tidelog.errors.ConstraintWarning")]
PROGRAM = """
.decl owns(user: symbol, doc: symbol)
.decl grant(user: symbol, doc: symbol)
.decl secret(doc: symbol)
.decl cleared(user: symbol)
.decl reads(user: symbol, doc: symbol)
reads(u, d) :- owns(u, d).
reads(u, d) :- grant(u, d).
safe: :- reads(u, d), secret(d), !cleared(u).
few: :- n = count : { secret(_) }, n > 1.
.constraint few severity(warn)
"""
SPOOF, FAMILY = "\u202egnp.exe", "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FACTS = {
    "owns": [(f"user{i:02}", "plan") for i in range(72)],
    "grant": [(name, "memo") for name in (SPOOF, "bell\x07\x00", FAMILY, "ad\u200dmin", "two\nlines")],
    "cleared": [("nobody",)],
}
SHOTS = os.environ.get("TIDELOG_SHOTS")  # a folder for pictures to look at


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleServer]:
    served = ConsoleServer(tmp_path_factory.mktemp("served") / "state", PROGRAM, FACTS)
    yield served
    served.stop()


@pytest.fixture
def page(server: ConsoleServer, browser: Any) -> Iterator[ConsolePage]:
    opened = ConsolePage(browser, server.url, WRITE_TOKEN)
    yield opened
    assert not opened.complaints()
    browser.get("about:blank")


def shoot(page: ConsolePage, name: str) -> None:
    """Pictures: light, dark, narrow; only if they are asked for."""
    for look, size in (("light", (1280, 900)), ("dark", (1280, 900)), ("light", NARROW)) if SHOTS else ():
        page.size(*size)
        page.look(look)
        page.browser.save_screenshot(f"{SHOTS}/{name}-{look if size != NARROW else 'narrow'}.png")
    page.size(1280, 800)


def test_a_dry_run_that_would_be_refused_says_so_with_its_proofs(server: ConsoleServer, page: ConsolePage) -> None:
    before = server.engine.epoch_number
    page.open("#/change")
    gather(page, "secret", "plan")
    page.click("#dry-run")
    page.until(lambda: "a commit would be refused" in page.text(".outcome h1"))
    shoot(page, "dry-run")
    check_violations(page)
    assert "+1" in page.text('[data-changed="secret"]')
    page.click("#commit")
    page.until(lambda: page.all('[data-outcome="refused"]'))
    assert "Refused: nothing was changed" in page.text(".outcome")
    shoot(page, "refused")
    assert "secret(" in page.text(".violated .because")
    check_violations(page)
    assert server.engine.epoch_number == before
    assert page.all(".draft li")
    page.click("#discard")


def check_violations(page: ConsolePage) -> None:
    """72 violations of one constraint: counted, folded, each with a separate proof."""
    assert "safe is violated 72 times" in page.text('[data-violated="safe"] h2').replace("\n", " ")
    trees = page.all('[data-violated="safe"] .proof')
    assert len(trees) == 10
    opened = [tree.find_element("css selector", "li").get_attribute("aria-expanded") for tree in trees]
    assert opened == ["true", *["false"] * 9]
    assert 'secret("plan")' in trees[0].text
    trees[1].find_element("css selector", ".fold").click()
    page.until(lambda: 'owns("user01", "plan")' in trees[1].text)
    page.button("Show 62 more").click()
    page.until(lambda: len(page.all('[data-violated="safe"] .proof')) == 72)
    assert not page.all('.violated a[href*="why"]')


def test_a_warning_is_shown_and_refuses_nothing(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/change")
    gather(page, "secret", "one")
    gather(page, "secret", "two")
    page.click("#commit")
    page.until(lambda: page.all('[data-outcome="committed"]'))
    assert "warning" in page.text('[data-violated="few"] h2')
    server.delete("secret", ("one",), ("two",))


def test_a_relation_is_declared_filled_and_derived_from(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/change")
    page.click('[data-tab="Rules"]')
    page.type(".editor textarea", ".decl vip(user: symbol, since: date)\n.decl greeted(user: symbol)")
    page.button("Add").click()
    page.type(".editor textarea", "hello: greeted(u) :- vip(u, d), reads(u, x).")
    page.until(lambda: page.all(".editor .t-relation"))
    time.sleep(1)  # the check of what is typed finds nothing
    assert not page.all(".change .diagnostic.error"), page.text(".diagnostics")
    page.button("Add").click()
    page.click('[data-tab="Facts"]')
    gather(page, "vip", "user03", "2026-11-17")
    assert len(page.all(".draft li")) == 3
    page.click("#dry-run")
    page.until(lambda: "user03" in page.text('[data-changed="greeted"]'))
    shoot(page, "declare")
    assert "vip" not in server.engine
    page.click("#commit")
    page.until(lambda: page.all('[data-outcome="committed"]'))
    assert list(server.engine["greeted"]) == [("user03",)]
    page.go("#/views/vip")
    page.until(lambda: page.rows() == ["user03 2026-11-17"])


def test_a_declaration_that_contradicts_is_underlined_and_refused(page: ConsolePage) -> None:
    page.open("#/change")
    page.click('[data-tab="Rules"]')
    page.type(".editor textarea", ".decl owns(user: number)")
    page.until(lambda: "declared twice" in page.text(".change .diagnostics"))
    page.button("Add").click()
    page.click("#commit")
    page.until(lambda: "TL203" in page.text(".outcome .state.failed"))
    page.click("#discard")


def test_hidden_characters_are_shown_escaped_everywhere(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/views/grant")
    text = " ".join(page.rows())
    assert "\\u202egnp.exe" in text
    assert "bell\\u0007\\u0000" in text
    assert "ad\\u200dmin" in text
    assert "two\\nlines" in text
    assert FAMILY in text
    assert [element.text for element in page.all("td .escape")].count("\\u202e") == 1
    shoot(page, "hidden")
    fact = json.dumps(f'reads("{SPOOF}", "memo")')
    page.browser.execute_script(f"location.hash = '#/why?fact=' + encodeURIComponent({fact})")
    page.until(lambda: "is true" in page.text(".verdict"))
    page.browser.execute_script("location.hash = '#/views/grant?user=' + encodeURIComponent(arguments[0])", SPOOF)
    page.until(lambda: len(page.rows()) == 1)
    assert page.text(".filters .hidden-text") == "\\u202egnp.exe"
    page.button("delete").click()
    page.go("#/change")
    assert "\\u202egnp.exe" in page.text(".draft")
    page.browser.execute_script(
        """const note = document.querySelector('[aria-label="Note"]');
        note.value = arguments[0]; note.dispatchEvent(new Event("input", { bubbles: true }))""",
        f"approve {SPOOF}",
    )
    page.until(lambda: page.text(".by .hidden-text") == "approve \\u202egnp.exe")
    page.click("#dry-run")
    page.until(lambda: "\\u202egnp.exe" in page.text(".outcome"))
    shoot(page, "hidden-change")
    page.click("#commit")
    page.until(lambda: page.all('[data-outcome="committed"]'))
    page.until(lambda: "approve \\u202egnp.exe" in page.text(".history"))
    shown = page.browser.execute_script(
        """const odd = /[\\u202a-\\u202e\\u2066-\\u2069\\u0007]/;
        const seen = [...document.querySelectorAll("*")].flatMap((node) =>
          [node.title, node.ariaLabel, ...[...node.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data)]);
        return seen.filter((text) => text && odd.test(text))"""
    )
    assert shown == []
    server.insert("grant", (SPOOF, "memo"))


def downloads(page: ConsolePage, folder: Path) -> None:
    given = {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": False}
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", given)


def test_exports_have_all_rows_and_say_what_they_are_for(tmp_path: Path, browser: Any) -> None:
    rows = [(i, "=1+1" if i == 7 else f"name{i}") for i in range(25_000)]
    server = ConsoleServer(tmp_path / "state", ".decl n(x: number, name: symbol)", {"n": rows})
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        downloads(page, tmp_path)
        page.open("#/views/n")
        assert "spreadsheets" in page.one('[data-format="Spreadsheet"]').get_attribute("title")
        for name, ending in {"CSV": "csv", "Spreadsheet": "spreadsheet.csv", "JSON": "jsonl", "Arrow": "arrow"}.items():
            page.click(f'[data-format="{name}"]')
            page.until(lambda ending=ending: (tmp_path / f"n.{ending}").exists())
            page.until(lambda: page.text(".exporting") == "")
        plain = list(csv.reader((tmp_path / "n.csv").read_text().splitlines()))
        assert (len(plain), "=1+1" in [row[1] for row in plain]) == (25_001, True)
        escaped = list(csv.reader((tmp_path / "n.spreadsheet.csv").read_text("utf-8-sig").splitlines()))
        assert [row[1] for row in escaped if "1+1" in row[1]] == ["'=1+1"]
        assert {"x": 7, "name": "=1+1"} in map(json.loads, (tmp_path / "n.jsonl").read_text().splitlines())
    finally:
        browser.get("about:blank")
        server.stop()


def test_an_export_shows_its_progress_and_can_be_cancelled(tmp_path: Path, browser: Any) -> None:
    server = ConsoleServer(tmp_path / "state", ".decl n(x: number)", {"n": [(i,) for i in range(300_000)]})
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        downloads(page, tmp_path)
        page.open("#/views/n")
        conditions = {"offline": False, "latency": 0, "downloadThroughput": 150_000, "uploadThroughput": -1}
        page.browser.execute_cdp_cmd("Network.enable", {})
        page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)
        page.click('[data-format="CSV"]')
        page.until(lambda: "of 300,000 rows" in page.text(".exporting"))
        shoot(page, "export")
        value = float(page.one(".exporting progress").get_attribute("value") or 0)
        assert 0 < value < 300_000
        page.button("Cancel").click()
        page.until(lambda: page.text(".exporting") == "")
        page.browser.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "downloadThroughput": -1})
        time.sleep(0.5)
        assert not list(tmp_path.glob("n.csv*"))
    finally:
        browser.get("about:blank")
        server.stop()


def test_a_change_on_another_page_leaves_a_sign(tmp_path: Path, browser: Any) -> None:
    server = ConsoleServer(tmp_path / "state", ".decl n(x: number)", {"n": [(i,) for i in range(250)]})
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        page.open("#/views/n")
        server.insert("n", (1_000,), (1_001,))
        page.until(lambda: "on other pages: +2" in page.text(".elsewhere"))
        shoot(page, "elsewhere")
    finally:
        browser.get("about:blank")
        server.stop()


def test_a_browsers_event_source_reads_a_feed_with_a_ticket_and_resumes(tmp_path: Path, browser: Any) -> None:
    server = ConsoleServer(tmp_path / "state", ".decl n(x: number)", {"n": [(1,)]})
    try:
        page = ConsolePage(browser, server.url, None)
        page.open("")
        browser.execute_async_script(
            """const done = arguments[arguments.length - 1];
            fetch("/v1/tickets", {method: "POST", body: JSON.stringify({view: "n"}),
              headers: {Authorization: "Bearer " + arguments[0], "Content-Type": "application/json"}})
              .then((answer) => answer.json()).then(({address}) => {
                window.got = []; window.opened = 0;
                window.source = new EventSource(address);
                source.onopen = () => { opened++; };
                source.addEventListener("change", (event) => {
                  got.push([event.lastEventId, JSON.parse(event.data).plus]); });
                done(); })""",
            WRITE_TOKEN,
        )
        page.until(lambda: browser.execute_script("return opened") == 1)
        server.insert("n", (2,))
        page.until(lambda: browser.execute_script("return got") == [["3", [[2]]]])
        server.cut_connections()
        server.insert("n", (3,))
        page.until(lambda: browser.execute_script("return got") == [["3", [[2]]], ["4", [[3]]]])
        page.until(lambda: browser.execute_script("return opened") == 2)
    finally:
        browser.get("about:blank")
        server.stop()


class _OwnServer(BaseHTTPRequestHandler):
    """What the docs ask of a site: its page, an address that requests tickets, and `/v1/changes` forwarded."""

    page: str
    tidelog: str

    def do_GET(self) -> None:
        if self.path == "/":
            self._answer(200, "text/html", self.page.encode())
        elif not self.path.startswith("/v1/changes"):
            self._answer(404, "text/plain", b"")
        else:
            kept = ("accept", "last-event-id")
            headers = {name: value for name, value in self.headers.items() if name.lower() in kept}
            with httpx.stream("GET", self.tidelog + self.path, headers=headers, timeout=None) as response:
                self.send_response(response.status_code)
                self.send_header("Content-Type", response.headers["content-type"])
                self.end_headers()
                try:
                    for part in response.iter_raw():
                        self.wfile.write(part)
                        self.wfile.flush()
                except (OSError, httpx.HTTPError):
                    return

    def do_POST(self) -> None:
        token = {"Authorization": f"Bearer {WRITE_TOKEN}"}
        self._answer(
            200, "application/json", httpx.post(f"{self.tidelog}/v1/tickets", json=VIEW, headers=token).content
        )

    def _answer(self, status: int, type_: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


VIEW = {"view": "n"}


def test_the_page_of_the_docs_reads_a_feed_and_survives_a_restart(tmp_path: Path, browser: Any) -> None:
    text = Path("docs/reference/server.md").read_text("utf-8")
    (example,) = re.findall(r"```html\n(.*?)```", text, re.DOTALL)
    server = ConsoleServer(tmp_path / "state", ".decl n(x: number)", {"n": [(1,)]})
    handler = type("Handler", (_OwnServer,), {"page": example, "tidelog": server.url.rstrip("/")})
    own = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    own.daemon_threads = True
    thread = threading.Thread(target=own.serve_forever)
    thread.start()
    try:
        page = ConsolePage(browser, server.url, None)
        browser.get(f"http://127.0.0.1:{own.server_port}/")
        page.until(lambda: server.feeds == 1)
        server.insert("n", (2,))
        page.until(lambda: page.text("#rows").split() == ["2"])
        server.stop()
        server.start()  # which ends the ticket: the page requests another
        server.insert("n", (3,))
        page.until(lambda: page.text("#rows").split() == ["2", "3"])
    finally:
        browser.get("about:blank")
        own.shutdown()
        thread.join()
        own.server_close()
        server.stop()
