"""Regular expressions in one dialect, that of Soufflé, matched in time linear in the text.

Law: patterns are those of ECMAScript as C++ reads them (``std::regex``), so that `match` means what it means in
Soufflé; everything else is an error. RE2 matches them, so no pattern and no text cause exponential time. What no such
engine can do is refused by name: ``\\1`` (the text of a group once more), ``(?=a)`` and ``(?!a)`` (what follows),
repetitions of more than a thousand. The dialect, over code points:

- ``.`` any character but a line end; ``^`` and ``$`` the ends of the text; ``a|b``, ``(a)``, ``(?:a)``;
- ``*  +  ?  {2}  {2,}  {2,5}``, each also with ``?`` for as few as possible;
- ``[abc]``, ``[^a-z]``, in them ``[:alpha:]`` and its kin; ``[]`` matches nothing and ``[^]`` any character;
- ``\\d \\w \\s \\D \\W \\S \\b \\B`` and the named classes, of ASCII; ``\\n \\t \\r \\f \\v \\0 \\cA \\x41 \\u00e4``,
  and a backslash before any sign for the sign itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from string import hexdigits

import re2

from tidelog.program.messages import program_failures as failures

Groups = tuple[str, ...]

ANY = r"[^\n\r\x{2028}\x{2029}]"
ALL, NONE = r"[\x{0}-\x{10ffff}]", r"[^\x{0}-\x{10ffff}]"
SPACE = r"\x{9}-\x{d}\x{20}"  # with \v, which RE2's own has not
CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "d": "0-9", "digit": "0-9",
    "graph": r"\x21-\x7e", "lower": "a-z", "print": r"\x20-\x7e", "punct": r"!-/:-@\[-`{-~", "s": SPACE,
    "space": SPACE, "upper": "A-Z", "w": r"\w", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
SPACES = {"s": SPACE, "S": r"\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{10ffff}"}
KEPT = 128  # compiled patterns that are kept
MEMORY = 2 << 20  # bytes that one of them may use
LARGEST = 1 << 14  # steps of a pattern, each of which a character may take
STEPS = 1 << 33  # of a pattern, times the bytes of a text: some ten seconds if nothing can be remembered
_SIGNS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_CODES = {"x": 2, "u": 4}
UNBOUNDED = "which cannot be matched in time proportional to the length of the text"
_QUANTIFIER = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??")
_NAMED = re.compile(r"\[([:.=])(.*?)\1\]", re.DOTALL)


def _options(captures: bool, ignores_case: bool) -> re2.Options:
    options = re2.Options()
    options.never_capture = not captures
    options.case_sensitive = not ignores_case
    options.log_errors = False
    options.max_mem = MEMORY
    return options


_OPTIONS = {wanted: _options(*wanted) for wanted in product((False, True), repeat=2)}


class Pattern:
    """A pattern that is ready to match; the texts of its groups are known only if it captures them."""

    def __init__(self, pattern: str, captures: bool = False, ignores_case: bool = False) -> None:
        self.text = pattern
        self._compiled = re2.compile(translated(pattern), _OPTIONS[captures, ignores_case])
        self.size: int = self._compiled.programsize
        self.groups: int = self._compiled.groups
        if self.size > LARGEST:
            raise ValueError(f"it has {self.size:,} steps, more than {LARGEST:,}")

    def fullmatch(self, text: str) -> bool:
        """Whether it matches the whole text."""
        return self._compiled.fullmatch(self._encoded(text)) is not None

    def found_in(self, text: str) -> bool:
        """Whether it matches a part of the text."""
        return self._compiled.search(self._encoded(text)) is not None

    def first(self, text: str) -> Groups | None:
        """The groups of the first match, the whole match first; a group that did not participate is empty."""
        found = self._compiled.search(self._encoded(text))
        return None if found is None else _groups(found)

    def all(self, text: str) -> Iterator[tuple[str, Groups]]:
        """The matches from left to right that do not overlap, each with the text since the one before.

        The last entry has the rest of the text and no groups. The work of all searches together is bounded like that of
        a single one.
        """
        raw = self._encoded(text)
        since = at = spent = 0
        while at <= len(raw):
            spent += len(raw) - at
            if spent * self.size > STEPS:
                raise failures.LONG_MATCH.error(pattern=self.text, length=len(raw), most=STEPS // self.size)
            found = self._compiled.search(raw, at)
            if found is None:
                break
            begin, end = found.span()
            yield _decoded(raw[since:begin]), _groups(found)
            since, at = end, end if end > begin else _next_character(raw, end)
        yield _decoded(raw[since:]), ()

    def _encoded(self, text: str) -> bytes:
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) * self.size > STEPS:
            raise failures.LONG_MATCH.error(pattern=self.text, length=len(raw), most=STEPS // self.size)
        return raw


def _groups(match: re2.Match) -> Groups:
    return tuple("" if part is None else _decoded(part) for part in (match[0], *match.groups()))


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")


def _next_character(raw: bytes, at: int) -> int:
    at += 1
    while at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += 1
    return at


@lru_cache(maxsize=KEPT)
def compiled(pattern: str, captures: bool = False, ignores_case: bool = False) -> Pattern:
    """The pattern, ready to match.

    >>> compiled("[[:alpha:]]+[[:digit:]]+").fullmatch("ab12"), compiled("a.c").fullmatch("a\\nc")
    (True, False)
    >>> compiled("(a+)+b").fullmatch("a" * 60 + "!")
    False
    """
    try:
        return Pattern(pattern, captures, ignores_case)
    except re2.error as error:
        raise failures.PATTERN.error(pattern=pattern, error=_problem(error)) from None
    except (RecursionError, ValueError) as error:
        raise failures.PATTERN.error(pattern=pattern, error=error) from None


def translated(pattern: str) -> str:
    """The pattern in RE2's spelling; ValueError says what is wrong with it."""
    return _Translation(pattern).text()


