"""Tokens: one compiled pattern cuts a text into names, numbers, strings and signs.

Law: every character of the text lies in exactly one token, in white space or in a comment, or is reported. The
pattern uses possessive repetition only, so the time is linear in the text. What depends on the convention: ``%``
starts a comment (Prolog) or is the remainder (Soufflé); names have parts joined by ``::`` in the one (``chord::succ``)
and by periods in the other (``graph.edge``), without spaces; and in Soufflé they may contain question marks, and
``10.0.0.1`` is a number. A question mark that an operator
of paths would follow (``a?(x, y)``, ``a?/b``) is the operator. Words are distinguished by the parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tidelog.errors import Diagnostic, Source, Span
from tidelog.program import SOUFFLE
from tidelog.syntax.syntax_catalogue import SYNTAX_CODES

Report = Callable[[Diagnostic], None]

NAME, NUMBER, STRING, DIRECTIVE, PREPROCESS, END = "name", "number", "string", "directive", "preprocess", "end"

DIRECTIVES = (
    "comp", "constraint", "convention", "decl", "functor", "include", "init", "input", "key", "lattice", "lifetime",
    "limitsize", "number_type", "once", "output", "override", "plan", "pragma", "prefix", "printsize", "reference",
    "symbol_type", "type",
)  # fmt: skip
PREPROCESSOR_WORDS = (
    "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "include", "line", "pragma", "undef",
    "warning",
)  # fmt: skip


class Token(NamedTuple):
    """A piece of text. The kind of a sign is the sign itself; the text of a string keeps its quotes."""

    kind: str
    text: str
    start: int
    end: int
    source: Source

    @property
    def span(self) -> Span:
        """The place of the token."""
        return Span(self.source, self.start, self.end)


def span_between(first: Token, last: Token) -> Span:
    """The span from one token to another; only the first where an include or a macro put them in different texts."""
    if first.source is last.source and last.end >= first.start:
        return Span(first.source, first.start, last.end)
    return Span(first.source, first.start, first.end)


_SKIP = r"(?:\s++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/{comment})*+"
_NAME = r"(?:::)?+\??[^\W\d]\w*+(?:::[^\W\d]\w*+)*+"
_WORD = r"[^\W\d](?:\w|\?(?!\s*+(?:[(/|&{\[?]|[+*][(+*?/|&{\[)]|\)[\s)]*+[(/|&?+*{\[])))*+"
_LIBERAL_NAME = rf"\??{_WORD}(?:\.(?!(?:{'|'.join(DIRECTIVES)})\s){_WORD})*+"
_ADDRESS = r"[0-9]++\.[0-9]++\.[0-9]++\.[0-9]++|"
_PARTS = (
    r"(?P<name>{name})",
    r"(?P<sign>[(),;@]|:[-=]?|<[=:>]?|=[<=]?|>=?|!=?|/(?!\*)|[-+*^%{}\[\]|&?~$]|\\(?:==?|\+)"
    rf"|\.(?!(?<!\S\.)(?:{'|'.join(DIRECTIVES)})\b))",
    r"(?P<directive>\.prefix[ \t]++[^\W\d]\w*+:[ \t]*+<[^<>\n]*+>|\.\w++)",
    r"(?P<opencomment>/\*[\s\S]*+)",
    r"(?P<number>{address}0[xX][0-9a-fA-F]++u?|0[bB][01]++u?|[0-9]++\.[0-9]++(?:Inf|NaN|[eE][+-]?[0-9]++)?"
    r"|[0-9]++[eE][+-]?[0-9]++|[0-9]++u?)",
    r"""(?P<string>"(?:[^"\\\n]++|\\[^\n])*+"|'(?:[^'\\\n]++|\\[^\n])*+')""",
    r"(?P<openstring>[\"'][^\n]*+)",
    rf"(?P<preprocess>\#[ \t]*+(?:{'|'.join(PREPROCESSOR_WORDS)})\b(?:[^\n\\]++|\\[\s\S]|\\\Z)*+)",
    r"(?P<bad>[^\s\w(),;@:<=>!/.+*^%{}\[\]|&?~$\\\"'#-]++|\\++|\S)",
    r"(?P<end>\Z)",
)
_HASH_COMMENT = rf"|\#(?![ \t]*+(?:{'|'.join(PREPROCESSOR_WORDS)})\b)[^\n]*+"


def _pattern(comment: str, name: str, address: str) -> re.Pattern[str]:
    parts = "|".join(_PARTS).replace("{name}", name).replace("{address}", address)
    return re.compile(_SKIP.replace("{comment}", comment) + "(?:" + parts + ")")


_SOUFFLE_PATTERN = _pattern(_HASH_COMMENT, _LIBERAL_NAME, _ADDRESS)
_PROLOG_PATTERN = _pattern(_HASH_COMMENT + r"|%[^\n]*+", _NAME, "")


def scan(source: Source, convention: str, report: Report) -> list[Token]:
    """The tokens of a text, an end token last.

    >>> [t.text for t in scan(Source("<text>", "p(X) :- q(X). % why"), "prolog", print)]
    ['p', '(', 'X', ')', ':-', 'q', '(', 'X', ')', '.', '']
    """
    pattern = _SOUFFLE_PATTERN if convention == SOUFFLE else _PROLOG_PATTERN
    text = source.text
    tokens: list[Token] = []
    add, new = tokens.append, tuple.__new__  # a named tuple's own constructor takes twice as long
    for match in pattern.finditer(text):
        kind: str = match.lastgroup  # type: ignore[assignment]  # every alternative of the pattern is named
        first, last = match.span(kind)
        word = text[first:last]
        if kind == "sign":
            add(new(Token, (word, word, first, last, source)))
        elif kind in _KEPT:
            add(new(Token, (kind, word, first, last, source)))
        elif kind == "end":
            break
        else:
            tokens.extend(_faulty(kind, Token(kind, word, first, last, source), report))
    add(Token(END, "", len(text), len(text), source))
    return tokens


_KEPT = frozenset({NAME, NUMBER, STRING, DIRECTIVE, PREPROCESS})
_FAULTS = {"opencomment": "TL105", "openstring": "TL104", "bad": "TL106"}


def _faulty(kind: str, token: Token, report: Report) -> list[Token]:
    """Report an invalid token; an open string is closed at the end of its line so that parsing continues."""
    quoted = token.text.rstrip() or token.text
    span = Span(token.source, token.start, token.start + (2 if kind == "opencomment" else len(quoted)))
    report(SYNTAX_CODES[_FAULTS[kind]].diagnostic(span, found=printable(quoted)))
    if kind != "openstring":
        return []
    inner = quoted[1:].rstrip(").,;").replace("\\", "\\\\").replace('"', "")
    rest = token.start + 1 + len(quoted[1:].rstrip(").,;"))
    closed = Token(STRING, f'"{inner}"', token.start, rest, token.source)
    tail = [
        Token(sign, sign, rest + i, rest + i + 1, token.source)
        for i, sign in enumerate(token.text[rest - token.start :].rstrip())
    ]
    return [closed, *tail]


def printable(text: str, limit: int = 30) -> str:
    """The text in a form for messages: shortened, with control characters escaped."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)
