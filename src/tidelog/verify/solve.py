"""The solutions of a body: a nested loop with hash lookups, compiled to a chain of Python functions.

Law: a step is called with the registers and the highest rank so far; it calls the next step once for every way in which
its item holds. The rank is that of the facts of the current stratum only; all other facts are below every rank. This
shares nothing with the engine's joins or the naive evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Protocol

from tidelog.program import Aggregate, Const, Path, Term, Value, Var
from tidelog.program.functions.table import holds
from tidelog.verify.folds import OVER_NOTHING, fold
from tidelog.verify.normal import Absent, Choices, Fold, Item, RangeBinding, Scan, Test, item_names
from tidelog.verify.order import arrange, assigns
from tidelog.verify.relations import LOWEST, NOTHING, Source
from tidelog.verify.terms import (
    Evaluator,
    Overloads,
    Registers,
    Schema,
    Types,
    compile_term,
    term_type,
    type_of,
    variable_types,
)

Step = Callable[[Registers, int], None]


class Facts(Protocol):
    """The source of the facts of a body."""

    def source(self, name: str | Path) -> Source:
        """The relation, or the pairs of a path, as it is read by the current stratum."""
        ...

    def is_ranked(self, name: str | Path) -> bool:
        """Whether the ranks of these facts are used."""
        ...


@dataclass(frozen=True)
class Context:
    """The context in which a rule is compiled."""

    facts: Facts
    schema: Schema
    functions: Overloads


@dataclass
class Scope:
    """The registers of one conjunction: a slot for every variable and constant, and the types of the variables."""

    slots: dict[str, int]
    start: Registers
    types: Types
    context: Context
    items: Sequence[Item]

    def slot(self, arg: Var | Const) -> int:
        """The slot of an argument; a constant gets one that holds it."""
        if isinstance(arg, Var):
            return self.slots[arg.name]
        self.start.append(arg.value)
        return len(self.start) - 1

    def term(self, term: Term) -> Evaluator:
        """A term as a function of these registers."""
        return compile_term(term, self.slots, self.types, self.context.functions)

    def type(self, term: Term) -> str | None:
        """The type of a term."""
        return term_type(term, self.types, self.context.functions)


Finish = Callable[[Scope], Step]


def solver(
    items: Sequence[Item], outer: Sequence[str], types: Types, context: Context, finish: Finish
) -> Callable[[Sequence[Value]], None]:
    """A function that, given values of the outer variables, runs the step of ``finish`` for every solution."""
    order = arrange(items, set(outer), lambda scan: len(context.facts.source(scan.source)))
    slots = {name: i for i, name in enumerate(outer)}
    for name in _binding_order(order):
        slots.setdefault(name, len(slots))
    known = variable_types(items, types, context.schema, context.functions)
    frame = Scope(slots, [None] * len(slots), known, context, order)
    step = finish(frame)
    for item, bound in reversed(list(_with_bound(order, outer))):
        step = _compile(item, bound, frame, step)
    count = len(outer)

    def run(values: Sequence[Value]) -> None:
        registers = frame.start.copy()
        registers[:count] = values
        step(registers, LOWEST)

    return run


def _binding_order(order: Iterable[Item]) -> Iterable[str]:
    return (name for item in order for name in sorted(item_names(item)))


def _with_bound(order: Sequence[Item], outer: Sequence[str]) -> Iterable[tuple[Item, frozenset[str]]]:
    """Each item with the variables that already have values before it."""
    bound = set(outer)
    for item in order:
        yield item, frozenset(bound)
        bound |= item_names(item)


def _compile(item: Item, bound: frozenset[str], frame: Scope, then: Step) -> Step:
    match item:
        case Scan():
            return _scan(item, bound, frame, then)
        case Absent():
            return _absent(item, frame, then)
        case Test():
            return _test(item, bound, frame, then)
        case RangeBinding(variable=name, values=values):
            return _each(frame.slots[name], frame.term(values), name in bound, then)
        case Fold():
            return _fold(item, item.variable in bound, frame, then)


def _scan(item: Scan, bound: frozenset[str], frame: Scope, then: Step) -> Step:
    source = frame.context.facts.source(item.source)
    known = [i for i, arg in enumerate(item.args) if isinstance(arg, Const) or arg.name in bound]
    first: dict[str, int] = {}
    repeated: list[tuple[int, int]] = []
    for i, arg in enumerate(item.args):
        if i not in known and isinstance(arg, Var):
            if arg.name in first:
                repeated.append((first[arg.name], i))
            first.setdefault(arg.name, i)
    bind = [(i, frame.slots[name]) for name, i in first.items()]
    match = _bind_ranked(bind, then) if frame.context.facts.is_ranked(item.source) else _bind(bind, then)
    if repeated:
        match = _repeated(repeated, match)
    if not known:
        return lambda registers, rank: match(registers, rank, source.everything())
    find = source.index(tuple(known)).get
    key = itemgetter(*(frame.slot(item.args[i]) for i in known))
    return lambda registers, rank: match(registers, rank, find(key(registers), NOTHING))


Matches = Callable[[Registers, int, Iterable[Any]], None]


def _bind(bind: Sequence[tuple[int, int]], then: Step) -> Matches:
    def run(registers: Registers, rank: int, rows: Iterable[Any]) -> None:
        for row, _ in rows:
            for place, slot in bind:
                registers[slot] = row[place]
            then(registers, rank)

    return run


def _bind_ranked(bind: Sequence[tuple[int, int]], then: Step) -> Matches:
    def run(registers: Registers, rank: int, rows: Iterable[Any]) -> None:
        for row, own in rows:
            for place, slot in bind:
                registers[slot] = row[place]
            then(registers, own if own > rank else rank)

    return run


def _repeated(pairs: Sequence[tuple[int, int]], match: Matches) -> Matches:
    """Facts in which a variable that occurs twice in the atom has one value."""

    def run(registers: Registers, rank: int, rows: Iterable[Any]) -> None:
        match(registers, rank, [m for m in rows if all(m[0][a] == m[0][b] for a, b in pairs)])

    return run


def _absent(item: Absent, frame: Scope, then: Step) -> Step:
    source = frame.context.facts.source(item.source)
    known = [(i, arg) for i, arg in enumerate(item.args) if arg is not None]
    if not known:
        return lambda registers, rank: None if any(True for _ in source.everything()) else then(registers, rank)
    find = source.index(tuple(i for i, _ in known)).get
    key = itemgetter(*(frame.slot(arg) for _, arg in known))

    def run(registers: Registers, rank: int) -> None:
        if not find(key(registers), NOTHING):
            then(registers, rank)

    return run


def _test(item: Test, bound: frozenset[str], frame: Scope, then: Step) -> Step:
    assigned = assigns(item, set(bound))
    if assigned is not None:
        slot, term = frame.slots[assigned[0].name], frame.term(assigned[1])

        def assign(registers: Registers, rank: int) -> None:
            registers[slot] = term(registers)
            then(registers, rank)

        return assign
    left, right, op = frame.term(item.left), frame.term(item.right), item.op
    known = frame.type(item.left) or frame.type(item.right)

    def test(registers: Registers, rank: int) -> None:
        value = left(registers)
        if holds(op, value, right(registers), known or type_of(value)):
            then(registers, rank)

    return test


def _each(slot: int, values: Evaluator, known: bool, then: Step) -> Step:
    def run(registers: Registers, rank: int) -> None:
        for value in list(values(registers)):
            registers[slot] = value
            then(registers, rank)

    def test(registers: Registers, rank: int) -> None:
        if registers[slot] in values(registers):
            then(registers, rank)

    return test if known else run


def _fold(item: Fold, is_bound: bool, frame: Scope, then: Step) -> Step:
    """A step for an aggregate, which is computed once per group, on first use; a variable with a value is tested."""
    slot = frame.slots[item.variable]
    outer = [frame.slots[name] for name in item.outer]
    value = grouped(item.aggregate, item.body, item.outer, frame.types, frame.context)
    known: dict[tuple[Value, ...], tuple[Value, ...]] = {}

    def results(registers: Registers) -> tuple[Value, ...]:
        key = tuple(registers[i] for i in outer)
        found = known.get(key)
        if found is None:
            found = known[key] = value(key)
        return found

    def run(registers: Registers, rank: int) -> None:
        for result in results(registers):
            registers[slot] = result
            then(registers, rank)

    def test(registers: Registers, rank: int) -> None:
        wanted = registers[slot]
        if any(holds("=", result, wanted, type_of(wanted)) for result in results(registers)):
            then(registers, rank)

    return test if is_bound else run


def grouped(
    over: Aggregate, body: Choices, outer: Sequence[str], types: Types, context: Context
) -> Callable[[tuple[Value, ...]], tuple[Value, ...]]:
    """A function from the values of the outer variables to the aggregate of the body: one value or none."""
    found: set[tuple[Any, ...]] = set()
    kinds: list[str | None] = []

    def finish(frame: Scope) -> Step:
        kinds.append(frame.type(over.measured[0]) if over.measured else None)
        return collect(found, body.counted, over, frame)

    solvers = [solver(items, outer, types, context, finish) for items in body.alternatives]

    def aggregate(key: tuple[Value, ...]) -> tuple[Value, ...]:
        found.clear()
        for run in solvers:
            run(key)
        if not found and over.kind not in OVER_NOTHING:
            return ()
        result = fold(over, [each[-1] for each in found], next(filter(None, kinds), None))
        return () if result is None else (result,)

    return aggregate


def collect(into: set[tuple[Any, ...]], counted: Sequence[str], over: Aggregate, frame: Scope) -> Step:
    """A last step that collects valuations, each with its contribution (for a count, any value)."""
    slots = [frame.slots[name] for name in counted]
    value = contribution(over, frame)

    def run(registers: Registers, rank: int) -> None:
        into.add((*(registers[slot] for slot in slots), value(registers)))

    return run


def contribution(aggregate: Aggregate, frame: Scope) -> Callable[[Registers], Any]:
    """The contribution of a valuation: a value, a tuple of several, or any value for a count."""
    terms = [frame.term(term) for term in aggregate.measured]
    if len(terms) == 1:
        return terms[0]
    return (lambda registers: tuple(term(registers) for term in terms)) if terms else lambda _: 1
