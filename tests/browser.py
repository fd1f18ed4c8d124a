"""One Chromium for all tests that look at pages; they are skipped by name where it cannot be had.

What it can notice: what a reader of the page would see, and every message in the browser's log.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "headless=new no-sandbox disable-gpu disable-quic no-first-run disable-background-networking "
    "disable-component-update disable-sync hide-scrollbars window-size=1280,800"
)


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A browser with an empty profile."""
    if BROWSER is None or DRIVER is None:
        pytest.skip("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs the selenium package")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in FLAGS.split():
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()
