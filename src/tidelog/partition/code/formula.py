"""The rule by which the values of an instance are computed, from the facts of the bundles that the instance reads.

Law (`graph.bundles`): an instance binds the ground variables of its rule. Each choice of one fact from each of its
bundles is a solution if the terms of the rule agree; a solution derives a row of values, or is one valuation of the
rule's aggregates. Values are computed as everywhere (`program.functions`), and results are exact: float sums are
integers over a power of two, rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tidelog.errors import EvaluationError
from tidelog.partition.base import partition_failures as failures
from tidelog.partition.texts.dictionary import Dictionary, natural_type
from tidelog.plan.term_types import term_type, variable_types
from tidelog.program.functions.arithmetic import in_range, wrap
from tidelog.program.functions.lists import DEEPEST, MOST_LISTS, is_too_deep, is_too_large, same
from tidelog.program.functions.table import Function, holds, order_key, resolve
from tidelog.program.functions.whole_groups import of_group
from tidelog.program.graph.bundles import Values, ground_names, in_order, is_ground
from tidelog.program.graph.well_founded import own_literals
from tidelog.program.values.rule import rule_of
from tidelog.program.values.scope import scope_names
from tidelog.program.values.term import (
    AGGREGATE_RESULTS,
    NAN,
    PARAMETRIC,
    SUM,
    UNSIGNED,
    WRAPPING_SUM,
    Aggregate,
    Call,
    Comparison,
    Const,
    GroundRule,
    Term,
    Value,
    Var,
    canonical_float,
)

ONCE = ("min", "max")
ADDED = ("count", SUM, WRAPPING_SUM, "mean")
PLAIN = frozenset(("number", "boolean", "date", "timestamp"))  # whose cells are their values
UNIT = 1074  # floats are integers times 2 ** -1074
Cells = tuple[int, ...]
Env = list[Any]
Evaluate = Callable[[Env], Any]
Measured = tuple[Value, ...]
Valuation = tuple[
    Cells, tuple[Measured, ...]
]  # the values of a head that are not aggregates; what each aggregate measures
Overloads = Mapping[str, tuple[Function, ...]]
Types = Mapping[str, Sequence[Any]]


class Formula:
    """How the values of one rule's instances are computed."""

    def __init__(
        self, ground: GroundRule, values: Values, schema: Types, functions: Overloads, dictionary: Dictionary
    ) -> None:
        assert ground.formula is not None
        self.rule = rule_of(ground.formula)
        self.label = ground.formula.label
        self._dictionary, self._functions = dictionary, functions
        self._types = variable_types(self.rule, schema, functions)
        self._slots: dict[str, int] = {}
        atoms = [atom for _, atom in own_literals(self.rule.body, frozenset(values))]
        ground_vars = ground_names(self.rule.body, values)
        late = [x for x in self.rule.body if isinstance(x, Comparison) and not is_ground(x, ground_vars, self.rule)]
        parts = [[(i, arg) for i, arg in enumerate(atom.args) if i in values[atom.predicate]] for atom in atoms]
        head = [(i, arg) for i, arg in enumerate(self.rule.head.args) if i in values[self.rule.head.predicate]]
        used = scope_names(late, (*(arg for part in parts for _, arg in part), *(arg for _, arg in head)))
        self._delayed: list[tuple[int, Evaluate]] = []  # tests of terms whose variables later atoms may bind
        self._given = self._columns(ground, values, used & ground_vars)
        self._reads = [
            self._matching(atom.predicate, part, schema, values) for atom, part in zip(atoms, parts, strict=True)
        ]
        bound = {name for name in self._slots if not name.startswith("#")}
        self._late = [self._comparison(c, names) for c, names in in_order(late, bound)] + self._delayed
        self.aggregates_at = [(i, arg) for i, arg in head if isinstance(arg, Aggregate)]
        self.aggregates = [aggregate for _, aggregate in self.aggregates_at]
        self.is_aggregate = bool(self.aggregates)
        self._heads = [self._encoded(arg, type_) for (i, arg), type_ in self._head_types(head, schema)]
        self._measured = [[self._term(term) for term in aggregate.measured] for aggregate in self.aggregates]
        self.folds = [self._fold(aggregate) for aggregate in self.aggregates]
        self._size = len(self._slots)
        self.places = tuple(not isinstance(arg, Aggregate) for _, arg in head)  # of each value: whether it is plain
        self.is_additive = self.is_aggregate and all(
            aggregate.kind in ADDED and not aggregate.distinct for aggregate in self.aggregates
        )

    def _head_types(self, head: Sequence[tuple[int, Term]], schema: Types) -> list[tuple[tuple[int, Term], Any]]:
        types = schema.get(self.rule.head.predicate, ())
        return [((i, arg), types[i] if i < len(types) else None) for i, arg in head if not isinstance(arg, Aggregate)]

    def solutions(self, cells: Sequence[int], read: Sequence[Sequence[Cells]]) -> list[Any]:
        """The rows of values that an instance derives or, for an aggregate, its valuations."""
        env: Env = [None] * self._size
        for column, slot, decode in self._given:
            env[slot] = cells[column] if decode is None else decode(cells[column])
        found: list[Any] = []
        try:
            self._join(0, env, read, found)
        except EvaluationError as error:
            raise self.named(error) from None
        return found

    def named(self, error: EvaluationError) -> EvaluationError:
        """The error of an epoch, with the rule in which it occurred."""
        return error.reworded(f"rule {self.label}: {error}; nothing was changed")

    def results(self, key: Cells, measured: Sequence[tuple[Measured, ...]]) -> Cells | None:
        """The values of a group's row, in the order of columns; None if an aggregate has no result."""
        columns = zip(*measured, strict=True)
        try:
            found = [fold(list(column)) for fold, column in zip(self.folds, columns, strict=True)]
        except EvaluationError as error:
            raise self.named(error) from None
        return self.arranged(key, found)

    def of_totals(self, key: Cells, totals: Sequence[Total]) -> Cells | None:
        """As `results`, from the totals of the group."""
        found: list[int | None] = []
        try:
            for aggregate, total in zip(self.aggregates, totals, strict=True):
                type_ = self.value_type(aggregate)
                result = AGGREGATE_RESULTS.get(aggregate.kind, "number" if aggregate.kind == "count" else type_)
                found.append(self._cell(total.result(aggregate.kind, type_), result))
        except EvaluationError as error:
            raise self.named(error) from None
        return self.arranged(key, found)

    def arranged(self, key: Cells, found: Sequence[int | None]) -> Cells | None:
        """The plain values and the results of aggregates, in the order of columns."""
        if None in found:
            return None
        plain, folded = iter(key), iter(found)
        return tuple([next(plain) if is_plain else next(folded) for is_plain in self.places])  # type: ignore[misc]  # there is no None in it

    # Solutions

    def _join(self, place: int, env: Env, read: Sequence[Sequence[Cells]], found: list[Any]) -> None:
        if place == len(self._reads):
            for slot, evaluate in self._late:
                value = evaluate(env)
                if slot >= 0:
                    env[slot] = value
                elif not value:
                    return
            key = tuple([evaluate(env) for evaluate in self._heads])
            if self.is_aggregate:
                found.append((key, tuple([tuple([term(env) for term in terms]) for terms in self._measured])))
            else:
                found.append(key)
            return
        bind, test = self._reads[place]
        for row in read[place]:
            for column, slot, decode in bind:
                env[slot] = row[column] if decode is None else decode(row[column])
            if all(evaluate(env) == row[column] for column, evaluate in test):
                self._join(place + 1, env, read, found)

    # Compilation

    def _slot(self, name: str) -> int:
        return self._slots.setdefault(name, len(self._slots))

    def _columns(self, ground: GroundRule, values: Values, used: set[str]) -> list[tuple[int, int, Any]]:
        """The columns of instances with ground variables."""
        atoms = [self.rule.head, *(atom for _, atom in own_literals(self.rule.body, frozenset(values)))]
        args: list[Term] = [a for atom in atoms for i, a in enumerate(atom.args) if i not in values[atom.predicate]]
        args += map(Var, ground.names)
        found = {arg.name: column for column, arg in enumerate(args) if isinstance(arg, Var) and arg.name in used}
        return [(column, self._slot(name), self._decoder(self._types.get(name))) for name, column in found.items()]

    def _matching(
        self, relation: str, part: Sequence[tuple[int, Term]], schema: Types, values: Values
    ) -> tuple[list[tuple[int, int, Any]], list[tuple[int, Evaluate]]]:
        """What a row of a bundle binds, and what it must equal: by the place of the value in the row."""
        bind, test = [], []
        types = schema.get(relation, ())
        for place, (column, arg) in enumerate(part):
            type_ = types[column] if column < len(types) else None
            if isinstance(arg, Var) and arg.name not in self._slots:
                bind.append((place, self._slot(arg.name), self._decoder(type_)))
            elif isinstance(arg, Call):
                slot = self._slot(f"#{len(self._slots)}")
                bind.append((place, slot, None))
                self._delayed.append((-1, _equals(slot, self._encoded(arg, type_))))
            else:
                test.append((place, self._encoded(arg, type_)))
        return bind, test

    def _comparison(self, comparison: Comparison, names: set[str]) -> tuple[int, Evaluate]:
        """The slot that a comparison binds and its value, or -1 and its truth."""
        sides = (comparison.left, comparison.right)
        for here, there in (sides, sides[::-1]):
            if isinstance(here, Var) and here.name in names:
                term = self._term(there)
                return self._slot(here.name), term
        left, right = map(self._term, sides)
        type_ = next((t for t in map(self._type, sides) if t), "number")
        op = comparison.op
        return -1, lambda env: holds(op, left(env), right(env), type_)

    def _type(self, term: Term) -> str | None:
        return term_type(term, self._types, self._functions)

    def _term(self, term: Term) -> Evaluate:
        """A function from the variables to the value of a term."""
        if isinstance(term, Var):
            slot = self._slot(term.name)
            return lambda env: env[slot]
        if isinstance(term, Const):
            value = term.value
            return lambda _: value
        assert isinstance(term, Call), "checked by graph.bundles"
        args = [self._term(arg) for arg in term.args]
        function = resolve(term.function, [self._type(arg) or "any" for arg in term.args], self._functions)
        assert function is not None, f"the type check admits {term.function}"
        evaluate = function.evaluate
        if len(args) == 2:
            one, other = args
            return lambda env: evaluate(one(env), other(env))
        return lambda env: evaluate(*[arg(env) for arg in args])

    def _decoder(self, type_: Any) -> Callable[[int], Value] | None:
        if type_ in PLAIN:
            return None
        decode = self._dictionary.decode_any
        return lambda cell: decode(cell, type_)

    def _encoded(self, term: Term, type_: Any) -> Evaluate:
        """A function from the variables to the cell of a term."""
        evaluate = self._term(term)
        if type_ in PLAIN:
            return evaluate
        return lambda env: self._cell(evaluate(env), type_)

    def _cell(self, value: Value, type_: Any) -> int:
        if isinstance(value, tuple) and is_too_large(value):
            raise failures.TOO_LARGE_LIST.error(function="a rule", most=MOST_LISTS)
        if isinstance(value, tuple) and is_too_deep(value):
            raise failures.TOO_DEEP.error(function="a rule", deepest=DEEPEST)
        return self._dictionary.encode(value, natural_type(value) if type_ in (None, "any") else type_)

    # Aggregates

    def _fold(self, aggregate: Aggregate) -> Callable[[list[Measured]], int | None]:
        """A function from the measured values of a group to the cell of the result."""
        kind, type_ = aggregate.kind, self.value_type(aggregate)
        result = AGGREGATE_RESULTS.get(kind, "number" if kind == "count" else type_)
        parameter = aggregate.arguments[1] if kind in PARAMETRIC else None
        constant = parameter.value if isinstance(parameter, Const) else None
        once = aggregate.distinct or kind in ONCE

        def fold(measured: list[Measured]) -> int | None:
            value = folded(kind, _distinct(measured) if once else measured, type_, constant)
            return None if value is None else self._cell(value, result)

        return fold

    def value_type(self, aggregate: Aggregate) -> str:
        """The type of the values that an aggregate measures."""
        return (self._type(aggregate.measured[0]) if aggregate.measured else None) or "number"


