"""The words of an Overlog text, after its macros.

Law: every token has a place in the text that the user wrote; what a macro expands to is placed where it is used. A
macro is not expanded inside its own expansion, so expansion ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tidelog.errors import ProgramError, Source, Span
from tidelog.lab.network.network_catalogue import SYNTAX

NAME, NUMBER, STRING, END = "name", "number", "string", "end"

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"", re.S)
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>0[xX][0-9a-fA-F]+I?|\d+\.\d+(?:[eE][-+]?\d+)?|\d+[UI]?)"
    r"|(?P<name>(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<sign>:-|:=|==|!=|<=|>=|<<|>>|\|\||&&|[-+*/%<>=!?:(){}\[\],.@|])"
)
_DEFINE = re.compile(r"define\s+([A-Za-z_]\w*)[ \t]*(.*)")
_CONDITION = re.compile(r"(ifdef|ifndef)\s+([A-Za-z_]\w*)\s*")
_UNDEFINE = re.compile(r"undef\s+([A-Za-z_]\w*)\s*")


class Token(NamedTuple):
    """A word or sign; the kind of a sign is the sign."""

    kind: str
    text: str
    span: Span


def scan(source: Source, macros: Mapping[str, str]) -> list[Token]:
    """The tokens of a text, ended by one of kind `END`.

    >>> [token.text for token in scan(Source("a", "#define T 5\\np(T). // T"), {})]
    ['p', '(', '5', ')', '.', '']
    """
    defined = dict(macros)
    tokens: list[Token] = []
    for start, line in _lines(source, defined):
        for token in _tokens(source, start, line):
            tokens += _expanded(token, defined, frozenset())
    tokens.append(Token(END, "", Span(source, len(source.text), len(source.text))))
    return tokens


def _lines(source: Source, defined: dict[str, str]) -> Iterator[tuple[int, str]]:
    """The lines that are part of the program, with their places; directives are obeyed."""
    text = _COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), source.text)
    start, kept = 0, [True]
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        if stripped.startswith("#"):
            _obey(stripped[1:].strip(), defined, kept, Span(source, start, start + len(line.rstrip())))
        elif all(kept):
            yield start, line
        start += len(line)
    if len(kept) > 1:
        raise _failure(Span(source, len(text), len(text)), "`#endif`", "the end of the text")


def _blank(comment: str) -> str:
    return re.sub(r"[^\n]", " ", comment)


def _obey(directive: str, defined: dict[str, str], kept: list[bool], span: Span) -> None:
    condition = _CONDITION.fullmatch(directive)
    if condition is not None:
        kept.append((condition[2] in defined) == (condition[1] == "ifdef"))
    elif directive == "else" and len(kept) > 1:
        kept[-1] = not kept[-1]
    elif directive == "endif" and len(kept) > 1:
        kept.pop()
    elif (define := _DEFINE.fullmatch(directive)) is not None:
        if all(kept):
            defined[define[1]] = define[2].strip()
    elif (undefine := _UNDEFINE.fullmatch(directive)) is not None:
        if all(kept):
            defined.pop(undefine[1], None)
    elif all(kept):
        raise _failure(span, "`#define NAME value`, `#undef`, `#ifdef`, `#ifndef`, `#else` or `#endif`", span.text)


def _tokens(source: Source, start: int, text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise _failure(Span(source, start + at, start + at + 1), "a word, a number or a sign", f"`{text[at]}`")
        kind = str(found.lastgroup)
        if kind != "space":
            span = Span(source, start + at, start + found.end())
            yield Token(found[0] if kind == "sign" else kind, found[0], span)
        at = found.end()


def _expanded(token: Token, defined: Mapping[str, str], hidden: frozenset[str]) -> Iterator[Token]:
    if token.kind != NAME or token.text not in defined or token.text in hidden:
        yield token
        return
    inside = Source(f"macro {token.text}", defined[token.text])
    for inner in _tokens(inside, 0, inside.text):
        placed = inner._replace(span=token.span)
        yield from _expanded(placed, defined, hidden | {token.text})


def _failure(span: Span, expected: str, found: str) -> ProgramError:
    return ProgramError([SYNTAX.diagnostic(span, expected=expected, found=found)])
