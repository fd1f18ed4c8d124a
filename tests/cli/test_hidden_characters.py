"""Characters that would act in a terminal are shown escaped; what other programs read stays exact."""

from __future__ import annotations

import unicodedata

import pytest

from tidelog import Engine
from tidelog.cli.output.answers import table_lines
from tidelog.cli.session.outputs import on_screen
from tidelog.errors.render import visible
from tidelog.syntax import parse_ground_atom
from tidelog.syntax.values import read_string, write_string

ACTING = [chr(point) for point in range(0x11_0000) if unicodedata.category(chr(point)) in ("Cc", "Zl", "Zp")]
ACTING += ["\u061c", "\u200e", "\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))]
ACTING += ["\u200b", "\u2060", "\ufeff", "\xad", "\U000e0041"]


@pytest.mark.parametrize("character", ACTING, ids=lambda character: f"U+{ord(character):04X}")
def test_a_character_that_acts_is_escaped_and_read_back(character: str) -> None:
    value = f"a{character}b"
    assert character not in visible(value)
    assert character not in write_string(value)
    assert read_string(write_string(value)) == value
    if character not in "\t\n":
        assert character not in on_screen(value)


def test_proofs_facts_and_tables_show_no_character_that_acts() -> None:
    name = "\u202egnp.exe\x07"
    db = Engine("file(X) :- raw(X).  safe: :- file(X), bad(X).")
    with db.epoch() as e:
        e.insert("raw", [(name,)])
    with pytest.raises(Exception, match="refused") as raised, db.epoch() as e:
        e.insert("bad", [(name,)])
    proof = str(db.why(("file", (name,))))
    report = [proof, str(raised.value.violations[0]), *table_lines(db.query("file(X)"))]
    for text in report:
        assert "\u202e" not in text, text
        assert "\x07" not in text, text
        assert any("\\u202egnp.exe\\x07" in line for line in report)
    assert parse_ground_atom(proof.partition("  ")[0]).args[0].value == name  # type: ignore[union-attr]


def test_rows_for_other_programs_stay_as_they_are() -> None:
    assert on_screen("a\tb\nc\n") == "a\tb\nc\n"
    assert on_screen("日本 é") == "日本 é"
