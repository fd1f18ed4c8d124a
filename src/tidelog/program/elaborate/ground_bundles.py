"""Relations that depend on their own count, sum or mean are computed in bundles, over the instances of their rules.

Law (`graph.bundles`): rules of such a component derive possible keys and instances; an instance has the key of its
head, those of the bundles it reads, and the ground variables that its values are computed from. The rules themselves
become formulas of a model, which shows the facts of all bundles. The pass runs on typed rules, so that the formulas are
typed; rules that derive instances keep the places and labels of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.ground_cycles import model_label
from tidelog.program.graph.bundles import Values, fold_cycles, ground_names, is_ground
from tidelog.program.graph.subsumption import input_name
from tidelog.program.graph.well_founded import GROUND, TRUE_FACT, TRUTH, own_literals
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import every_name, scope_names
from tidelog.program.values.term import (
    MODEL,
    NUMBER,
    POSSIBLE,
    Aggregate,
    Atom,
    Const,
    Derivation,
    GroundRule,
    Literal,
    Term,
    Var,
    Wildcard,
)

ONCE = ("min", "max")  # aggregates of values, however many rows have them


def ground_bundles(elaboration: Elaboration) -> Elaboration:
    """The program in which components with a count, sum or mean inside are shown from their bundles.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = "r1: cost(P, sum<N * C>) :- part(P, S, N), cost(S, C)."
    >>> made = ground_bundles(Elaboration(parse_program(text)))
    >>> print(*map(print_rule, made.program.rules), sep="\\n")
    r1: __ground_r1 cost/1 cost/1 N(P, S, N) :- part(P, S, N), __possible_cost/1(S).
    cost/given: __ground_cost/given cost/1 V2(V1, V2) :- __given_cost(V1, V2).
    r1/possible: __possible_cost/1(V1) :- __ground_r1 cost/1 cost/1 N(V1, V2, V3).
    cost/given/possible: __possible_cost/1(V1) :- __ground_cost/given cost/1 V2(V1, V2).
    cost/model_19fc767c: __truth_cost(V1, V2, model<*>) :- __possible_cost/1(V1).
    cost/true: cost(V1, V2) :- __truth_cost(V1, V2, 1).
    """
    program = elaboration.program
    rules, more = list(program.rules), list[Rule]()
    for values in fold_cycles(rules):
        widths = {r.head.predicate: len(r.head.args) for r in program.rules if r.head.predicate in values}
        first = {r.head.predicate: r for r in reversed(program.rules) if r.head.predicate in values}
        grounds: list[GroundRule] = []
        for i, rule in enumerate(program.rules):
            if rule.head.predicate in values:
                rules[i], ground = _instances(rule, values, i)
                grounds.append(ground)
        for name, width in sorted(widths.items()):
            head = Atom(name, _columns(width))
            given = Rule(
                head, (replace(head, predicate=input_name(name)),), f"{name}/given", first[name].span, first[name]
            )
            made, ground = _instances(given, values, 0)
            more.append(made)
            grounds.append(ground)
        more += (replace(made, origin=first[grounds[0].head]) for made in _shown(tuple(grounds), values, widths))
    return elaboration if not more else elaboration.then(replace(program, rules=(*rules, *more)))


def _instances(rule: Rule, values: Values, place: int) -> tuple[Rule, GroundRule]:
    """The rule that derives the instances of another, with its formula."""
    rule = _without_wildcards(rule, values)
    known = ground_names(rule.body, values)
    atoms = tuple(atom for _, atom in own_literals(rule.body, frozenset(values)))
    keys = tuple(_key(atom, values) for atom in atoms)
    key = _key(rule.head, values)
    there = {arg.name for arg in (*key, *(arg for each in keys for arg in each)) if isinstance(arg, Var)}
    names = tuple(name for name in _needed(rule, values, known) if name not in there)
    shape = "".join(f" {_key_name(atom.predicate, atom, values)}" for atom in (rule.head, *atoms))
    label = rule.label or f"{rule.head.predicate}.{place}"
    name = " ".join((f"{GROUND}{label}{shape}", *names))  # other columns are another relation
    args = (*key, *(arg for each in keys for arg in each), *map(Var, names))
    body = tuple(
        _possible(literal, values)
        for literal in rule.body
        if _reads(literal, values) or is_ground(literal, known, rule)
    )
    made = replace(rule, head=Atom(name, args, span=rule.head.span), body=body, plans=(), origin=rule)
    literals = tuple((atom.predicate, True, len(each)) for atom, each in zip(atoms, keys, strict=True))
    derivation = Derivation(rule.head, rule.body, rule.users_label or label)
    return made, GroundRule(name, rule.head.predicate, len(key), literals, derivation, names)


def _needed(rule: Rule, values: Values, known: set[str]) -> list[str]:
    """The ground variables that the values of an instance are computed from; for an aggregate, all that it counts."""
    aggregates = [arg for arg in rule.head.args if isinstance(arg, Aggregate)]
    if any(not (aggregate.distinct or aggregate.kind in ONCE) for aggregate in aggregates):
        return sorted(known & every_name(rule.body))
    late = [literal for literal in rule.body if not _reads(literal, values) and not is_ground(literal, known, rule)]
    parts = [
        arg
        for atom in (rule.head, *(atom for _, atom in own_literals(rule.body, frozenset(values))))
        for i, arg in enumerate(atom.args)
        if i in values[atom.predicate]
    ]
    return sorted(known & scope_names(late, parts))


def _key(atom: Atom, values: Values) -> tuple[Term, ...]:
    return tuple(arg for i, arg in enumerate(atom.args) if i not in values[atom.predicate])


def _reads(literal: Literal, values: Values) -> bool:
    return isinstance(literal, Atom) and literal.predicate in values


def _possible(literal: Literal, values: Values) -> Literal:
    if isinstance(literal, Atom) and literal.predicate in values:
        return replace(literal, predicate=_possible_name(literal, values), args=_key(literal, values))
    return literal


def _possible_name(atom: Atom, values: Values) -> str:
    return f"{POSSIBLE}{_key_name(atom.predicate, atom, values)}"


def _key_name(name: str, atom: Atom, values: Values) -> str:
    """The name of a relation with the columns of its key."""
    columns = (str(i + 1) for i in range(len(atom.args)) if i not in values[name])
    return f"{name}/{'_'.join(columns)}"


def _without_wildcards(rule: Rule, values: Values) -> Rule:
    """The rule with names for every ``_`` in an atom of the component or, if it counts rows, in any atom."""
    counts = any(isinstance(arg, Aggregate) and not (arg.distinct or arg.kind in ONCE) for arg in rule.head.args)
    used = every_name(rule.body) | scope_names((), rule.head.args)
    fresh = (name for i in range(1, 1 << 30) if (name := f"V{i}") not in used)
    body: list[Literal] = []
    for literal in rule.body:
        if isinstance(literal, Atom) and (counts or literal.predicate in values):
            args = tuple(Var(next(fresh)) if isinstance(arg, Wildcard) else arg for arg in literal.args)
            literal = replace(literal, args=args)
        body.append(literal)
    return replace(rule, body=tuple(body), origin=rule)


def _shown(grounds: tuple[GroundRule, ...], values: Values, widths: dict[str, int]) -> Iterator[Rule]:
    """The rules that derive the possible keys of a component, and show the facts of its bundles."""
    for each in grounds:
        columns = _columns(each.columns)
        label = each.relation.removeprefix(GROUND).partition(" ")[0]
        possible = _possible_name(Atom(each.head, _columns(widths[each.head])), values)
        yield Rule(Atom(possible, columns[: each.width]), (Atom(each.relation, columns),), f"{label}/possible")
    for name, width in sorted(widths.items()):
        columns = _columns(width)
        model = Aggregate(MODEL, None, None, ground=grounds)
        fact = Atom(name, columns)
        body = (Atom(_possible_name(fact, values), _key(fact, values)),)
        label = model_label(name, (grounds, [(each.formula, each.names) for each in grounds]))
        yield Rule(Atom(f"{TRUTH}{name}", (*columns, model)), body, label)
        yield Rule(Atom(name, columns), (Atom(f"{TRUTH}{name}", (*columns, Const(TRUE_FACT, NUMBER))),), f"{name}/true")


def _columns(width: int) -> tuple[Var, ...]:
    return tuple(Var(f"V{i}") for i in range(1, width + 1))