def _equals(slot: int, evaluate: Evaluate) -> Evaluate:
    return lambda env: bool(env[slot] == evaluate(env))


def _distinct(measured: Iterable[Measured]) -> list[Measured]:
    found: list[Measured] = []
    seen: dict[Any, list[Measured]] = {}
    for values in measured:
        alike = seen.setdefault(values, [])
        if not any(all(map(same, values, other)) for other in alike):
            alike.append(values)
            found.append(values)
    return found


def folded(kind: str, measured: Sequence[Measured], type_: str, parameter: Value = None) -> Value:
    """The result of an aggregate over measured values; None if it has none.

    >>> folded("sum", [(0.1,)] * 10, "float"), folded("mean", [(1,), (2,)], "number")
    (1.0, 1.5)
    """
    if kind == "count":
        return len(measured)
    values: list[Any] = [each[0] for each in measured]
    if kind in ADDED:
        total = Total(type_ == "float")
        for value in values:
            total.add(value, 1)
        return total.result(kind, type_)
    if kind in ("min", "all"):
        return min(values, key=order_key)  # type: ignore[no-any-return]  # a value
    if kind in ("max", "any"):
        return max(values, key=order_key)  # type: ignore[no-any-return]  # a value
    return of_group(kind, list(zip(*measured, strict=True)), parameter)


