"""Safety: every variable gets its values from somewhere finite (TL3xx).

Law: the bound variables of a conjunction are the least set that contains the variables of its positive atoms, the
variable on one side of `=` once the other side is bound, the variables of patterns (`pattern`), and the variables that
all branches of a disjunction bind. Everything else (head, negation, comparison, expression, range, aggregate) only uses
bound variables. An aggregate sees the bound variables of the scopes around it and returns only its value.
Each variable of a rule is reported once, at the first place that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from tidelog.errors import Diagnostic, Span
from tidelog.program.functions.table import Function
from tidelog.program.graph.broadcast import BROADCAST
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.arity import RESERVED
from tidelog.program.values.pattern import bound_by_match, is_open, matched_pairs, pattern_names, pattern_parts
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    aggregate_names,
    all_literals,
    body_aggregates,
    every_name,
    literal_variables,
    rule_literals,
    rule_names,
    scope_names,
    term_variables,
)
from tidelog.program.values.structure import structure_made
from tidelog.program.values.term import (
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    PathAtom,
    Term,
    Var,
    Wildcard,
)

BROADCAST_HINT = (
    "`@Broadcast` sends to all neighbours. This requires a relation `link(@Node, Neighbour, ...)` in the program, and "
    "a body whose atoms all lie at one node."
)
HEAD, NEGATED, COMPARED, COMPUTED, RANGE, AGGREGATED = "TL301", "TL302", "TL303", "TL304", "TL306", "TL309"


@dataclass(slots=True)
class _Scope:
    """The current scope: names that occur in it or around it, and the findings about the rule so far."""

    names: Set[str]
    generators: Set[str]
    findings: list[Diagnostic] = field(default_factory=list)
    reported: set[str] = field(default_factory=set)
    inner: bool = False

    def within(self, names: Set[str]) -> _Scope:
        """The scope of an aggregate inside this one; findings go to the same list."""
        return _Scope(self.names | names, self.generators, self.findings, self.reported, True)


def check_safety(program: Program, functions: Mapping[str, tuple[Function, ...]]) -> list[Diagnostic]:
    """All findings about unbound variables and misplaced terms in the rules and facts of the program."""
    terms = [term for fact in program.facts for term in fact.atom.args if not isinstance(term, Const)]
    rules = [rule for rule in program.rules if not _plainly_safe(rule)]
    findings: list[Diagnostic] = []
    if not terms and not rules:
        return findings
    generators = {name for name, overloads in functions.items() if any(f.generator for f in overloads)}
    for term in terms:
        _check_term(term, set(), HEAD, _Scope(set(), generators, findings))
    for rule in rules:
        findings.extend(rule_safety(rule, generators))
    return findings


def _plainly_safe(rule: Rule) -> bool:
    """Whether the rule is obviously safe: only plain atoms, which bind all head arguments that are not constants."""
    bound: set[str] = set()
    for literal in rule.body:
        if not isinstance(literal, Atom):
            return False
        for arg in literal.args:
            if isinstance(arg, Var):
                bound.add(arg.name)
            elif isinstance(arg, Call | Aggregate):
                return False
    return all(arg.name in bound if isinstance(arg, Var) else isinstance(arg, Const) for arg in rule.head.args)


def rule_safety(rule: Rule, generators: Set[str] = frozenset({"range"})) -> list[Diagnostic]:
    """The findings about one rule.

    >>> [d.code for d in rule_safety(Rule(Atom("p", (Var("X"),)), (Negation(Atom("q", (Var("X"),))),)))]
    ['TL301']
    """
    scope = _Scope(rule_names(rule), generators)
    bound = bound_variables(rule.body, set(), scope.names)
    _check_witnesses(rule, bound, scope)
    scope.reported |= _consequences(rule, bound, scope)
    for term in () if rule.head.predicate.startswith(RESERVED) else rule.head.args:  # such a head repeats its body
        _check_head_term(term, bound, scope)
    _check_body(rule.body, bound, scope)
    return scope.findings


def _consequences(rule: Rule, bound: Set[str], scope: _Scope) -> set[str]:
    """The unbound variables that `=` would bind if the others were bound, so that only the others are reported."""
    if scope.names <= bound:
        return set()
    defined = {
        side.name
        for literal in rule.body
        if isinstance(literal, Comparison) and literal.op == "="
        for side in (literal.left, literal.right)
        if isinstance(side, Var)
    }
    culprits = scope.names - bound - defined
    return bound_variables(rule.body, bound | culprits, scope.names) - bound - culprits if culprits else set()


def bound_variables(literals: Iterable[Literal], already: Set[str], around: Set[str]) -> set[str]:
    """The variables that the conjunction binds, together with those ``already``.

    ``around`` holds the names of the conjunction's own scope and the scopes around it: of the variables of an
    aggregate, these must be bound before its value is known, and the others are local to it.
    """
    bound = set(already)
    waiting: list[Literal] = []
    for literal in literals:
        if isinstance(literal, Atom):
            for arg in literal.args:
                if isinstance(arg, Var):
                    bound.add(arg.name)
                elif isinstance(arg, Call):
                    bound |= pattern_names(arg)
        elif isinstance(literal, PathAtom) and not literal.negated:
            bound.update(end.name for end in (literal.source, literal.target) if isinstance(end, Var))
        elif isinstance(literal, Disjunction) or (isinstance(literal, Comparison) and literal.op == "="):
            waiting.append(literal)
        elif isinstance(literal, Boolean) and not literal.value:
            bound |= around  # nothing follows, whatever the variables are
    return _close(bound, waiting, around)


def _close(bound: set[str], waiting: list[Literal], around: Set[str]) -> set[str]:
    """Let the waiting literals bind until none can bind more.

    A literal is visited again only if one of its variables has been bound since: otherwise nested disjunctions would
    cost 2^depth, and long chains of equations the square of their length.
    """
    names = [every_name((literal,)) for literal in waiting]
    readers: dict[str, list[int]] = {}
    for i, found in enumerate(names):
        for name in found - bound:
            readers.setdefault(name, []).append(i)
    due = dict.fromkeys(range(len(waiting)))
    while due:
        i = next(iter(due))
        del due[i]
        unbound, before = names[i] - bound, len(bound)
        _bind(waiting[i], bound, around)
        fresh = unbound & bound
        if len(bound) - before > len(fresh):  # where nothing follows, everything is bound
            due.update(dict.fromkeys(range(len(waiting))))
        due.update((reader, None) for name in fresh for reader in readers.get(name, ()))
    return bound


def _bind(literal: Literal, bound: set[str], around: Set[str]) -> None:
    """Bind the variables that the literal can bind, given those already bound."""
    if isinstance(literal, Disjunction):
        branches = [bound_variables(branch, bound, around) for branch in literal.branches]
        bound.update(set.intersection(*branches) if branches else ())
        return
    assert isinstance(literal, Comparison)
    pairs = tuple(matched_pairs(literal.left, literal.right))
    size = -1
    while size < len(bound):  # one pair may bind what an earlier pair waits for
        size = len(bound)
        for pair in pairs:
            _bind_pair(*pair, bound, around)


def _bind_pair(left: Term, right: Term, bound: set[str], around: Set[str]) -> None:
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Var) and side.name not in bound and variables_needed(other, around) <= bound:
            if structure_made(other) is None or not is_open(other):
                bound.add(side.name)
        elif isinstance(side, Call):
            bound |= bound_by_match(side, other, bound, variables_needed(other, around))


def variables_needed(term: Term, around: Set[str]) -> set[str]:
    """The variables that must be bound before the term has a value.

    >>> variables_needed(Call("+", (Var("X"), Const(1, "number"))), set())
    {'X'}
    """
    found: list[Var] = []
    term_variables(term, found)
    names = {variable.name for variable in found}
    for aggregate in body_aggregates(term):
        names |= _shared(aggregate, around)
    return names


def _shared(aggregate: Aggregate, around: Set[str]) -> set[str]:
    """The variables of the aggregate that belong to an outer scope, including those of nested aggregates."""
    names = aggregate_names(aggregate)
    for literal in all_literals(aggregate.body or ()):
        names |= scope_names((literal,))
    return names & around


def _check_witnesses(rule: Rule, bound: Set[str], scope: _Scope) -> None:
    """Report unbound variables that only an aggregate binds locally: they cannot be used outside it."""
    unbound = [] if scope.names <= bound else _unbound_occurrences(rule, bound, scope)
    for aggregate in _rule_aggregates(rule) if unbound else ():
        inside = bound_variables(aggregate.body or (), set(), set())
        for variable in unbound:
            if variable.name in inside:
                _report("TL308", variable, scope)


def _rule_aggregates(rule: Rule) -> Iterator[Aggregate]:
    for term in rule.head.args:
        yield from body_aggregates(term)
    for literal in rule_literals(rule):
        if isinstance(literal, Comparison):
            yield from body_aggregates(literal.left)
            yield from body_aggregates(literal.right)
        elif isinstance(literal, Atom):
            for term in literal.args:
                yield from body_aggregates(term)


def _unbound_occurrences(rule: Rule, bound: Set[str], scope: _Scope) -> list[Var]:
    """The variables outside aggregates that have no value where they are used."""
    found: list[Var] = []
    for term in rule.head.args:
        term_variables(term, found)
    return [variable for variable in found if variable.name not in bound] + _unbound_in(rule.body, bound, scope)


def _unbound_in(literals: Iterable[Literal], bound: Set[str], scope: _Scope) -> list[Var]:
    """As `_unbound_occurrences`, for a conjunction; a branch of a disjunction also has the variables that it binds."""
    found: list[Var] = []
    for literal in literals:
        if isinstance(literal, Disjunction):
            for branch in literal.branches:
                found += _unbound_in(branch, bound_variables(branch, bound, scope.names), scope)
        else:
            own: list[Var] = []
            literal_variables(literal, own)
            found += (variable for variable in own if variable.name not in bound)
    return found


def _check_head_term(term: Term, bound: Set[str], scope: _Scope) -> None:
    if isinstance(term, Aggregate) and term.body is None:
        if term.value is not None:
            _check_term(term.value, bound, AGGREGATED, scope)
    else:
        _check_term(term, bound, HEAD, scope)


def _check_body(literals: Iterable[Literal], bound: Set[str], scope: _Scope) -> None:
    """Report the variables that the literals need and ``bound`` does not contain."""
    for literal in literals:
        if isinstance(literal, Atom):
            _check_atom(literal, bound, COMPUTED, scope)
        elif isinstance(literal, Negation):
            _check_atom(literal.atom, bound, NEGATED, scope)
        elif isinstance(literal, Comparison):
            _check_comparison(literal, bound, scope)
        elif isinstance(literal, Disjunction):
            for branch in literal.branches:
                _check_body(branch, bound_variables(branch, bound, scope.names), scope)
        elif isinstance(literal, PathAtom):
            _check_ends(literal, bound, scope)
        else:
            assert isinstance(literal, Boolean)


def _check_atom(atom: Atom, bound: Set[str], code: str, scope: _Scope) -> None:
    """Check the arguments of an atom: a plain variable is bound by a positive atom and needed by a negated one."""
    for arg in atom.args:
        if isinstance(arg, Wildcard | Const):
            continue
        if isinstance(arg, Var):
            _check_variable(arg, bound, code, scope)
        elif code == COMPUTED:
            _check_pattern(arg, bound, COMPUTED, scope)
        else:
            _check_term(arg, bound, COMPUTED, scope)


def _check_pattern(term: Term, bound: Set[str], code: str, scope: _Scope) -> None:
    """Check a term that is matched with a value; `_` may be a part of it."""
    for part in pattern_parts(term):
        if not isinstance(part, Wildcard) or part is term:
            _check_term(part, bound, code, scope)


def _check_comparison(literal: Comparison, bound: Set[str], scope: _Scope) -> None:
    if literal.op == "=" and structure_made(literal.left) is not None and structure_made(literal.right) is not None:
        for left, right in matched_pairs(literal.left, literal.right):
            if not isinstance(left, Wildcard) and not isinstance(right, Wildcard):
                _check_sides(replace(literal, left=left, right=right), bound, scope)
    else:
        _check_sides(literal, bound, scope)


def _check_sides(literal: Comparison, bound: Set[str], scope: _Scope) -> None:
    for side in (literal.left, literal.right):
        if literal.op == "=" and isinstance(side, Call) and side.function in scope.generators:
            for arg in side.args:
                _check_term(arg, bound, RANGE, scope)
        elif literal.op == "=" and structure_made(side) is not None:
            _check_pattern(side, bound, COMPARED, scope)
        else:
            _check_term(side, bound, COMPARED, scope)


def _check_ends(literal: PathAtom, bound: Set[str], scope: _Scope) -> None:
    for end in (literal.source, literal.target):
        if isinstance(end, Var):
            _check_variable(end, bound, NEGATED if literal.negated else COMPUTED, scope)
        elif not isinstance(end, Wildcard):
            _check_term(end, bound, COMPUTED, scope)


def _check_term(term: Term, bound: Set[str], code: str, scope: _Scope) -> None:
    """Report the unbound variables of a term to be computed, and terms that have no value."""
    if isinstance(term, Var):
        _check_variable(term, bound, code, scope)
    elif isinstance(term, Wildcard):
        scope.findings.append(diagnose("TL305", term.span))
    elif isinstance(term, Call):
        if term.function in scope.generators:
            scope.findings.append(diagnose("TL307", term.span, name=_text(term.span, term.function)))
        for arg in term.args:
            _check_term(arg, bound, code, scope)
    elif isinstance(term, Aggregate):
        _check_aggregate(term, bound, scope)


def _check_variable(variable: Var, bound: Set[str], code: str, scope: _Scope) -> None:
    if variable.name not in bound:
        _report(AGGREGATED if scope.inner else code, variable, scope)


def _check_aggregate(aggregate: Aggregate, bound: Set[str], scope: _Scope) -> None:
    if aggregate.body is None:
        scope.findings.append(diagnose("TL310", aggregate.span, kind=f"{aggregate.kind}<...>"))
        return
    own = aggregate_names(aggregate)
    for name in sorted(_shared(aggregate, scope.names) - bound - scope.reported):
        # Unbound outside: reported there if it occurs in a place that needs it, as all places except atoms do.
        scope.reported.add(name)
        scope.findings.append(diagnose("TL308", _first_span(aggregate, name), name=name))
    inner = scope.within(own)
    inside = bound_variables(aggregate.body, bound & inner.names, inner.names)
    if aggregate.value is not None:
        _check_term(aggregate.value, inside, AGGREGATED, inner)
    _check_body(aggregate.body, inside, inner)


def _first_span(aggregate: Aggregate, name: str) -> Span | None:
    found: list[Var] = []
    for literal in all_literals(aggregate.body or ()):
        literal_variables(literal, found)
    return next((variable.span for variable in found if variable.name == name), aggregate.span)


def _report(code: str, variable: Var, scope: _Scope) -> None:
    if variable.name not in scope.reported:
        scope.reported.add(variable.name)
        hint = BROADCAST_HINT if code == HEAD and variable.name == BROADCAST else None
        scope.findings.append(diagnose(code, variable.span, hint=hint, name=variable.name))


def _text(span: Span | None, otherwise: str) -> str:
    return otherwise if span is None else span.text
