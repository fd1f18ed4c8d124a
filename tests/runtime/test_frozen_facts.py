"""A state that is frozen while it is read in batches."""

from __future__ import annotations

import pytest

from tests.law.harness import Case, commit
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.engine.read.state import streamed_state
from tidelog.errors import EngineError
from tidelog.runtime.protocol import frozen_facts
from tidelog.verify import check, fact_cache, verify

REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_streamed_state_is_the_state_of_its_epoch(partitions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen_facts, "BATCH", 3)
    for seed in range(310, 314):
        case = Case.random(seed, "all", 2)
        with Engine(case.program, partitions=partitions) as db:
            commit(db, case.changes[0], case.program.convention)
            core, wanted = core_of(db), db.state()
            with streamed_state(core.runtime, core.planner.placing.form, core.dictionary) as (state, _):
                for change in case.changes[1:]:
                    commit(db, change, case.program.convention)
                assert {name: dict(facts.items()) for name, facts in state.facts.items()} == wanted.facts
                assert all(len(facts) == len(wanted.facts[name]) for name, facts in state.facts.items())
                assert (state.mirrored, state.strata) == (wanted.mirrored, wanted.strata)


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_check_holds_the_relations_of_one_stratum_at_a_time(partitions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 0
    layers = "".join(f"p{i + 1}(X) :- p{i}(X), X >= 0." for i in range(10))
    stratum = check.Check.stratum

    def watched(self: check.Check, *args: object) -> None:
        nonlocal most
        stratum(self, *args)  # type: ignore[arg-type]  # as it was called
        most = max(most, sum(len(ranks) for ranks, _ in self._claim.taken._held.values()))

    monkeypatch.setattr(check.Check, "stratum", watched)
    monkeypatch.setattr(fact_cache.FactCache.__init__, "__defaults__", (0,))
    with Engine(layers, partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("p0", [(i,) for i in range(1000)])
        verdict = db.verify()
        assert (verdict.facts, verdict.supports) == (11_000, 10_000)  # type: ignore[union-attr]  # a certificate
        assert most <= 2000
        assert verify(db.program, None, db.state())


def test_a_copy_that_is_gone_is_told() -> None:
    with Engine(REACH, partitions=2) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2)])
        with core_of(db).runtime.facts.freeze(["edge"]) as copy:
            copy.close()
            with pytest.raises(EngineError, match="was lost with a partition") as raised:
                list(copy.batches("edge"))
    assert raised.value.code == "TL4465"


@pytest.mark.parametrize("partitions", [1, 2])
def test_a_copy_is_gone_when_other_partitions_have_taken_over(partitions: int) -> None:
    with Engine(REACH, partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2)])
        with core_of(db).runtime.facts.freeze(["edge"]) as copy:
            db.repartition(3)
            if partitions == 1:  # it is in this process, and stays
                assert sum(len(counts[0]) for counts in copy.batches("edge")) == 1
                return
            with pytest.raises(EngineError, match="was lost with a partition") as raised:
                list(copy.batches("edge"))
    assert raised.value.code == "TL4465"


def test_copies_are_given_up_after_a_check() -> None:
    with Engine(REACH, partitions=2) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        assert db.verify()
        assert not any(service.frozen for service in core_of(db).runtime.nodes.services)  # type: ignore[attr-defined]
