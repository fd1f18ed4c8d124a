"""The language reference: every block on its pages is read as it says."""

import re

import pytest

from tests.docs.pages import DOCS, read
from tidelog.syntax import parse_changes, parse_program, print_program, read_program

PAGES = sorted((DOCS / "reference").glob("language*.md"))
FENCED = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [block for page in PAGES for block in FENCED.findall(read(page))]


def test_every_block_names_the_language():
    assert len(BLOCKS) > 30
    assert {language for language, _, _ in BLOCKS} == {"tidelog"}


@pytest.mark.parametrize("text", [text for _, kind, text in BLOCKS if not kind.strip()])
def test_a_program_on_the_page_is_read_and_printed(text):
    program = parse_program(text)
    assert parse_program(print_program(program)) == program
    assert not read_program(text)[1]


@pytest.mark.parametrize("text", [text for _, kind, text in BLOCKS if kind.strip() == "changes"])
def test_a_change_script_on_the_page_is_read(text):
    assert parse_changes(text)


@pytest.mark.parametrize(("code", "text"), [(kind.split()[1], text) for _, kind, text in BLOCKS if "wrong" in kind])
def test_a_wrong_program_on_the_page_gets_its_code(code, text):
    assert [found.code for found in read_program(text)[1]] == [code]
