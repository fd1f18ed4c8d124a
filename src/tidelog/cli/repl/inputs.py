"""Where one input ends and the next begins, and what is missing from an unfinished input.

Law: a command (``:``, or its bare name) ends with its line, a query (``?``) and a directive (``.decl``) with the line
that closes its last bracket; everything else, and the argument of ``:dry`` or ``:time``, ends with a period at the end
of a line, wherever it started. An empty line ends an unfinished input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from tidelog.cli.repl.commands import COMMANDS, SYNONYMS
from tidelog.syntax.reader import Findings, tokens_of
from tidelog.syntax.sources import source_of
from tidelog.syntax.tokens import Token

_TRIED = re.compile(r"\s*:(?:d(?:ry?)?|t(?:ime?|im)?)\s+(?=[^\s?:]|:-)")  # commands whose argument is a clause
_QUERY = re.compile(r"\?|.*\)\s*\?\s*\.?\s*\Z", re.DOTALL)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_GOES_ON = {
    ":-": "expected the body of the rule",
    ",": "expected another part after the comma",
    ";": "expected an alternative after the semicolon",
    "!": "expected an atom after `!`",
}


def is_complete(text: str, convention: str) -> bool:
    """Whether the input is complete.

    >>> is_complete("p(X) :- q(X),", "prolog"), is_complete("p(X) :- q(X).", "prolog"), is_complete("?p(X)", "prolog")
    (False, True, True)
    """
    return text.endswith("\n\n") or missing(text, convention) is None


def missing(text: str, convention: str) -> str | None:
    """Describe what an input lacks to be complete; None for a complete input.

    >>> missing("p(X) :- q(X", "prolog")
    'expected `)` to close the bracket of line 1'
    >>> missing("p(X) :- q(X),", "prolog"), missing("p(X) :- q(X)", "prolog")
    ('expected another part after the comma', 'expected a period')
    """
    stripped = text.strip()
    if not stripped or is_command_word(stripped):
        return None
    tried = _TRIED.match(text)
    if stripped.startswith(":") and not tried and not stripped.startswith(":-"):
        return None
    tokens = _tokens(text[tried.end() :] if tried else text, convention)
    if not tokens or (tokens[-1].kind == "." and not stripped.startswith(".")):
        return None
    opened = _open_bracket(tokens)
    if opened is not None:
        line = text.count("\n", 0, opened.start + (tried.end() if tried else 0)) + 1
        return f"expected `{_OPEN[opened.kind]}` to close the bracket of line {line}"
    if stripped.startswith(".") or is_query(stripped):
        return None
    return _GOES_ON.get(tokens[-1].kind, "expected a period")


def _tokens(text: str, convention: str) -> list[Token]:
    findings = Findings()
    return tokens_of(source_of("<repl>", text, findings.report), convention, findings)[:-1]


def _open_bracket(tokens: Iterable[Token]) -> Token | None:
    """The innermost bracket that is still open; unmatched closing brackets are ignored here."""
    waiting: list[Token] = []
    for token in tokens:
        if token.kind in _OPEN:
            waiting.append(token)
        elif waiting and token.kind == _OPEN[waiting[-1].kind]:
            waiting.pop()
    return waiting[-1] if waiting else None


def is_command_word(text: str) -> bool:
    """Whether an input is the bare name of a command: no fact or rule is one word without a period.

    >>> is_command_word("help"), is_command_word("exit()"), is_command_word("help.")
    (True, True, False)
    """
    word = text.strip().removesuffix("()")
    return word in COMMANDS or word in SYNONYMS


def is_query(text: str) -> bool:
    """Whether an input is a query: `?p(X)`, Prolog's `?- p(X).`, or `p(X)?`.

    >>> is_query("?- p(X)."), is_query("p(X) ?"), is_query("p(X) :- (q/r)?(X, Y).")
    (True, True, False)
    """
    return _QUERY.match(text.strip()) is not None


def ends_with_period(text: str, convention: str) -> bool:
    """Whether the last token of the text, if it has any, is a period."""
    tokens = _tokens(text, convention)
    return not tokens or tokens[-1].kind == "."


def read_inputs(lines: Iterable[str], convention: Callable[[], str]) -> Iterator[str]:
    """The inputs of a text read line by line; the rest at its end is an input, too."""
    waiting = ""
    for line in lines:
        waiting += line
        if is_complete(waiting, convention()):
            if waiting.strip():
                yield waiting
            waiting = ""
    if waiting.strip():
        yield waiting
