"""Proofs as values: a tree of facts down to what was asserted, in the words of the user's rules.

Law: a fact is expanded once; further occurrences are marked ``again``. A fact whose proof is not expanded further is
``cut``, and the proof counts the facts that it hides. Trees may be deep: nothing here is recursive, and the JSON is
flat, with numbered facts and premises that refer to the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tidelog.io.json_values import json_value
from tidelog.program import Value

ASSERTED, DERIVED, AGAIN, CUT = "asserted", "derived", "again", "cut"
CLASS = "class"  # a group by which an equivalence relation puts a node into its class; its text says it all


@dataclass(frozen=True, slots=True, eq=False)
class FactNode:
    """A present fact: ``asserted``, ``derived`` by ``rule`` from its premises, shown ``again``, or ``cut``."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """Why a fact is true. ``hidden`` counts the facts that are not shown; it is a lower bound unless ``exact``."""

    root: FactNode
    rules: Mapping[str, str] = field(repr=False)
    hidden: int = 0
    exact: bool = True

    def __str__(self) -> str:
        from tidelog.why.render import render_proof  # the picture is made of the values, not the other way round

        return render_proof(self)

    def _repr_html_(self) -> str:
        from tidelog.why.page import proof_page

        return proof_page(self)

    def facts(self) -> Iterator[FactNode]:
        """Every fact of the tree in the order of the text, each expanded one before its premises."""
        return (node for node in walk(self.root) if isinstance(node, FactNode))

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`: facts are numbered, the one asked for is 0; premises name facts by number."""
        numbers: dict[str, int] = {}
        shown: dict[str, FactNode] = {}
        for node in self.facts():
            numbers.setdefault(node.text, len(numbers))
            if node.how == DERIVED or node.text not in shown:
                shown[node.text] = node
        return {
            "fact": self.root.text,
            "facts": [_fact_json(shown[text], number, numbers) for text, number in numbers.items()],
            "rules": dict(self.rules),
            "hidden": self.hidden,
            "exact": self.exact,
        }

    def json(self) -> str:
        """The JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)


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


def _fact_json(node: FactNode, number: int, numbers: Mapping[str, int]) -> dict[str, Any]:
    premises = [_premise_json(premise, numbers) for premise in node.premises]
    return {
        "id": number,
        "relation": node.relation,
        "values": [json_value(value) for value in node.values],
        "text": node.text,
        "how": node.how,
        "rule": node.rule,
        "premises": premises,
    }


def _premise_json(premise: Premise, numbers: Mapping[str, int]) -> dict[str, Any]:
    match premise:
        case FactNode():
            return {"fact": numbers[premise.text]}
        case Absence():
            return {"absent": premise.text}
        case Condition():
            return {"test": premise.text, "source": premise.source}
    return {
        "aggregate": premise.kind,
        "text": premise.text,
        "value": json_value(premise.value),
        "size": premise.size,
        "rule": premise.rule,
        "rows": [[_premise_json(inner, numbers) for inner in row] for row in premise.rows],
    }