def _problem(error: Exception) -> str:
    """RE2's error message for a pattern."""
    text = error.args[0]
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


class _Translation:
    """Reads a pattern from left to right and writes it for RE2."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def text(self) -> str:
        """The whole pattern in RE2's spelling; ValueError says what is wrong with it."""
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
                return r"\z"
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
        return _literal(sign)

    def _group(self) -> str:
        """Read an opening bracket; a group may be repeated, so its quantifier is read at the closing bracket."""
        opening = "("
        if self.pattern.startswith("?", self.at):
            opening = self.pattern[self.at - 1 : self.at + 2]
            if opening in ("(?=", "(?!"):
                raise ValueError(f"`{opening}` at position {self.at - 1} looks ahead, {UNBOUNDED}")
            if opening != "(?:":
                raise ValueError(
                    f"`{opening}` at position {self.at - 1} does not start a supported group; use ( or (?:"
                )
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
        if sign in SPACES:
            return f"[{SPACES[sign]}]"
        if sign in "dwDWbB":
            return f"\\{sign}"
        if sign in "123456789":
            raise ValueError(f"`\\{sign}` refers to the text of a group, {UNBOUNDED}")
        return _literal(self._character(sign))

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
                raise ValueError(f"the escape `\\{sign}` needs {_CODES[sign]} hexadecimal digits")
            return chr(int(digits, 16))
        if sign.isalnum():
            raise ValueError(f"the escape `\\{sign}` is unknown")
        return sign

    def _class(self) -> str:
        opening = self._begin_class()
        members: list[str] = []
        while not self.pattern.startswith("]", self.at):
            members.append(self._member())
        self.at += 1
        if not members:
            return ALL if opening == "[^" else NONE
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
            raise ValueError(f"`{named[0]}` is not a character class")
        sign = self._next("a character class")
        if sign != "\\":
            return sign
        sign = self._next("an escape")
        if sign in SPACES:
            return SPACES[sign]
        if sign in "dwDW":
            return f"\\{sign}"
        return "\b" if sign == "b" else self._character(sign)


def _literal(sign: str) -> str:
    """A character as itself, alone or as a member of a class."""
    return sign if sign.isascii() and sign.isalnum() else f"\\x{{{ord(sign):x}}}"
