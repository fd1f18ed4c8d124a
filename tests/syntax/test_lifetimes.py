"""Lifetimes and lengths of time as text."""

from __future__ import annotations

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Lifetime
from tidelog.syntax import parse_program, parse_rule, print_program, print_rule


@pytest.mark.parametrize("length", ["7us", "250ms", "45s", "30m", "12h", "3d"])
def test_a_lifetime_is_printed_as_it_is_read(length: str) -> None:
    text = f".convention prolog\n.decl session(user: symbol, t: timestamp)\n.lifetime session {length} by t\n"
    program = parse_program(text)
    assert print_program(program) == text
    assert parse_program(print_program(program)) == program


def test_lengths_of_time_are_microseconds() -> None:
    assert parse_program(".lifetime p 2m").lifetimes == (Lifetime("p", 120_000_000),)
    assert print_rule(parse_rule("p(X) :- q(T), X = window(T, 5m), T > 3 - 1s.")) == (
        "p(X) :- q(T), X = window(T, 300000000), T > 3 - 1000000."
    )


@pytest.mark.parametrize("length", ["", "30", "0s", "1w", "5 m"])
def test_what_is_no_length_of_time_is_told(length: str) -> None:
    with pytest.raises(ProgramError) as raised:
        parse_program(f".lifetime p {length}")
    assert raised.value.code == "TL134"
