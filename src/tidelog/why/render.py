"""Proofs as text.

Law: every line states one thing; a branch that would be indented too far continues below under a number, so that a
proof of ten thousand steps is as readable at its end as at its start.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.program import Value
from tidelog.syntax import write_value
from tidelog.why.tree import (
    ABSENT,
    AGAIN,
    ASSERTED,
    CLASS,
    CUT,
    UNDEFINED,
    Absence,
    Condition,
    FactNode,
    GroupNode,
    Premise,
)

LEVELS = 24
_KINDS = {"min": "the least", "max": "the greatest"}


def hidden_text(hidden: int, *, exact: bool) -> str:
    """The note on how many facts a proof omits."""
    least = "" if exact else "at least "
    facts = "fact of the proof is" if hidden == 1 else "facts of the proof are"
    return f"{least}{hidden:,} more {facts} not shown"


def tree_lines(root: FactNode) -> list[str]:
    """The tree under a fact, without the texts of its rules."""
    return _Sections().render(root)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a group that has several premises."""

    number: int
    premises: tuple[Premise, ...]


Part: TypeAlias = Premise | _Row | str


class _Sections:
    """Text in sections of limited indentation."""

    def __init__(self) -> None:
        self.later: deque[tuple[int, FactNode]] = deque()
        self.numbers = 0

    def render(self, root: FactNode) -> list[str]:
        """The text of all sections, that of the root first."""
        lines = self._section(root, "")
        while self.later:
            number, node = self.later.popleft()
            lines += ["", *self._section(node, f"({number}) ")]
        return lines

    def _section(self, root: FactNode, mark: str) -> list[str]:
        lines = [mark + _line(root)]
        waiting = _below("", root, 0)
        while waiting:
            lead, last, node, level = waiting.pop()
            branch = "└─ " if last else "├─ "
            put_off = isinstance(node, FactNode) and level >= LEVELS and bool(node.premises)
            lines.append(f"{lead}{branch}{_line(node)}" + (self._put_off(node) if put_off else ""))
            if not put_off:
                waiting += _below(lead + ("   " if last else "│  "), node, level)
        return lines

    def _put_off(self, node: Part) -> str:
        assert isinstance(node, FactNode)
        self.numbers += 1
        self.later.append((self.numbers, node))
        return f", see ({self.numbers})"


def _below(lead: str, node: Part, level: int) -> list[tuple[str, bool, Part, int]]:
    """The nodes under a node, the last one first."""
    parts = below(node)
    placed = [(lead, i == len(parts) - 1, part, level + 1) for i, part in enumerate(parts)]
    return placed[::-1]


def below(node: Part) -> list[Part]:
    """The nodes under a node."""
    parts: list[Part] = []
    if isinstance(node, FactNode | _Row):
        parts += node.premises
    elif isinstance(node, GroupNode):
        for number, row in enumerate(node.rows, 1):
            if len(row) != 1 and len(node.rows) > 1:
                parts.append(_Row(number, row))
            else:
                parts += row
        if node.hidden and node.kind not in _KINDS:
            parts.append(f"... {node.hidden:,} more {'row' if node.hidden == 1 else 'rows'}")
    return parts


def _line(node: Part) -> str:
    what, how = line_parts(node)
    return f"{what}  {how}" if how else what


def line_parts(node: Part) -> tuple[str, str]:
    """The text of a line, and the note next to it."""
    match node:
        case str():
            return node, ""
        case _Row(number=number):
            return f"row {number}", ""
        case FactNode(how=how, text=text, rule=rule):
            words = {ASSERTED: "asserted", AGAIN: "as above", CUT: "not expanded further"}
            words |= {ABSENT: "no rule derives it", UNDEFINED: f"undefined, by {rule}" if rule else "undefined"}
            return text, words.get(how, f"by {rule}")
        case Absence(text=text):
            return f"no {text}", ""
        case Condition(text=text, source=source):
            return text, f"({source})" if source and source != text else ""
    return _group_line(node), ""


def _group_line(node: GroupNode) -> str:
    if node.kind == CLASS:
        return node.text
    value = value_text(node.value)
    text = node.text or node.kind
    if node.kind in _KINDS:
        among = f"{_KINDS[node.kind]} of {node.size:,} candidates" if node.size > 1 else "the only candidate"
        return f"{text} = {value}, {among}"
    rows = "no rows" if not node.size else f"over {node.size:,} {'row' if node.size == 1 else 'rows'}"
    return f"{text} = {value}, {rows}"


def value_text(value: Value) -> str:
    """A value by its natural spelling."""
    return write_value(value)
