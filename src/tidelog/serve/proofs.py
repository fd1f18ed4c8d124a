"""Proofs and violations of constraints as plain values.

Law: a proof is a tree of the requested depth, which is bounded. A violation has the proof of its body in the epoch that
was previewed or refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tidelog.io.json_values import json_value
from tidelog.why.proof import Proof
from tidelog.why.tree import Absence, Condition, FactNode, GroupNode, Premise

if TYPE_CHECKING:
    from tidelog.engine.write.violations import ViolatedConstraint, Violation


def violations_json(violations: Iterable[ViolatedConstraint]) -> list[dict[str, Any]]:
    """The constraints that an epoch violates."""
    return [
        {
            "constraint": violated.constraint,
            "severity": violated.severity,
            "meaning": violated.meaning,
            "count": violated.count,
            "first": [_violation_json(violation) for violation in violated.first],
            "text": str(violated),
        }
        for violated in violations
    ]


def without_rows(violations: Iterable[ViolatedConstraint]) -> list[ViolatedConstraint]:
    """The same without rows, for tokens that may not read them."""
    return [replace(violated, first=()) for violated in violations]


def _violation_json(violation: Violation) -> dict[str, Any]:
    values = {name: json_value(value) for name, value in violation.values.items()}
    return {"values": values, "proof": proof_json(violation.proof), "text": str(violation)}


def proof_json(proof: Proof) -> dict[str, Any]:
    """A proof."""
    summary = {"rules": dict(proof.rules), "hidden": proof.hidden, "exact": proof.exact}
    return {**tree_json(proof.root), **summary}


def tree_json(node: Premise) -> dict[str, Any]:
    """A node of a proof with its subtree."""
    match node:
        case FactNode():
            return {
                "fact": node.text,
                "relation": node.relation,
                "values": [json_value(value) for value in node.values],
                "how": node.how,
                "rule": node.rule,
                "premises": [tree_json(premise) for premise in node.premises],
            }
        case Absence():
            return {"absent": node.text}
        case Condition():
            return {"test": node.text, "source": node.source}
    return _group_json(node)


def _group_json(node: GroupNode) -> dict[str, Any]:
    return {
        "aggregate": node.kind,
        "text": node.text,
        "value": json_value(node.value),
        "size": node.size,
        "rule": node.rule,
        "rows": [[tree_json(inner) for inner in row] for row in node.rows],
    }
