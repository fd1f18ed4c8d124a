"""Aggregates in rule bodies become auxiliary relations.

Law (D12): ``c = count : { body }`` ranges over the distinct valuations of the body, and a relation is a set; so the
valuations are the facts of an auxiliary relation. For aggregate number 1 of rule r3, with the group variables G (those
that also occur around the aggregate), the value V and the other variables O of its body:

    __val_r3_1(G, V, O) :- body.                      the valuations; for min and max only (G, V)
    __agg_r3_1(G, sum<V>) :- __val_r3_1(G, V, O).     one row per group that has any

If the body is one atom over distinct variables, its facts correspond one to one to the valuations; a count, sum or mean
then ranges over them, and there is no ``__val``.

With ``distinct`` each value of a group counts once: the valuations are (G, V) as for min and max. An aggregate of two
columns (``argmin(V, K)``) has both in place of V.

A count or a sum over nothing is 0 (any: false, all: true), so these have further rules, and the rule itself reads
``__total``:

    __some_r3_1(G) :- __agg_r3_1(G, _).
    __total_r3_1(G, A) :- __agg_r3_1(G, A).
    __total_r3_1(G, 0) :- literals of the rule that bind G, !__some_r3_1(G).

The zero is in the column of the sums, so that type inference makes it 0.0 if they are floats. For any and all it is
the boolean.

An aggregate's body need not bind its group variables (``point(X), X <= R`` for the group R). Such an aggregate is
*asked*: the surrounding literals that bind the group define the requested groups, perhaps in a recursion with the rule
itself:

    __asked_r3_1(G) :- literals of the rule that bind G.
    __val_r3_1(G, V, O) :- __asked_r3_1(G), body.
    __each_r3_1(G, sum<V>) :- __val_r3_1(G, V, O).

The contents of a group depend only on the relations of the body, so its result is the same whenever it is requested; a
negation would require more than that, so the zero is one part of a sum:

    __part_r3_1(G, 0, 0) :- __asked_r3_1(G).
    __part_r3_1(G, A, 1) :- __each_r3_1(G, A).
    __eachtotal_r3_1(G, sum<A>) :- __part_r3_1(G, A, T).

Demanding a group also demands the groups of the aggregates inside it, which depend on nothing else in the rule.
Not done here: aggregates over a rule's own body, ``min<C>`` in the head (`lift_head_aggregates`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

from tidelog.program import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    Rule,
    Term,
    Var,
    Wildcard,
)
from tidelog.program.values.term import BOOLEAN, SUM, WRAPPING_SUM
from tidelog.rewrite.binding import binders, bound_names
from tidelog.rewrite.label_rules import label_of
from tidelog.rewrite.name_paths import WalkAtom
from tidelog.rewrite.names import ASKED, ASKED_GROUPS, ASKED_PARTS, ASKED_TOTALS, GROUPS, SOME, TOTALS, VALUES
from tidelog.rewrite.scope import (
    FreshVariables,
    all_terms,
    body_aggregates,
    body_names,
    counted_names,
    home_of,
    located,
    map_terms,
    name_wildcards,
    names,
    rule_terms,
    terms_of,
)

ORDERED = ("min", "max")
ZERO, ONE = Const(0, "number"), Const(1, "number")
SUMMED = ("count", SUM, WRAPPING_SUM)
OF_NOTHING = {**dict.fromkeys(SUMMED, ZERO), "any": Const(0, BOOLEAN), "all": Const(1, BOOLEAN)}


def lift_aggregates(rule: Rule) -> tuple[Rule, ...]:
    """The rule without aggregates over separate bodies, after the rules of the auxiliary relations it reads.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = "r1: far(X, D) :- node(X), D = max C : { path(X, Y, C) }."
    >>> for after in lift_aggregates(parse_program(text).rules[0]):
    ...     print(print_rule(after))
    r1: __val_r1_1(X, C) :- path(X, Y, C).
    r1: __agg_r1_1(X, max<C>) :- __val_r1_1(X, C).
    r1: far(X, D) :- node(X), __agg_r1_1(X, D).
    """
    if not any(body_aggregates(term) for term in rule_terms(rule)):
        return (rule,)
    lift = _AggregateLift(rule, FreshVariables(rule_terms(rule)))
    raised: list[Literal] = []
    args = tuple(lift.raise_from(arg, raised) for arg in rule.head.args)
    body = lift.body((*rule.body, *raised), frozenset(names(args)), ())
    return (*lift.rules, replace(rule, head=replace(rule.head, args=args), body=body, origin=rule))


@dataclass
class _AggregateLift:
    """The rewriting of one rule: the rules made so far, and the variables still free to use."""

    rule: Rule
    fresh: FreshVariables
    rules: list[Rule] = field(default_factory=list)
    number: int = 0

    def raise_from(self, term: Term, raised: list[Literal]) -> Term:
        """The term with each aggregate replaced by a new variable; the equations for them are appended to `raised`."""
        if isinstance(term, Call):
            return replace(term, args=tuple(self.raise_from(arg, raised) for arg in term.args))
        if not isinstance(term, Aggregate) or term.body is None:
            return term
        result = self.fresh.variable()
        raised.append(Comparison("=", result, term, term.span))
        return result

    def body(
        self, body: tuple[Literal, ...], outside: frozenset[str], context: tuple[Literal, ...]
    ) -> tuple[Literal, ...]:
        """Lift the aggregates of a conjunction.

        `outside` are the variables of the surrounding scopes, `context` the already lifted literals of these scopes.
        An aggregate that uses the result of another is lifted after it, whatever their order in the text.
        """
        parts = self._equations(body)
        visible = outside | set(body_names(parts))
        lifted = {i: literal for i, literal in enumerate(parts) if not _has_aggregate(literal)}
        waiting = [i for i in range(len(parts)) if i not in lifted]
        while waiting:
            ready = (*context, *(lifted[i] for i in sorted(lifted)))
            bound = bound_names(ready)
            index = next((i for i in waiting if bound.issuperset(_inner_names(parts[i]) & visible)), waiting[0])
            waiting.remove(index)
            lifted[index] = self._literal(parts[index], frozenset(visible), ready)
        return tuple(lifted[i] for i in range(len(parts)))

    def _equations(self, body: tuple[Literal, ...]) -> tuple[Literal, ...]:
        """The conjunction with every aggregate on the right of an equation ``V = aggregate``."""
        parts: list[Literal] = []
        for literal in body:
            if isinstance(literal, Disjunction) or _is_equation(literal):
                parts.append(literal)
            elif isinstance(literal, Comparison) and _is_equation(turned := _turn(literal)):
                parts.append(turned)
            else:
                raised: list[Literal] = []
                parts.append(map_terms(literal, partial(self.raise_from, raised=raised)))
                parts.extend(raised)
        return tuple(parts)

    def _literal(self, literal: Literal, visible: frozenset[str], context: tuple[Literal, ...]) -> Literal:
        if isinstance(literal, Disjunction):
            branches = tuple(self.body(branch, visible, context) for branch in literal.branches)
            return replace(literal, branches=branches)
        assert isinstance(literal, Comparison)
        assert isinstance(literal.right, Aggregate)
        return self._aggregate(literal.right, literal.left, visible, context)

    def _aggregate(
        self, aggregate: Aggregate, result: Term, visible: frozenset[str], context: tuple[Literal, ...]
    ) -> Atom:
        """The atom that holds for `result` if the aggregate has this value; also creates its rules."""
        # A binder that depends on the head would put the aggregate into recursion, so others are preferred.
        context = tuple(sorted(context, key=self._recurs))
        values, body = self._values(aggregate)
        wanted = _group_names(aggregate, visible)
        if not bound_names(x for x in body if not _has_aggregate(x)).issuperset(wanted):
            return self._asked(aggregate, result, visible, context)
        body = self.body(body, visible, ())  # which binds the groups that its own aggregates request
        if not ranges_over_values(aggregate):
            body = name_wildcards(body, self.fresh)
        self.number += 1
        group = tuple(Var(name) for name in dict.fromkeys([*body_names(body), *wanted]) if name in visible)
        columns = _columns(aggregate, group, values, body)
        home = home_of(body)
        valuations = located(self._name(VALUES), columns, home)
        rows = None if aggregate.kind in ORDERED or set(values) & set(group) else rows_of(valuations, body)
        if rows is None:
            self._emit(valuations, body)
        self._emit_aggregate(aggregate, group, values, valuations, home, self._name(GROUPS), rows)
        if aggregate.kind not in OF_NOTHING:
            return replace(located(self._name(GROUPS), (*group, result), home), span=aggregate.span)
        self._emit_total(aggregate, group, binders([v.name for v in group], context), home)
        return replace(located(self._name(TOTALS), (*group, result), home), span=aggregate.span)

    def _asked(self, aggregate: Aggregate, result: Term, visible: frozenset[str], context: tuple[Literal, ...]) -> Atom:
        """As `_aggregate`, for groups that the rule requests because the aggregate's own body does not bind them."""
        self.number += 1
        number, home = self.number, home_of(context)
        group = tuple(Var(name) for name in _group_names(aggregate, visible))
        asked = located(self._name(ASKED, number), group, home)
        self._emit(asked, binders([v.name for v in group], context))
        values, body = self._values(aggregate)
        body = self.body(body, visible, (asked,))
        if not ranges_over_values(aggregate):
            body = name_wildcards(body, self.fresh)
        columns = _columns(aggregate, group, values, body)
        each = self._name(ASKED_GROUPS, number)
        valuations = located(self._name(VALUES, number), columns, home)
        self._emit(valuations, (asked, *body))
        self._emit_aggregate(aggregate, group, values, valuations, home, each)
        if aggregate.kind in OF_NOTHING:
            self._emit_parts(aggregate, asked, number, home)
            each = self._name(ASKED_TOTALS, number)
        return replace(located(each, (*group, result), home), span=aggregate.span)

    def _emit_parts(self, aggregate: Aggregate, request: Atom, number: int, home: Term | None) -> None:
        """The total of a requested group: its sum, if it has any rows, and 0; for any and all their boolean."""
        each, parts, total = (self._name(prefix, number) for prefix in (ASKED_GROUPS, ASKED_PARTS, ASKED_TOTALS))
        part, place = self.fresh.variable(), self.fresh.variable()
        self._emit(located(parts, (*request.args, OF_NOTHING[aggregate.kind], ZERO), home), (request,))
        self._emit(located(parts, (*request.args, part, ONE), home), (located(each, (*request.args, part), home),))
        kind = SUM if aggregate.kind in SUMMED else aggregate.kind
        over = located(total, (*request.args, Aggregate(kind, part, None)), home)
        self._emit(over, (located(parts, (*request.args, part, place), home),))

    def _values(self, aggregate: Aggregate) -> tuple[tuple[Var, ...], tuple[Literal, ...]]:
        """The variables that hold the aggregated values, and the body that binds them; a count has none."""
        body = aggregate.body or ()
        values: list[Var] = []
        for term in aggregate.measured:
            if isinstance(term, Var) and term not in values:
                values.append(term)
            else:
                values.append(self.fresh.variable())
                body = (*body, Comparison("=", values[-1], term, term.span))
        return tuple(values), body

    def _emit_aggregate(
        self,
        aggregate: Aggregate,
        group: tuple[Var, ...],
        values: tuple[Var, ...],
        valuations: Atom,
        home: Term | None,
        name: str,
        rows: Atom | None = None,
    ) -> None:
        # A group variable may also be the value: sum x : { p(x) } for each x. The columns are distinct nevertheless.
        if set(values) & set(group):
            values = tuple(self.fresh.variable() if value in group else value for value in values)
            columns = (*group, *values, *valuations.args[len(group) + len(values) :])
            valuations = located(valuations.predicate, columns, home)
        over = replace(aggregate.measuring(values), distinct=False)  # the rows determine what is distinct
        self._emit(located(name, (*group, over), home), (rows or valuations,))

    def _emit_total(
        self, aggregate: Aggregate, group: tuple[Var, ...], around: tuple[Literal, ...], home: Term | None
    ) -> None:
        result = self.fresh.variable()
        some = located(self._name(SOME), group, home)
        self._emit(some, (located(self._name(GROUPS), (*group, Wildcard()), home),))
        total = located(self._name(TOTALS), (*group, result), home)
        self._emit(total, (located(self._name(GROUPS), (*group, result), home),))
        self._emit(located(self._name(TOTALS), (*group, OF_NOTHING[aggregate.kind]), home), (*around, Negation(some)))

    def _recurs(self, literal: Literal) -> bool:
        return isinstance(literal, Atom) and literal.predicate == self.rule.head.predicate

    def _name(self, prefix: str, number: int | None = None) -> str:
        return f"{prefix}{label_of(self.rule)}_{self.number if number is None else number}"

    def _emit(self, head: Atom, body: tuple[Literal, ...]) -> None:
        self.rules.append(Rule(head, body, self.rule.label, self.rule.span, self.rule))


