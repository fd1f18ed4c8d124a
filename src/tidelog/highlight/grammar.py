"""The TextMate grammar of programs, generated from the list of words, for editors such as VS Code.

Law: a scope matches the lexer's token as far as one line determines it: a grammar does not know the convention, so
``%`` starts a comment if no operand precedes it, and bare names in lower case have no colour. `python -m
tidelog.highlight.grammar FILE` writes it; a test compares the stored file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tidelog.highlight.words import (
    AGGREGATES,
    CONSTANTS,
    DIRECTIVES,
    FUNCTIONS,
    OPERATORS,
    PREPROCESSOR,
    QUALIFIERS,
    TYPES,
    one_of,
)

SCOPE = "source.tidelog"
_NAME = r"[\p{L}_][\p{L}\p{N}_]*"
_LIBERAL = r"[\p{L}_](?:[\p{L}\p{N}_]|\?(?!\s*[(/|&{\[?+*]))*"  # a question mark not followed by a path operator
_QUALIFIED = rf"(?:::)?{_LIBERAL}(?:::{_LIBERAL}|\.(?!{one_of(DIRECTIVES)}\s){_LIBERAL})*"
_PARTS = ("comments", "directives", "strings", "numbers", "words", "signs")
_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)"

Rule = dict[str, Any]


def grammar() -> Rule:
    """The whole grammar as plain values for `json`."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Tidelog",
        "scopeName": SCOPE,
        "fileTypes": ["dl"],
        "patterns": [{"include": f"#{part}"} for part in _PARTS],
        "repository": {
            "comments": {"patterns": _comments()},
            "directives": {"patterns": _directives()},
            "strings": {"patterns": [_string('"', "double"), _string("'", "single")]},
            "numbers": {"patterns": _numbers()},
            "words": {"patterns": _words()},
            "signs": {"patterns": _signs()},
        },
    }


def _match(pattern: str, scope: str) -> Rule:
    return {"match": pattern, "name": f"{scope}.tidelog"}


def _captured(pattern: str, *scopes: str) -> Rule:
    """A pattern whose groups have separate scopes."""
    captures = {str(i): {"name": f"{scope}.tidelog"} for i, scope in enumerate(scopes, 1) if scope}
    return {"match": pattern, "captures": captures}


def _comments() -> list[Rule]:
    block = {"begin": r"/\*", "end": r"\*/", "name": "comment.block.tidelog"}
    line = {
        "begin": rf"#[ \t]*({one_of(PREPROCESSOR)})\b",
        "end": r"(?<!\\)$",
        "name": "meta.preprocessor.tidelog",
        "beginCaptures": {"0": {"name": "keyword.control.directive.tidelog"}},
    }
    return [
        _match(r"//.*$", "comment.line.double-slash"),
        block,
        line,
        _match(r"#.*$", "comment.line.number-sign"),
        _match(r"(?<![\p{L}\p{N}_)\]\"'])(?<![\p{L}\p{N}_)\]\"'][ \t])%.*$", "comment.line.percentage"),
    ]


def _directives() -> list[Rule]:
    qualified = rf"(?<=\))\s+({one_of(QUALIFIERS)})\b(?!\s*[(:])"
    return [
        _match(rf"(?<!\S\.)(?<!\w)\.{one_of(DIRECTIVES)}\b", "keyword.other.directive"),
        _captured(qualified, "storage.modifier"),
    ]


def _string(quote: str, kind: str) -> Rule:
    return {
        "begin": quote,
        "end": rf"{quote}|$",
        "name": f"string.quoted.{kind}.tidelog",
        "patterns": [_match(_ESCAPE, "constant.character.escape")],
    }


def _numbers() -> list[Rule]:
    return [
        _match(r"\b0[xX][0-9a-fA-F]+u?", "constant.numeric.hex"),
        _match(r"\b0[bB][01]+u?", "constant.numeric.binary"),
        _match(r"\b[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+", "constant.numeric.address"),
        _match(r"\b[0-9]+\.[0-9]+(?:Inf|NaN|[eE][+-]?[0-9]+)?|\b[0-9]+[eE][+-]?[0-9]+", "constant.numeric.float"),
        _match(r"\b[0-9]+u?", "constant.numeric.integer"),
    ]


def _words() -> list[Rule]:
    aggregates = one_of(AGGREGATES)
    return [
        _captured(rf"(<:|:)\s*({one_of(TYPES)})\b(?!\s*[(.])", "keyword.operator", "storage.type"),
        _match(rf"\b{aggregates}\b(?=\s*<)|\b{aggregates}\b(?=[^.()]*:\s*[\w{{])", "keyword.other.aggregate"),
        _match(rf"\b{one_of(OPERATORS)}\b(?!\s*@)", "keyword.operator.word"),
        _match(rf"\b{one_of(FUNCTIONS)}\b(?=\s*\()", "support.function"),
        _match(rf"\b{one_of(CONSTANTS)}\b(?!\s*\()", "constant.language"),
        _captured(rf"(\$)({_QUALIFIED})", "keyword.operator", "entity.name.type.constructor"),
        _match(rf"{_NAME}(?=\s*:(?![-=:]))", "entity.name.label"),
        _match(rf"\??{_QUALIFIED}(?=\s*\()", "entity.name.function"),
        _match(rf"_\b|\??\b[A-Z]\w*\b(?!\.{_NAME}|\?\w)", "variable.other"),
        _match(rf"\??{_QUALIFIED}", "variable.parameter"),
    ]


def _signs() -> list[Rule]:
    return [
        _match(r":-", "keyword.operator.arrow"),
        _match(r":=|<=|<:|<>|=<|==|>=|!=|\\==|\\=|\\\+|[-+*/^%=<>!|&?~$@:]", "keyword.operator"),
        _match(r"[(),;.{}\[\]]", "punctuation"),
    ]


def grammar_text() -> str:
    """The text of the grammar file."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(grammar_text(), "utf-8")
