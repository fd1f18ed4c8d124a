"""Every code has an example that gets it, and a text that no other has."""

from __future__ import annotations

import re

import pytest

from tidelog.cli.diagnostics_page import all_entries
from tidelog.program.check import examine_program
from tidelog.program.checks.subsumed import check_subsumed
from tidelog.program.messages.check_catalogue import CATALOGUE
from tidelog.syntax import read_program

EDGE = b".decl edge(x: number, y: number)\n"  # what an example includes


@pytest.mark.parametrize("code", CATALOGUE)
def test_example_of_a_code_gets_that_code(code: str) -> None:
    program, read = read_program(CATALOGUE[code].example, include=lambda wanted, _: (wanted, EDGE))
    assert not [found for found in read if found.severity == "error"]
    checked, findings = examine_program(program)
    redundant = check_subsumed(checked.program.rules)  # asked by `tidelog check` only
    assert code in {finding.code for finding in (*findings, *redundant)}


@pytest.mark.parametrize("code", CATALOGUE)
def test_every_entry_has_title_template_note_hint(code: str) -> None:
    entry = CATALOGUE[code]
    assert entry.title
    assert entry.template
    assert entry.note.endswith(".")
    assert entry.hint


def test_no_code_stands_in_two_catalogues() -> None:
    codes = [entry.code for entry in all_entries()]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"TL[1-9]\d\d", code) for code in codes)


def test_only_the_warning_family_warns() -> None:
    for entry in CATALOGUE.values():
        program, _ = read_program(entry.example)
        for finding in examine_program(program)[1]:
            assert (finding.severity == "warning") == finding.code.startswith("TL7")