class Total:
    """An exact sum to which values are added and from which they are taken away."""

    __slots__ = ("count", "endless", "is_float", "total")

    def __init__(self, is_float: bool) -> None:
        self.is_float, self.count, self.total = is_float, 0, 0
        self.endless: dict[str, int] = {}  # infinities and NaN, by their text

    def add(self, value: Any, sign: int) -> None:
        """Add a value, or take it away."""
        self.count += sign
        if not self.is_float:
            if value is not None:
                self.total += sign * value
        elif math.isfinite(value):
            numerator, denominator = value.as_integer_ratio()
            self.total += sign * (numerator << (UNIT + 1 - denominator.bit_length()))
        else:
            self.endless[repr(value)] = self.endless.get(repr(value), 0) + sign

    def result(self, kind: str, type_: str) -> Value:
        """The count, the sum or the mean."""
        if kind == "count":
            return self.count
        there = [float(text) for text, count in self.endless.items() if count]
        if there:
            return NAN if len(there) > 1 or math.isnan(there[0]) else there[0]
        if kind == "mean" or self.is_float:
            divisor = self.count if kind == "mean" else 1
            try:
                return canonical_float(self.total / (divisor << UNIT if self.is_float else divisor))
            except OverflowError:
                return math.inf if self.total > 0 else -math.inf
        if kind == WRAPPING_SUM:
            return wrap(self.total, UNSIGNED if type_ == UNSIGNED else "number")
        return in_range(self.total, UNSIGNED if type_ == UNSIGNED else "number")
