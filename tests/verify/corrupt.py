"""States damaged on purpose, and what a valid state is by definition.

A state is valid if its facts are the model that the naive evaluator computes, and if every fact of a stratum is what
one application of the rules derives from lower strata and from facts of its own stratum with smaller ranks. Both are
asked of the naive evaluator, which the checkers do not use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from tidelog.errors import EvaluationError, LimitError
from tidelog.program import Program, Rule
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.values.state import EngineState, FactState
from tidelog.testing.naive import _Judge, evaluate
from tidelog.testing.strata import strata
from tidelog.testing.values import Row

Facts = dict[str, dict[Row, FactState]]


@dataclass(frozen=True)
class Subject:
    """A program with a state that claims to be its model; base facts are those marked."""

    program: Program
    state: EngineState

    def base(self) -> dict[str, frozenset[Row]]:
        return {n: frozenset(r for r, f in facts.items() if f.base) for n, facts in user_facts(self.state).items()}

    def with_facts(self, facts: Facts) -> Subject:
        return replace(self, state=replace(self.state, facts=facts))


def user_facts(state: EngineState) -> Facts:
    return {name: dict(facts) for name, facts in state.facts.items() if not name.startswith("__")}


def is_valid(subject: Subject) -> bool:
    """Whether the state is the model of its program over the marked facts, with ranks that fall along derivations."""
    facts, base = user_facts(subject.state), subject.base()
    try:
        model = evaluate(subject.program, base)
        held = {name: frozenset(facts.get(name, ())) for name in {*model, *facts}}
        if any(held[name] != model.get(name, frozenset()) for name in held):
            return False
        judge = _Judge(subject.program, FUNCTIONS)
        # The rows of the model equal those held, and know besides which numbers are unsigned.
        return all(_is_founded(s, judge, judge.base(base), model, facts) for s in strata(subject.program.rules))
    except (EvaluationError, LimitError):
        return False


def _is_founded(
    stratum: frozenset[str],
    judge: _Judge,
    base: Mapping[str, set[Row]],
    held: dict[str, frozenset[Row]],
    facts: Facts,
) -> bool:
    ranks = {(name, row): facts[name][row].rank for name in stratum for row in held[name]}
    for rank in set(ranks.values()):
        lower = {name: frozenset(row for row in held[name] if ranks[name, row] < rank) for name in stratum}
        derived = judge.round(stratum, base, {**held, **lower})
        if any(row not in derived[name] for (name, row), own in ranks.items() if own == rank):
            return False
    return True


def with_close_ranks(facts: Facts) -> Facts:
    """Ranks numbered from 1 in the same order, so that a little more or less is another place in it."""
    given = sorted({fact.rank for rows in facts.values() for fact in rows.values()})
    places = {rank: place for place, rank in enumerate(given, 1)}
    return {n: {row: replace(f, rank=places[f.rank]) for row, f in rows.items()} for n, rows in facts.items()}


def corruptions(rng: Random, subject: Subject, more: tuple[Rule, ...]) -> Iterator[tuple[str, Subject]]:
    """The subject, damaged in every way, each with a name; some of them do no harm."""
    for name, damage in DAMAGES.items():
        facts = with_close_ranks(user_facts(subject.state))
        if any(facts.values()) and damage(rng, facts):
            yield name, subject.with_facts(facts)
    rules = subject.program.rules
    if rules:
        gone = rng.randrange(len(rules))
        yield "rule removed", replace(subject, program=replace(subject.program, rules=rules[:gone] + rules[gone + 1 :]))
    for rule in more[:1]:
        yield "rule added", replace(subject, program=replace(subject.program, rules=(*rules, rule)))


def _pick(rng: Random, facts: Facts) -> tuple[dict[Row, FactState], Row]:
    held = rng.choice([rows for rows in facts.values() if rows])
    return held, rng.choice(list(held))


def _remove(rng: Random, facts: Facts) -> bool:
    held, row = _pick(rng, facts)
    del held[row]
    return True


def _add(rng: Random, facts: Facts) -> bool:
    """A row made of values that stand in the column already, with a plausible rank."""
    held, row = _pick(rng, facts)
    new = tuple(rng.choice(list(held))[i] for i in range(len(row)))
    if new in held:
        return False
    held[new] = FactState(rng.randint(0, 50), 1, 1, False)
    return True


def _change(rng: Random, facts: Facts) -> bool:
    """Another number in one column: for an aggregate, another value."""
    held, row = _pick(rng, facts)
    places = [i for i, value in enumerate(row) if isinstance(value, int)]
    if not places:
        return False
    place = rng.choice(places)
    new = tuple(abs(value + rng.choice([-1, 1])) if i == place else value for i, value in enumerate(row))
    if new in held:
        return False
    held[new] = held.pop(row)
    return True


def _swap(rng: Random, facts: Facts) -> bool:
    (one, row), (other, second) = _pick(rng, facts), _pick(rng, facts)
    ranks = one[row].rank, other[second].rank
    one[row], other[second] = replace(one[row], rank=ranks[1]), replace(other[second], rank=ranks[0])
    return True


def _raise(rng: Random, facts: Facts) -> bool:
    held, row = _pick(rng, facts)
    held[row] = replace(held[row], rank=held[row].rank + rng.randint(1, 30))
    return True


def _lower(rng: Random, facts: Facts) -> bool:
    held, row = _pick(rng, facts)
    held[row] = replace(held[row], rank=rng.randint(0, held[row].rank))
    return True


def _level(rng: Random, facts: Facts) -> bool:
    """All ranks of a relation the same: nothing is below anything."""
    held, _ = _pick(rng, facts)
    held.update({row: replace(fact, rank=7) for row, fact in held.items()})
    return True


def _mark(rng: Random, facts: Facts) -> bool:
    held, row = _pick(rng, facts)
    held[row] = replace(held[row], base=not held[row].base)
    return True


DAMAGES: Mapping[str, Callable[[Random, Facts], bool]] = {
    "fact removed": _remove,
    "fact added": _add,
    "value changed": _change,
    "ranks swapped": _swap,
    "rank raised": _raise,
    "rank lowered": _lower,
    "ranks levelled": _level,
    "base mark changed": _mark,
}
