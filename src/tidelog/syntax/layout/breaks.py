"""Line breaks in a clause or directive.

Law: text that fits on the line is not broken, unless a comment ends a line inside it. Other text is broken from the
outside in: first after the arrow, then at the separators of the outermost list, then inside a bracket, and finally
before an operator. Only tokens, comments and the indentation decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from tidelog.syntax.layout.leaves import Leaf
from tidelog.syntax.layout.lines import STEP, WIDTH, Lines
from tidelog.syntax.layout.roles import PLAN, SEPARATOR, Role
from tidelog.syntax.terms import BINARY

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BRANCH = len("; ")


class LineWriter:
    """Writes the leaves of one item to lines."""

    def __init__(self, leaves: Sequence[Leaf], roles: Sequence[Role], lines: Lines) -> None:
        self.leaves = leaves
        self.roles = roles
        self.lines = lines
        self.kinds = [leaf.token.kind for leaf in leaves]
        self.depths, self.partners = _brackets(self.kinds)
        texts = [leaf.text for leaf in leaves]
        gaps = [0, *(self._gap(at) for at in range(1, len(leaves)))]
        ends = list(accumulate(gap + len(text) for gap, text in zip(gaps, texts, strict=True)))
        self.starts = [end - len(text) for end, text in zip(ends, texts, strict=True)]
        self.ends = ends
        self.owned = [0, *accumulate(bool(leaf.own) for leaf in leaves)]
        self.closed = [0, *accumulate(bool(leaf.behind) for leaf in leaves)]

    def clause(self, indent: int) -> None:
        """A rule or a fact, with its `.plan` on a separate line."""
        end = next((at for at, leaf in enumerate(self.leaves) if leaf.token.text == PLAN), len(self.leaves))
        arrow = next((at for at in range(end) if self.kinds[at] == ":-" and not self.depths[at]), None)
        if self.fits(0, end):
            self._run(0, end, indent)
        elif arrow is None:
            self._list(0, end, indent)
        else:
            self._fit_or_list(0, arrow + 1, indent)
            self.lines.begin(indent + STEP)
            self._fit_or_list(arrow + 1, end, indent + STEP)
        if end < len(self.leaves):
            self.lines.begin(indent + STEP)
            self._element(end, len(self.leaves), indent + STEP)

    def names(self, indent: int) -> None:
        """A directive with a list of names, such as `.output a, b`."""
        if self.fits(0, len(self.leaves)):
            self._run(0, len(self.leaves), indent)
            return
        self._leaf(0, indent)
        self.lines.begin(indent + STEP)
        self._list(1, len(self.leaves), indent + STEP)

    def alternatives(self, indent: int) -> None:
        """A type with several alternatives: each on a separate line if they do not fit."""
        start = next((at + 1 for at, kind in enumerate(self.kinds) if kind == "="), 0)
        if not start or "|" not in self.kinds or self.fits(0, len(self.leaves)):
            self.whole(indent)
            return
        self._run(0, start, indent)
        self.lines.begin(indent + STEP)
        self._list(start, len(self.leaves), indent + STEP, "|")

    def whole(self, indent: int) -> None:
        """Any other directive."""
        self._element(0, len(self.leaves), indent)

    def fits_after_space(self) -> bool:
        """Whether the whole item fits on the open line, after a space."""
        return not self._is_forced(0, len(self.leaves)) and self.lines.column + 1 + self.ends[-1] <= WIDTH

    def fits(self, start: int, end: int) -> bool:
        """Whether a range fits on the rest of the open line, with no comment that would break it."""
        return not self._is_forced(start, end) and self._reach(start, end) <= WIDTH

    def flat(self, indent: int) -> None:
        """The whole item on the open line."""
        self._run(0, len(self.leaves), indent)

    def _gap(self, at: int) -> int:
        if self.kinds[at] == "}" and self.kinds[at - 1] == "{" and not self.leaves[at].inline:
            return 0
        if self.leaves[at].inline:
            return 1
        return int(self.roles[at - 1].after and self.roles[at].before)

    def _is_forced(self, start: int, end: int) -> bool:
        return self.owned[end] > self.owned[start + 1] or self.closed[end - 1] > self.closed[start]

    def _width(self, start: int, end: int) -> int:
        return self.ends[end - 1] - self.starts[start]

    def _reach(self, start: int, end: int) -> int:
        """The column at which a range would end if it were written on here."""
        gap = self._gap(start) if start and not self.lines.is_new else 0
        return self.lines.column + gap + self._width(start, end)

    def _run(self, start: int, end: int, indent: int) -> None:
        for at in range(start, end):
            self._leaf(at, indent)

    def _leaf(self, at: int, indent: int, remarks_at: int | None = None) -> None:
        """Write one token, with its own comments on lines before it and the others beside it."""
        leaf, lines = self.leaves[at], self.lines
        for remark in leaf.own:
            lines.begin(indent if remarks_at is None else remarks_at)
            lines.exactly(remark.text)
        if leaf.own or lines.is_closed:
            lines.begin(indent)
        elif at and not lines.is_new:
            lines.write(" " * self._gap(at))
        lines.write(leaf.text)
        for text in leaf.behind:
            lines.comment(text)

    def _fit_or_list(self, start: int, end: int, indent: int) -> None:
        if self.fits(start, end):
            self._run(start, end, indent)
        else:
            self._list(start, end, indent)

    def _list(self, start: int, end: int, indent: int, sign: str = ";") -> None:
        """Write branches on separate lines, the sign first; a branch that does not fit has one element per line."""
        for first, last in self._split(start, end, sign, leading=True):
            inner, begin = indent, first
            if first > start:
                self.lines.begin(indent)
                self._leaf(first, indent)
                inner, begin = indent + _BRANCH, first + 1
            self._elements(begin, last, inner)

    def _elements(self, start: int, end: int, indent: int) -> None:
        if start == end or self.fits(start, end):
            self._run(start, end, indent)
            return
        for first, last in self._split(start, end, ",", leading=False):
            if first > start:
                self.lines.begin(indent)
            self._element(first, last, indent)

    def _split(self, start: int, end: int, sign: str, *, leading: bool) -> Iterator[tuple[int, int]]:
        """The parts between signs that are outside brackets; a sign belongs to the part after or before it."""
        depth, first = self.depths[start], start
        for at in range(start, end):
            if self.kinds[at] == sign and self.depths[at] == depth:
                cut = at if leading else at + 1
                if first < cut < end:
                    yield first, cut
                    first = cut
        yield first, end

    def _element(self, start: int, end: int, indent: int) -> None:
        """Write one element; brackets that do not fit are opened, and lines are broken before operators."""
        if self.fits(start, end):
            self._run(start, end, indent)
            return
        at, cuts = start, self._operators(start, end)
        while at < end:
            partner = self.partners[at]
            if partner is not None and at < partner < end:
                if self._bracket_fits(at, partner, end):
                    self._run(at, partner + 1, indent)
                else:
                    self._bracket(at, partner, indent)
                at = partner + 1
                continue
            if at in cuts and self._breaks_before(at, cuts[at], indent):
                self.lines.begin(indent + STEP)
            self._leaf(at, indent if at == start or self.roles[at] == SEPARATOR else indent + STEP)
            at += 1

    def _bracket_fits(self, at: int, partner: int, end: int) -> bool:
        """Whether a bracket fits with the text attached to it, up to the next bracket or operator of the element."""
        depth = self.depths[at]
        tail = partner + 1
        while tail < end and not self.roles[tail].breaks:
            tail += 1
            if self.partners[tail - 1] is not None and self.depths[tail - 1] == depth:
                break
        return not self._is_forced(at, partner + 1) and self._reach(at, tail) <= WIDTH

    def _operators(self, start: int, end: int) -> dict[int, int]:
        """Where an element may be broken: before the loosest operators outside brackets; and where each part ends."""
        depth = self.depths[start]
        found = [at for at in range(start + 1, end) if self.roles[at].breaks and self.depths[at] == depth]
        levels = {at: BINARY.get(self.leaves[at].token.text, 0) for at in found}
        least = min(levels.values(), default=0)
        loosest = [at for at in found if levels[at] == least]
        return dict(pairwise((*loosest, end)))

    def _breaks_before(self, at: int, end: int, indent: int) -> bool:
        """Whether the operand after an operator passes the edge here, and would not on a new line."""
        return self._reach(at, end) > WIDTH >= indent + STEP + self._width(at, end)

    def _bracket(self, at: int, partner: int, indent: int) -> None:
        self._leaf(at, indent)
        if at + 1 < partner:
            self.lines.begin(indent + STEP)
            self._fit_or_list(at + 1, partner, indent + STEP)
        if at + 1 < partner or self.leaves[partner].own:
            self.lines.begin(indent)
        self._leaf(partner, indent, indent + STEP)


def is_balanced(leaves: Sequence[Leaf]) -> bool:
    """Whether every bracket is closed by a bracket of the same kind."""
    open_now: list[str] = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for leaf in leaves:
        kind = leaf.token.kind
        if kind in _OPENING:
            open_now.append(kind)
        elif kind in _CLOSING and (not open_now or open_now.pop() != pairs[kind]):
            return False
    return not open_now


def _brackets(kinds: Sequence[str]) -> tuple[list[int], list[int | None]]:
    """The number of brackets around each token, and the partner of each opening bracket."""
    depths: list[int] = []
    partners: list[int | None] = [None] * len(kinds)
    open_now: list[int] = []
    for at, kind in enumerate(kinds):
        if kind in _CLOSING:
            partners[open_now.pop()] = at
        depths.append(len(open_now))
        if kind in _OPENING:
            open_now.append(at)
    return depths, partners
