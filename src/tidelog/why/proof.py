"""A proof as a value: the tree of a fact, the rules that it uses, and how many facts it omits.

Law: text, page and JSON have the same content. JSON is flat: facts are numbered and premises refer to these numbers, so
that a deep proof needs no recursion.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidelog.io.json_values import json_value
from tidelog.why.draw import draw_proof
from tidelog.why.page import proof_page
from tidelog.why.render import hidden_text, tree_lines
from tidelog.why.tree import DERIVED, Absence, Condition, FactNode, Premise, walk


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """Why a fact is true. ``hidden`` counts the facts that are not shown; it is a lower bound unless ``exact``."""

    root: FactNode
    rules: Mapping[str, str] = field(repr=False)
    hidden: int = 0
    exact: bool = True

    def __str__(self) -> str:
        lines = tree_lines(self.root)
        if self.rules:
            lines += ["", *self.rules.values()]
        if self.hidden:
            lines += ["", hidden_text(self.hidden, exact=self.exact)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        hidden = hidden_text(self.hidden, exact=self.exact) if self.hidden else ""
        return proof_page(self.root, self.rules, hidden)

    def svg(self) -> str:
        """The proof as a drawing, as the text of an SVG file."""
        return draw_proof(self.root)

    def facts(self) -> Iterator[FactNode]:
        """Every fact of the tree in the order of the text, each before its premises."""
        return (node for node in walk(self.root) if isinstance(node, FactNode))

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`: facts are numbered, the requested one is 0; premises refer to facts by number."""
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
