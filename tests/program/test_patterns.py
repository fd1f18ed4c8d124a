"""Regular expressions of one dialect: what Soufflé's programs write means here what it means there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog import Engine
from tidelog.errors import EvaluationError, ProgramError
from tidelog.program.functions import patterns
from tidelog.program.functions.patterns import CLASSES, compiled


@pytest.mark.parametrize(
    ("pattern", "texts", "others"),
    [
        ("[[:alpha:]]+[[:digit:]]+", ["ab12", "Z0"], ["12", "ä1", "ab", "[:1"]),
        ("[^[:space:][:punct:]]*", ["ab", ""], ["a b", "a.b", "~"]),
        ("(a|b)*c{2,3}", ["cc", "abccc"], ["c", "abcccc"]),
        (".*", ["", "ab\t"], ["a\nb", "a\r"]),
        ("[^]", ["\n", "]"], [""]),
        ("x[]?", ["x"], ["x]"]),
        ("[\\]a-]+", ["]-a"], ["b"]),
        ("[+--]", ["+", ",", "-"], ["."]),
        ("[a-z&&[:digit:]||~~]+", ["a&1|~"], ["A"]),
        ("\\x41\\u00e4\\.\\*\\t", ["Aä.*\t"], ["Aä**\t"]),
        ("a(?:c)?", ["a", "ac"], ["ax"]),
        ("[\\S\\n]\\s\\S[^\\s]", ["\n\v\u00a0b", "a ab"], ["a aa\v", "\ta a"]),
        ("[^\\S]", ["\v", " "], ["a"]),
        ("a\\b.\\Bx", [], ["abx", "a-x"]),
        (".", ["\ud800", "\U0001f600"], ["ab"]),
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
        *("\\q", "\\", "[a", "\\x4", "\\u00g0", "\\c", "\\2", "(ab)\\1", "(?=a)b", "(?!a)b"),
        *("a{1001}", "(" * 2000 + ")" * 2000, "((a{100}){100}){100}", "([^a]{100}){10}" * 20),
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


def test_what_takes_more_than_one_pass_is_refused_by_name_when_the_program_is_checked() -> None:
    for pattern, told in (("(a)\\\\1", "refers to the text of a group"), ("(?!a)b", "looks ahead")):
        with pytest.raises(ProgramError, match=rf"TL414: not a regular expression: .*{told}"):
            Engine(f'f(X) :- w(X), match("{pattern}", X).')
    with Engine(".decl p(x: symbol)\n.decl w(x: symbol)\n.decl f(x: symbol)\nf(x) :- w(x), p(y), match(y, x).") as db:
        with pytest.raises(EvaluationError, match="looks ahead"), db.epoch() as e:
            e.insert("p", [("(?=a)",)])
            e.insert("w", [("a",)])
        assert len(db["w"]) == 0


def test_a_pattern_that_ran_away_ends() -> None:
    with Engine('p(X) :- t(X), match("(a+)+b", X).') as db:
        with db.epoch() as e:
            e.insert("t", [("a" * 60 + "!",), ("a" * 100_000 + "b",)])
        assert [len(x) for (x,) in db["p"]] == [100_001]


def test_a_text_that_is_too_long_for_a_pattern_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "STEPS", 1000)
    assert compiled("a*b").fullmatch("a" * 50 + "b")
    with pytest.raises(EvaluationError, match="text of 1,001 bytes is too long for the pattern 'a\\*b'") as caught:
        compiled("a*b").fullmatch("a" * 1000 + "b")
    assert caught.value.code == "TL2080"


ATOMS = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", "\\w", "\\S", "\\b", "[]", "[^]", "ä", "\\n", "[[:punct:]-]", "$"]
)
PIECES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map(lambda x: f"(?:{x})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "*?"])).map(lambda x: f"({x[0]}){x[1]}"),
    ),
    max_leaves=6,
)


@given(PIECES, st.text("ab-ä\n\v\u2028", max_size=6))
def test_another_engine_agrees(pattern: str, text: str) -> None:
    """Python's own, which goes back and tries again, on patterns that are small."""
    spelled = re.sub(r"\\x\{([0-9a-f]+)\}", lambda found: f"\\U{int(found[1], 16):08x}", patterns.translated(pattern))
    judge = re.compile(spelled.replace(r"\z", r"\Z"), re.ASCII)
    assert compiled(pattern).fullmatch(text) == bool(judge.fullmatch(text))
