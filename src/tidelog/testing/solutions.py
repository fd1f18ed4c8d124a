"""The solutions of a body: every assignment of values to its variables such that all literals hold.

Law: a body is a conjunction; literals are evaluated in any order in which each finds the variables it needs, and the
solutions do not depend on the order. Every ``_`` of a positive atom is a separate variable (`with_named_wildcards`), so
that a solution fixes one fact per positive atom; in a negated atom it matches anything. A variable that only some
branches of a disjunction bind is local to them. Terms may have several values (``range``) or none (the min of nothing),
so evaluation is a generator throughout. Nothing here is fast; but atoms look up their facts by the variables that
already have values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, product

from tidelog.errors import EvaluationError
from tidelog.program import (
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
    Value,
    Var,
    Wildcard,
)
from tidelog.program.functions.calendar import tagged
from tidelog.program.functions.lists import same
from tidelog.program.functions.table import FUNCTIONS, Function, holds, resolve_value_types
from tidelog.program.values.term import UNSIGNED
from tidelog.testing.folds import FOLDS, OF_NOTHING
from tidelog.testing.occurrences import names, names_inside, names_of_body, parts, terms_of
from tidelog.testing.patterns import constructor_of, ends, matched, part_equations
from tidelog.testing.values import Row, Unsigned, alike, type_of
from tidelog.testing.walks import Model, pairs

Binding = Mapping[str, Value]


@dataclass(frozen=True)
class Context:
    """The context of an evaluation: the facts, the functions, and the variables of the rule (see `occurrences`).

    With undefined facts there is an ``other`` model, the true facts if these are the possible ones and vice versa: an
    aggregate whose rows differ in both has no certain value, and any of the two as a possible one.
    """

    model: Model
    functions: Mapping[str, tuple[Function, ...]] = FUNCTIONS
    scope: frozenset[str] = frozenset()
    other: Model | None = None
    is_certain: bool = True  # whether ``other`` are the possible facts

    def of_other(self) -> Context:
        """The same context in the other model."""
        assert self.other is not None
        return replace(self, model=self.other, other=self.model, is_certain=not self.is_certain)

    def inside(self, body: Iterable[Literal]) -> Context:
        """The context for a body whose own variables come into scope."""
        return replace(self, scope=self.scope | names_of_body(body))


def solutions(body: Sequence[Literal], bindings: Sequence[Binding], context: Context) -> Sequence[Binding]:
    """All solutions of the body that extend one of the bindings; one may occur once for each branch that yields it."""
    return in_order(arrange(body, _shared(bindings), context.scope), bindings, context) if bindings else bindings


def in_order(body: Sequence[Literal], bindings: Sequence[Binding], context: Context) -> Sequence[Binding]:
    """The solutions of a body whose literals are arranged."""
    for literal in body:
        bindings = list(extensions(literal, bindings, context))
    return bindings


def _shared(bindings: Sequence[Binding]) -> frozenset[str]:
    """The variables that have a value in all of the bindings."""
    return frozenset(bindings[0]).intersection(*bindings[1:]) if bindings else frozenset()


def distinct(body: Sequence[Literal], bindings: Sequence[Binding], context: Context) -> list[Binding]:
    """The solutions without repetitions, and without the variables that only some branches bind."""
    kept = sorted(_shared(bindings).union(*map(binds, body)))
    return without_repetitions(kept, solutions(body, bindings, context))


def without_repetitions(kept: Sequence[str], bindings: Iterable[Binding]) -> list[Binding]:
    """The distinct values of some variables."""
    rows = (tuple([each[name] for name in kept]) for each in bindings)
    return [dict(zip(kept, row, strict=True)) for row in dict.fromkeys(rows)]


def with_named_wildcards(body: Sequence[Literal], scope: frozenset[str] = frozenset()) -> tuple[Literal, ...]:
    """The body with a separate variable, outside the scope, for every ``_`` of its positive atoms."""
    fresh = (name for name in map("_{}".format, count()) if name not in scope | names_of_body(body))

    def named(term: Term) -> Term:
        if isinstance(term, Call) and constructor_of(term) is not None:
            return replace(term, args=tuple(map(named, term.args)))
        return Var(next(fresh)) if isinstance(term, Wildcard) else term

    def rename(literal: Literal) -> Literal:
        match literal:
            case Atom(args=args):
                return replace(literal, args=tuple(map(named, args)))
            case PathAtom(source=source, target=target, negated=False):
                return replace(literal, source=named(source), target=named(target))
            case Disjunction(branches=branches):
                return replace(literal, branches=tuple(tuple(map(rename, branch)) for branch in branches))
            case _:
                return literal

    return tuple(map(rename, body))


def arrange(body: Sequence[Literal], bound: frozenset[str], scope: frozenset[str]) -> list[Literal]:
    """The literals in an order in which each is ready; tests come as early as possible."""
    waiting = sorted(body, key=lambda literal: isinstance(literal, Atom | PathAtom | Disjunction))
    order: list[Literal] = []
    while waiting:
        literal = next((each for each in waiting if ready(each, bound, scope)), None)
        if literal is None:
            raise EvaluationError(f"unsafe: no value for the variables of {waiting[0]}")
        waiting.remove(literal)
        order.append(literal)
        bound |= binds(literal)
    return order


def ready(literal: Literal, bound: frozenset[str], scope: frozenset[str]) -> bool:
    """Whether the literal can be evaluated once these variables have values."""
    match literal:
        case Atom(args=args):
            found = [end for arg in args for end in ends(arg)]
            plain = bound | {arg.name for arg in found if isinstance(arg, Var)}
            return all(isinstance(arg, Wildcard) or computable(arg, plain, scope) for arg in found)
        case PathAtom(negated=True):
            return all(isinstance(end, Wildcard) or computable(end, bound, scope) for end in terms_of(literal))
        case PathAtom():
            plain = bound | {end.name for end in terms_of(literal) if isinstance(end, Var)}
            return all(isinstance(end, Wildcard) or computable(end, plain, scope) for end in terms_of(literal))
        case Negation(atom=Atom(args=args)):
            return all(isinstance(arg, Wildcard) or computable(arg, bound, scope) for arg in args)
        case Comparison(op=op, left=left, right=right):
            if (equations := part_equations(literal)) is not None:
                return _arrangeable(equations, bound, scope)
            known, wanted = computable(left, bound, scope), computable(right, bound, scope)
            binding = op == "=" and ((known and isinstance(right, Var)) or (wanted and isinstance(left, Var)))
            return (known and wanted) or binding or _opens(literal, known, wanted, bound, scope)
        case Disjunction(branches=branches):
            return all(_arrangeable(branch, bound, scope) for branch in branches)
        case _:
            return True


def _opens(literal: Comparison, known: bool, goal: bool, bound: frozenset[str], scope: frozenset[str]) -> bool:
    """Whether an equation can be read as a pattern beside a value."""
    for pattern, ready_ in ((literal.right, known), (literal.left, goal)):
        if literal.op == "=" and ready_ and constructor_of(pattern) is not None:
            found = list(ends(pattern))
            plain = bound | {end.name for end in found if isinstance(end, Var)}
            return all(isinstance(end, Wildcard) or computable(end, plain, scope) for end in found)
    return False


def _arrangeable(body: Sequence[Literal], bound: frozenset[str], scope: frozenset[str]) -> bool:
    try:
        arrange(body, bound, scope)
    except EvaluationError:
        return False
    return True


def computable(term: Term, bound: frozenset[str], scope: frozenset[str]) -> bool:
    """Whether the term has its values once these variables have theirs."""
    for part in parts(term):
        match part:
            case Var(name=name) if name not in bound:
                return False
            case Wildcard():
                return False
            case Aggregate() if not names_inside(part) & scope <= bound:
                return False
    return True


def binds(literal: Literal) -> frozenset[str]:
    """The variables that have a value after the literal: of a disjunction, those that every branch binds."""
    if isinstance(literal, Disjunction):
        return frozenset.intersection(*(frozenset().union(*map(binds, branch)) for branch in literal.branches))
    return names(terms_of(literal))  # the variables of a negation have values before it


def extensions(literal: Literal, bindings: Sequence[Binding], context: Context) -> Iterator[Binding]:
    """The bindings under which the literal holds and which extend one of the given ones."""
    match literal:
        case Atom(predicate=predicate, args=args):
            yield from join(bindings, args, context.model.get(predicate, ()), context)
        case PathAtom(path=path, source=source, target=target, negated=True):
            walks, ends = pairs(path, context.model), (source, target)
            yield from (each for each in bindings if next(_matches(ends, walks, each, context), None) is None)
        case PathAtom(path=path, source=source, target=target):
            yield from join(bindings, (source, target), pairs(path, context.model), context)
        case Negation(atom=Atom(predicate=predicate, args=args)):
            rows = context.model.get(predicate, ())
            yield from (each for each in bindings if next(_matches(args, rows, each, context), None) is None)
        case Comparison():
            yield from _comparisons(literal, bindings, context)
        case Boolean(value=value):
            yield from bindings if value else ()
        case Disjunction(branches=branches):
            yield from (extended for branch in branches for extended in solutions(branch, bindings, context))


def join(bindings: Sequence[Binding], args: Sequence[Term], rows: Iterable[Row], context: Context) -> Iterator[Binding]:
    """The bindings extended by each row that fits; rows are looked up by the variables that all bindings have."""
    shared = _shared(bindings)
    known = [(i, arg.name) for i, arg in enumerate(args) if isinstance(arg, Var) and arg.name in shared]
    index: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        index[tuple(row[i] for i, _ in known)].append(row)
    for binding in bindings:
        yield from _matches(args, index.get(tuple(binding[name] for _, name in known), ()), binding, context)


def _matches(args: Sequence[Term], rows: Iterable[Row], binding: Binding, context: Context) -> Iterator[Binding]:
    """One extension per row that fits: plain variables first, so that other arguments may use them."""
    patterns = any(constructor_of(arg) is not None for arg in args)
    for row in rows:
        pairs = matched(zip(args, row, strict=False)) if patterns else list(zip(args, row, strict=False))
        if pairs is None:
            continue
        extended = dict(binding)
        others = [(term, value) for term, value in pairs if not isinstance(term, Var | Wildcard)]
        for term, value in pairs:
            if isinstance(term, Var) and not same(extended.setdefault(term.name, value), value):
                break
        else:
            if all(any(same(found, value) for found in values(term, extended, context)) for term, value in others):
                yield extended


def _comparisons(literal: Comparison, bindings: Sequence[Binding], context: Context) -> Iterator[Binding]:
    """The extensions of bindings; a comparison that cannot bind anything in any of them is a test."""
    shared = _shared(bindings)
    sides = (literal.left, literal.right)
    tests = literal.op != "=" or not any(
        constructor_of(side) is not None or (isinstance(side, Var) and side.name not in shared) for side in sides
    )
    for binding in bindings:
        yield from _test(literal, binding, context) if tests else _equation(literal, binding, context)


def _test(literal: Comparison, binding: Binding, context: Context) -> Iterator[Binding]:
    for pair in product(values(literal.left, binding, context), values(literal.right, binding, context)):
        left, right = alike(pair)
        if holds(literal.op, left, right, type_of(left)):
            yield binding


def _equation(literal: Comparison, binding: Binding, context: Context) -> Iterator[Binding]:
    """The extensions of one binding by an equation that may bind a variable, or open a pattern."""
    known = frozenset(binding)
    for target, term in ((literal.left, literal.right), (literal.right, literal.left)):
        if isinstance(target, Var) and target.name not in binding and computable(term, known, context.scope):
            yield from ({**binding, target.name: value} for value in values(term, binding, context))
            return
    if (equations := part_equations(literal)) is not None:
        yield from solutions(equations, [binding], context)
        return
    for value, pattern in ((literal.left, literal.right), (literal.right, literal.left)):
        if constructor_of(pattern) is not None and computable(value, known, context.scope):
            for found in values(value, binding, context):
                yield from _matches((pattern,), [(found,)], binding, context)
            return
    yield from _test(literal, binding, context)


def values(term: Term, binding: Binding, context: Context) -> Iterator[Value]:
    """The values of a term: one, except for ranges (any number) and the min, max or mean of nothing (none)."""
    match term:
        case Var(name=name):
            yield binding[name]
        case Const(value=value, type=type_):
            yield _typed(value, type_)
        case Call(function=name, args=args):
            for chosen in product(*(tuple(values(arg, binding, context)) for arg in args)):
                yield from apply(name, alike(chosen), context.functions)
        case Aggregate():
            yield from _fold(term, binding, context)


def apply(name: str, args: Sequence[Value], functions: Mapping[str, tuple[Function, ...]]) -> Iterator[Value]:
    """The value, or values, of a function."""
    function = resolve_value_types(name, tuple(map(type_of, args)), functions)
    if function is None:
        raise EvaluationError(f"no function {name} for arguments {tuple(args)!r}")
    result = function.evaluate(*args)
    yield from (_typed(value, function.result) for value in (result if function.generator else (result,)))


def _typed(value: Value, type_: str) -> Value:
    return Unsigned(value) if type_ == UNSIGNED and isinstance(value, int) else tagged(value, type_)


def _fold(aggregate: Aggregate, binding: Binding, context: Context) -> Iterator[Value]:
    """The aggregate over the distinct solutions of its body; only variables in scope come from outside."""
    body = with_named_wildcards(aggregate.body or (), context.scope)
    outer = {name: value for name, value in binding.items() if name in names_inside(aggregate) & context.scope}
    found = [distinct(body, [outer], context.inside(body))]
    if context.other is not None:
        found.append(distinct(body, [outer], context.of_other().inside(body)))
        if {repr(sorted(each.items())) for each in found[0]} == {repr(sorted(each.items())) for each in found[1]}:
            found.pop()
        elif context.is_certain:
            return
    for rows in found:
        group = [value for row in rows for value in valued(aggregate, row, context.inside(body))]
        if group or aggregate.kind in OF_NOTHING:
            yield from results(aggregate, group)


def results(aggregate: Aggregate, group: Sequence[Value]) -> Iterator[Value]:
    """The value of an aggregate over the contributions of a group's solutions, if it has one."""
    members = list({repr(value): value for value in group}.values()) if aggregate.distinct else group
    result = FOLDS[aggregate.kind](members)
    if result is not None:
        yield result


def valued(aggregate: Aggregate, binding: Binding, context: Context) -> Iterator[Value]:
    """The contribution of one solution to an aggregate: the value of its term; for a count, any value."""
    if aggregate.value is None or (aggregate.kind == "count" and not aggregate.distinct):
        yield 1
    elif len(aggregate.arguments) > 1:
        yield from product(*(tuple(values(term, binding, context)) for term in aggregate.arguments))
    else:
        yield from values(aggregate.value, binding, context)
