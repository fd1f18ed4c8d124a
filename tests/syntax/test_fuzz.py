"""Any bytes at all end in diagnostics, in reasonable time; never in a traceback."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.errors import ProgramError
from tidelog.syntax import parse_query, parse_rule, print_program, read_changes, read_program
from tidelog.syntax.tokens import DIRECTIVES, PREPROCESSOR_WORDS

from .strategies import Maker

FUZZ = settings(max_examples=200, deadline=None)
PIECES = [
    *(":-", ":=", "<=", "<:", "<>", "=<", ">=", "!=", "==", "\\=", "\\+", "/*", "*/", "//", "\\"),
    *"(){}[],.;:@|&?!~<>=$+-*/^%#\"'",
    *(f".{word}" for word in DIRECTIVES),
    *(f"\n#{word}" for word in PREPROCESSOR_WORDS),
    *("p", "q", "X", "_", "x", "count", "min", "a_MIN", "not", "true", "false", "mod", "band", "bnot", "as", "nil"),
    *("materialize", "keys", "infinity", "commit", "1", "2u", "0x1F", "1.5"),
    *(" ", "\n", "\0", "\ufffd", "é", '"s"', "'a b'", "p(X)", "p(X) :- q(X).", "#define M p(M, M)\n", "M"),
]


def read_everything(text):
    program, found = read_program(text)
    assert all(d.code.startswith("TL") and d.message for d in found)
    for diagnostic in found:
        assert diagnostic.span is None or 0 <= diagnostic.span.start <= diagnostic.span.end
    read_changes(text)
    for convention in ("prolog", "souffle"):
        for parse in (parse_rule, parse_query):
            with contextlib.suppress(ProgramError):
                parse(text, convention=convention)
    return program, found


@FUZZ
@given(st.binary(max_size=200))
def test_any_bytes_end_in_diagnostics(data):
    read_everything(data)


@FUZZ
@given(st.text(max_size=200))
def test_any_text_ends_in_diagnostics(text):
    read_everything(text)


@FUZZ
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["", " "]))
def test_any_sequence_of_tokens_ends_in_diagnostics(pieces, between):
    read_everything(between.join(pieces))


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 2**32), st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES), st.integers(0, 5)), max_size=4)
)
def test_a_program_with_mistakes_ends_in_diagnostics(seed, edits):
    text = print_program(Maker(seed).program())
    for where, piece, dropped in edits:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + dropped :]
    read_everything(text)


@pytest.mark.parametrize(
    "text",
    [
        "p(" * 50_000,
        "p(X) :- " + "(" * 50_000,
        "p(X) :- X = " + "(" * 5_000 + "1" + ")" * 5_000 + ".",
        "p(X) :- X = 1" + " + 1" * 20_000 + ".",
        "p(X) :- X = " + "-" * 20_000 + "1.",
        "p(X) :- " + "!" * 20_000 + "q.",
        "p([" + "[" * 20_000,
        "p(X, Y) :- " + "^" * 20_000 + "a(X, Y).",
        "p(X, Y) :- a" + "+" * 20_000 + "(X, Y).",
        "p(X, Y) :- " + "(" * 20_000 + "a" + ")" * 20_000 + "(X, Y).",
        "p(X) :- " + "X = count : { " * 20_000,
        "p(X) :- " + "a + (count : { " * 20_000,
        "p(X) :- " + "X = sum " * 20_000,
        "p :- q" + ", q" * 50_000 + ".",
        "p :- q" + "; q" * 50_000 + ".",
        ".comp A {" * 10_000,
        "/*" * 50_000,
        '"' * 50_000,
        "p(" + "9" * 100_000 + ").",
        "\\" * 100_000,
        "§ " * 20_000,
        "p(1)\n" * 20_000,
        "#define A A A A\n" + "A " * 20_000,
        "\n".join(f"#define M{i} M{i + 1} M{i + 1}" for i in range(60)) + "\nM0",
        "\n".join(f"#define M{i}(x) M{i + 1}(x) M{i + 1}(x)" for i in range(60)) + "\nM0(1)",
        "#ifdef A\n" * 10_000,
        "r-" * 30_000,
    ],
    ids=lambda text: text[:24],
)  # fmt: skip
def test_hostile_texts_are_answered(text):
    program, found = read_program(text)
    hash(program)
    assert found or program.rules
