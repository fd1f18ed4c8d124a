"""The Pygments lexer `tidelog`: programs in documentation, notebooks and terminals.

Law: tokens begin and end where those of the reader do, and a name, number, string or sign of the reader is a token of
that kind; every text is coloured, and invalid characters are error tokens. Whether ``%`` begins a comment and whether a
bare name is a variable is decided as in the reader: a declaration, or a ``.convention`` directive, selects Soufflé's
convention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, include, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
    _TokenType,
)

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

_NAME = r"(?:::)?[^\W\d]\w*(?:::[^\W\d]\w*)*"
_LIBERAL = r"[^\W\d](?:\w|\?(?!\s*[(/|&{\[?+*]))*"  # a question mark that is not followed by a path operator
_QUALIFIED = rf"{_LIBERAL}(?:\.(?!{one_of(DIRECTIVES)}\s){_LIBERAL})*"
_ADDRESS = r"[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+"
_SIGNS = r":-|:=|<=|<:|<>|=<|==|>=|!=|\\==|\\=|\\\+|[-+*/^%=<>!|&?~$@:]"
_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^\n])"
_TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//.*|/\*[\s\S]*?(?:\*/|\Z)|%.*'
    r"|(?<!\S)\.(?P<declares>decl|comp|init)\b|(?<!\S)\.convention\s+(?P<says>souffle|prolog)\b"
)
Rules = list[Any]


def is_souffle(text: str) -> bool:
    """Whether a text is read with Soufflé's conventions; included files are not considered.

    >>> is_souffle(".decl p(x: number)"), is_souffle("p(X) :- q(X). % .decl")
    (True, False)
    """
    found = list(_TOKENS.finditer(text))
    said = next((match["says"] for match in found if match["says"]), None)
    return said == "souffle" if said else any(match["declares"] for match in found)


def _words(name: str, bare: _TokenType) -> Rules:
    """The kind of a word from the text around it; ``bare`` is its kind without parentheses and without a capital."""
    return [
        (rf"(:|<:)(\s*)({one_of(TYPES)})\b(?!\s*[(.])", bygroups(Operator, Whitespace, Keyword.Type)),
        (rf"{one_of(AGGREGATES)}\b(?=\s*<)|{one_of(AGGREGATES)}\b(?=[^\n.()]*:\s*[\w{{])", Keyword),
        (words(OPERATORS, suffix=r"\b(?!\s*@)"), Operator.Word),
        (rf"{one_of(FUNCTIONS)}\b(?=\s*\()", Name.Builtin),
        (words(CONSTANTS, suffix=r"\b(?!\s*\()"), Keyword.Constant),
        (rf"(\$)({name})", bygroups(Operator, Name.Class)),
        (rf"{_NAME}(?=\s*:(?![-=:]))", Name.Label),
        (rf"\??{name}(?=\s*\()", Name.Function),
        (r"_\b|\??[A-Z]\w*\b(?!\.[^\W\d]|\?\w)", Name.Variable),
        (rf"\??{name}", bare),
    ]


def _string(quote: str, kind: _TokenType) -> Rules:
    """The inside of a string; an unclosed string ends with its line."""
    return [(quote, kind, "#pop"), (_ESCAPE, String.Escape), (rf"[^{quote}\\\n]+", kind), (r"\\?\n", Text, "#pop")]


class TidelogLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """Colours programs of Tidelog, Soufflé and NDlog, and input at a prompt."""

    name = "Tidelog"
    aliases: ClassVar[list[str]] = ["tidelog", "souffle", "ndlog"]
    filenames: ClassVar[list[str]] = ["*.dl"]
    mimetypes: ClassVar[list[str]] = ["text/x-tidelog"]
    flags = re.MULTILINE

    tokens: ClassVar[dict[str, Rules]] = {
        "root": [
            (r"^(:)([a-z]\w*)", bygroups(Punctuation, Keyword.Namespace)),
            (r"%[^\n]*", Comment.Single),
            include("start"),
            *_words(_NAME, Name),
            include("signs"),
        ],
        "souffle": [
            include("start"),
            *_words(_QUALIFIED, Name.Variable),
            include("signs"),
        ],
        "start": [
            (rf"(?<=\))(\s+)({one_of(QUALIFIERS)})\b(?!\s*[(:])", bygroups(Whitespace, Keyword.Pseudo)),
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*[\s\S]*?\*/", Comment.Multiline),
            (rf"\#[ \t]*{one_of(PREPROCESSOR)}\b(?:[^\n\\]|\\[\s\S])*", Comment.Preproc),
            (r"\#[^\n]*", Comment.Single),
            (rf"(?<!\S\.)\.{one_of(DIRECTIVES)}\b", Keyword.Declaration),
            ('"', String.Double, "double"),
            ("'", String.Single, "single"),
            (r"0[xX][0-9a-fA-F]+u?", Number.Hex),
            (r"0[bB][01]+u?", Number.Bin),
            (_ADDRESS, Number),
            (r"[0-9]+\.[0-9]+(?:Inf|NaN|[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+", Number.Float),
            (r"[0-9]+u?", Number.Integer),
        ],
        "signs": [(_SIGNS, Operator), (r"[(),;.{}\[\]]", Punctuation)],
        "double": _string('"', String.Double),
        "single": _string("'", String.Single),
    }

    def get_tokens_unprocessed(
        self, text: str, stack: tuple[str, ...] = ("root",)
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """The tokens of a text with their positions."""
        start = ("souffle",) if stack == ("root",) and is_souffle(text) else stack
        yield from super().get_tokens_unprocessed(text, start)
