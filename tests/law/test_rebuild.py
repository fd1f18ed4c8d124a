"""The law when strata are built again in the middle of their retraction (D26): facts, counts and feeds are the same.

Retractions tip at random places (`sabotage.rebuilding`), before they begin or between any two rows, on one partition
and on several, with messages in any order. Further: an epoch that fails inside a rebuild leaves no trace; limits count
what an epoch makes, not what it finds again; the statistics say which way was taken, and why.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import Case, counts_of, run, story
from tests.law.sabotage import rebuilding
from tests.law.share import share
from tests.law.test_rollback import run_with_trouble
from tests.law.unkind import engine_on
from tidelog import Engine, LimitError, Limits
from tidelog.engine.engine import core_of
from tidelog.partition.phases import rebuild_cost

CASES = share(8, 16)
BLOCK = 10
REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, CASES, BLOCK))
def test_law_holds_where_strata_are_built_again(first: int, kind: str) -> None:
    told: list[str] = []
    for seed in range(5 * 10**6 + first, 5 * 10**6 + first + BLOCK):
        case = Case.random(seed, kind)
        with rebuilding(Random(seed)) as tipped:
            try:
                run(case)
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error
        told += tipped
    assert len(told) > BLOCK  # else nothing was tried


@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(0, share(32, 10), BLOCK))
def test_all_partitions_build_a_stratum_again_together(first: int, kind: str) -> None:
    told: list[str] = []
    for seed in range(6 * 10**6 + first, 6 * 10**6 + first + BLOCK):
        case, rng = Case.random(seed, kind), Random(seed)
        with rebuilding(rng, rng.choice([0.1, 0.5])) as tipped:
            try:
                run(case, engine_on(2 + seed % 2, Random(seed) if seed % 3 else None))
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error
        told += tipped
    assert told


@pytest.mark.parametrize("kind", ["plain", "all"])
def test_epochs_that_fail_while_a_stratum_is_built_again_leave_no_trace(kind: str) -> None:
    failed, told = 0, []
    for seed in range(7 * 10**6, 7 * 10**6 + BLOCK):
        case, rng = Case.random(seed, kind, epochs=3), Random(seed)
        with rebuilding(rng, 0.3) as tipped:
            try:
                failed += run_with_trouble(case, rng)
            except Exception as error:
                raise AssertionError(f"seed {seed}, kind {kind}: {error}\n{case}") from error
        told += tipped
    assert failed > BLOCK
    assert told


def test_counts_are_those_of_a_retraction() -> None:
    for seed in range(8 * 10**6, 8 * 10**6 + 10):
        case = Case.random(seed, "plain")
        with rebuilding(Random(seed), 0.7):
            built = counts_of(run(case))
        assert built == counts_of(run(case))


def edges(count: int, nodes: int = 120) -> list[tuple[int, int]]:
    rng = Random(count)
    return sorted({(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(count)})


def reach(limits: Limits | None = None) -> Engine:
    db = Engine(REACH, limits=limits)
    with db.epoch() as e:
        e.insert("edge", edges(500))
    return db


def test_most_of_what_rules_read_gone_is_a_rebuild_and_told() -> None:
    db = reach()
    with db.epoch() as e:
        e.delete("edge", edges(500)[:400])
    (visited,) = (s for s in e.statistics.strata if s.relations == ("reach",))
    assert visited.rebuilt.startswith("about ")
    assert "supports would be lost" in visited.rebuilt
    assert visited.suspended == 0
    assert "reach: rebuilt 1 x, which was cheaper than retracting; the last time because about" in str(db.profile())
    assert "rebuilt by the last epoch that reached it: about" in str(db.explain())
    fresh = Engine(REACH)
    with fresh.epoch() as e:
        e.insert("edge", edges(500)[400:])
    assert counts_of(db) == counts_of(fresh)


def test_rebuild_may_be_forbidden() -> None:
    for limits in (Limits(rebuild=False), Limits(rounds=1000)):
        db = reach(limits)
        with db.epoch() as e:
            e.delete("edge", edges(500)[:400])
        assert [s.rebuilt for s in e.statistics.strata] == ["", ""]


def test_small_change_is_retracted() -> None:
    db = reach()
    with db.epoch() as e:
        e.delete("edge", edges(500)[:1])
    assert [s.rebuilt for s in e.statistics.strata] == ["", ""]


def test_limit_of_facts_counts_what_an_epoch_makes_not_what_it_finds_again() -> None:
    db = reach()
    core_of(db).runtime.set_limits(Limits(facts=10))
    with db.epoch() as e:
        e.delete("edge", edges(500)[:300])
        e.insert("edge", [(1000, 1001)])
    assert any(s.rebuilt for s in e.statistics.strata)
    before = db.state()
    with pytest.raises(LimitError, match="its limit is 10"), db.epoch() as e:
        e.delete("edge", edges(500)[300:])
        e.insert("edge", [(i, i + 1) for i in range(2000, 2010)])
    assert db.state() == before


def test_retraction_tips_in_the_middle_where_nothing_told_so_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild_cost, "FEW", 256)
    db = Engine(REACH)
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(200)])
    with db.epoch() as e:
        e.delete("edge", [(66, 67), (133, 134)])
    reasons = [s.rebuilt for s in e.statistics.strata]
    assert any(reasons), reasons
    assert len(db["reach"]) == 3 * 67 * 66 // 2


def test_candidate_of_a_lower_stratum_that_is_built_again_stays_exposed_until_it_is_gone() -> None:
    with rebuilding(Random(1), 1.0) as tipped:  # EXPOSED belongs to the stratum of the max, not to that of its values
        story("best(X, max<Y>) :- d(X,Y).  d(X,Y) :- e(X,Y).", "+e(3,2). +e(3,1).", "-e(3,1).", "-e(3,2).")
    assert tipped


def test_rules_and_facts_of_the_same_epoch_count_once() -> None:
    with rebuilding(Random(1), 1.0) as tipped:
        story(
            "p(X) :- q(X), !s(X).  p(X) :- p(Y), e(Y,X).  n(count<X>) :- p(X).  best(X, min<Y>) :- e(X,Y).",
            "+q(1). +q(2). +e(1,2). +e(2,3). +e(3,1). +p(9).",
            "-q(1). +p(1). +s(2). +e(9,4). -e(3,1). +p(X) :- r(X). +r(7).",
            "-p(1). +p(1). -s(2). +q(1).",
        )
    assert tipped
