"""Another derivation of a deleted fact: which nodes are asked about it, and what they answer.

Law: the body of a local rule lives on one node. Where the head fact says which, that node alone is asked, otherwise
every node that holds anything; so if a derivation over the present facts exists, a node that is asked finds it.
A question is an insertion of the fact whose note names the rule. Sending is the business of `dred`.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.lab.semantics.delta import join, match
from tidelog.lab.semantics.fact import HOME, INSERT, Fact, Node, Update, order
from tidelog.lab.semantics.network import LocalRule, Network
from tidelog.lab.semantics.state import State
from tidelog.lab.semantics.term import Binding, evaluate
from tidelog.program import Var


def questions(network: Network, state: State, fact: Fact) -> Iterator[tuple[Node, Update]]:
    """The questions about a fact, each with the node that can answer it."""
    for rule in network.rules:
        binding = _head_binding(rule, fact) if rule.atoms else None
        if binding is not None:
            for node in _body_nodes(network, state, rule, binding):
                yield node, Update(INSERT, fact, ("ask", rule.label))


def is_question(update: Update) -> bool:
    """Whether the update asks for a derivation, and does not insert or delete."""
    return update.note != ()


def derives(network: Network, state: State, node: Node, question: Update) -> bool:
    """The node's answer: whether the rule derives the fact from what the node holds."""
    assert isinstance(question.note, tuple), "a question names its rule"
    _, label = question.note
    return any(_finds(state, node, rule, question.fact) for rule in network.rules if rule.label == label)


def _finds(state: State, node: Node, rule: LocalRule, fact: Fact) -> bool:
    tables = [state.table(node, atom.predicate) for atom in rule.atoms]
    binding = _head_binding(rule, fact)
    return binding is not None and any(found.head == fact for found in join(rule, tables, binding=binding))


def _head_binding(rule: LocalRule, fact: Fact) -> Binding | None:
    """What the head fact says about the rule's variables; None if the rule cannot derive it."""
    return match(rule.head, fact.row, {}) if rule.head.predicate == fact.relation else None


def _body_nodes(network: Network, state: State, rule: LocalRule, binding: Binding) -> list[Node]:
    column = network.location[rule.atoms[0].predicate]
    if column is None:
        return [HOME]
    place = rule.atoms[0].args[column]
    if isinstance(place, Var) and place.name not in binding:
        return sorted(state.nodes(), key=order)
    value = evaluate(place, binding)
    assert isinstance(value, int | str), "nodes are numbers or symbols"
    return [value]
