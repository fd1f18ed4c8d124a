"""The list of words is what the parser and the table of functions know."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tidelog.highlight import words
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.values.schema import BASE_TYPES
from tidelog.syntax import directives, terms, tokens

SIGNS = set("+-*/%^")
OPERATORS = {*terms.BINARY, *terms.UNARY} - SIGNS
LISTS = {
    "DIRECTIVES": tokens.DIRECTIVES,
    "PREPROCESSOR": tokens.PREPROCESSOR_WORDS,
    "TYPES": BASE_TYPES,
    "QUALIFIERS": directives._QUALIFIERS,
    "AGGREGATES": terms.AGGREGATE_NAMES,
    "OPERATORS": {*OPERATORS, terms.AS, "not"},
    "CONSTANTS": {"true", "false", "nil"},
    "FUNCTIONS": {name for name in FUNCTIONS if name.isidentifier()} - OPERATORS,
}


@pytest.mark.parametrize("name", LISTS)
def test_words_are_those_of_the_language(name: str) -> None:
    assert list(getattr(words, name)) == sorted(LISTS[name])


def test_every_list_is_compared() -> None:
    assert {name for name in vars(words) if name.isupper()} == set(LISTS)


def test_colouring_imports_no_parser_and_no_engine() -> None:
    script = (
        "import sys, tidelog.highlight.lexer; print(*sorted(m for m in sys.modules if m.startswith(('tidelog', 'n'))))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in found if name.startswith("tidelog")} == {
        "tidelog",
        "tidelog.highlight",
        "tidelog.highlight.lexer",
        "tidelog.highlight.words",
    }
    assert not {"numpy", "numba"} & set(found)
