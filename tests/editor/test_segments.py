"""Segments: a text cut into clauses, and cut again where it is edited."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("lsprotocol", reason="the language server is an extra: pip install 'tidelog[editor]'")

from lsprotocol import types as lsp

from tests.syntax.strategies import Maker
from tidelog.editor.check import accept, check_whole, current, snapshot_of
from tidelog.editor.document import Document
from tidelog.editor.positions import offset_in
from tidelog.editor.segments import cut
from tidelog.syntax import print_program
from tidelog.syntax.layout.read import read_as_program

FUZZ = settings(max_examples=100, deadline=None)
TYPED = (
    "",
    "x",
    ". ",
    "\n",
    " .plan 0:(1)",
    "(",
    ")",
    "/*",
    "*/",
    '"',
    "\n.decl q(x: number)\n",
    "\nfoo",
    "🌊",
    " :- ",
)


def document_of(text: str) -> Document:
    document = Document("file:///text.dl", "/nowhere/text.dl")
    document.open(text)
    return document


@FUZZ
@given(st.integers(0, 2**32))
def test_reading_the_segments_gives_the_clauses_of_the_text(seed):
    maker = Maker(seed)
    text = print_program(maker.program())
    document = document_of(text)
    whole = read_as_program(text, "/nowhere/text.dl", None, None)
    assert document.convention == whole.convention
    assert document.text == text
    assert not whole.errors
    for part in ("rules", "facts", "declarations", "types", "directives", "keys", "components", "instances"):
        read = [item for piece in document.pieces for item in getattr(piece.program, part)]
        assert read == list(getattr(whole.meaning, part))


@FUZZ
@given(st.integers(0, 2**32))
def test_an_edited_document_is_what_opening_its_text_gives(seed):
    rng, maker = random.Random(seed), Maker(seed)
    text = print_program(maker.program())
    document = document_of(text)
    for _ in range(6):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice((0, 0, 1, 7, 40)))
        typed = rng.choice(TYPED)
        where = document.positions.range(start, end)
        assert (document.positions.offset(where.start), document.positions.offset(where.end)) == (start, end)
        document.edit(where, typed)
        text = text[:start] + typed + text[end:]
        assert document.text == text
        opened = document_of(text)
        assert document.convention == opened.convention
        assert [piece.text for piece in document.pieces] == [piece.text for piece in opened.pieces]
        assert {n: len(p) for n, p in document.names().items()} == {n: len(p) for n, p in opened.names().items()}


def test_positions_count_units_of_utf_16():
    document = document_of('p("🌊é"). q(1).\nr(2).\n')
    assert document.positions.offset(lsp.Position(0, 10)) == document.text.index("q")
    assert document.positions.position(document.text.index("q")) == lsp.Position(0, 10)
    assert document.positions.offset(lsp.Position(0, 99)) == document.text.index("\n")
    assert offset_in("ab\ncd", 1, 1) == 4


@pytest.mark.parametrize(
    "text",
    [
        "p(1). // end\n// own\nq(2).",
        ".decl p(x: number)\n  brie\n.output p\np(1).",
        ".type T =\n A {}\n | B {}\nq(1).",
        "p(X) :- q(X).\n.plan 0:(1)\nr(1).",
        ".comp C { .decl p(x: number) p(1). }\n.init c = C\n",
        '.pragma "a"\n"b"\n"label": p(1).',
        "p(1)\n.nothing q\nr(2).",
    ],
)
def test_cuts_stand_between_clauses(text):
    pieces = cut(text, "souffle")
    assert "".join(pieces) == text
    assert len(pieces) >= 2


def test_findings_of_other_clauses_stay_while_one_is_typed():
    document = document_of("p(X) :- q(Y).\nr(X) :- q(X).\n")
    accept(check_whole(snapshot_of(document)), document)
    assert [found.diagnostic.code for _, found in current(document)] == ["TL301", "TL702"]
    document.edit(document.positions.range(18, 18), ", X")
    assert (2, "TL301") in [(base + found.start, found.diagnostic.code) for base, found in current(document)]
    document.edit(document.positions.range(18, 21), "")
    accept(check_whole(snapshot_of(document)), document)
    assert [found.diagnostic.code for _, found in current(document)] == ["TL301", "TL702"]


def test_a_clause_is_checked_by_itself_as_it_is_typed():
    document = document_of(".decl p(x: number)\n.decl q(x: symbol)\np(x) :- q(x).\nq(x) :- q(x).\n")
    accept(check_whole(snapshot_of(document)), document)
    at = document.text.rindex("q(x)")
    document.edit(document.positions.range(at, at + 4), "p(x)")
    last = [found.diagnostic.code for base, found in current(document) if base + found.start >= at - 10]
    assert last
    assert last[0].startswith("TL4")
