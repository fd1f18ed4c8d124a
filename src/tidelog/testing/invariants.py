"""I1 and I2, recomputed from outside: the certificate of every state of the engine in tests.

Law (design, section 3). I1: ``all(h)`` is the number of supports of h over the present facts. I2: ``low(h)`` counts
exactly the supports whose body facts of the same stratum all have a smaller rank than h, and a present fact has ``low
> 0``. Supports are found by the naive evaluator's own search; nothing of the engine is used but the state it gives
out. Aggregate rules have no supports in this sense and are passed over: their relations are compared as facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tidelog.program import Aggregate, Atom, Const, Rule, Value, Var
from tidelog.program.functions import ANY, FUNCTIONS, Function
from tidelog.state import EngineState
from tidelog.testing.occurrences import names
from tidelog.testing.solutions import Binding, Context, distinct, values, with_named_wildcards
from tidelog.testing.values import of_type

Fact = tuple[str, tuple[Value, ...]]


def violations(state: EngineState, functions: Mapping[str, tuple[Function, ...]] = FUNCTIONS) -> list[str]:
    """What contradicts I1 or I2, in words; empty for a correct state."""
    state = _typed(state)
    found: list[str] = []
    every, lower = _count(state, functions)
    aggregated = {rule.head.predicate for rule in state.rules if _is_aggregate(rule)}
    for name, facts in state.facts.items():
        if name in aggregated:
            continue
        for row, fact in facts.items():
            key = (name, row)
            if fact.all != every[key]:
                found.append(f"I1: {name}{row} has all = {fact.all}, {every[key]} supports")
            if fact.low != lower[key] or fact.low <= 0:
                found.append(f"I2: {name}{row} has low = {fact.low}, {lower[key]} supports of lower rank")
    found += [f"closure: {key} is derivable and absent" for key in every if key[1] not in state.facts.get(key[0], {})]
    return found


def _typed(state: EngineState) -> EngineState:
    """The state with unsigned values as the naive evaluator knows them."""
    facts = {}
    for name, rows in state.facts.items():
        types = state.schema[name]
        if "unsigned" in types:
            rows = {
                tuple(of_type(v, t or ANY, name) for v, t in zip(r, types, strict=True)): f for r, f in rows.items()
            }
        facts[name] = rows
    return replace(state, facts=facts)


def _typed_row(row: tuple[Value, ...], types: tuple[str | None, ...], name: str) -> tuple[Value, ...]:
    return tuple(of_type(value, type_ or ANY, name) for value, type_ in zip(row, types, strict=True))


def _count(state: EngineState, functions: Mapping[str, tuple[Function, ...]]) -> tuple[Counter[Fact], Counter[Fact]]:
    home = {name: i for i, stratum in enumerate(state.strata) for name in stratum}
    every: Counter[Fact] = Counter()
    lower: Counter[Fact] = Counter()
    for name, facts in state.facts.items():
        based = [(name, row) for row, fact in facts.items() if fact.base]
        every.update(based)
        lower.update(based)
    for rule in state.rules:
        if not _is_aggregate(rule):
            for head, rank in _supports(rule, state, home, functions):
                every[head] += 1
                fact = state.facts.get(head[0], {}).get(head[1])
                lower[head] += fact is not None and rank < fact.rank
    return every, lower


def _supports(
    rule: Rule, state: EngineState, home: Mapping[str, int], functions: Mapping[str, tuple[Function, ...]]
) -> Iterator[tuple[Fact, int]]:
    """The supports that a core rule gives: the head, and the highest rank of the body facts of its stratum."""
    model = {name: frozenset(facts) for name, facts in state.facts.items()}
    scope = names(rule.head.args)
    body = with_named_wildcards(rule.body, scope)
    context = Context(model, functions, scope).inside(body)
    own = home.get(rule.head.predicate)
    same = [a for a in body if isinstance(a, Atom) and own is not None and home.get(a.predicate) == own]
    for binding in distinct(body, [{}], context):
        ranks = (state.facts[a.predicate][_ground(a, binding)].rank for a in same)
        args = tuple(next(iter(values(arg, binding, context))) for arg in rule.head.args)
        yield (rule.head.predicate, args), max(ranks, default=0)


def _ground(atom: Atom, binding: Binding) -> tuple[Value, ...]:
    return tuple(binding[arg.name] if isinstance(arg, Var) else _constant(arg) for arg in atom.args)


def _constant(term: object) -> Value:
    assert isinstance(term, Const)
    return term.value


def _is_aggregate(rule: Rule) -> bool:
    return any(isinstance(arg, Aggregate) for arg in rule.head.args)
