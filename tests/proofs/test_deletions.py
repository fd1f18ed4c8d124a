"""Ranked support beside DRed, backward/forward, DBSP and counting: the table of docs/design/ranked-support.md.

Each "at most" is a theorem of proofs/Within.v or of the paper named there, and is tried here on random programs and
histories. Each "not at most" is found here as a counter-example, by the same search. What this cannot notice: what an
implementation of the other algorithms costs besides facts touched.
"""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from tests.proofs.deletions import (
    OTHERS,
    Rule,
    counted,
    feeders,
    heights,
    ladder,
    moved,
    overdeleted,
    random_deletion,
    touched,
)
from tests.proofs.deletions import Ranked as GroundState
from tidelog.engine.engine import Engine

AT_MOST = {("ranked", "DRed"), ("DBSP", "DRed")}
NAMES = ("ranked", *OTHERS)
SEEDS = range(3000)


def test_table_of_who_touches_at_most_what_another_does() -> None:
    exceeded = set()
    for seed in SEEDS:
        state, lost = random_deletion(Random(seed))
        sizes = touched(state, lost)
        exceeded |= {(one, other) for one, other in permutations(NAMES, 2) if sizes[one] > sizes[other]}
    assert set(permutations(NAMES, 2)) - exceeded == AT_MOST


def test_ground_states_are_least_models_and_every_algorithm_touches_what_goes() -> None:
    for seed in SEEDS:
        state, lost = random_deletion(Random(seed))
        old = list(state.rules)
        assert set(state.ranks) == set(heights(old)), seed
        suspended = state.change(lost=[lost])
        assert set(state.ranks) == set(heights(state.rules)), seed
        gone = set(heights(old)) - set(state.ranks)
        for touch in (*OTHERS.values(), lambda *_, found=suspended: found):
            assert gone <= touch(old, state.rules), seed


def test_suspended_facts_and_facts_of_another_height_are_among_the_overdeleted() -> None:
    for seed in SEEDS:
        state, lost = random_deletion(Random(seed))
        old = list(state.rules)
        suspended = state.change(lost=[lost])
        assert suspended | moved(old, state.rules) <= overdeleted(old, state.rules), seed


def test_without_recursion_counting_is_right_and_with_strata_nothing_is_suspended_in_vain() -> None:
    for seed in range(500):
        state, lost = random_deletion(Random(seed), recursive=False)
        old = list(state.rules)
        state.change(lost=[lost])
        assert counted(old, state.rules) == set(heights(old)) - set(heights(state.rules)), seed


def test_counting_keeps_a_circle_alive() -> None:
    rules: list[Rule] = [(0, ()), (0, (1,)), (1, (0,))]
    assert heights(rules[1:]) == {}
    assert counted(rules, rules[1:]) == set()


@pytest.mark.parametrize("size", [1, 5, 40])
def test_ladder_suspends_one_rail_in_vain(size: int) -> None:
    rules, lost = ladder(size)
    sizes = touched(GroundState(rules), lost)
    checked = min(4, size + 3)
    assert sizes == {"ranked": size + 1, "DRed": 2 * size + 1, "backward/forward": checked, "DBSP": size + 1}


@pytest.mark.parametrize("downstream", [1, 5, 40])
def test_second_feeder_of_equal_height_saves_all_that_follows(downstream: int) -> None:
    rules, lost = feeders(1, downstream)
    sizes = touched(GroundState(rules), lost)
    assert sizes == {"ranked": 1, "DRed": downstream + 2, "backward/forward": 3, "DBSP": 1}


@pytest.mark.parametrize("chain", [3, 5, 40])
def test_backward_search_may_go_all_the_way(chain: int) -> None:
    rules, lost = feeders(chain, 0)
    sizes = touched(GroundState(rules), lost)
    assert sizes == {"ranked": 2, "DRed": 2, "backward/forward": chain + 2, "DBSP": 2}


def test_late_feeder_that_goes_again_is_noticed_by_heights_only() -> None:
    rules, lost = feeders(4, 10)
    state = GroundState(rule for rule in rules if rule not in (lost, (5, (0,))))
    state.change(gained=[lost, (5, (0,))])
    assert touched(state, lost) == {"ranked": 1, "DRed": 12, "backward/forward": 6, "DBSP": 12}


REACH = "reach(X) :- source(X). reach(Y) :- reach(X), edge(X, Y)."


def suspended_by_engine(rules: list[Rule], lost: Rule) -> int:
    """What the engine suspends of `reach` when a source goes; rules have at most one fact in their bodies."""
    with Engine(REACH) as db:
        with db.epoch() as epoch:
            epoch.insert("source", [(head,) for head, body in rules if not body])
            epoch.insert("edge", [(body[0], head) for head, body in rules if body])
        with db.epoch() as epoch:
            epoch.delete("source", [(lost[0],)])
        return sum(stratum.suspended for stratum in epoch.statistics.strata if "reach" in stratum.relations)


@pytest.mark.parametrize(("rules", "lost"), [ladder(30), feeders(1, 30), feeders(20, 30)])
def test_engine_suspends_what_the_ground_state_does(rules: list[Rule], lost: Rule) -> None:
    assert suspended_by_engine(rules, lost) == len(GroundState(rules).change(lost=[lost]))


def test_engine_keeps_what_a_late_feeder_of_equal_depth_holds() -> None:
    """The second feeder comes later and stands where it belongs: when the first one goes, nothing else is suspended."""
    rules, lost = feeders(1, 30)
    with Engine(REACH) as db:
        for late in (False, True):
            with db.epoch() as epoch:
                epoch.insert("source", [(head,) for head, body in rules if not body and (head == 1) == late])
                epoch.insert("edge", [(body[0], head) for head, body in rules if body and (1 in body) == late])
        with db.epoch() as epoch:
            epoch.delete("source", [(lost[0],)])
        assert epoch.statistics.suspended == len({lost[0]}) + 1  # of `source` and of `reach`


def test_engine_suspends_at_most_what_dred_overdeletes() -> None:
    rng = Random(3)
    for _ in range(40):
        nodes = range(rng.randint(3, 12))
        edges = {(rng.choice(nodes), rng.choice(nodes)) for _ in range(2 * len(nodes))}
        rules: list[Rule] = [(0, ()), (1, ()), *((y, (x,)) for x, y in sorted(edges))]
        new = [rule for rule in rules if rule != (0, ())]
        assert suspended_by_engine(rules, (0, ())) <= len(overdeleted(rules, new))
