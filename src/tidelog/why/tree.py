"""The tree of a proof: facts down to the asserted ones, in the notation of the user's rules.

Law: a fact is expanded once; other occurrences are marked ``again``. A fact whose proof is not followed further is
``cut``. Trees may be deep: nothing here is recursive.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.program import Value

ASSERTED, DERIVED, AGAIN, CUT = "asserted", "derived", "again", "cut"
ABSENT, UNDEFINED = "absent", "undefined"  # facts that are false, or undefined (`model`), with their reasons
CLASS = "class"  # a group by which an equivalence relation assigns a node to its class; its text is complete


@dataclass(frozen=True, slots=True, eq=False)
class FactNode:
    """A present fact: ``asserted``, ``derived`` by ``rule`` from its premises, shown ``again``, or ``cut``.

    A fact of a cycle through negation may be ``absent``: the premises are why its rules fail, and its text is that of
    the negated literal. An ``undefined`` one has an instance of ``rule`` without a false literal.
    """

    relation: str
    values: tuple[Value, ...]
    text: str
    how: str
    rule: str | None = None
    premises: tuple[Premise, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Absence:
    """A negated atom: no fact matches ``text``."""

    text: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison or a computation with its values; ``source`` is the literal of the rule, if there is one."""

    text: str
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class GroupNode:
    """An aggregate and its group: ``size`` rows, of which ``rows`` are shown, each by its premises.

    For min and max, only the deciding row is shown; ``rule`` is the rule that derived it. ``text`` is the aggregate as
    written in the rule.
    """

    kind: str
    text: str
    value: Value
    size: int
    rule: str
    rows: tuple[tuple[Premise, ...], ...] = field(default=(), repr=False)

    @property
    def hidden(self) -> int:
        """The number of rows of the group that are not shown."""
        return self.size - len(self.rows)


Premise: TypeAlias = FactNode | Absence | Condition | GroupNode


def walk(root: Premise) -> Iterator[Premise]:
    """All nodes of a tree, in the order of the text."""
    waiting: list[Premise] = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(children(node)))


def children(node: Premise) -> tuple[Premise, ...]:
    """The nodes directly below a node."""
    if isinstance(node, FactNode):
        return node.premises
    if isinstance(node, GroupNode):
        return tuple(premise for row in node.rows for premise in row)
    return ()
