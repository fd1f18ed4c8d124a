"""Checks whose time grows with the text, not with its square: the quick way finds what the obvious way finds."""

from __future__ import annotations

import random

import pytest

from tidelog.program import Comparison, Const, Var
from tidelog.program.checks.safety import bound_variables
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.schema import TypeDeclaration
from tidelog.program.values.term import Atom, Call, Disjunction, Literal
from tidelog.syntax import read_program


@pytest.mark.parametrize("seed", range(60))
def test_a_type_is_narrower_than_whatever_can_be_reached_from_it(seed: int) -> None:
    chance = random.Random(seed)
    names = [f"T{i}" for i in range(8)]
    texts = []
    for place, name in enumerate(names):
        known = [*names[:place], "number"]
        if place and chance.random() < 0.4:
            members = chance.sample(known, min(len(known), chance.randint(1, 3)))
            texts.append(f".type {name} = {' | '.join(members)}")
        else:
            texts.append(f".type {name} <: {chance.choice(known)}")
    chance.shuffle(texts)
    declared = read_program("\n".join(texts))[0].types
    types = TypeNames(declared)
    assert not types.findings
    above = _closure(declared)
    everything = [*names, "number"]
    for one in everything:
        for other in everything:
            assert types.narrower(one, other) == (other in above[one]), (one, other, texts)
            common = any(one in above[each] and other in above[each] for each in everything)
            assert types.common(one, other) == common, (one, other, texts)


def _closure(declared: tuple[TypeDeclaration, ...]) -> dict[str, set[str]]:
    """By name, all types that hold its values: pairs are added until nothing changes."""
    above: dict[str, set[str]] = {name: {name} for name in ("number", *(each.name for each in declared))}
    for each in declared:
        if each.subtype:
            above[each.name].update(each.bases)
        elif len(each.bases) == 1:  # another name for the same
            above[each.name].update(each.bases)
            above[each.bases[0]].add(each.name)
        else:
            above[each.name].add("number")
            for base in each.bases:
                above[base].add(each.name)
    grown = True
    while grown:
        found = {name: set().union(*(above[other] for other in ups)) for name, ups in above.items()}
        grown, above = found != above, found
    return above


@pytest.mark.parametrize("seed", range(60))
def test_equations_bind_the_same_in_any_order(seed: int) -> None:
    chance = random.Random(seed)
    variables = [Var(f"X{i}") for i in range(8)]

    def equation() -> Comparison:
        left, right = chance.sample(variables, 2)
        plus = Call("+", (right, chance.choice((Const(1, "number"), *variables))))
        return Comparison("=", left, chance.choice((right, plus, Const(1, "number"))))

    def literal() -> Literal:
        if chance.random() < 0.2:
            return Disjunction(tuple((equation(), equation()) for _ in range(2)))
        return equation() if chance.random() < 0.9 else Atom("p", (chance.choice(variables),))

    body = [literal() for _ in range(chance.randint(1, 12))]
    around = {each.name for each in variables}
    expected = _obviously_bound(body, around)
    for _ in range(5):
        assert bound_variables(body, set(), around) == expected
        chance.shuffle(body)


def _obviously_bound(body: list[Literal], around: set[str]) -> set[str]:
    """Every literal is looked at again and again until nothing more is bound."""
    bound: set[str] = set()
    while True:
        before = len(bound)
        for literal in body:
            bound |= bound_variables([literal], bound, around)
        if len(bound) == before:
            return bound


def test_long_chains_are_checked_in_an_instant() -> None:
    from tidelog.program.check import examine_program

    chain = "p(X0) :- " + ", ".join(f"X{i} = X{i + 1} + 1" for i in range(2_000)) + ", e(X2000)."
    types = ".type T0 <: number\n" + "\n".join(f".type T{i + 1} <: T{i}" for i in range(20_000))
    circle = "\n".join(f"p{(i + 1) % 3_000}(X + 1) :- p{i}(X), X < 9." for i in range(3_000))
    for text in (chain, types, circle):  # each took minutes
        program, found = read_program(text)
        assert not [each for each in (*found, *examine_program(program)[1]) if each.severity == "error"]
