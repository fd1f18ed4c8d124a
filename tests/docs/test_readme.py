"""The README is short, and what it shows is so."""

from __future__ import annotations

import doctest
import re

from tests.docs.pages import ROOT, session_text
from tidelog.program.check import check_program
from tidelog.syntax import parse_program

README = ROOT / "README.md"
TEXT = README.read_text("utf-8")


def test_session_of_the_readme_gives_what_it_says() -> None:
    session = doctest.DocTestParser().get_doctest(session_text(README), {}, "README.md", str(README), 0)
    results = doctest.DocTestRunner().run(session)
    assert results.attempted > 8
    assert results.failed == 0


def test_readme_has_at_most_120_lines() -> None:
    assert len(TEXT.splitlines()) <= 120


def test_program_of_the_readme_has_five_lines_and_passes_the_checks() -> None:
    (program,) = re.findall(r"```prolog\n(.*?)```", TEXT, re.DOTALL)
    assert len(program.splitlines()) == 5
    assert check_program(parse_program(program)).warnings == ()


def test_targets_that_the_readme_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert {"demo", "test"} <= set(re.findall(r"make ([a-z-]+)", TEXT))
    assert all(f"\n{target}:" in makefile for target in re.findall(r"make ([a-z-]+)  ", TEXT))