def _is_equation(literal: Literal) -> bool:
    """Whether the literal is ``V = aggregate`` where the aggregate does not itself depend on V."""
    match literal:
        case Comparison(op="=", left=Var() as left, right=Aggregate(body=(*_,)) as right):
            return left not in set(all_terms(right))
        case _:
            return False


def _turn(literal: Comparison) -> Comparison:
    return replace(literal, left=literal.right, right=literal.left)


def _has_aggregate(literal: Literal) -> bool:
    return any(body_aggregates(term) for term in terms_of(literal))


def _group_names(aggregate: Aggregate, visible: frozenset[str]) -> list[str]:
    """The variables of an aggregate, and of those inside it, that also occur around it: its group."""
    inside = dict.fromkeys(part.name for part in all_terms(aggregate) if isinstance(part, Var))
    return [name for name in inside if name in visible]


def ranges_over_values(aggregate: Aggregate) -> bool:
    """Whether a value counts once, regardless of how many valuations have it."""
    return aggregate.distinct or aggregate.kind in ORDERED


def _columns(
    aggregate: Aggregate, group: tuple[Var, ...], values: tuple[Var, ...], body: tuple[Literal, ...]
) -> tuple[Var, ...]:
    """The group, the values, and other columns that distinguish valuations; none of these if a value counts once."""
    columns = (*group, *values)
    if not ranges_over_values(aggregate):
        columns += tuple(v for name in counted_names(body) if (v := Var(name)) not in columns)
    return columns


def rows_of(valuations: Atom, body: tuple[Literal, ...]) -> Atom | None:
    """The atom of a body whose facts correspond one to one to its valuations; None if there is none.

    >>> x, y, z = Var("X"), Var("Y"), Var("Z")
    >>> rows_of(Atom("__val", (y, x)), (Atom("edge", (x, y)),)).predicate
    'edge'
    >>> rows_of(Atom("__val", (y,)), (Atom("edge", (x, y)),)), rows_of(Atom("__val", (x,)), (Atom("edge", (x, x)),))
    (None, None)
    """
    match body:
        case (Atom(location=None) as rows,) if valuations.location is None:
            columns = set(rows.args)
            if isinstance(rows, WalkAtom):  # a path becomes separate atoms
                return None
            is_whole = len(columns) == len(rows.args) == len(valuations.args) and columns == set(valuations.args)
            return rows if is_whole and all(isinstance(arg, Var) for arg in columns) else None
    return None


def _inner_names(literal: Literal) -> set[str]:
    """The variables inside the bodies of a literal's aggregates."""
    inside = (part for term in terms_of(literal) for agg in body_aggregates(term) for part in all_terms(agg))
    return {part.name for part in inside if isinstance(part, Var)}
