"""A text split into segments that can be read separately.

Law: the concatenation of all segments is the text, and reading them separately yields the same clauses as reading the
text. A segment is a clause, a directive or a component with the white space and the comments before it; the text after
the last of them is a segment, too. After an edit, the segments that it touches are split again, up to the first
boundary that existed before: a boundary depends on the text since the previous boundary, and on the next two tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from tidelog.errors import Diagnostic, Source
from tidelog.syntax.directives import IGNORED_QUALIFIERS
from tidelog.syntax.reader import begins_namespace
from tidelog.syntax.tokens import DIRECTIVE, END, NAME, PREPROCESS, STRING, Token, scan

_GOES_ON = frozenset({",", "=", "|", "<:", ":", "-", DIRECTIVE})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_QUALIFIERS = IGNORED_QUALIFIERS | {
    "choice", "domain", "eqrel", "inline", "input", "magic", "no_magic", "output", "overridable", "printsize",
    "stateful",
}  # fmt: skip
_PLAN = ".plan"
_BEHIND = 2  # segments after an edit that are split again at first


def cut(text: str, convention: str) -> list[str]:
    """The segments of a text.

    >>> cut("p(1). // one\\n.output p\\nq(X) :- p(X).\\n", "prolog")
    ['p(1).', ' // one\\n.output p', '\\nq(X) :- p(X).', '\\n']
    """
    ends = list(_ends(scan(Source("<text>", text), convention, _ignore)))
    starts = [0, *ends]
    pieces = [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]
    return [piece for piece in pieces if piece]


def recut(segments: Sequence[str], first: int, last: int, middle: str, convention: str) -> tuple[int, int, list[str]]:
    """Split again after ``segments[first:last]`` was replaced by ``middle``: the segments to replace, and by which."""
    start = max(first - 1, 0)
    before = "".join(segments[start:first])
    behind = _BEHIND
    while True:
        end = min(last + behind, len(segments))
        text = before + middle + "".join(segments[last:end])
        pieces = cut(text, convention)
        if end == len(segments):
            return start, end, pieces
        old = set(accumulate(map(len, reversed(segments[last:end]))))  # distances of old boundaries from the end
        shared = _last_shared(pieces, len(text), old)
        if shared is not None:
            count, distance = shared
            return start, end - _count_of(segments[last:end], distance), pieces[:count]
        behind *= 4


def _last_shared(pieces: Sequence[str], length: int, old: set[int]) -> tuple[int, int] | None:
    """The first boundary of the new pieces that existed before and has a whole piece after it."""
    for count, end in enumerate(accumulate(map(len, pieces)), 1):
        if length - end in old and count < len(pieces):
            return count, length - end
    return None


def _count_of(segments: Sequence[str], length: int) -> int:
    """The number of final segments that make up a length."""
    count = 0
    while length > 0:
        count += 1
        length -= len(segments[-count])
    return count


def _ends(tokens: list[Token]) -> Iterator[int]:
    at = 0
    while tokens[at].kind != END:
        at = _item_end(tokens, at)
        yield tokens[at - 1].end


def _item_end(tokens: list[Token], at: int) -> int:
    first = tokens[at]
    if first.kind == PREPROCESS:
        return at + 1
    if begins_namespace(tokens, at):
        return _block_end(tokens, at)
    if first.kind == "." and tokens[at + 1].kind == NAME and tokens[at + 1].start == first.end:
        return _directive_end(tokens, at + 1)  # an unknown directive
    if first.kind == DIRECTIVE:
        return _block_end(tokens, at) if first.text == ".comp" else _directive_end(tokens, at)
    while tokens[at].kind != END:
        if tokens[at].kind == ".":
            return _directive_end(tokens, at + 1) if tokens[at + 1].text == _PLAN else at + 1
        at += 1
        if tokens[at].kind in (DIRECTIVE, PREPROCESS):
            return at
    return at


def _block_end(tokens: list[Token], at: int) -> int:
    depth = 0
    while tokens[at].kind != END:
        depth += (tokens[at].kind == "{") - (tokens[at].kind == "}")
        at += 1
        if tokens[at - 1].kind == "}" and depth <= 0:
            break
    return at


def _directive_end(tokens: list[Token], at: int) -> int:
    """The end of a directive: its period, or before a line that begins with something that cannot continue it."""
    at, depth = at + 1, 0
    while tokens[at].kind not in (END, DIRECTIVE, PREPROCESS):
        token = tokens[at]
        if not depth and token.kind == ".":
            return at + 1
        if not depth and _begins(tokens, at):
            return at
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        at += 1
    return at


def _begins(tokens: list[Token], at: int) -> bool:
    token, before = tokens[at], tokens[at - 1]
    if token.kind not in (NAME, STRING) or before.kind in _GOES_ON or token.text in _QUALIFIERS:
        return False
    if token.kind == STRING and tokens[at + 1].kind != ":":
        return False
    return "\n" in token.source.text[before.end : token.start]


class Places:
    """Where segments begin: by offset and by line."""

    def __init__(self, segments: Sequence[str]) -> None:
        self.starts = list(accumulate(map(len, segments), initial=0))
        self.lines = list(accumulate((segment.count("\n") for segment in segments), initial=0))

    @property
    def length(self) -> int:
        """The length of the text."""
        return self.starts[-1]

    def at_offset(self, offset: int) -> int:
        """The segment that contains an offset."""
        return max(min(bisect_right(self.starts, offset) - 1, len(self.starts) - 2), 0)

    def at_line(self, line: int) -> int:
        """The first segment that extends into a line."""
        at = bisect_right(self.lines, line - 1) - 1 if line > 0 else 0
        return max(min(at, len(self.lines) - 2), 0)


def _ignore(diagnostic: Diagnostic) -> None:
    """Errors are reported when the segments are parsed."""
