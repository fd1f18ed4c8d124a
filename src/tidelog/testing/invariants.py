"""I1 and I2, recomputed independently: the certificate of every state of the engine in tests.

Law (design, section 3). I1: ``all(h)`` is the number of supports of h over the present facts. I2: ``low(h)`` counts
exactly the supports whose body facts of the same stratum all have a smaller rank than h, and a present fact has ``low
> 0``. Supports are found by the naive evaluator's own search; of the engine, only the state that it exposes is used.
Aggregate rules have no supports in this sense and are skipped: their relations are compared as facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tidelog.program import Aggregate, Atom, Const, Rule, Value, Var
from tidelog.program.functions.calendar import from_python
from tidelog.program.functions.table import ANY, FUNCTIONS, Function
from tidelog.program.values.state import EngineState, FactState
from tidelog.program.values.term import BOOLEAN, DATE, TIMESTAMP, UNSIGNED
from tidelog.testing.occurrences import names
from tidelog.testing.solutions import Binding, Context, distinct, values, with_named_wildcards
from tidelog.testing.values import of_type

Fact = tuple[str, tuple[Value, ...]]
Facts = Mapping[str, Mapping[tuple[Value, ...], FactState]]
Held = tuple[int, str, tuple[Value, ...]]  # partition, relation, row


def violations(state: EngineState, functions: Mapping[str, tuple[Function, ...]] = FUNCTIONS) -> list[str]:
    """Descriptions of violations of I1 or I2; empty for a correct state."""
    state = _typed(state)
    parts = [replace(state, facts=facts, parts=()) for facts in state.parts] or [state]
    found = _misplaced(state, parts)
    every, lower = _count(state, parts, functions)
    aggregated = {rule.head.predicate for rule in state.rules if _is_aggregate(rule)}
    for number, part in enumerate(parts):
        for name, facts in part.facts.items():
            if name not in aggregated:
                for row, fact in facts.items():
                    found += _miscounted(fact, (name, row), every[number, name, row], lower[number, name, row])
    held = {(number, name, row) for number, part in enumerate(parts) for name in part.facts for row in part.facts[name]}
    return found + [f"closure: {key[1:]} is derivable and absent" for key in every if key not in held]


TAGGED = frozenset({UNSIGNED, BOOLEAN, DATE, TIMESTAMP})


def _miscounted(fact: FactState, key: Fact, every: int, lower: int) -> Iterator[str]:
    if fact.all != every:
        yield f"I1: {key[0]}{key[1]} has all = {fact.all}, {every} supports"
    if fact.low != lower or fact.low <= 0:
        yield f"I2: {key[0]}{key[1]} has low = {fact.low}, {lower} supports of lower rank"


def _misplaced(state: EngineState, parts: list[EngineState]) -> list[str]:
    """Facts that are not held by exactly one partition, or by all for a mirrored relation."""
    found = []
    for name in state.facts:
        held = Counter(row for part in parts for row in part.facts[name])
        wanted = len(parts) if name in state.mirrored else 1
        found += [f"placement: {name}{row} is stored {n} times, not {wanted}" for row, n in held.items() if n != wanted]
    return found


def _typed(state: EngineState) -> EngineState:
    """The state with unsigned values, dates, timestamps and booleans as the naive evaluator knows them."""

    def typed(facts: Facts) -> Facts:
        return {
            name: {_typed_row(row, state.schema[name], name): fact for row, fact in rows.items()}
            if not TAGGED.isdisjoint(state.schema[name])
            else rows
            for name, rows in facts.items()
        }

    return replace(state, facts=typed(state.facts), parts=tuple(map(typed, state.parts)))


def _number(value: Value) -> Value:
    """A Python date, timestamp or boolean as represented in the language."""
    number: Value = from_python(value)  # type: ignore[assignment]  # what is no date stays what it is
    return number


def _typed_row(row: tuple[Value, ...], types: tuple[str | None, ...], name: str) -> tuple[Value, ...]:
    return tuple(of_type(_number(value), type_ or ANY, name) for value, type_ in zip(row, types, strict=True))


def _count(
    state: EngineState, parts: list[EngineState], functions: Mapping[str, tuple[Function, ...]]
) -> tuple[Counter[Held], Counter[Held]]:
    """The supports, and those of lower rank, of every fact on every partition, as the partitions find them."""
    home = {name: i for i, stratum in enumerate(state.strata) for name in stratum}
    every: Counter[Held] = Counter()
    lower: Counter[Held] = Counter()
    for number, part in enumerate(parts):
        for name, facts in part.facts.items():
            based = [(number, name, row) for row, fact in facts.items() if fact.base]
            every.update(based)
            lower.update(based)
        for rule in state.rules:
            if not _is_aggregate(rule):
                for head, rank in _supports(rule, part, home, functions):
                    for to in _receivers(state, parts, rule, number, head):
                        every[to, *head] += 1
                        fact = parts[to].facts.get(head[0], {}).get(head[1])
                        lower[to, *head] += fact is not None and rank < fact.rank
    return every, lower


def _receivers(state: EngineState, parts: list[EngineState], rule: Rule, number: int, head: Fact) -> list[int]:
    """The partitions that count a support found on one: itself if the rule fires everywhere, otherwise the holders."""
    everywhere = rule.label in state.everywhere
    if head[0] in state.mirrored:
        return [number] if everywhere else list(range(len(parts)))
    holders = [i for i, part in enumerate(parts) if head[1] in part.facts.get(head[0], {})] or [number]
    return [i for i in holders if i == number] if everywhere else holders


def _supports(
    rule: Rule, state: EngineState, home: Mapping[str, int], functions: Mapping[str, tuple[Function, ...]]
) -> Iterator[tuple[Fact, int]]:
    """The supports by a core rule: the head, and the highest rank of the body facts of its stratum."""
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
