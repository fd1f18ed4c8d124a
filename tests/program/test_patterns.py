"""Regular expressions of one dialect: what Soufflé's programs write means here what it means there."""

from __future__ import annotations

import re

import pytest

from tidelog import Engine
from tidelog.errors import EvaluationError, ProgramError
from tidelog.program.patterns import CLASSES, compiled


@pytest.mark.parametrize(
    ("pattern", "texts", "others"),
    [
        ("[[:alpha:]]+[[:digit:]]+", ["ab12", "Z0"], ["12", "ä1", "ab", "[:1"]),
        ("[^[:space:][:punct:]]*", ["ab", ""], ["a b", "a.b", "~"]),
        ("(a|b)*c{2,3}", ["cc", "abccc"], ["c", "abcccc"]),
        ("(ab)\\1", ["abab"], ["ab"]),
        (".*", ["", "ab\t"], ["a\nb", "a\r"]),
        ("[^]", ["\n", "]"], [""]),
        ("x[]?", ["x"], ["x]"]),
        ("[\\]a-]+", ["]-a"], ["b"]),
        ("[+--]", ["+", ",", "-"], ["."]),
        ("[a-z&&[:digit:]||~~]+", ["a&1|~"], ["A"]),
        ("\\x41\\u00e4\\.\\*\\t", ["Aä.*\t"], ["Aä**\t"]),
        ("(?=a)[ab](?!x)(?:c)?", ["a", "ac"], ["b", "ax"]),
        ("^a$", ["a"], ["a\n"]),
        ("\\d\\w\\S", ["1_x"], ["١_x", "1äx"]),
        ("a{2}?", ["aa"], ["a"]),
        ("[[.-.][=a=]]", ["-", "a"], ["="]),
        ("", [""], ["a"]),
        ("日+", ["日日"], ["本"]),
    ],
)
def test_patterns_of_the_dialect(pattern: str, texts: list[str], others: list[str]) -> None:
    assert [text for text in texts if not compiled(pattern).fullmatch(text)] == []
    assert [text for text in others if compiled(pattern).fullmatch(text)] == []


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_named_class_is_one_of_ascii(name: str) -> None:
    found = {chr(i) for i in range(128) if compiled(f"[[:{name}:]]").fullmatch(chr(i))}
    tests = {"alnum": str.isalnum, "alpha": str.isalpha, "digit": str.isdigit, "lower": str.islower}
    tests |= {"upper": str.isupper, "punct": lambda c: c.isprintable() and not c.isalnum() and c != " "}
    assert found
    if name in tests:
        assert found == {chr(i) for i in range(128) if tests[name](chr(i))}


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "a{", "a{3,1}", "*a", "a++", "a**", "(?P<x>a)", "(?i)a", "(?<=a)b", "[[:letter:]]", "[z-a]"),
        *("\\q", "\\", "[a", "\\x4", "\\u00g0", "\\c", "\\2"),
    ],
)
def test_what_is_outside_of_the_dialect_is_an_error(pattern: str) -> None:
    with pytest.raises(EvaluationError, match="not a regular expression"):
        compiled(pattern)


def test_a_wrong_pattern_in_the_text_is_found_by_the_checks() -> None:
    with pytest.raises(ProgramError, match=r"TL414: not a regular expression: '\[\[:letter:\]\]'"):
        Engine('f(X) :- w(X), match("[[:letter:]]", X).')
    with pytest.raises(ProgramError, match=re.escape("TL414")):
        Engine('f(X) :- w(X), N = count : { v(Y), !match("(", Y) }, N > 0.')


def test_posix_classes_work_in_rules() -> None:
    with Engine('f(X) :- w(X), match("[[:alpha:]]+[[:digit:]]+", X). w("ab1"). w("1"). w("["). w("a:").') as db:
        assert list(db["f"]) == [("ab1",)]
