"""The lexer on every program and on every block of the documentation: no error tokens, and the reader's tokens."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from tests.docs.pages import DOCS, ROOT, read
from tidelog.errors import Diagnostic, Source
from tidelog.highlight.lexer import TidelogLexer, is_souffle
from tidelog.program import PROLOG, SOUFFLE
from tidelog.syntax.sources import Sources, source_of
from tidelog.syntax.tokens import scan

PROGRAMS = sorted((ROOT / "programs").rglob("*.dl")) + sorted((ROOT / "examples").rglob("*.dl"))
LEGAL = [path for path in PROGRAMS if "rejected" not in path.parts]
SCRIPTS = sorted((ROOT / "programs").rglob("changes*.txt"))
BLOCKS = [
    block
    for page in sorted(DOCS.rglob("*.md"))
    for block in re.findall(r"^```tidelog[^\n]*\n(.*?)^```$", read(page), re.MULTILINE | re.DOTALL)
]
KINDS = {
    "number": (Number,),
    "string": (String,),
    "directive": (Keyword.Declaration,),
    "preprocess": (Comment.Preproc,),
}
WORDS = (Name, Keyword, Operator.Word)
SIGNS = (Operator, Punctuation)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tokens(text: str) -> Iterator[tuple[int, object, str]]:
    return TidelogLexer().get_tokens_unprocessed(text)


def errors(text: str) -> list[str]:
    return [word for _, kind, word in tokens(text) if kind in Error]


@pytest.mark.parametrize("path", LEGAL, ids=name)
def test_a_program_has_no_error_tokens(path: Path) -> None:
    assert not errors(path.read_text("utf-8"))


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_a_change_script_has_no_error_tokens(path: Path) -> None:
    assert not errors(path.read_text("utf-8"))


def test_blocks_of_the_documentation_have_error_tokens_only_where_the_reader_finds_faults() -> None:
    assert len(BLOCKS) > 100
    for block in BLOCKS:
        faults: list[Diagnostic] = []
        source = source_of("<block>", block, faults.append)
        scan(source, SOUFFLE if is_souffle(block) else PROLOG, faults.append)
        assert faults or not errors(block), block


@pytest.mark.parametrize("path", LEGAL, ids=name)
def test_tokens_are_those_of_the_reader(path: Path) -> None:
    source = Source(str(path), path.read_text("utf-8"))
    convention = Sources(None, print).convention_of(source)
    assert is_souffle(source.text) == (convention == SOUFFLE)
    coloured = [kind for _, kind, word in tokens(source.text) for _ in word]
    seen = 0
    for token in scan(source, convention, print)[:-1]:
        for place in range(seen, token.start):
            assert coloured[place] in Comment or coloured[place] in Whitespace, source.text[place:][:20]
        expected = KINDS.get(token.kind, WORDS if token.kind == "name" else SIGNS)
        for place in range(token.start, token.end):
            assert any(coloured[place] in kind for kind in expected), (token.text, coloured[place])
        seen = token.end


@pytest.mark.parametrize(
    ("text", "word", "kind"),
    [
        ("p(X) :- q(X). % why", "% why", Comment.Single),
        (".decl p(x: number)\np(x % 2) :- q(x).", "%", Operator),
        (".decl p(x: number)", "number", Keyword.Type),
        (".decl p(x: number) inline", "inline", Keyword.Pseudo),
        (".decl p(x: number)", ".decl", Keyword.Declaration),
        ("#ifdef A", "#ifdef A", Comment.Preproc),
        ("# words", "# words", Comment.Single),
        ("d(X, min<C>) :- e(X, C).", "min", Keyword),
        ("d(C) :- C = count : { e(_) }.", "count", Keyword),
        ("d(C) :- n(X), C = sum Y : { e(X, Y) }.", "sum", Keyword),
        ("d(X) :- X = min(1, 2).", "min", Name.Builtin),
        ('d(X) :- X = cat("a", "b").', "cat", Name.Builtin),
        ("near: p(X) :- q(X).", "near", Name.Label),
        ("p(X) :- q(X).", "X", Name.Variable),
        ("p(X) :- q(X).", "q", Name.Function),
        ("p(ann).", "ann", Name),
        (".decl p(x: number)\np(a) :- q(a).", "a", Name.Variable),
        ('p("a\\n").', "\\n", String.Escape),
        ("p(0x1F).", "0x1F", Number.Hex),
        ("p($Leaf(1)).", "Leaf", Name.Class),
        (":why reach(1, 3)", "why", Keyword.Namespace),
        ("p(X) :- not q(X).", "not", Operator.Word),
    ],
)
def test_a_word_has_its_colour(text: str, word: str, kind: object) -> None:
    assert (word, kind) in [(found, its) for _, its, found in tokens(text)]


@pytest.mark.parametrize("text", ['p("a).', "p(`x`).", "/* open", "p(\x00)."])
def test_any_text_is_coloured_whole(text: str) -> None:
    assert "".join(word for _, _, word in tokens(text)) == text


def test_what_no_program_holds_is_an_error_token() -> None:
    assert errors("p(X) :- q(X) ` r.") == ["`"]


def test_pygments_finds_the_lexer_by_the_entry_point() -> None:
    group = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["entry-points"]["pygments.lexers"]
    assert EntryPoint("tidelog", group["tidelog"], "pygments.lexers").load() is TidelogLexer
    assert "tidelog" in TidelogLexer.aliases
