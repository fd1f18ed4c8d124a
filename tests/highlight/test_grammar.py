"""The TextMate grammar on every program, and the package of the editor: by a small reader here, by npm where it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, read
from tests.highlight.test_lexer import LEGAL, name
from tests.highlight.textmate import scopes
from tidelog import __version__
from tidelog.errors import Source
from tidelog.highlight.grammar import grammar, grammar_text
from tidelog.syntax import parse_program
from tidelog.syntax.sources import Sources
from tidelog.syntax.tokens import scan

EDITOR = ROOT / "editors" / "vscode"
PACKAGE = json.loads(read(EDITOR / "package.json"))
GRAMMAR = json.loads(grammar_text())
KINDS = {
    "name": r"variable|entity|support|storage|keyword|constant\.language",
    "number": r"constant\.numeric",
    "string": r"string",
    "directive": r"keyword\.other\.directive",
    "preprocess": r"meta\.preprocessor|keyword\.control",
}
SIGN = r"keyword\.operator|punctuation"


def reader_tokens(path: Path) -> dict[str, Any]:
    """A program with the tokens of the reader, as plain values for `json`."""
    source = Source(str(path), path.read_text("utf-8"))
    assert max(source.text) <= "\uffff", "places would be counted differently in JavaScript"
    found = scan(source, Sources(None, print).convention_of(source), print)[:-1]
    tokens = [{"kind": token.kind, "start": token.start, "end": token.end} for token in found]
    return {"name": name(path), "text": source.text, "tokens": tokens}


@pytest.mark.parametrize("path", LEGAL, ids=name)
def test_tokens_have_the_scopes_of_their_kinds(path: Path) -> None:
    program = reader_tokens(path)
    text, coloured, seen = program["text"], scopes(GRAMMAR, program["text"]), 0
    for token in program["tokens"]:
        between = [at for at in range(seen, token["start"]) if not text[at].isspace()]
        assert all(coloured[at].startswith("comment") for at in between), text[seen : token["end"]]
        inside = [at for at in range(token["start"], token["end"]) if not text[at].isspace()]
        expected = KINDS.get(token["kind"], SIGN)
        assert all(re.match(expected, coloured[at]) for at in inside), (text[token["start"] : token["end"]], token)
        seen = token["end"]


@pytest.mark.parametrize(
    ("text", "word", "scope"),
    [
        ("p(X) :- q(X). % why", "% why", "comment.line.percentage"),
        ("p(x % 2) :- q(x).", "%", "keyword.operator"),
        (".decl p(x: number) inline", "inline", "storage.modifier"),
        (".decl p(x: number)", "number", "storage.type"),
        ("d(X, min<C>) :- e(X, C).", "min", "keyword.other.aggregate"),
        ("d(X) :- X = min(1, 2).", "min", "support.function"),
        ("near: p(X) :- q(X).", "near", "entity.name.label"),
        ("p(X) :- q(X).", ":-", "keyword.operator.arrow"),
        ("p(X) :- q(X).", "X", "variable.other"),
        ("/* one\ntwo */ p(1).", "two", "comment.block"),
    ],
)
def test_a_word_has_its_scope(text: str, word: str, scope: str) -> None:
    assert scopes(grammar(), text)[text.index(word)] == f"{scope}.tidelog"


def test_the_grammar_that_is_kept_is_the_one_that_is_made() -> None:
    assert read(EDITOR / "syntaxes" / "tidelog.tmLanguage.json") == grammar_text(), "run `make docs`"


def test_the_package_of_the_editor_has_the_version_and_every_file_it_names() -> None:
    assert PACKAGE["version"] == __version__
    given = PACKAGE["contributes"]
    named = [each["path"] for kind in ("grammars", "snippets") for each in given[kind]]
    named += [language["configuration"] for language in given["languages"]]
    assert not [file for file in named if not (EDITOR / file).exists()]
    assert PACKAGE["main"].removeprefix("./") in PACKAGE["scripts"]["bundle"]
    assert f"tidelog-{__version__}.vsix" in read(EDITOR / "README.md")
    assert read(EDITOR / "LICENSE") == read(ROOT / "LICENSE")


def test_snippets_are_programs() -> None:
    snippets = json.loads(read(EDITOR / "snippets" / "tidelog.json"))
    for title, snippet in snippets.items():
        text = "\n".join(snippet["body"])
        text = re.sub(r"\$\{\d+\|(\w+)[^}]*\}|\$\{\d+:(\w+)\}|\$0", lambda m: m[1] or m[2] or "", text)
        named = re.match(r"\.(?:input|output) (\w+)", text)
        assert parse_program(f".decl {named[1]}(x: number)\n{text}" if named else text), title


@pytest.mark.long
def test_the_grammar_colours_programs_in_the_engine_of_the_editor(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the grammar is tested by the small reader alone")
    folder = tmp_path / "vscode"
    shutil.copytree(EDITOR, folder, ignore=shutil.ignore_patterns("node_modules"))
    installed = subprocess.run([npm, "install", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"npm cannot install vscode-textmate: {installed.stderr.strip()[-200:]}")
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps([reader_tokens(path) for path in LEGAL]), "utf-8")
    environment = {**os.environ, "TIDELOG_TOKENS": str(tokens)}
    tested = subprocess.run([npm, "test"], cwd=folder, env=environment, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout
    packed = subprocess.run([npm, "run", "package"], cwd=folder, capture_output=True, text=True)
    assert packed.returncode == 0, packed.stdout + packed.stderr
    with zipfile.ZipFile(folder / f"tidelog-{__version__}.vsix") as made:
        assert {"extension/dist/client.js", "extension/syntaxes/tidelog.tmLanguage.json"} <= set(made.namelist())
