"""Checks a proof from outside: every step is repeated by the naive evaluator over nothing but the step's premises."""

from __future__ import annotations

from dataclasses import replace

from tidelog.engine.engine import Engine
from tidelog.program import Program, Rule
from tidelog.program.values.state import EngineState
from tidelog.testing import evaluate
from tidelog.testing.values import Row
from tidelog.why import FactNode, GroupNode, Premise, Proof
from tidelog.why.tree import ASSERTED, DERIVED, walk

GOAL = "goal"


def check_proof(db: Engine, proof: Proof, rules: dict[str, Rule], program: Program) -> int:
    """Check every step of a whole proof; gives the number of steps."""
    state, steps = db.state(), 0
    derived = {node.text for node in proof.facts() if node.how == DERIVED}
    assert proof.hidden == 0
    assert proof.exact
    for node in proof.facts():
        assert not node.relation.startswith("__")
        fact = state.facts[node.relation][node.values]
        if node.how == ASSERTED:
            assert fact.base
        else:
            assert node.text in derived
        if node.how == DERIVED:
            check_step(node, rules, program)
            check_ranks(node, state)
            steps += 1
    return steps


def premises(node: FactNode) -> list[Premise]:
    """What a step rests on, the rows of groups included, but not what is behind facts."""
    found: list[Premise] = []
    waiting = list(node.premises)
    while waiting:
        premise = waiting.pop()
        found.append(premise)
        if isinstance(premise, GroupNode):
            waiting.extend(part for row in premise.rows for part in row)
    return found


def check_step(node: FactNode, rules: dict[str, Rule], program: Program) -> None:
    """The rules of a step derive its fact from its premises."""
    parts = premises(node)
    labels = {node.rule, *(part.rule for part in parts if isinstance(part, GroupNode))}
    chosen = tuple(replace(rule, head=replace(rule.head, predicate=GOAL)) for n, rule in rules.items() if n in labels)
    facts: dict[str, list[Row]] = {}
    for part in parts:
        if isinstance(part, FactNode):
            facts.setdefault(part.relation, []).append(part.values)
    goal = [replace(d, relation=GOAL) for d in program.declarations if d.relation == node.relation]
    declared = (*program.declarations, *goal)
    model = evaluate(Program(chosen, declarations=declared, convention=program.convention), facts)
    assert node.values in {tuple(map(plain, row)) for row in model[GOAL]}, f"{node.text} by {labels} from {facts}"


def plain(value: object) -> object:
    """A value of the naive evaluator as the engine gives it."""
    return int(value) if isinstance(value, int) else value


def check_ranks(node: FactNode, state: EngineState) -> None:
    """Premises of the same stratum have lower ranks."""
    stratum = next((s for s in state.strata if node.relation in s), frozenset())
    rank = state.facts[node.relation][node.values].rank
    for part in premises(node):
        if isinstance(part, FactNode) and part.relation in stratum:
            assert state.facts[part.relation][part.values].rank < rank


def texts(proof: Proof) -> list[str]:
    """The facts of a proof in the order of the text."""
    return [node.text for node in walk(proof.root) if isinstance(node, FactNode)]
