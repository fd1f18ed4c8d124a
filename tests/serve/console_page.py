"""The console as a person uses it: open a page, read it, click and type; wait for what is to come, not for a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

PATIENCE = 90.0  # seconds until a test gives up; the machine may be busy with something else
Found = TypeVar("Found")
WIDE, NARROW = (1280, 800), (390, 844)


class ConsolePage:
    """A browser that is signed in to a console."""

    def __init__(self, browser: Any, url: str, token: str | None) -> None:
        self.browser, self._url = browser, url
        self.size(*WIDE)
        self.look("light")
        browser.get(url + "console/base.css")  # of the same origin, and without scripts that would use the token
        browser.execute_script("sessionStorage.clear(); localStorage.clear()")
        if token is not None:
            browser.execute_script("sessionStorage.setItem('tidelog token', arguments[0])", token)
        browser.get_log("browser")

    def open(self, address: str) -> None:
        """Open an address of the console as a link from outside would; ends when nothing is loading."""
        self.browser.get("about:blank")
        self.browser.get(self._url + address)
        self.until(lambda: self.all("main.page > *, main.login > *") and not self.all(".state.loading"))

    def go(self, address: str) -> None:
        """Go to an address inside the console, without loading it again."""
        self.browser.execute_script("location.hash = arguments[0]", address)
        self.until(lambda: not self.all(".state.loading"))

    def size(self, width: int, height: int) -> None:
        """The size of the screen."""
        given = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", given)

    def look(self, scheme: str) -> None:
        """Whether the system is light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def until(self, found: Callable[[], Found]) -> Found:
        """Wait until something is found."""
        from selenium.common.exceptions import StaleElementReferenceException

        end, value = time.monotonic() + PATIENCE, None
        while not value:
            assert time.monotonic() < end, f"not there:\n{self.text('body')}"
            try:
                value = found()
            except StaleElementReferenceException:
                value = None
            if not value:
                time.sleep(0.05)
        return value

    def one(self, selector: str) -> Any:
        """The element of a selector, as soon as there is one."""
        return self.until(lambda: next(iter(self.all(selector)), None))

    def all(self, selector: str) -> list[Any]:
        """The elements of a selector that are there now."""
        return list(self.browser.find_elements("css selector", selector))

    def text(self, selector: str) -> str:
        """The text that is shown."""
        script = "return document.querySelector(arguments[0])?.innerText ?? ''"
        return str(self.browser.execute_script(script, selector))

    def click(self, selector: str) -> None:
        """Click on an element; one that the page draws again meanwhile is looked for again."""

        def click() -> bool:
            found = self.all(selector)
            if found:
                found[0].click()
            return bool(found)

        self.until(click)

    def button(self, name: str) -> Any:
        """The button with a text."""
        return self.until(lambda: next(iter(self.browser.find_elements("xpath", f"//button[.='{name}']")), None))

    def type(self, selector: str, text: str) -> None:
        """Type into a field that is empty."""
        field = self.one(selector)
        field.clear()
        field.send_keys(text)

    def press(self, keys: str) -> None:
        """Press keys where the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.browser).send_keys(keys).perform()

    def rows(self, kind: str = "") -> list[str]:
        """The rows of the table of a view, of one kind (`.gained`, `.lost`) if it is given."""
        script = """return [...document.querySelectorAll(arguments[0])].map(
            (line) => [...line.cells].slice(0, -1).map((cell) => cell.textContent).join(" "))"""
        return list(self.browser.execute_script(script, f".views tbody tr{kind}"))

    def complaints(self) -> list[Any]:
        """What the browser's log says, but for requests that no server answered, or with an error of ours."""
        expected = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "status of 40")
        log = self.browser.get_log("browser")
        return [entry for entry in log if not any(word in entry["message"] for word in expected)]
