"""Leaves: the tokens of a text, each with the comments around it.

Law: every comment belongs to exactly one leaf: to the token before it if it ends that token's line, else to the token
after it, on a separate line or in front of it. A comment of several lines is on separate lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from tidelog.errors import Source
from tidelog.syntax.tokens import END, Token

_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/|[#%][^\n]*+")


class Remark(NamedTuple):
    """A comment on a separate line, and whether an empty line precedes it."""

    text: str
    blank: bool


@dataclass(slots=True)
class Leaf:
    """A token with its comments. ``first``: it begins a line; ``blank``: an empty line directly precedes it."""

    token: Token
    own: list[Remark] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    blank: bool = False
    first: bool = True

    @property
    def text(self) -> str:
        """The token and the comments before it on its line."""
        return " ".join((*self.inline, self.token.text))


class _Comment(NamedTuple):
    text: str
    newlines: int
    ends_line: bool

    @property
    def is_long(self) -> bool:
        return "\n" in self.text


def leaves_of(source: Source, tokens: list[Token]) -> list[Leaf]:
    """A leaf for every token; comments after the last one belong to the end token.

    >>> from tidelog.syntax.tokens import scan
    >>> source = Source("<text>", "// one\\np(X). // two")
    >>> [(leaf.text, len(leaf.own), leaf.behind) for leaf in leaves_of(source, scan(source, "prolog", print))][-2:]
    [('.', 0, ['// two']), ('', 0, [])]
    """
    leaves: list[Leaf] = []
    for token in tokens:
        leaf = Leaf(token)
        before = leaves[-1] if leaves else None
        start = 0 if before is None else before.token.end
        gap = source.text[start : token.start]
        if gap.isspace() or not gap:
            leaf.first, leaf.blank = before is None or "\n" in gap, gap.count("\n") > 1
        else:
            _share_out(gap, before, leaf)
        leaves.append(leaf)
    return leaves


def _share_out(gap: str, before: Leaf | None, leaf: Leaf) -> None:
    """Assign each comment in the gap between two leaves to one of them."""
    comments, rest = _comments(gap, leaf.token.kind == END)
    leaf.blank = rest.count("\n") > 1
    leaf.first = before is None or any(c.newlines or c.is_long for c in comments) or "\n" in rest
    on_line = next((i for i, c in enumerate(comments) if c.newlines), len(comments))
    beside = comments[:on_line]
    if before is not None and beside and beside[-1].ends_line and not any(c.is_long for c in beside):
        before.behind.extend(c.text for c in beside)
        comments = comments[on_line:]
    ends = max((i + 1 for i, c in enumerate(comments) if c.ends_line or c.is_long), default=0)
    leaf.own.extend(Remark(c.text, c.newlines > 1) for c in comments[:ends])
    leaf.inline.extend(c.text for c in comments[ends:])


def _comments(gap: str, at_end: bool) -> tuple[list[_Comment], str]:
    """The comments of a gap, and the white space after the last one."""
    found = list(_COMMENT.finditer(gap))
    comments: list[_Comment] = []
    end = 0
    for i, match in enumerate(found):
        after = gap[match.end() : found[i + 1].start() if i + 1 < len(found) else len(gap)]
        ends_line = "\n" in after or (at_end and i + 1 == len(found))
        comments.append(_Comment(match[0].rstrip(), gap.count("\n", end, match.start()), ends_line))
        end = match.end()
    return comments, gap[end:]
