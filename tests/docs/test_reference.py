"""The reference names every function, every feature of random programs and every diagnostic."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, read
from tidelog.cli.diagnostics_page import render_page
from tidelog.program.functions.table import FUNCTIONS
from tidelog.testing import FEATURES

REFERENCE = DOCS / "reference"


def test_diagnostics_page_equals_the_catalogues() -> None:
    assert read(REFERENCE / "diagnostics.md") == render_page()


def test_every_function_is_documented() -> None:
    named = set(re.findall(r"`([a-zA-Z_0-9]+|[-+*/%^])(?:\(|`| )", read(REFERENCE / "functions.md")))
    assert {name for name in FUNCTIONS if " " not in name} - named == set()


def test_every_feature_of_random_programs_is_documented() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", read(REFERENCE / "testing.md"), re.MULTILINE)) == FEATURES
