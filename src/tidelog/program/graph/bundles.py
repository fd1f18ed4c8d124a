"""Relations that depend on their own count, sum or mean, and the keys by which their facts are computed.

Law: in a component of the dependency graph with such an aggregate inside it, a column that holds the result of an
aggregate, or a term of such results, has *values*; the other columns of its relation are the *key*. The facts with one
key are a *bundle*. Keys do not depend on values, so the rules without values derive all possible keys and the instances
of the rules, which determine which bundle depends on which:

    cost(p, sum<n * c>) :- part(p, s, n), cost(s, c).          the key of a cost is its part
    __ground_r1(p, s, n) :- part(p, s, n), __possible_cost(s).

The facts of a bundle are computed from its instances and from the bundles they read (`partition.code.bundle_model`). A
variable is *ground* if the body binds it without the values of the component. A component is refused (TL502) if a
negation, a path, a disjunction, a generator or a structure needs a value that is not ground, if an aggregate of a body
reads the component, or if it has subsumptions, choices, locations or witnesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidelog.program.graph.dependency import AGGREGATE, POSITIVE, Edge, dependencies
from tidelog.program.graph.strata import offending_edges, strata_of_edges
from tidelog.program.graph.well_founded import own_literals
from tidelog.program.types.casts import CAST
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    body_aggregates,
    calls,
    every_name,
    literal_terms,
    rule_names,
    scope_names,
)
from tidelog.program.values.structure import is_structural
from tidelog.program.values.term import (
    CHOICE,
    MODEL,
    SUM,
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    PathAtom,
    Term,
    Var,
)

Values = Mapping[str, frozenset[int]]  # the columns with values, by relation of a component
GENERATORS = frozenset({"range", "hop", "elements"})
RECURSIVE = ("min", "max")


def fold_cycles(rules: Sequence[Rule]) -> list[Values]:
    """The components whose facts are computed in bundles, lower ones first.

    >>> from tidelog.syntax import parse_program
    >>> rules = parse_program("cost(P, sum<C>) :- add(P, _, C). add(P, S, N * C) :- part(P, S, N), cost(S, C).").rules
    >>> [{name: sorted(columns) for name, columns in sorted(values.items())} for values in fold_cycles(rules)]
    [{'add': [2], 'cost': [1]}]
    """
    found = []
    for own in aggregate_cycles(rules) if any(_folds(rule) for rule in rules) else ():
        inside = [rule for rule in rules if rule.head.predicate in own]
        values = value_columns(inside, own)
        if all(_is_plain(rule, values) for rule in inside):
            found.append(values)
    return found


def aggregate_cycles(rules: Sequence[Rule]) -> list[frozenset[str]]:
    """The components of the dependency graph with an aggregate other than min and max inside, and no negation."""
    edges = dependencies(rules)
    strata = strata_of_edges(rules, edges)
    wrong: dict[str, list[Edge]] = {}
    for edge in offending_edges(edges, strata):
        wrong.setdefault(edge.target, []).append(edge)
    subsumed = {rule.head.predicate for rule in rules if rule.subsumes}
    found = []
    for stratum in strata if wrong else ():
        offending = [edge for name in stratum.relations for edge in wrong.get(name, ())]
        if offending and all(edge.kind == AGGREGATE for edge in offending) and subsumed.isdisjoint(stratum.relations):
            found.append(frozenset(stratum.relations))
    return found


def _folds(rule: Rule) -> bool:
    kinds = [arg.kind for arg in rule.head.args if isinstance(arg, Aggregate) and arg.body is None]
    return any(kind not in (*RECURSIVE, CHOICE, MODEL) for kind in kinds)


def value_columns(rules: Sequence[Rule], own: frozenset[str]) -> Values:
    """The columns with values of a component: from none, those whose terms are not ground, until there are no more."""
    found: dict[str, frozenset[int]] = {name: frozenset() for name in own}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            known, name = ground_names(rule.body, found), rule.head.predicate
            columns = {i for i, arg in enumerate(rule.head.args) if not _is_ground(arg, known)}
            if not columns <= found[name]:
                found[name] |= columns
                changed = True
    return found


def _is_ground(term: Term, known: set[str]) -> bool:
    return not isinstance(term, Aggregate) and scope_names((), (term,)) <= known


def ground_names(body: Iterable[Literal], values: Values) -> set[str]:
    """The variables that a body binds without values of the component.

    >>> from tidelog.syntax import parse_rule
    >>> rule = parse_rule("p(X, D) :- q(X, C, Y), e(X), D = C + 1, Z = Y + 1.")
    >>> sorted(ground_names(rule.body, {"q": frozenset({1})}))
    ['X', 'Y', 'Z']
    """
    literals, known = tuple(body), set[str]()
    for literal in literals:
        if isinstance(literal, Atom):
            skipped = values.get(literal.predicate, frozenset())
            known.update(arg.name for i, arg in enumerate(literal.args) if isinstance(arg, Var) and i not in skipped)
        elif isinstance(literal, PathAtom):
            known |= scope_names((literal,))
        elif isinstance(literal, Disjunction):
            known |= set.intersection(*(ground_names(branch, values) for branch in literal.branches))
    equations = [literal for literal in literals if isinstance(literal, Comparison) and literal.op == "="]
    while any(_bind(equation, known) for equation in equations):
        pass
    return known


def _bind(equation: Comparison, known: set[str]) -> bool:
    """Bind the variables on one side of an equation whose other side is ground; returns whether any were new."""
    for here, there in ((equation.left, equation.right), (equation.right, equation.left)):
        names = scope_names((), (here,))
        takes_apart = isinstance(here, Call) and (here.function == "list" or is_structural(here.function))
        binds = isinstance(here, Var) or takes_apart
        if binds and not names <= known and scope_names((), (there,)) <= known:
            known |= names
            return True
    return False


def is_ground(literal: Literal, known: set[str], rule: Rule) -> bool:
    """Whether a literal needs no values, not even as the group of an aggregate inside it."""
    return every_name((literal,)) & rule_names(rule) <= known


def _is_plain(rule: Rule, values: Values) -> bool:
    """Whether the instances of a rule can be found without values, and its terms be computed from them."""
    head = rule.head
    aggregates = [arg for arg in head.args if isinstance(arg, Aggregate)]
    if head.location is not None or any(a.body is not None or a.ties or a.kind in (CHOICE, MODEL) for a in aggregates):
        return False
    own = frozenset(values)
    direct = [atom for _, atom in own_literals(rule.body, own)]
    inside = [edge for edge in dependencies([rule]) if edge.source in own]
    if len(inside) != len(direct) or not all(edge.kind in (POSITIVE, AGGREGATE) for edge in inside):
        return False
    known = ground_names(rule.body, values)
    parts = [arg for atom in direct for i, arg in enumerate(atom.args) if i in values[atom.predicate]]
    keys = [arg for atom in direct for i, arg in enumerate(atom.args) if i not in values[atom.predicate]]
    if any(atom.location is not None for atom in direct) or not all(_is_ground(arg, known) for arg in keys):
        return False
    late = [literal for literal in rule.body if not _reads_own(literal, own) and not is_ground(literal, known, rule)]
    if not all(isinstance(literal, Comparison) for literal in late):
        return False
    terms = [*parts, *head.args, *(term for literal in late for term in literal_terms(literal))]
    bound = known | {arg.name for arg in parts if isinstance(arg, Var)}
    return all(map(is_computed, terms)) and _binds(late, bound, scope_names((), (*parts, *head.args)))


def _reads_own(literal: Literal, own: frozenset[str]) -> bool:
    return isinstance(literal, Atom) and literal.predicate in own


def is_computed(term: Term) -> bool:
    """Whether a term can be computed from the values of its variables."""
    if next(body_aggregates(term), None) is not None:
        return False
    return not any(
        call.function in GENERATORS or call.function == CAST or is_structural(call.function) for call in calls(term)
    )


def _binds(late: Sequence[Literal], bound: set[str], needed: set[str]) -> bool:
    """Whether every late comparison can be evaluated, and binds what the others need."""
    for comparison, names in in_order(late, bound):
        bound = bound | names
        if not scope_names((comparison,)) <= bound:
            return False
    return needed <= bound


def in_order(late: Iterable[Literal], bound: Iterable[str]) -> Iterator[tuple[Comparison, set[str]]]:
    """Late comparisons in an order in which they can be evaluated, each with the variables that it binds."""
    waiting, known = [literal for literal in late if isinstance(literal, Comparison)], set(bound)
    while waiting:
        ready = next((c for c in waiting if _bound_by(c, known) is not None), waiting[0])
        names = _bound_by(ready, known) or set()
        yield ready, names
        known |= names
        waiting.remove(ready)


def _bound_by(comparison: Comparison, known: set[str]) -> set[str] | None:
    """The variables that a comparison binds, if it can be evaluated."""
    left, right = (scope_names((), (side,)) for side in (comparison.left, comparison.right))
    if left | right <= known:
        return set()
    if comparison.op != "=":
        return None
    if isinstance(comparison.left, Var) and right <= known:
        return left
    return right if isinstance(comparison.right, Var) and left <= known else None


def not_monotone(rules: Sequence[Rule], values: Values) -> str | None:
    """The label of a rule of a component that may lose facts when there are more; None if all only ever gain.

    Bundles may then depend on their own aggregates: the model is the least one, as with the monotone counts and sums of
    BigDatalog. A rule with an aggregate must count, or add or maximize ground terms, over relations without values; the
    terms of a sum must not be negative, which a test `N > 0` shows. Other rules may compare values with lower bounds.

    >>> from tidelog.syntax import parse_program
    >>> program = parse_program("r1: n(Y, count<*>) :- come(X), friend(Y, X). r2: come(X) :- n(X, N), N >= 3.")
    >>> not_monotone(program.rules, {"n": frozenset({1}), "come": frozenset()})
    >>> program = parse_program("r1: n(Y, count<*>) :- come(X), friend(Y, X). r2: come(X) :- n(X, N), N <= 3.")
    >>> not_monotone(program.rules, {"n": frozenset({1}), "come": frozenset()})
    'r2'
    """
    return next((rule.label or rule.head.predicate for rule in rules if not _only_gains(rule, values)), None)


def _only_gains(rule: Rule, values: Values) -> bool:
    atoms = [atom for _, atom in own_literals(rule.body, frozenset(values))]
    known = ground_names(rule.body, values)
    aggregates = [arg for arg in rule.head.args if isinstance(arg, Aggregate)]
    if aggregates:
        return not any(values[atom.predicate] for atom in atoms) and all(_rises(each, rule) for each in aggregates)
    parts = [arg for atom in atoms for i, arg in enumerate(atom.args) if i in values[atom.predicate]]
    names = [arg.name for arg in parts if isinstance(arg, Var)]
    if len(names) < len(parts) or len(names) > len(set(names)) or not known.isdisjoint(names):
        return False
    late = [x for x in rule.body if isinstance(x, Comparison) and not is_ground(x, known, rule)]
    return all(_bounds_below(each, known) for each in late) and scope_names((), rule.head.args) <= known


def _rises(aggregate: Aggregate, rule: Rule) -> bool:
    """Whether an aggregate of ground terms never decreases when there are more of them."""
    if aggregate.kind in ("count", "max"):
        return True
    return aggregate.kind == SUM and all(_is_positive(term, rule) for term in aggregate.measured)


def _is_positive(term: Term, rule: Rule) -> bool:
    """Whether a term is a constant that is not negative, or a variable that the body compares with one."""
    if isinstance(term, Const):
        return isinstance(term.value, int | float) and term.value >= 0
    tests = (x for x in rule.body if isinstance(x, Comparison))
    return any(
        greater == term and isinstance(less, Const) and _is_positive(less, rule)
        for test in tests
        for less, op, greater in ((test.left, test.op, test.right), (test.right, _TURNED.get(test.op), test.left))
        if op in ("<", "<=")
    )


def _bounds_below(comparison: Comparison, known: set[str]) -> bool:
    """Whether a comparison holds for every greater value of its only value, too."""
    left, op, right = comparison.left, comparison.op, comparison.right
    if op in ("<", "<="):
        left, op, right = right, _TURNED[op], left
    return op in (">", ">=") and isinstance(left, Var) and scope_names((), (right,)) <= known


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def depending_on(rules: Iterable[Rule], relations: frozenset[str]) -> frozenset[str]:
    """These relations and all that depend on them."""
    above: dict[str, list[str]] = {}
    for edge in dependencies(rules) if relations else ():
        above.setdefault(edge.source, []).append(edge.target)
    found, waiting = set(relations), list(relations)
    while waiting:
        new = [name for name in above.get(waiting.pop(), ()) if name not in found]
        found.update(new)
        waiting += new
    return frozenset(found)
