"""A whole text laid out: items, comments and lines of the preprocessor in their order.

Law: every token and every comment of the text is in the layout, in the same order. Text that the reader did not read
(parts that the preprocessor omits, clauses that contain its lines) is copied unchanged. Each item begins a new line,
but facts that share a line continue to share it while they fit. One or more empty lines become one.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.errors import Source
from tidelog.syntax.layout.breaks import LineWriter, is_balanced
from tidelog.syntax.layout.leaves import Leaf, Remark
from tidelog.syntax.layout.lines import STEP, Lines
from tidelog.syntax.layout.outline import Item, Outline
from tidelog.syntax.layout.roles import MATERIALIZE, PLAN, PREFIX, WORD, Role, clause_roles, covering, directive_roles
from tidelog.syntax.reader import begins_namespace
from tidelog.syntax.tokens import DIRECTIVE, PREPROCESS, Token

_WITH_NAMES = (".input", ".output", ".printsize")


class Document:
    """Writes a text: its leaves, as the outline groups them."""

    def __init__(self, source: Source, leaves: list[Leaf], outline: Outline) -> None:
        self.source = source
        self.leaves = leaves
        self.outline = outline
        self.lines = Lines()
        self.fresh = True  # at the beginning of a block no empty line is kept
        self.shares = False  # the open line ends with a fact

    def text(self) -> str:
        """The whole layout."""
        last = len(self.leaves) - 1
        self._block(0, last, self.outline.items, 0)
        self._remarks(self.leaves[last], 0)
        return self.lines.finish()

    def _block(self, start: int, end: int, items: Sequence[Item], indent: int) -> None:
        """The leaves of a text or of a component."""
        at, left = start, list(reversed(items))
        while at < end:
            place = self.leaves[at].token.start
            while left and left[-1].end <= place:
                left.pop()
            item = left[-1] if left and left[-1].start <= place else None
            until = self._until(at, end, item, left[-1].start if left and item is None else None)
            self._chunk(at, until, item, indent)
            at = until

    def _until(self, at: int, end: int, item: Item | None, next_item: int | None) -> int:
        """The end of the chunk that begins at a leaf: an item, a line of the preprocessor, or unread text."""
        first = self.leaves[at].token
        if item is not None:
            return self._item_end(at, end, item)
        if first.kind == PREPROCESS or first.text == ".once":
            return at + 1
        if first.text == ".include":
            return min(at + 2, end)
        while at < end:
            token = self.leaves[at].token
            if token.kind == PREPROCESS or (next_item is not None and token.start >= next_item):
                break
            at += 1
        return at

    def _item_end(self, at: int, end: int, item: Item) -> int:
        """The end of an item; a macro may leave the bracket that closes its arguments outside."""
        until = at
        while until < end and self.leaves[until].token.start < item.end:
            until += 1
        longer = until
        while longer < end and self.leaves[longer].token.kind == ")" and not is_balanced(self.leaves[at:longer]):
            longer += 1
        return longer

    def _chunk(self, at: int, until: int, item: Item | None, indent: int) -> None:
        leaves = self.leaves[at:until]
        tokens = [leaf.token for leaf in leaves]
        first = tokens[0]
        if item is None and first.text not in (".include", ".once"):
            self._begin(leaves[0], 0)
            self._exact(leaves, first.kind != PREPROCESS)
        elif item is not None and (first.text == ".comp" or begins_namespace(tokens)) and self._is_block(leaves, item):
            self._component(at, until, item, indent)
        elif any(token.kind == PREPROCESS for token in tokens) or not is_balanced(leaves) or (item and item.mixed):
            self._begin(leaves[0], indent)
            self._exact(leaves, False)
        elif (inner := _second_directive(tokens)) is not None:
            self._chunk(at, at + inner, item, indent)
            self._chunk(at + inner, until, item, indent)
        elif first.kind == DIRECTIVE or first.text == MATERIALIZE:
            self._begin(leaves[0], indent)
            self._directive(leaves, tokens, indent)
        else:
            self._clause(leaves, tokens, indent)

    def _begin(self, leaf: Leaf, indent: int) -> None:
        """Begin a new line, after the comments before it."""
        self._remarks(leaf, indent)
        self._new_line(leaf.blank, indent)
        leaf.own = []
        self.shares = False

    def _remarks(self, leaf: Leaf, indent: int) -> None:
        for remark in leaf.own:
            self._new_line(remark.blank, indent)
            self.lines.exactly(remark.text)

    def _new_line(self, blank: bool, indent: int) -> None:
        if blank and not self.fresh:
            self.lines.empty()
        self.lines.begin(indent)
        self.fresh = False

    def _exact(self, leaves: Sequence[Leaf], with_margin: bool) -> None:
        """Copy the text from the first to the last token unchanged."""
        start, end = leaves[0].token.start, leaves[-1].token.end
        text = self.source.text
        margin = text[text.rfind("\n", 0, start) + 1 : start]
        self.lines.write(margin if with_margin and margin.isspace() else "")
        self.lines.write("".join(comment + " " for comment in leaves[0].inline))
        self.lines.exactly(text[start:end].rstrip())
        for comment in leaves[-1].behind:
            self.lines.comment(comment)

    def _is_block(self, leaves: Sequence[Leaf], item: Item) -> bool:
        """Whether a component has its braces in this text, with no line of the preprocessor before the first."""
        kinds = [leaf.token.kind for leaf in leaves]
        return "{" in kinds and kinds[-1] == "}" and PREPROCESS not in kinds[: kinds.index("{")] and not item.mixed

    def _component(self, at: int, until: int, item: Item, indent: int) -> None:
        brace = next(p for p in range(at, until) if self.leaves[p].token.kind == "{")
        head = self.leaves[at : brace + 1]
        self._begin(head[0], indent)
        closing = self.leaves[until - 1]
        is_empty = brace + 1 == until - 1 and not closing.own and not head[-1].behind
        head_roles = directive_roles([leaf.token for leaf in head])
        LineWriter(head, head_roles, self.lines).whole(indent)
        if is_empty:
            self.lines.write(closing.text)
        else:
            self.fresh = True
            self._block(brace + 1, until - 1, item.items, indent + STEP)
            self._remarks(closing, indent + STEP)
            self.lines.begin(indent)
            self.lines.write(closing.text)
        self.fresh = self.shares = False
        for comment in closing.behind:
            self.lines.comment(comment)

    def _directive(self, leaves: list[Leaf], tokens: list[Token], indent: int) -> None:
        _settle_commas(leaves)
        layout = LineWriter(leaves, directive_roles(tokens), self.lines)
        if tokens[0].text in _WITH_NAMES:
            layout.names(indent)
        elif tokens[0].text == ".type":
            layout.alternatives(indent)
        else:
            layout.whole(indent)

    def _clause(self, leaves: list[Leaf], tokens: list[Token], indent: int) -> None:
        _settle_commas(leaves)
        first = leaves[0]
        layout = LineWriter(leaves, self._roles(tokens), self.lines)
        is_fact = all(token.kind != ":-" for token in tokens)
        if self.shares and is_fact and not first.first and not first.own and layout.fits_after_space():
            self.lines.write(" ")
            layout.flat(indent)
        else:
            self._begin(first, indent)
            layout.clause(indent)
        self.shares = is_fact and not self.lines.is_closed

    def _roles(self, tokens: list[Token]) -> list[Role]:
        """The roles of a clause, of its plan, and of the sign of a change before it."""
        labels, paths, names = self.outline.labels, self.outline.paths, self.outline.names
        if tokens[0].kind in ("+", "-"):
            if tokens[1].kind == DIRECTIVE:
                return [WORD, *directive_roles(tokens[1:])]
            is_rule = any(token.kind == ":-" for token in tokens) or covering(labels, tokens[1].start) is not None
            return [WORD if is_rule else PREFIX, *self._roles(tokens[1:])]
        plan = next((at for at, token in enumerate(tokens) if token.text == PLAN), len(tokens))
        return clause_roles(tokens[:plan], labels, paths, names) + directive_roles(tokens[plan:])


def _second_directive(tokens: Sequence[Token]) -> int | None:
    """The place of a directive that the reader read together with the text before it: `.constraint` after its rule."""
    start = 2 if tokens[0].kind in ("+", "-") else 1
    found = (at for at in range(start, len(tokens)) if tokens[at].kind == DIRECTIVE and tokens[at].text != PLAN)
    return next(found, None)


def _settle_commas(leaves: list[Leaf]) -> None:
    """Put comments before a comma or the last period behind it: separators are at the end of a line."""
    for at in range(1, len(leaves)):
        leaf, before = leaves[at], leaves[at - 1]
        kind = leaf.token.kind
        if kind == "," and at + 1 < len(leaves):
            following = leaves[at + 1]
            moved = list(leaf.own)
            if moved or (before.behind and leaf.inline):
                moved += [Remark(text, False) for text in (*leaf.inline, *leaf.behind)]
                leaf.inline, leaf.behind = [], []
            following.own[:0] = moved
            leaf.behind[:0], before.behind, leaf.own = before.behind, [], []
        elif kind == "." and not leaf.own and not leaf.inline:
            leaf.behind[:0], before.behind = before.behind, []
