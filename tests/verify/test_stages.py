"""Facts without ranks: the model is certified, whatever else is refused.

Random programs with random changes give models; their facts are taken without ranks, and damaged. Whether damaged
facts are the model is decided by the naive evaluator. What this cannot notice: a mistake that both share.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.verify.corrupt import Subject, corruptions, user_facts
from tests.verify.test_corruption import subject
from tidelog.errors import EngineError, EvaluationError, LimitError
from tidelog.program.graph.asserted_facts import asserted_elsewhere_of
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate
from tidelog.verify import Verdict, Violation, verify_facts

DAMAGES = ("fact removed", "fact added", "value changed")


def judged(start: Subject, base: dict[str, frozenset[tuple[object, ...]]]) -> Verdict:
    facts = {name: list(rows) for name, rows in user_facts(start.state).items()}
    return verify_facts(start.program, base, facts, start.state.schema)


def is_model(start: Subject, base: dict[str, frozenset[tuple[object, ...]]]) -> bool:
    facts = user_facts(start.state)
    try:
        model = evaluate(start.program, base)
    except (EvaluationError, LimitError):
        return False
    return all(frozenset(facts.get(name, ())) == model.get(name, frozenset()) for name in {*model, *facts})


@pytest.mark.parametrize("kind", ["plain", "all"])
def test_models_without_ranks_are_certified_and_damaged_ones_are_not(kind: str) -> None:
    tally: Counter[tuple[str, bool]] = Counter()
    for seed in range(25):
        start, _ = subject(seed, kind)
        if asserted_elsewhere_of(start.program):
            continue
        base = start.base()
        assert (verdict := judged(start, base)), f"{seed}: {verdict}"
        for name, damaged in corruptions(Random(seed), start, ()):
            if name in DAMAGES:
                verdict = judged(damaged, base)
                assert bool(verdict) == is_model(damaged, base), f"{kind} {seed}, {name}: {verdict}"
                tally[name, bool(verdict)] += 1
    assert all(tally[name, False] > 2 for name in DAMAGES), tally


def verdict_on(text: str, base: dict[str, list[tuple[object, ...]]], **views: list[tuple[object, ...]]) -> Verdict:
    facts = {**base, **views}
    types = {name: ("number",) * len(rows[0]) for name, rows in facts.items() if rows}
    return verify_facts(parse_program(text), base, facts, types)


RING = [(1, 2), (2, 3), (3, 1)]
ALL_PAIRS = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]


def test_paths_through_the_stratum_itself_have_stages() -> None:
    program = "p(X, Y) :- e(X, Y). p(X, Y) :- p+(Y, X), f(X, Y)."
    base: dict[str, list[tuple[object, ...]]] = {"e": [(1, 2), (2, 3)], "f": [(3, 1), (1, 3), (7, 8)]}
    right: list[tuple[object, ...]] = [(1, 2), (2, 3), (3, 1), (1, 3)]
    assert verdict_on(program, base, p=right)
    assert str(verdict_on(program, base, p=[*right, (7, 8), (8, 7)])).startswith("unfounded: p(")
    assert not verdict_on(program, base, p=right[:3])


def test_best_values_in_recursion_have_the_stages_of_their_candidates() -> None:
    program = "d(X, min<C>) :- s(X), C = 0. d(Y, min<C + L>) :- d(X, C), e(X, Y, L)."
    base: dict[str, list[tuple[object, ...]]] = {"s": [(1,)], "e": [(1, 2, 5), (2, 3, 1), (3, 2, 1), (1, 3, 2)]}
    assert verdict_on(program, base, d=[(1, 0), (2, 3), (3, 2)])
    # The pair 2, 3 would hold itself up if equal distances founded each other.
    zero = {"s": [(1,)], "e": [(2, 3, 0), (3, 2, 0)]}
    wrong = verdict_on(program, zero, d=[(1, 0), (2, 0), (3, 0)])
    assert str(wrong) == "unfounded: d(2, 0) does not follow from the base facts"
    assert not verdict_on(program, base, d=[(1, 0), (2, 5), (3, 2)])


def test_counted_facts_that_go_on_in_their_stratum_have_stages() -> None:
    program = "p(X, count<Y>) :- e(X, Y). p(Y, X) :- p(X, Y)."
    base: dict[str, list[tuple[object, ...]]] = {"e": [(1, 5), (1, 6), (3, 1)]}
    assert verdict_on(program, base, p=[(1, 2), (2, 1), (3, 1), (1, 3)])
    assert not verdict_on(program, base, p=[(1, 2), (2, 1), (3, 1), (1, 3), (8, 9), (9, 8)])


def test_violated_constraint_is_named_and_a_warning_is_not_part_of_the_claim() -> None:
    rules = "r: p(X) :- e(X). {}none: :- p(X), X > 1."
    base: dict[str, list[tuple[object, ...]]] = {"e": [(1,), (2,)]}
    verdict = verdict_on(rules.format(""), base, p=[(1,), (2,)])
    assert str(verdict) == "refused: the state violates the constraint none"


def test_long_chain_needs_one_pass() -> None:
    links: list[tuple[object, ...]] = [(i, i + 1) for i in range(2000)]
    program = "t(Y) :- s(Y). t(Y) :- t(X), e(X, Y)."
    whole: list[tuple[object, ...]] = [(i,) for i in range(2001)]
    verdict = verdict_on(program, {"e": links, "s": [(0,)]}, t=whole)
    assert verdict
    gap = [link for link in links if link != (1000, 1001)]
    verdict = verdict_on(program, {"e": gap, "s": [(0,)]}, t=whole)
    assert isinstance(verdict, Violation)
    assert verdict.kind == "unfounded"


def test_relation_with_a_choice_is_refused_by_name() -> None:
    program = parse_program(".decl p(x: number, y: number) choice-domain x  p(1, 2).")
    with pytest.raises(EngineError, match="facts of `p` cannot be certified from files"):
        verify_facts(program, {}, {"p": [(1, 2)]}, {})
