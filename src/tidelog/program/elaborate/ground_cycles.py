"""Relations that depend on their own negation are derived from the model of the instances of their rules.

Law (`graph.well_founded`): the rules of such a component derive instances, which are possible facts with the atoms and
negations of the component that they depend on; every possible fact is then true, false or undefined. Rules keep their
places and labels; those that show possible, true and undefined facts come after all others. A negation with ``_`` reads
a projection, which belongs to the component.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.read_undefined import read_undefined, readings_of, variables
from tidelog.program.graph.subsumption import input_name
from tidelog.program.graph.undefined_readers import Uncertainty, reads, uncertainty
from tidelog.program.graph.well_founded import (
    GROUND,
    TRUE_FACT,
    TRUTH,
    UNDEFINED,
    UNDEFINED_FACT,
    negation_cycles,
    own_literals,
)
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import every_name
from tidelog.program.values.term import (
    MODEL,
    NUMBER,
    POSSIBLE,
    Aggregate,
    Atom,
    Const,
    GroundRule,
    Literal,
    Negation,
    Term,
    Var,
    Wildcard,
)

HIDDEN = "__hidden_"  # begins the projections of negated relations


def ground_cycles(elaboration: Elaboration) -> Elaboration:
    """The program in which components with a negation inside are derived from their models.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> made = ground_cycles(Elaboration(parse_program("r1: win(X) :- move(X, Y), !win(Y).")))
    >>> print(*map(print_rule, made.program.rules[:3]), sep="\\n")
    r1: __ground_r1 -win(X, Y) :- move(X, Y).
    win/given: __ground_win/given(V1) :- __given_win(V1).
    r1/possible: __possible_win(V1) :- __ground_r1 -win(V1, V2).
    >>> print(*map(print_rule, made.program.rules[4:]), sep="\\n")
    win/model_97c3e689: __truth_win(V1, model<*>) :- __possible_win(V1).
    win/true: win(V1) :- __truth_win(V1, 1).
    win/undefined: __undefined_win(V1) :- __truth_win(V1, 0).
    """
    program = elaboration.program
    cycles = negation_cycles(program.rules)
    if not cycles:
        return elaboration
    home = {name: cycle for cycle in cycles for name in cycle}
    known = uncertainty(program.rules, cycles)
    rules, more = read_undefined(program.rules, known, frozenset(home))
    grounds: dict[frozenset[str], list[GroundRule]] = {cycle: [] for cycle in cycles}
    widths = {r.head.predicate: len(r.head.args) for r in rules if r.head.predicate in home}
    first = {rule.head.predicate: rule for rule in reversed(rules)}
    projections: dict[str, Rule] = {}
    for i, rule in enumerate(program.rules):
        if rule.head.predicate in home:
            cycle = home[rule.head.predicate]
            own, projected = _without_wildcards(rule, cycle)
            projections |= projected
            rules[i], ground = _instances(own, cycle | {r.head.predicate for r in projected.values()}, i)
            grounds[cycle].append(ground)
            if any(name in known.relations - cycle for name in reads(rule)) and id(rule) not in known.opaque:
                rules[i], others, undefined = _undefined_instances(rules[i], ground, known, i, cycle)
                more += others
                grounds[cycle] += undefined
    for i, rule in enumerate(projections.values()):
        (source,) = (atom for _, atom in own_literals(rule.body, frozenset(home)))
        cycle = home[source.predicate]
        made, ground = _instances(rule, cycle, len(rules) + i)
        more.append(made)
        grounds[cycle].append(ground)
    for name, width in sorted(widths.items()):
        head = Atom(name, variables(width))
        given = Rule(head, (replace(head, predicate=input_name(name)),), f"{name}/given", first[name].span, first[name])
        made, ground = _instances(given, frozenset(), 0)
        more.append(made)
        grounds[home[name]].append(ground)
    for found in grounds.values():
        more += (replace(rule, origin=first[found[0].head]) for rule in _shown(tuple(dict.fromkeys(found))))
    return elaboration.then(replace(program, rules=(*rules, *dict.fromkeys(more))))


def _instances(rule: Rule, own: frozenset[str], place: int) -> tuple[Rule, GroundRule]:
    """The rule that derives the instances of another, and how their columns are read."""
    literals = tuple(own_literals(rule.body, own))
    args = (*rule.head.args, *(arg for _, atom in literals for arg in atom.args))
    described = tuple((atom.predicate, positive, len(atom.args)) for positive, atom in literals)
    shape = "".join(f" {'+' if positive else '-'}{name}" for name, positive, _ in described)
    name = f"{GROUND}{rule.label or f'{rule.head.predicate}.{place}'}{shape}"  # other columns are another relation
    body = tuple(_possible(literal, own) for literal in rule.body if not _is_negated(literal, own))
    made = replace(rule, head=Atom(name, args, span=rule.head.span), body=body, plans=())
    return made, GroundRule(name, rule.head.predicate, len(rule.head.args), described)


def _undefined_instances(
    rule: Rule, ground: GroundRule, known: Uncertainty, place: int, cycle: frozenset[str]
) -> tuple[Rule, list[Rule], list[GroundRule]]:
    """The rule of instances whose lower literals are true, and those of instances with an undefined one.

    The latter depend also on an atom without columns that depends on its own negation alone.
    """
    readings = readings_of(rule, known, place)
    unknown = f"{HIDDEN}undefined/{min(cycle)}"
    literal = (unknown, False, 0)
    name, _, shape = ground.relation.partition(" ")
    head = Atom(f"{name}/undefined{shape and f' {shape}'} -{unknown}", rule.head.args)
    bodies = readings.unsure_bodies(rule.body)
    made = [readings.derive(head, body, f"undefined{i}") for i, body in enumerate(bodies, 1)]
    unknown_head = Atom(f"{GROUND}{unknown} -{unknown}", ())
    made.append(readings.derive(unknown_head, (replace(head, args=variables(len(head.args))),), "unknown"))
    grounds = [
        replace(ground, relation=head.predicate, literals=(*ground.literals, literal)),
        GroundRule(unknown_head.predicate, unknown, 0, (literal,)),
    ]
    return replace(rule, body=readings.sure(rule.body)), [*made, *readings.rules], grounds


def _is_negated(literal: Literal, own: frozenset[str]) -> bool:
    return isinstance(literal, Negation) and literal.atom.predicate in own


def _possible(literal: Literal, own: frozenset[str]) -> Literal:
    if isinstance(literal, Atom) and literal.predicate in own:
        return replace(literal, predicate=f"{POSSIBLE}{literal.predicate}")
    return literal


def _without_wildcards(rule: Rule, own: frozenset[str]) -> tuple[Rule, dict[str, Rule]]:
    """The rule with names for ``_`` in its own atoms, and the projections that its negations read instead."""
    used, projections = every_name(rule.body), dict[str, Rule]()
    fresh = (name for i in range(1, 1 << 30) if (name := f"V{i}") not in used)
    body: list[Literal] = []
    for literal in rule.body:
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom) and atom.predicate in own and any(isinstance(arg, Wildcard) for arg in atom.args):
            if isinstance(literal, Negation):
                projection = _projection(atom)
                projections[projection.head.predicate] = projection
                kept = tuple(arg for arg in atom.args if not isinstance(arg, Wildcard))
                literal = replace(literal, atom=replace(atom, predicate=projection.head.predicate, args=kept))
            else:
                args = tuple(Var(next(fresh)) if isinstance(arg, Wildcard) else arg for arg in atom.args)
                literal = replace(atom, args=args)
        body.append(literal)
    return replace(rule, body=tuple(body)), projections


def _projection(atom: Atom) -> Rule:
    columns = variables(len(atom.args))
    kept = [i for i, arg in enumerate(atom.args) if not isinstance(arg, Wildcard)]
    name = f"{atom.predicate}/{'_'.join(str(i + 1) for i in kept)}"
    return Rule(
        Atom(f"{HIDDEN}{name}", tuple(columns[i] for i in kept)), (Atom(atom.predicate, columns),), f"{name}/hidden"
    )


def _shown(ground: tuple[GroundRule, ...]) -> Iterator[Rule]:
    """The rules that derive the possible facts of a component, and show those that are true or undefined."""
    for each in ground:
        columns = variables(each.columns)
        label = each.relation.removeprefix(GROUND).partition(" ")[0]
        yield Rule(
            Atom(f"{POSSIBLE}{each.head}", columns[: each.width]), (Atom(each.relation, columns),), f"{label}/possible"
        )
    for name, width in {each.head: each.width for each in ground}.items():
        columns = variables(width)
        model = Aggregate(MODEL, None, None, ground=ground)
        possible = Atom(f"{POSSIBLE}{name}", columns)
        yield Rule(Atom(f"{TRUTH}{name}", (*columns, model)), (possible,), model_label(name, ground))
        if name.startswith(HIDDEN):
            continue
        for to, label, truth in ((name, "true", TRUE_FACT), (f"{UNDEFINED}{name}", "undefined", UNDEFINED_FACT)):
            body = (Atom(f"{TRUTH}{name}", (*columns, Const(truth, NUMBER))),)
            yield Rule(Atom(to, columns), body, f"{name}/{label}")


def model_label(name: str, ground: object) -> str:
    """The label of the rule that shows the facts of a model: other instances are another model."""
    return f"{name}/model_{blake2b(repr(ground).encode(), digest_size=4).hexdigest()}"


def written_rule(written: Rule, typed: Rule) -> Rule:
    """A rule of such a component as it is written, with the types found for the rule that derives its instances.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program("r1: win(X) :- move(X, Y), !win(Y).")
    >>> print_rule(written_rule(program.rules[0], ground_cycles(Elaboration(program)).program.rules[0]))
    'r1: win(X) :- move(X, Y), !win(Y).'
    """
    width = len(written.head.args)
    found, others, body = iter(typed.head.args[width:]), list(typed.body), list[Literal]()
    for literal in written.body:
        other = others[0] if others else None
        if isinstance(literal, Negation) and not _is_same(literal, other):
            body.append(replace(literal, atom=_retyped(literal.atom, found, negated=True)))
            continue
        others.pop(0)
        if isinstance(literal, Atom) and isinstance(other, Atom) and other.predicate != literal.predicate:
            body.append(_retyped(literal, found, negated=False))
        else:
            body.append(other or literal)
    return replace(written, head=replace(written.head, args=typed.head.args[:width]), body=tuple(body))


def _is_same(negation: Negation, other: Literal | None) -> bool:
    return isinstance(other, Negation) and other.atom.predicate == negation.atom.predicate


def _retyped(atom: Atom, found: Iterator[Term], *, negated: bool) -> Atom:
    """An atom of the component with typed arguments; ``_`` has a column only in atoms that are not negated."""
    args: list[Term] = []
    for arg in atom.args:
        typed = None if negated and isinstance(arg, Wildcard) else next(found)
        args.append(arg if isinstance(arg, Wildcard) or typed is None else typed)
    return replace(atom, args=tuple(args))
