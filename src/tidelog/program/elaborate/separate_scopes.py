"""The scopes of variables that the body of an aggregate shares with the enclosing rule.

Law: in ``R = kind value : { body }`` a variable that also occurs around the aggregate is, in this order,

1. the aggregate's own, if it occurs in the value and the body binds it: ``a = max a : { p(a) }``;
2. the rule's, if the rest of the rule binds it without this aggregate: then it belongs to the group;
3. the aggregate's own, if the rule has a value for it only with the help of aggregates: ``n = count : { p(n) }``;
4. a *witness*, if the aggregate is a min or max whose body binds it: it accompanies the best value, and the
   body is repeated for it, at that value: ``tallest(s, n) :- n = max h : { height(s, h) }`` reads ``height(s, n)``.

All other variables are bound nowhere, and reported by `safety`. A rule is rewritten so that afterwards a name has one
meaning everywhere: local variables get unique names (``a'``, which cannot be written in a text), and witnesses get the
literals that bind them. All checks and passes see the rewritten rule; rewriting it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from tidelog.program.checks.safety import bound_variables
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    all_literals,
    body_aggregates,
    literal_terms,
    rule_literals,
    scope_names,
    term_variables,
)
from tidelog.program.values.term import (
    NUMBER,
    Aggregate,
    Atom,
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

WITNESSED = ("min", "max")
_VALUE = Const(0, NUMBER)  # represents an aggregate whose value is known
_RESULT = "result"


def separate_scopes(elaboration: Elaboration) -> Elaboration:
    """The pass: `scoped_rule` of every rule."""
    program = elaboration.program
    return elaboration.then(replace(program, rules=tuple(map(scoped_rule, program.rules))))


def scoped_rule(rule: Rule) -> Rule:
    """The rule with a unique name for every variable that belongs only to an aggregate.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for text in ("top(A) :- A = max A : { p(A) }.", "best(S, N) :- N = max H : { height(S, H) }."):
    ...     print(print_rule(scoped_rule(parse_program(text).rules[0])))
    top(A) :- A = max A' : { p(A') }.
    best(S, N) :- N = max H : { height(S', H) }, height(S, N).
    """
    if not any(True for term in _all_terms(rule) for _ in body_aggregates(term)):
        return rule
    scoping = _ScopeSeparation(_all_names(rule))
    head, raised = scoping.raised_head(rule.head)
    body = scoping.conjunction((*rule.body, *raised), frozenset(scope_names((), head.args)), frozenset())
    if not raised and body == rule.body:
        return rule
    return replace(rule, head=head, body=body, origin=rule)


@dataclass(slots=True)
class _ScopeSeparation:
    """The rewriting of one rule; ``used`` are the names already in use."""

    used: set[str] = field(default_factory=set)

    def raised_head(self, head: Atom) -> tuple[Atom, tuple[Literal, ...]]:
        """The head with a variable for each aggregate that has a body, and the equations for these variables."""
        found: list[Literal] = []

        def raised(term: Term) -> Term:
            if isinstance(term, Call):
                return replace(term, args=tuple(map(raised, term.args)))
            if not isinstance(term, Aggregate) or term.body is None:
                return term
            result = Var(self.fresh(_RESULT), term.span)
            found.append(Comparison("=", result, term, term.span))
            return result

        args = tuple(map(raised, head.args))
        return (replace(head, args=args) if found else head), tuple(found)

    def fresh(self, name: str) -> str:
        """A name that does not occur yet."""
        while True:
            name += "'"
            if name not in self.used:
                self.used.add(name)
                return name

    def conjunction(
        self, literals: Sequence[Literal], visible: frozenset[str], given: frozenset[str], top: _Top | None = None
    ) -> tuple[Literal, ...]:
        """The literals, scoped; ``visible`` are the names around them, ``bound`` those that have a value.

        Inside an aggregate ``top`` is the rule's own conjunction that contains the aggregate.
        """
        parts = [self._with_result(literal) for literal in literals]
        visible |= scope_names(parts)
        added: list[Literal] = []
        for place, literal in enumerate(parts):
            if isinstance(literal, Disjunction):
                rest = (*parts[:place], *parts[place + 1 :])
                bound = frozenset(bound_variables(_plain(rest), given, frozenset()))
                branches = tuple(self.conjunction(branch, visible, bound) for branch in literal.branches)
                parts[place] = replace(literal, branches=branches)
            else:
                around = _Surroundings(parts, place, visible, given, top or _Top(added, None))
                parts[place] = _map_aggregates(literal, partial(self._aggregate, around=around))
        return (*parts, *added)

    def _with_result(self, literal: Literal) -> Literal:
        """Name the value of ``_ = aggregate``, which is only used for its witnesses."""
        if isinstance(literal, Comparison) and literal.op == "=":
            if isinstance(literal.left, Wildcard) and isinstance(literal.right, Aggregate):
                return replace(literal, left=Var(self.fresh(_RESULT), literal.left.span))
            if isinstance(literal.right, Wildcard) and isinstance(literal.left, Aggregate):
                return replace(literal, right=Var(self.fresh(_RESULT), literal.right.span))
        return literal

    def _aggregate(self, aggregate: Aggregate, around: _Surroundings) -> Aggregate:
        """The aggregate, and nested ones, with variables renamed; literals that bind witnesses are added on top."""
        without, everything = around.bound(aggregate), around.bound(None)
        own = bound_variables(_plain(aggregate.body or ()), frozenset(), frozenset())
        value = scope_names((), () if aggregate.value is None else (aggregate.value,))
        renamed: dict[str, str] = {}
        witnesses: dict[str, str] = {}
        for name in sorted(_names_in(aggregate) & around.visible):
            if name in without and not (name in value and name in own):
                continue
            if name in everything:
                renamed[name] = self.fresh(name)
            elif name in own and aggregate.kind in WITNESSED and around.stands_alone(aggregate, without):
                witnesses[name] = self.fresh(name)
        if witnesses:
            found = self._witnessed(aggregate, witnesses.keys(), renamed, without, around.result(aggregate))
            around.top.added.extend(found)
        top = around.top if around.top.bound is not None else _Top(around.top.added, frozenset(without))
        return self._inside(_renamed(aggregate, {**renamed, **witnesses}), around.visible, frozenset(without), top)

    def _inside(
        self, aggregate: Aggregate, visible: frozenset[str], given: frozenset[str], top: _Top | None = None
    ) -> Aggregate:
        visible |= scope_names((), () if aggregate.value is None else (aggregate.value,))
        return replace(aggregate, body=self.conjunction(aggregate.body or (), visible, given, top))

    def _witnessed(
        self, aggregate: Aggregate, witnesses: Iterable[str], renamed: Mapping[str, str], group: Set[str], result: Term
    ) -> list[Literal]:
        """A second copy of the body of an aggregate, for the witnesses of its value.

        ``result`` is the term that has the aggregate's value; ``_`` if there is none yet.
        """
        literals: list[Literal] = []
        if isinstance(result, Wildcard):
            result = Var(self.fresh(_RESULT), aggregate.span)
            inner = {name: self.fresh(name) for name in (*witnesses, *renamed)}
            again = self._inside(_renamed(aggregate, inner), frozenset(), frozenset(group))
            literals.append(Comparison("=", result, again, aggregate.span))
        names = _names_in(aggregate) - set(witnesses) - (set(group) - set(renamed))
        fresh_names = {name: self.fresh(name) for name in sorted(names)}
        value = aggregate.value
        if isinstance(value, Var) and isinstance(result, Var) and value.name in fresh_names:
            return [*literals, *_rename_literals(aggregate.body or (), {**fresh_names, value.name: result.name})]
        assert value is not None
        equation = Comparison("=", result, _rename(value, fresh_names), aggregate.span)
        return [*literals, *_rename_literals(aggregate.body or (), fresh_names), equation]


@dataclass(frozen=True, slots=True)
class _Top:
    """The rule's conjunction around an aggregate: literals added to it and, for nested aggregates, what it binds."""

    added: list[Literal]
    bound: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The surroundings of an aggregate: its conjunction, the place of its literal in it, and the enclosing part."""

    literals: Sequence[Literal]
    place: int
    visible: frozenset[str]
    bound_outside: frozenset[str]
    top: _Top

    def bound(self, without: Aggregate | None) -> set[str]:
        """The variables that have a value, assuming that all aggregates except this one do."""
        return bound_variables(_plain(self.literals, without), self.bound_outside, frozenset())

    def stands_alone(self, aggregate: Aggregate, bound: Set[str]) -> bool:
        """Whether the aggregate would have the same value at the top: it reads nothing that another aggregate binds."""
        return self.top.bound is None or not _names_in(aggregate) & (bound - self.top.bound)

    def result(self, aggregate: Aggregate) -> Term:
        """The rule's variable that is equated with the aggregate, otherwise ``_``."""
        literal = self.literals[self.place] if self.top.bound is None else None
        if isinstance(literal, Comparison) and literal.op == "=":
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if other is aggregate and isinstance(side, Var):
                    return side
        return Wildcard()


def _plain(literals: Iterable[Literal], unknown: Aggregate | None = None) -> list[Literal]:
    """The literals with a constant in place of each aggregate, without the literal of the unknown one."""

    def known(term: Term) -> Term:
        if isinstance(term, Call):
            return replace(term, args=tuple(map(known, term.args)))
        if isinstance(term, Aggregate) and term.body is not None:
            return Wildcard() if term is unknown else _VALUE
        return term

    plain = [_map_terms(literal, known) for literal in literals]
    return [x for x in plain if not (isinstance(x, Comparison) and Wildcard() in (*_parts(x.left), *_parts(x.right)))]


def _parts(term: Term) -> tuple[Term, ...]:
    return (term, *(part for arg in term.args for part in _parts(arg))) if isinstance(term, Call) else (term,)


def _map_aggregates(literal: Literal, change: Callable[[Aggregate], Aggregate]) -> Literal:
    """The literal with its outermost aggregates changed."""

    def changed(term: Term) -> Term:
        if isinstance(term, Call):
            return replace(term, args=tuple(map(changed, term.args)))
        return change(term) if isinstance(term, Aggregate) and term.body is not None else term

    return _map_terms(literal, changed)


def _map_terms(literal: Literal, change: Callable[[Term], Term]) -> Literal:
    """The literal with its outermost terms changed, including those in branches."""
    match literal:
        case Atom():
            return replace(literal, args=tuple(map(change, literal.args)))
        case Negation():
            return replace(literal, atom=replace(literal.atom, args=tuple(map(change, literal.atom.args))))
        case Comparison():
            return replace(literal, left=change(literal.left), right=change(literal.right))
        case PathAtom():
            return replace(literal, source=change(literal.source), target=change(literal.target))
        case Disjunction():
            return replace(literal, branches=tuple(tuple(_map_terms(x, change) for x in b) for b in literal.branches))
    return literal


def _renamed(aggregate: Aggregate, names: Mapping[str, str]) -> Aggregate:
    renamed = _rename(aggregate, names) if names else aggregate
    assert isinstance(renamed, Aggregate)
    return renamed


def _rename_literals(literals: Iterable[Literal], names: Mapping[str, str]) -> tuple[Literal, ...]:
    return tuple(_map_terms(literal, lambda term: _rename(term, names)) for literal in literals)


def _rename(term: Term, names: Mapping[str, str]) -> Term:
    """The term with variables renamed, inside the bodies of aggregates too."""
    if isinstance(term, Var):
        return replace(term, name=names.get(term.name, term.name))
    if isinstance(term, Call):
        return replace(term, args=tuple(_rename(arg, names) for arg in term.args))
    if isinstance(term, Aggregate):
        body = None if term.body is None else _rename_literals(term.body, names)
        return replace(term, body=body, value=None if term.value is None else _rename(term.value, names))
    return term


def _names_in(aggregate: Aggregate) -> set[str]:
    """The names inside an aggregate, including those in nested aggregates."""
    found: list[Var] = []
    if aggregate.value is not None:
        term_variables(aggregate.value, found)
    literals = list(all_literals(aggregate.body or ()))
    inner = [a.value for x in literals for t in literal_terms(x) for a in body_aggregates(t) if a.value is not None]
    return {variable.name for variable in found} | scope_names(literals, inner)


def _all_terms(rule: Rule) -> Iterable[Term]:
    yield from rule.head.args
    for literal in rule_literals(rule):
        yield from literal_terms(literal)


def _all_names(rule: Rule) -> set[str]:
    terms = list(_all_terms(rule))
    inner = {name for term in terms for aggregate in body_aggregates(term) for name in _names_in(aggregate)}
    return scope_names(rule_literals(rule), rule.head.args) | inner
