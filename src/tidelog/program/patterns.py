"""Regular expressions: one dialect, that of Soufflé, written for Python's engine.

Law: patterns are those of ECMAScript as C++ reads them (``std::regex``), so that `match` means what it means in
Soufflé; what is outside of that is an error, never something else. The dialect, over code points:

- ``.`` any character but a line end; ``^`` and ``$`` the ends of the text; ``a|b``, ``(a)``, ``(?:a)``, ``\\1``;
- ``*  +  ?  {2}  {2,}  {2,5}``, each also with ``?`` for as few as possible; ``(?=a)`` and ``(?!a)`` look ahead;
- ``[abc]``, ``[^a-z]``, in them ``[:alpha:]`` and its kin; ``[]`` matches nothing and ``[^]`` any character;
- ``\\d \\w \\s \\D \\W \\S \\b \\B`` and the named classes, of ASCII; ``\\n \\t \\r \\f \\v \\0 \\cA \\x41 \\u00e4``,
  and a backslash before any sign for the sign itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from string import hexdigits

from tidelog.program import failures

ANY = r"[^\n\r\u2028\u2029]"
CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "d": "0-9", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"!-/:-@\[-`{-~", "s": r"\s", "space": r"\s",
    "upper": "A-Z", "w": r"\w", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_SIGNS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_CODES = {"x": 2, "u": 4}
_QUANTIFIER = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??")
_NAMED = re.compile(r"\[([:.=])(.*?)\1\]", re.DOTALL)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, ready to match.

    >>> bool(compiled("[[:alpha:]]+[[:digit:]]+").fullmatch("ab12")), bool(compiled("a.c").fullmatch("a\\nc"))
    (True, False)
    """
    try:
        return re.compile(_Translation(pattern).text(), re.ASCII)
    except (re.error, OverflowError, RecursionError, ValueError) as error:
        raise failures.PATTERN.error(pattern=pattern, error=error) from None


class _Translation:
    """Reads a pattern from left to right and writes it for Python."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def text(self) -> str:
        """The whole pattern in Python's spelling; ValueError says what is wrong with it."""
        written: list[str] = []
        while self.at < len(self.pattern):
            written.append(self._piece())
        return "".join(written)

    def _next(self, what: str) -> str:
        if self.at >= len(self.pattern):
            raise ValueError(f"it ends in the middle of {what}")
        self.at += 1
        return self.pattern[self.at - 1]

    def _piece(self) -> str:
        sign = self._next("a pattern")
        match sign:
            case "|" | ")":
                return sign
            case "(":
                return self._group()
            case "^":
                return r"\A"
            case "$":
                return r"\Z"
            case "*" | "+" | "?" | "{":
                raise ValueError(f"`{sign}` at position {self.at - 1} repeats nothing")
        return self._atom(sign) + self._quantifier()

    def _atom(self, sign: str) -> str:
        match sign:
            case ".":
                return ANY
            case "[":
                return self._class()
            case "\\":
                return self._escape()
        return re.escape(sign)

    def _group(self) -> str:
        """A bracket opens; what it closes may be repeated, so the quantifier is read there."""
        opening = "("
        if self.pattern.startswith("?", self.at):
            opening = self.pattern[self.at - 1 : self.at + 2]
            if opening not in ("(?:", "(?=", "(?!"):
                raise ValueError(f"`{opening}` at position {self.at - 1} begins no group; known are (?: (?= (?!")
            self.at += 2
        inside: list[str] = []
        while not self.pattern.startswith(")", self.at):
            if self.at >= len(self.pattern):
                raise ValueError("a bracket is never closed")
            inside.append(self._piece())
        self.at += 1
        return f"{opening}{''.join(inside)}){self._quantifier()}"

    def _quantifier(self) -> str:
        found = _QUANTIFIER.match(self.pattern, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found[0]

    def _escape(self) -> str:
        sign = self._next("an escape")
        if sign in "dwsDWSbB":
            return f"\\{sign}"
        if sign in "123456789":
            return f"(?:\\{sign})"
        return re.escape(self._character(sign))

    def _character(self, sign: str) -> str:
        """The one character that an escape names."""
        if sign in _SIGNS:
            return _SIGNS[sign]
        if sign == "c":
            return chr(ord(self._next("an escape")) % 32)
        if sign in _CODES:
            digits = self.pattern[self.at : self.at + _CODES[sign]]
            self.at += len(digits)
            if len(digits) < _CODES[sign] or not all(digit in hexdigits for digit in digits):
                raise ValueError(f"the escape `\\{sign}` takes {_CODES[sign]} hexadecimal digits")
            return chr(int(digits, 16))
        if sign.isalnum():
            raise ValueError(f"the escape `\\{sign}` names nothing")
        return sign

    def _class(self) -> str:
        opening = self._begin_class()
        members: list[str] = []
        while not self.pattern.startswith("]", self.at):
            members.append(self._member())
        self.at += 1
        if not members:
            return r"[\s\S]" if opening == "[^" else "(?!)"
        return f"{opening}{''.join(members)}]"

    def _begin_class(self) -> str:
        if not self.pattern.startswith("^", self.at):
            return "["
        self.at += 1
        return "[^"

    def _member(self) -> str:
        """A class, a character or a range of characters."""
        first = self._class_item()
        follows = self.pattern[self.at : self.at + 2]
        if len(first) > 1 or not follows.startswith("-") or follows == "-]":
            return first if len(first) > 1 else _literal(first)
        self.at += 1
        last = self._class_item()
        if len(last) > 1 or last < first:
            raise ValueError(f"the range `{first}-{last}` is empty")
        return f"{_literal(first)}-{_literal(last)}"

    def _class_item(self) -> str:
        """One character as it is, or the spelling of a class, which is longer."""
        named = _NAMED.match(self.pattern, self.at)
        if named is not None:
            self.at = named.end()
            if named[1] == ":" and named[2] in CLASSES:
                return CLASSES[named[2]]
            if named[1] != ":" and len(named[2]) == 1:
                return named[2]
            raise ValueError(f"`{named[0]}` is no class of characters")
        sign = self._next("a class of characters")
        if sign != "\\":
            return sign
        sign = self._next("an escape")
        if sign in "dwsDWS":
            return f"\\{sign}"
        return "\b" if sign == "b" else self._character(sign)


def _literal(sign: str) -> str:
    """A character as a member of a class."""
    return sign if sign.isalnum() else f"\\u{ord(sign):04x}" if ord(sign) < 1 << 16 else f"\\U{ord(sign):08x}"
