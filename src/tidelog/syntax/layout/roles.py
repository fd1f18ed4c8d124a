"""Roles of tokens in their clause, which determine the spaces around them.

Law: the space between two tokens follows only from their roles, and the roles from the tokens and from the labels and
paths that the reader recognised, never from the spaces of the original text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from tidelog.program.graph.lifetime import UNITS
from tidelog.syntax.layout.outline import Range
from tidelog.syntax.terms import AGGREGATE_NAMES, BINARY, UNARY
from tidelog.syntax.tokens import NAME, NUMBER, STRING, Token


class Role(NamedTuple):
    """Whether there may be a space before and after a token, and whether a line may be broken before it."""

    before: bool
    after: bool
    breaks: bool = False


WORD, INFIX, PREFIX, SEPARATOR = Role(True, True), Role(True, True, True), Role(True, False), Role(False, True)
TIGHT, EITHER = Role(False, False), Role(False, False, True)
OPEN, CALL, CLOSE = Role(True, False), Role(False, False), Role(False, True)
BRACE, BRACE_END = Role(True, True), Role(True, True)

PLAN, MATERIALIZE = ".plan", "materialize"
_TIGHT_COLON = (PLAN, MATERIALIZE)
_WITH_PARAMS = (".input", ".output", ".printsize", ".limitsize")
_WITH_LABELS = (".constraint", ".key", ".reference")
_LABEL_PARTS = frozenset({NAME, NUMBER, "-", "/"})
_ARGUED = (".comp", ".init")
_OPERANDS = frozenset({NAME, NUMBER, STRING, "(", "[", "-", "$"})
_ARITHMETIC = frozenset({"+", "*", "/", "%", "^"})
_PLAIN_SIGNS = {
    ",": SEPARATOR, ".": SEPARATOR, "[": OPEN, "{": BRACE, "$": PREFIX, "!": PREFIX, "~": PREFIX,
}  # fmt: skip
_CLOSING = {")": CLOSE, "]": CLOSE, "}": BRACE_END}
_PATH_SIGNS = {
    "/": TIGHT, "|": EITHER, "&": INFIX, "^": PREFIX, "+": CLOSE, "*": CLOSE, "?": CLOSE, "(": OPEN, ")": CLOSE,
    "[": CALL, "]": CLOSE, "{": CALL, "}": CLOSE, ",": TIGHT, "-": PREFIX,
}  # fmt: skip


def directive_roles(tokens: Sequence[Token]) -> list[Role]:
    """The roles of a directive, or of `materialize`, by its first word."""
    pairs = zip(tokens[1:], tokens, strict=False)
    return [WORD for _ in tokens[:1]] + [_directive_role(tokens[0].text, *pair) for pair in pairs]


def _directive_role(word: str, token: Token, previous: Token) -> Role:
    if word in _WITH_LABELS and token.start == previous.end and {token.kind, previous.kind} <= _LABEL_PARTS:
        return SEPARATOR
    match token.kind:
        case "," | ".":
            return SEPARATOR
        case "(":
            return OPEN if previous.kind == "," or (word == ".decl" and previous.text == "domain") else CALL
        case ")" | "]":
            return CLOSE
        case "[":
            return OPEN
        case ":":
            return INFIX if word == ".comp" else TIGHT if word in _TIGHT_COLON else SEPARATOR
        case "=" if word in _WITH_PARAMS:
            return TIGHT
        case "{" | "}" if word == ".type":
            return OPEN if token.kind == "{" else CLOSE
        case "<" | ">" if word in _ARGUED:
            return CALL if token.kind == "<" else CLOSE
        case "-":
            return TIGHT if word == ".decl" else PREFIX
    return SEPARATOR if _is_unit(token, previous) else WORD


def _is_unit(token: Token, previous: Token) -> bool:
    """Whether a name is the unit of a length of time, `30m`: it stands at the number."""
    return previous.kind == NUMBER and token.text in UNITS


def clause_roles(
    tokens: Sequence[Token], labels: Sequence[Range], paths: Sequence[Range], names: Sequence[Range] = ()
) -> list[Role]:
    """The roles of a clause."""
    return _ClauseRoles(tokens, labels, paths, names).roles()


class _ClauseRoles:
    """Traverses a clause once. ``operand``: whether the previous token ends an operand; ``angles``: the number
    of open aggregates with angle brackets; ``braces``: the number of open braces."""

    def __init__(
        self, tokens: Sequence[Token], labels: Sequence[Range], paths: Sequence[Range], names: Sequence[Range]
    ) -> None:
        self.tokens = tokens
        self.names = names
        self.labels = labels
        self.paths = paths
        self.operand = False
        self.in_head = True
        self.angles = 0
        self.braces = 0

    def roles(self) -> list[Role]:
        done: list[Role] = []
        for at, token in enumerate(self.tokens):
            in_label, in_path = covering(self.labels, token.start), covering(self.paths, token.start)
            in_name = covering(self.names, token.start)
            if in_name is not None:
                done.append(_name_role(token, in_name, in_path is not None))
                self.operand = True
            elif in_label is not None:
                done.append(WORD if token.start == in_label[0] else SEPARATOR)
                self.operand = False
            elif in_path is not None:
                done.append(_PATH_SIGNS.get(token.kind, WORD))
                self.operand = True  # the arguments follow like those of a name
            else:
                done.append(self._role(at, token))
        return done

    def _role(self, at: int, token: Token) -> Role:
        kind = token.kind
        if kind == NAME:
            return self._name(at, token)
        if kind in (NUMBER, STRING):
            self.operand = True
            return WORD
        operand, self.operand = self.operand, kind in _CLOSING
        if kind == "(":
            return CALL if operand and not self._aggregates(at) else OPEN
        if kind in ("<", ">", "*"):
            return self._angle(at, kind, operand)
        if kind == "-" or kind == "@":
            return PREFIX if not operand else INFIX if kind == "-" else TIGHT
        if kind in _ARITHMETIC:
            return INFIX
        self.braces += (kind == "{") - (kind == "}")
        if kind == ":-":
            self.in_head = False
        return _PLAIN_SIGNS.get(kind) or _CLOSING.get(kind, WORD)

    def _name(self, at: int, token: Token) -> Role:
        if self.operand and token.text in BINARY:
            self.operand = False
            return INFIX
        if at and _is_unit(token, self.tokens[at - 1]):
            return SEPARATOR
        following = self.tokens[at + 1].kind if at + 1 < len(self.tokens) else ""
        before_term = token.text in UNARY and following in _OPERANDS
        self.operand = not before_term and not (token.text in AGGREGATE_NAMES and following == "-")
        return WORD

    def _aggregates(self, at: int) -> bool:
        """Whether the bracket contains the value of an aggregate: `sum (x + 1) : { ... }`."""
        if self.tokens[at - 1].text not in AGGREGATE_NAMES:
            return False
        depth = 0
        for position in range(at, len(self.tokens) - 1):
            depth += (self.tokens[position].kind == "(") - (self.tokens[position].kind == ")")
            if not depth:
                return self.tokens[position + 1].kind == ":"
        return False

    def _angle(self, at: int, kind: str, operand: bool) -> Role:
        """`min<c>` and `count<*>` in a head; elsewhere the signs compare and multiply."""
        previous = self.tokens[at - 1]
        if kind == "<" and self.in_head and not self.braces and previous.text in AGGREGATE_NAMES:
            self.angles += 1
            return CALL
        if kind == ">" and self.angles and not self.braces:
            self.angles -= 1
            self.operand = True
            return CLOSE
        if kind == "*" and self.angles and previous.kind == "<":
            self.operand = True
            return WORD
        return INFIX if kind == "*" else WORD


def _name_role(token: Token, name: Range, in_path: bool) -> Role:
    """The role of a part of a name with a prefix, which contains no spaces."""
    first, last = token.start == name[0], token.end == name[1]
    return Role(first and not in_path, last and not in_path)


def covering(ranges: Sequence[Range], place: int) -> Range | None:
    """The range that holds an offset; the ranges are sorted and disjoint."""
    at = bisect_right(ranges, (place, 1 << 62)) - 1
    return ranges[at] if at >= 0 and place < ranges[at][1] else None
