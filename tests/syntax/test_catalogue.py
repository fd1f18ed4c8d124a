"""The catalogue: every code has an example that produces it, and texts without holes."""

import re

import pytest

from tidelog.syntax import SYNTAX_CODES, read_changes, read_program

WITHOUT_EXAMPLE = {"TL122", "TL124", "TL181"}  # need a file or a ground place; their tests stand in test_reader.py


def codes_of(code, text):
    read = read_changes if "TL140" <= code <= "TL148" else read_program
    return [found.code for found in read(text)[1]]


@pytest.mark.parametrize("code", sorted(set(SYNTAX_CODES) - WITHOUT_EXAMPLE))
def test_the_example_of_a_code_produces_it(code):
    assert code in codes_of(code, SYNTAX_CODES[code].example)


@pytest.mark.parametrize("code", sorted(set(SYNTAX_CODES) - WITHOUT_EXAMPLE - {"TL149"}))
def test_an_example_produces_nothing_else(code):
    assert set(codes_of(code, SYNTAX_CODES[code].example)) == {code}


def test_codes_stand_in_their_families_and_under_their_own_name():
    assert all(entry.code == code and re.fullmatch(r"TL1\d\d", code) for code, entry in SYNTAX_CODES.items())


@pytest.mark.parametrize("code", sorted(set(SYNTAX_CODES) - WITHOUT_EXAMPLE))
def test_a_diagnostic_has_no_holes(code):
    read = read_changes if "TL140" <= code <= "TL148" else read_program
    for found in read(SYNTAX_CODES[code].example)[1]:
        assert not re.search(
            r"\{(found|expected|limit|word|problem|closing)\}", found.message + found.note + found.hint
        )
        assert found.span is not None
        assert found.span.source.text
