"""Rules with min and max inside recursion, in the accepted shapes: shortest and widest paths, and similar ones.

Law: each shape is strictly monotone in the value, or never derives a value better than its inputs; weights are never
negative and the longest path follows only rising nodes, so every shape has a least fixed point that is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tidelog.program import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Const,
    Literal,
    Materialize,
    Rule,
    Term,
    Var,
)
from tidelog.program.values.term import NUMBER
from tidelog.testing.generate_values import Relation

SOURCE, WEIGHT = Relation("b_source", (NUMBER, NUMBER)), Relation("b_weight", (NUMBER, NUMBER, NUMBER))
FIRST, SECOND = Relation("m0", (NUMBER, NUMBER)), Relation("m1", (NUMBER, NUMBER))
WITNESSED = Relation("m2", (NUMBER, NUMBER, NUMBER))  # with a key: node, best value, the node it came from
_X, _Y, _C, _D, _W, _P = map(Var, "XYCDWP")


def minimised_relations(rng: Random) -> list[Relation]:
    """The relations of one shape: one or two minimised ones, and the base relations that they read."""
    if rng.random() < 0.25:
        return [SOURCE, WEIGHT, WITNESSED]
    return [SOURCE, WEIGHT, FIRST, *([SECOND] if rng.random() < 0.4 else [])]


def minimised_keys(relations: Sequence[Relation]) -> tuple[Materialize, ...]:
    """The keys that a shape needs."""
    return (Materialize(WITNESSED.name, None, None, (1,)),) if WITNESSED in relations else ()


def minimised_rules(rng: Random, relations: Sequence[Relation]) -> list[Rule]:
    """The rules of a shape for these relations; none for no relations."""
    if not relations:
        return []
    if WITNESSED in relations:
        return _witnessed(*rng.choice((("min", ()), ("min", (Comparison("!=", _P, _Y),)), ("max", ()))))
    if SECOND in relations:
        return rng.choice(_SHAPES_OF_TWO)()
    return rng.choice(_SHAPES_OF_ONE)()


def _best(relation: Relation, node: Term, kind: str, value: Term) -> Atom:
    return Atom(relation.name, (node, Aggregate(kind, value, None)))


def _start(kind: str) -> Rule:
    # m0(X, min<C>) :- b_source(X, C).
    return Rule(_best(FIRST, _X, kind, _C), (Atom(SOURCE.name, (_X, _C)),))


def _step(head: Relation, from_: Relation, kind: str, weight: Term, *more: Literal) -> Rule:
    # m0(Y, min<C>) :- m0(X, D), b_weight(X, Y, W), ...
    return Rule(_best(head, _Y, kind, _C), (Atom(from_.name, (_X, _D)), Atom(WEIGHT.name, (_X, _Y, weight)), *more))


def _is(term: Term) -> Comparison:
    return Comparison("=", _C, term)


def _shortest() -> list[Rule]:
    return [_start("min"), _step(FIRST, FIRST, "min", _W, _is(Call("+", (_D, _W))))]


def _widest() -> list[Rule]:
    return [_start("max"), _step(FIRST, FIRST, "max", _W, _is(Call("min", (_D, _W))))]


def _least_label() -> list[Rule]:
    return [_start("min"), _step(FIRST, FIRST, "min", _W, _is(_D))]


def _longest() -> list[Rule]:
    rising = Comparison("<", _X, _Y)
    return [_start("max"), _step(FIRST, FIRST, "max", _W, rising, _is(Call("+", (_D, Const(1, NUMBER)))))]


def _through_candidates() -> list[Rule]:
    # m1 holds the candidates of m0, as a plain relation of the same stratum.
    candidates = Rule(
        Atom(SECOND.name, (_Y, _C)),
        (Atom(FIRST.name, (_X, _D)), Atom(WEIGHT.name, (_X, _Y, _W)), _is(Call("+", (_D, _W)))),
    )
    return [_start("min"), candidates, Rule(_best(FIRST, _X, "min", _C), (Atom(SECOND.name, (_X, _C)),))]


def _two_in_turn() -> list[Rule]:
    plus = _is(Call("+", (_D, _W)))
    return [_start("min"), _step(SECOND, FIRST, "min", _W, plus), _step(FIRST, SECOND, "min", _W, plus)]


def _witnessed(kind: str, tests: tuple[Literal, ...]) -> list[Rule]:
    # m2(X, min<C>, X) :- b_source(X, C).   m2(Y, min<C>, X) :- m2(X, D, P), b_weight(X, Y, W), C = D + W + 1, ...
    by = Call("+" if kind == "min" else "-", (Call("+" if kind == "min" else "-", (_D, _W)), Const(1, NUMBER)))
    read = Atom(WITNESSED.name, (_X, _D, _P))
    step = (read, Atom(WEIGHT.name, (_X, _Y, _W)), _is(by), *tests)
    return [
        Rule(Atom(WITNESSED.name, (_X, Aggregate(kind, _C, None), _X)), (Atom(SOURCE.name, (_X, _C)),)),
        Rule(Atom(WITNESSED.name, (_Y, Aggregate(kind, _C, None), _X)), step),
    ]


_SHAPES_OF_ONE: tuple[Callable[[], list[Rule]], ...] = (_shortest, _widest, _least_label, _longest)
_SHAPES_OF_TWO: tuple[Callable[[], list[Rule]], ...] = (_through_candidates, _two_in_turn)
