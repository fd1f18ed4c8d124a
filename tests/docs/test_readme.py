"""The README is short, and what it shows is so."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT, read
from tidelog.program.check import check_program
from tidelog.syntax import parse_program

TEXT = read(ROOT / "README.md")


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
