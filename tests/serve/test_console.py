"""The console in a real browser: five pages, live changes, dry runs, and a server that goes away and comes back.

The tests need chromium with its driver (Debian: chromium, chromium-driver) and are skipped by name where they are
absent. They wait for what is to be seen, never for a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serve.console_page import NARROW, ConsolePage
from tests.serve.console_server import READ_TOKEN, WRITE_TOKEN, ConsoleServer

pytestmark = pytest.mark.long
PAGES = ("#/program/belongs", "#/views/reads", '#/why?fact=reads("ann","pay")', "#/change", "#/running")
RELATIONS = 11


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleServer]:
    served = ConsoleServer(tmp_path_factory.mktemp("served") / "state")
    yield served
    served.stop()


@pytest.fixture
def page(server: ConsoleServer, browser: Any) -> Iterator[ConsolePage]:
    opened = ConsolePage(browser, server.url, WRITE_TOKEN)
    yield opened
    assert not opened.complaints()
    browser.get("about:blank")


def test_console_asks_for_a_token_and_keeps_it_in_the_tab(server: ConsoleServer, browser: Any) -> None:
    page = ConsolePage(browser, server.url, None)
    page.open("")
    page.type("#token", "not the token of this server")
    page.button("Sign in").click()
    page.until(lambda: "rejected this token" in page.text(".login .told"))
    page.type("#token", READ_TOKEN)
    page.button("Sign in").click()
    assert len(page.until(lambda: page.all(".node"))) == RELATIONS
    assert READ_TOKEN not in browser.current_url
    assert browser.execute_script("return Object.values(localStorage).join()") == ""
    page.click('[aria-label="Sign out"]')
    page.one("#token")
    assert browser.execute_script("return sessionStorage.getItem('tidelog token')") is None


def test_program_page_shows_relations_by_strata_and_the_rules_of_one(page: ConsolePage) -> None:
    page.open("#/program")
    assert len(page.all(".node.base")) == 6
    assert len(page.all(".node.view")) == RELATIONS - 6
    assert "↻" in page.one('[data-node="inside"]').text
    assert page.one("rect.recursive title").get_attribute("textContent") == "recursive: belongs, deputises"
    assert page.all(".edge.negated")
    page.click('[data-node="reads"]')
    assert page.text(".side h1") == "reads"
    rules = [element.text for element in page.all(".side .rule[data-rule='direct'] code")]
    assert rules == ["reads(p, x) :- belongs(p, g), allows(g, x), !barred(p, x)."]
    assert page.all(".side .rule .t-relation")
    assert page.browser.current_url.endswith("#/program/reads")


def test_program_text_is_shown_with_its_diagnostics(page: ConsolePage) -> None:
    page.open("#/program")
    page.click('[data-tab="Text"]')
    page.until(lambda: page.all(".numbered .t-directive"))
    assert ".decl member(person: symbol, team: symbol)" in page.text(".numbered code")


def test_rules_that_others_change_are_seen_without_reload(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/program/reads")
    with server.engine.epoch() as epoch:
        label = epoch.add_rule('reads(p, "lobby") :- member(p, "guests").')
    page.until(lambda: page.all(f'.side [data-rule="{label}"]'))
    with server.engine.epoch() as epoch:
        epoch.remove_rule(label)
    page.until(lambda: not page.all(f'.side [data-rule="{label}"]'))


def test_views_page_filters_by_column_and_goes_back_to_all(page: ConsolePage) -> None:
    page.open("#/views/reads")
    everything = page.rows()
    assert "ann pay" in everything
    page.type('[data-column="person"]', "finn")
    page.until(lambda: {row.split()[0] for row in page.rows()} == {"finn"})
    assert set(page.rows()) == {row for row in everything if row.startswith("finn ")}
    assert page.browser.switch_to.active_element.get_attribute("data-column") == "person"
    page.type('[data-column="person"]', "nobody")
    page.until(lambda: "No row matches" in page.text("main"))
    page.browser.execute_script(
        "const f = document.querySelector('[data-column=person]'); f.value = ''; f.dispatchEvent(new Event('input'))"
    )
    page.until(lambda: len(page.rows()) == len(everything))


def test_live_change_is_seen_and_marked_without_reload(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/views/reads")
    page.browser.execute_script("window.unloaded = false")
    server.insert("member", ("gil", "guests"))
    page.until(lambda: "gil wiki" in page.rows(".gained"))
    server.delete("member", ("gil", "guests"))
    page.until(lambda: "gil wiki" in page.rows(".lost"))
    page.until(lambda: "gil wiki" not in page.rows())
    assert page.browser.execute_script("return window.unloaded") is False
    page.until(lambda: f"epoch {server.engine.epoch_number}" in page.text("#pulse"))


def test_views_page_turns_pages_of_one_epoch(tmp_path: Path, browser: Any) -> None:
    server = ConsoleServer(tmp_path / "state", ".decl n(x: number)", {"n": [(i,) for i in range(250)]})
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        page.open("#/views/n")
        seen = set(page.rows())
        assert len(seen) == 100
        for expected in (100, 50):
            page.button("Next").click()
            rows = page.until(lambda: None if seen.intersection(page.rows()) else page.rows())
            assert len(rows) == expected
            seen.update(rows)
        assert seen == {str(i) for i in range(250)}
        assert "rows 201–250 of 250" in page.text(".foot")
        server.delete("n", *((i,) for i in range(250)))
        page.until(lambda: "0 " in page.text("[data-name=n]") or page.text("[data-name=n] .size") == "0")
    finally:
        browser.get("about:blank")
        server.stop()


def test_rows_are_exported_to_files(page: ConsolePage, tmp_path: Path) -> None:
    page.browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path), "eventsEnabled": False}
    )
    page.open("#/views/readers")
    for format_, suffix in (("CSV", "csv"), ("JSON", "jsonl"), ("Arrow", "arrow")):
        page.click(f'[data-format="{format_}"]')
        page.until(lambda suffix=suffix: list(tmp_path.glob(f"readers.{suffix}")))
        page.until(lambda: page.text(".exporting") == "")
    lines = page.until(lambda: (tmp_path / "readers.csv").read_text().splitlines())
    assert lines[0] == "item,people"
    assert len(lines) == 6


def test_question_is_answered_and_stays_true(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/views")
    page.type('[aria-label="A question"]', 'reads(p, "pay"), member(p, "staff")')
    page.button("Ask").click()
    page.until(lambda: page.rows() == ["ann"])
    server.insert("deputy", ("cid", "ann"))
    page.until(lambda: "cid" in page.rows(".gained"))
    server.delete("deputy", ("cid", "ann"))
    page.until(lambda: "cid" in page.rows(".lost"))


def test_proof_unfolds_on_demand(page: ConsolePage) -> None:
    page.open("#/views/reads")
    page.one('[aria-label=\'Why reads("ann", "pay")\']').click()
    page.until(lambda: "is true" in page.text(".verdict"))
    closed = page.until(lambda: page.all('.proof [aria-expanded="false"]'))
    before = len(page.all('.proof [role="treeitem"]'))
    closed[0].find_element("css selector", ".fold").click()
    page.until(lambda: len(page.all('.proof [role="treeitem"]')) > before)
    assert page.all(".proof .how.asserted")
    assert page.all('.why .side [data-rule="direct"], .why .side [data-rule="inherited"]')


def test_change_that_caused_a_row_is_found(server: ConsoleServer, page: ConsolePage) -> None:
    server.insert("member", ("ida", "guests"))
    page.open('#/why?fact=reads("ida","wiki")')
    page.button("Which change caused it?").click()
    page.until(lambda: "was asserted" in page.text(".causes"))
    assert f"was added in epoch {server.engine.epoch_number}" in page.text(".causes h2")
    assert "belongs" in page.text(".causes ol")
    server.delete("member", ("ida", "guests"))


def test_absence_is_reported_with_the_premise_that_fails(page: ConsolePage) -> None:
    page.open('#/why?fact=reads("bob","pay")')
    assert "is not true" in page.text(".verdict")
    failing = [element.text for element in page.all(".premises .failed")]
    assert any('!barred("bob", "pay")' in line or "!barred(bob, pay)" in line for line in failing)
    page.one(".premises .failed a").click()
    page.until(lambda: "barred" in page.text(".verdict") and "is true" in page.text(".verdict"))
    page.until(lambda: page.all(".proof .how.asserted"))


def test_errors_have_the_messages_of_the_server(page: ConsolePage) -> None:
    page.open("#/why?fact=reads(")
    output = page.text(".state.failed")
    assert "TL1" in output
    assert "[object" not in output
    page.open("#/views/nowhere")
    assert "There is no relation nowhere" in page.text("main")
    page.open("#/views/reads?at=999999")
    assert "TL" in page.text(".state.failed")
    page.open("#/views?ask=reads(p")
    assert "TL" in page.text(".state.failed")


def gather(page: ConsolePage, relation: str, *values: str) -> None:
    """Gather the insertion of a fact on the Change page."""
    from selenium.webdriver.support.select import Select

    Select(page.one("#relation")).select_by_value(relation)
    for number, value in enumerate(values):
        page.type(f'[data-cell="{number}"]', value)
    page.click('button[data-sign="insert"]')


def test_dry_run_shows_what_would_change_and_changes_nothing(server: ConsoleServer, page: ConsolePage) -> None:
    before, rows = server.engine.epoch_number, set(server.engine["reads"])
    page.open("#/change")
    gather(page, "member", "gil", "admins")
    page.click("#dry-run")
    page.until(lambda: "nothing was changed" in page.text(".outcome h1"))
    assert "pay" in page.text('[data-changed="reads"]')
    assert "gained" in page.one('[data-changed="reads"] tbody tr').get_attribute("class")
    assert server.engine.epoch_number == before
    assert set(server.engine["reads"]) == rows
    assert page.all(".draft li")
    page.click("#discard")


def test_change_of_facts_and_rules_is_committed_and_stands_in_the_history(
    server: ConsoleServer, page: ConsolePage
) -> None:
    page.open("#/change")
    before = server.engine.epoch_number
    gather(page, "member", "gil", "editors")
    page.click('[data-tab="Rules"]')
    page.type(".editor textarea", 'board: reads(p, "board") :- belongs(p, "everybody").')
    page.button("Add").click()
    page.type('[aria-label="Note"]', "a trial")
    assert len(page.all(".draft li")) == 2
    page.click("#commit")
    page.until(lambda: page.all('[data-outcome="committed"]'))
    assert server.engine.epoch_number == before + 1
    assert server.engine.rules["board"].endswith('reads(p, "board") :- belongs(p, "everybody").')
    line = page.one(f'tr[data-epoch="{before + 1}"]')
    page.until(lambda: "a trial" in page.text(f'tr[data-epoch="{before + 1}"]'))
    assert "board" in line.text
    page.one(f'tr[data-epoch="{before}"] .actions a').click()
    page.until(lambda: f"As of epoch {before}" in page.text("main"))
    page.go(f"#/views/member?at={before}")
    page.until(lambda: "ann admins" in page.rows())
    assert "gil editors" not in page.rows()
    page.one(".past a").click()
    page.until(lambda: "gil editors" in page.rows())


def test_an_epoch_is_undone_after_a_look_at_what_that_changes(server: ConsoleServer, page: ConsolePage) -> None:
    server.insert("member", ("ida", "editors"))
    undone = server.engine.epoch_number
    page.open("#/change")
    page.one(f'[aria-label="Undo epoch {undone}"]').click()
    page.until(lambda: page.all('[data-outcome="dry"]'))
    assert ("ida", "editors") in server.engine["member"]
    page.click("#undo")
    page.until(lambda: page.all('[data-outcome="committed"]'))
    assert ("ida", "editors") not in server.engine["member"]


def test_an_edited_program_is_compared_and_applied(server: ConsoleServer, page: ConsolePage) -> None:
    rows = sorted(server.engine["folder"])
    page.open("#/change")
    page.one('[data-tab="Program"]').click()
    text = page.one('[aria-label="Program"]').get_attribute("value") or ""
    page.type('[aria-label="Program"]', text.replace("folder(item: symbol, parent:", "folder(item: symbol, holder:"))
    page.click("#compare")
    page.until(lambda: "new column `holder`" in page.text(".outcome"))
    page.type('[aria-label="Columns"]', "folder.holder = parent")
    page.click("#compare")
    page.until(lambda: page.all("#apply"))
    assert "holder: symbol): holder = parent" in page.text(".outcome pre")
    page.click("#apply")
    page.until(lambda: page.all('[data-outcome="committed"]'))
    assert (server.engine["folder"].columns, sorted(server.engine["folder"])) == (("item", "holder"), rows)


def test_wrong_rule_is_underlined_while_it_is_typed(page: ConsolePage) -> None:
    page.open("#/change?rule=direct")
    assert page.one(".editor textarea").get_attribute("value").startswith("reads(p, x) :- belongs(p, g)")
    page.type(".editor textarea", "reads(p, x) :- belongs(p, g).")
    page.until(lambda: page.all(".change .diagnostic"))
    assert "x" in page.text(".editor .mark")


def test_running_page_shows_plots_profile_and_plan(server: ConsoleServer, page: ConsolePage) -> None:
    page.open("#/running/inherited")
    server.insert("folder", ("minutes", "wiki"))
    server.delete("folder", ("minutes", "wiki"))
    page.until(lambda: "MiB" in page.text('[data-plot="Memory"] dd'))
    assert page.text('[data-plot="Facts"] dd').isdigit()
    page.until(lambda: page.all('.profile tr[data-rule="inherited"]'))
    heads = [element.text for element in page.one(".plan table").find_elements("css selector", "th")]
    assert heads == ["Step", "Entered", "Visited", "Passed", "True", "Expected"]
    page.until(lambda: page.browser.execute_script("return document.querySelector('.plot .line').getAttribute('d')"))
    page.one('.profile tr[data-rule="direct"] button').click()
    page.until(lambda: "direct" in page.text(".plan") and "allows(g, x)" in page.text(".plan"))


class Followed:
    """A database with a row that cannot become a fact."""

    name = "postgresql tidelog"

    def check(self, engine: object) -> None:
        """Nothing to look at."""

    def start(self, engine: object) -> None:
        """Nothing runs."""

    def stop(self) -> None:
        """Nothing runs."""

    def health(self) -> dict[str, Any]:
        return {"state": "following", "detail": "here", "quarantine": self.quarantine(), "trouble": None}

    def quarantine(self) -> list[dict[str, Any]]:
        first = [{"key": {"item": "wiki"}, "column": "parent", "reason": "column `parent` is null"}]
        return [{"relation": "folder", "table": "public.folder", "rows": 4, "first": first}]


def test_rows_in_quarantine_are_shown_and_views_without_them_are_marked(
    server: ConsoleServer, page: ConsolePage
) -> None:
    page.open("#/views/inside")
    assert not page.all(".lacking")
    server.service.sources = [Followed()]
    try:
        page.until(lambda: page.all(".lacking"))
        marked = [e.get_attribute("data-name") for e in page.all(".relations-list a:has(.lacking)")]
        assert sorted(marked) == ["folder", "inside", "readers", "reads"]
        page.go("#/views/reads")
        assert "folder does not contain the rows in quarantine" in page.until(lambda: page.all("h1 .lacking"))[
            0
        ].get_attribute("title")
        page.open("#/running")
        page.until(lambda: "folder is missing 4 rows of public.folder" in page.text('[aria-label="Quarantine"]'))
        for part in ("item = wiki", "column `parent` is null", "and 3 more"):
            assert part in page.text('[aria-label="Quarantine"]')
    finally:
        server.service.sources = ()
    page.until(lambda: page.one('[aria-label="Quarantine"]').get_attribute("hidden") is not None)


def test_console_goes_on_after_the_server_restarts(tmp_path: Path, browser: Any) -> None:
    server = ConsoleServer(tmp_path / "state")
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        page.open("#/views/reads")
        assert "gil wiki" not in page.rows()
        server.stop()
        page.until(lambda: "reconnecting" in page.text("#pulse"))
        server.start()
        server.insert("member", ("gil", "guests"))  # before the console is back: it is not to be missed
        page.until(lambda: page.all("#pulse.live"))
        page.until(lambda: "gil wiki" in page.rows())
        server.insert("member", ("hal", "guests"))
        page.until(lambda: "hal wiki" in page.rows(".gained"))
        page.go("#/program")
        page.until(lambda: "9 facts" in page.one('[data-node="member"]').text)
    finally:
        browser.get("about:blank")
        server.stop()


def test_token_that_only_reads_cannot_commit(server: ConsoleServer, browser: Any) -> None:
    page = ConsolePage(browser, server.url, READ_TOKEN)
    page.open("#/change")
    gather(page, "member", "zoe", "staff")
    assert not page.one("#commit").is_enabled()
    assert not page.one("#dry-run").is_enabled()
    page.click("#discard")


def test_pages_are_reached_and_used_by_keys(page: ConsolePage) -> None:
    page.open("#/program")
    for key, name in (("2", "Views"), ("3", "Why"), ("4", "Change"), ("5", "Running"), ("1", "Program")):
        page.press(key)
        page.until(lambda name=name: page.text("nav [aria-current]") == name)
    page.press("/")
    assert page.browser.switch_to.active_element.get_attribute("type") == "search"
    page.go("#/views/reads")
    page.browser.execute_script("document.querySelector('tbody tr').focus()")
    page.press("\ue015")  # arrow down
    focused = page.browser.execute_script(
        "return [...document.querySelectorAll('tbody tr')].indexOf(document.activeElement)"
    )
    assert focused == 1
    page.press("\ue007")  # enter
    page.until(lambda: "is true" in page.text(".verdict"))
    page.browser.execute_script("document.querySelector('[role=treeitem]').focus()")
    page.press("\ue012")  # arrow left folds
    assert page.one('[role="treeitem"]').get_attribute("aria-expanded") == "false"
    page.press("?")
    page.one("dialog[open]")
    page.press("\ue00c")  # escape
    page.until(lambda: not page.all("dialog"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_narrow_screen(page: ConsolePage, scheme: str) -> None:
    page.size(*NARROW)
    page.look(scheme)
    for address in PAGES:
        page.open(address)
        width = page.browser.execute_script("return document.documentElement.scrollWidth")
        assert width <= NARROW[0], address


@pytest.mark.parametrize("address", PAGES)
def test_everything_that_can_be_used_has_a_name(page: ConsolePage, address: str) -> None:
    page.open(address)
    usable = "button:not([aria-hidden]), a[href], input, select, textarea, [role=treeitem], .node"

    def named() -> bool:  # asked again if the page draws an element again meanwhile
        return all(element.accessible_name for element in page.all(usable) if element.is_displayed())

    page.until(named)


@pytest.mark.parametrize("address", PAGES)
def test_nothing_jumps_while_a_page_loads(page: ConsolePage, address: str) -> None:
    page.open(address)
    script = """const done = arguments[0]; let sum = 0;
        new PerformanceObserver((list) => { for (const e of list.getEntries()) sum += e.value; })
            .observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => setTimeout(() => done(sum), 100));"""
    assert page.browser.execute_async_script(script) < 0.1


def test_values_are_shown_as_text(server: ConsoleServer, page: ConsolePage) -> None:
    evil = '<img src=x onerror="window.broken = 1">'
    server.insert("member", (evil, "staff"))
    page.open("#/views/member")
    page.until(lambda: any(evil in row for row in page.rows()))
    page.one("tbody tr:last-child")
    for link in page.all("tbody a"):
        if evil[:8] in (link.get_attribute("aria-label") or ""):
            link.click()
            break
    page.until(lambda: "is true" in page.text(".verdict"))
    assert evil[:8] in page.text(".verdict")
    server.delete("member", (evil, "staff"))
    assert page.browser.execute_script("return window.broken") is None


def test_undefined_facts_are_counted_below_a_view_and_shown_on_request(tmp_path: Path, browser: Any) -> None:
    program, moves = "win(X) :- move(X, Y), !win(Y).", [(1, 2), (2, 1), (3, 4)]
    server = ConsoleServer(tmp_path / "state", program, {"move": moves})
    try:
        page = ConsolePage(browser, server.url, WRITE_TOKEN)
        page.open("#/views/win")
        page.until(lambda: "win: 2 undefined, not shown. Show" in page.text(".foot"))
        page.click(".foot .undefined a")
        page.until(lambda: page.text(".head h1").startswith("win (undefined)"))
        page.until(lambda: [row.text for row in page.all("table.rows tbody tr")] == ["1", "2"])
        with server.engine.epoch() as epoch:
            epoch.insert("move", [(2, 5)])
        page.until(lambda: "No rows" in page.text(".main"))
        page.go("#/views/win")
        page.until(lambda: len(page.all("table.rows tbody tr")) == 2)
        assert not page.all(".foot .undefined")
        assert not page.complaints()
    finally:
        browser.get("about:blank")
        server.stop()
