"""Relations that depend on their own negation, and the relations that evaluate them by the well-founded semantics.

Law: a component of the dependency graph with a negation inside it is evaluated over the instances of its rules. With
the negations of the component left out, its rules are positive; what they derive are the *possible* facts, and the
bodies that derive them are all instances that can matter (an instance with an atom that is not possible never holds,
and the negation of such an atom always does). The model of these instances makes each possible fact true, false or
undefined:

    __ground_r1 -win(x, y) :- move(x, y).                 win(x) :- move(x, y), !win(y).
    __possible_win(x) :- __ground_r1 -win(x, y).
    __truth_win(x, model<>) :- __possible_win(x).         1: true, 0: undefined (`partition.code.ground_model`)
    win(x) :- __truth_win(x, 1).
    __undefined_win(x) :- __truth_win(x, 0).

Asserted facts of such a relation are kept in ``__given_win``. A component whose rules need more than atoms and
negations of its own relations (aggregates, disjunctions or paths over them, subsumption, locations) is refused (TL501).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tidelog.program.graph.dependency import NEGATIVE, POSITIVE, Edge, dependencies
from tidelog.program.graph.strata import offending_edges, strata_of_edges
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import body_aggregates
from tidelog.program.values.term import MODEL, POSSIBLE, Aggregate, Atom, Literal, Negation

GROUND, TRUTH, UNDEFINED = "__ground_", "__truth_", "__undefined_"
TRUE_FACT, UNDEFINED_FACT = 1, 0


def negation_cycles(rules: Sequence[Rule]) -> list[frozenset[str]]:
    """The components that are evaluated by the well-founded semantics, lower ones first.

    >>> from tidelog.syntax import parse_program
    >>> text = "win(X) :- move(X, Y), !win(Y). p(X) :- q(X), !r(X). one :- !other. other :- !one."
    >>> [sorted(cycle) for cycle in negation_cycles(parse_program(text).rules)]
    [['win'], ['one', 'other']]
    """
    if not any(isinstance(literal, Negation) for rule in rules for literal in rule.body):
        return []
    edges = dependencies(rules)
    strata = strata_of_edges(rules, edges)
    wrong: dict[str, list[Edge]] = {}
    for edge in offending_edges(edges, strata):
        wrong.setdefault(edge.target, []).append(edge)
    found = []
    for stratum in strata if wrong else ():
        offending = [edge for name in stratum.relations for edge in wrong.get(name, ())]
        if offending and all(edge.kind == NEGATIVE for edge in offending):
            own = frozenset(stratum.relations)
            if all(_is_plain(rule, own) for rule in stratum.rules) and not _is_subsumed(rules, own):
                found.append(own)
    return found


def _is_subsumed(rules: Iterable[Rule], own: frozenset[str]) -> bool:
    return any(rule.subsumes and rule.head.predicate in own for rule in rules)


def _is_plain(rule: Rule, own: frozenset[str]) -> bool:
    """Whether the literals of a rule that read its own component are atoms and negations of the body itself."""
    if any(isinstance(arg, Aggregate) and arg.body is None for arg in rule.head.args) or rule.head.location is not None:
        return False
    direct = [atom for _, atom in own_literals(rule.body, own)]
    if any(atom.location is not None or any(_aggregates(atom)) for atom in direct):
        return False
    inside = [edge for edge in dependencies([rule]) if edge.source in own]
    return len(inside) == len(direct) and all(edge.kind in (POSITIVE, NEGATIVE) for edge in inside)


def _aggregates(atom: Atom) -> Iterator[Aggregate]:
    for arg in atom.args:
        yield from body_aggregates(arg)


def own_literals(body: Iterable[Literal], own: frozenset[str]) -> Iterator[tuple[bool, Atom]]:
    """The atoms and negated atoms of a body that read these relations, each with whether it is positive."""
    for literal in body:
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom) and atom.predicate in own:
            yield not isinstance(literal, Negation), atom


def cyclic_relations(rules: Sequence[Rule]) -> frozenset[str]:
    """All relations that are evaluated by the well-founded semantics."""
    return frozenset[str]().union(*negation_cycles(rules))


def model_of(rule: Rule) -> Aggregate | None:
    """The aggregate that makes facts true or undefined, if the rule has one."""
    return next((arg for arg in rule.head.args if isinstance(arg, Aggregate) and arg.kind == MODEL), None)


def model_sources(rule: Rule) -> tuple[str, ...]:
    """The relations of instances that such a rule reads, besides that of its body; none for any other rule."""
    found = model_of(rule)
    return () if found is None else tuple(ground.relation for ground in found.ground)


def modelled(rules: Iterable[Rule]) -> frozenset[str]:
    """The relations with a model of true and undefined facts, in an elaborated program."""
    return frozenset(name for name, model in _models(rules) if model.ground[0].formula is None)


def bundled(rules: Iterable[Rule]) -> frozenset[str]:
    """The relations whose facts are computed in bundles (`graph.bundles`), in an elaborated program."""
    return frozenset(name for name, model in _models(rules) if model.ground[0].formula is not None)


def _models(rules: Iterable[Rule]) -> Iterator[tuple[str, Aggregate]]:
    found = ((rule.head.predicate, model_of(rule)) for rule in rules)
    return ((name.removeprefix(TRUTH), model) for name, model in found if model is not None)


def is_of_model(relation: str) -> bool:
    """Whether a relation has instances, possible facts or truth of a model, which are found in one place."""
    return relation.startswith((GROUND, POSSIBLE, TRUTH))
