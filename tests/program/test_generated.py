"""The checks against the generators of random programs: what those make is in order, by design of theirs.

It notices a check that refuses too much; it cannot notice one that refuses too little.
"""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog.program.check import examine_program
from tidelog.syntax import print_program, read_program
from tidelog.testing.generate import random_program


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_generated_programs_pass_the_checks(seed: int) -> None:
    _, findings = examine_program(random_program(Random(seed)))
    assert [finding.message for finding in findings if finding.severity == "error"] == []


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**9))
def test_checking_an_elaborated_program_changes_nothing(seed: int) -> None:
    checked, _ = examine_program(random_program(Random(seed)))
    again, _ = examine_program(checked.program)
    assert again.program == checked.program
    assert again.schema == checked.schema


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**9))
def test_program_that_was_printed_and_read_gets_the_same_schema(seed: int) -> None:
    checked, _ = examine_program(random_program(Random(seed)))
    program, _ = read_program(print_program(checked.program))
    assert examine_program(program)[0].schema == checked.schema
