"""Conditions of the preprocessor: the expressions after ``#if`` and ``#elif``.

Law: as in C: whole numbers, ``defined(NAME)``, the operators of arithmetic, comparison and logic with their precedence,
and 0 for every name that is not defined. A condition that cannot be read has no value.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping

MAX_TOKENS = 1000
MAX_DEPTH = 50
_TOKEN = re.compile(
    r"\s*(?:(\d+)[uUlL]*\b|(0[xX][0-9a-fA-F]+)|([^\W\d]\w*)|(\|\||&&|<<|>>|[<>=!]=|[-+*/%()<>!~&|^?:]))"
)
_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": operator.or_},
    {"^": operator.xor},
    {"&": operator.and_},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"<<": lambda a, b: a << (b % 64), ">>": lambda a, b: a >> (b % 64)},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": lambda a, b: int(a / b), "%": lambda a, b: a - int(a / b) * b},
)


class _MalformedError(Exception):
    """The condition cannot be read."""


def condition_holds(text: str, macros: Mapping[str, str | None]) -> bool | None:
    """Whether a condition holds under these macros (by name: their text, None with parameters); None if malformed.

    >>> condition_holds("defined(A) && N * 2 > 5", {"A": "", "N": "3"}), condition_holds("1 +", {})
    (True, None)
    """
    try:
        reader = _Reader(_tokens(text, macros, ()))
        value = reader.choice()
        return bool(value) if reader.at == len(reader.tokens) else None
    except (_MalformedError, ZeroDivisionError, OverflowError):
        return None


def _tokens(text: str, macros: Mapping[str, str | None], hidden: tuple[str, ...]) -> list[str]:
    """The tokens of a condition, macros expanded; `defined` has become a number."""
    words = _words(text)
    done: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "defined":
            name, at = _defined(words, at)
            done.append("1" if name in macros else "0")
        elif word in macros and word not in hidden:
            inner = macros[word]
            if inner is None or len(hidden) > MAX_DEPTH:
                raise _MalformedError
            done += ["(", *_tokens(inner, macros, (*hidden, word)), ")"]
        else:
            done.append("0" if word[0].isalpha() or word[0] == "_" else word)
        if len(done) > MAX_TOKENS:
            raise _MalformedError
    return done


def _words(text: str) -> list[str]:
    text = re.sub(r"//.*|/\*[\s\S]*?\*/|\\\n", " ", text).strip()
    words, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _MalformedError
        words.append(next(group for group in match.groups() if group is not None))
        at = match.end()
    return words


def _defined(words: list[str], at: int) -> tuple[str, int]:
    """The name after `defined`, with or without brackets."""
    if words[at : at + 1] == ["("] and words[at + 2 : at + 3] == [")"]:
        return words[at + 1], at + 3
    if at < len(words) and words[at].isidentifier():
        return words[at], at + 1
    raise _MalformedError


class _Reader:
    """Reads an expression by levels."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def choice(self) -> int:
        """`a ? b : c`, or an expression that binds tighter."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _MalformedError
        value = self._level(0)
        if self._next("?"):
            first = self.choice()
            if not self._next(":"):
                raise _MalformedError
            second = self.choice()
            value = first if value else second
        self.depth -= 1
        return value

    def _level(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        value = self._level(level + 1)
        while self.at < len(self.tokens) and self.tokens[self.at] in _LEVELS[level]:
            apply = _LEVELS[level][self.tokens[self.at]]
            self.at += 1
            value = int(apply(value, self._level(level + 1)))
        return value

    def _unary(self) -> int:
        if self.at == len(self.tokens):
            raise _MalformedError
        word = self.tokens[self.at]
        self.at += 1
        if word[0].isdigit():
            return int(word, 0) if word[:2] in ("0x", "0X") else int(word)
        if word == "(":
            value = self.choice()
            if not self._next(")"):
                raise _MalformedError
            return value
        if word not in ("!", "-", "+", "~") or self.at > MAX_TOKENS:
            raise _MalformedError
        value = self._unary()
        return {"!": int(not value), "-": -value, "+": value, "~": ~value}[word]

    def _next(self, word: str) -> bool:
        if self.tokens[self.at : self.at + 1] != [word]:
            return False
        self.at += 1
        return True
