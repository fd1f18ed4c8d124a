"""Epochs: what they report, labels of rules (D4), limits (D6), misuse, and readers beside a running epoch (D5)."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from tidelog import DataError, Engine, EngineError, EvaluationError, LimitError, Limits, ProgramError, user_function
from tidelog.engine.engine import core_of
from tidelog.partition.phases.partition import Partition
from tidelog.runtime.base.interrupts import Interrupts
from tidelog.runtime.many.coordinator import Coordinator
from tidelog.runtime.many.local import LocalNodes
from tidelog.runtime.node import small_epoch

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def chain(length: int, limits: Limits | None = None) -> Engine:
    db = Engine(REACH, limits=limits)
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(length)])
    return db


def test_epochs_are_numbered_and_tell_what_changed() -> None:
    db = chain(3)
    with db.epoch() as e:
        e.insert("edge", [(3, 4)])
        e.delete("edge", [(0, 1)])
    assert e.number == db.epoch_number == 3
    assert sorted(e.changes["reach"].inserted) == [(1, 4), (2, 4), (3, 4)]
    assert sorted(e.changes["reach"].deleted) == [(0, 1), (0, 2), (0, 3)]
    assert sorted(e.changes) == ["edge", "reach"]
    assert repr(e.changes) == "edge: +1 -1, reach: +3 -3"
    assert e.changes["edge"].signed == [(1, (3, 4)), (-1, (0, 1))]


def test_changes_of_a_relation_that_did_not_change_are_empty() -> None:
    db = chain(2)
    with db.epoch() as e:
        e.insert("other", [(1,)])
    assert not e.changes["reach"]
    assert len(e.changes["reach"].inserted) == 0
    with pytest.raises(EngineError, match="reahc"):
        e.changes["reahc"]


def test_change_sets_stay_as_they_were() -> None:
    db = chain(2)
    with db.epoch() as first:
        first.insert("edge", [(7, 8)])
    with db.epoch() as second:
        second.delete("edge", [(7, 8)])
    assert first.changes["reach"].inserted == [(7, 8)]
    assert second.changes["reach"].deleted == [(7, 8)]


def test_statistics_count_supports_per_rule() -> None:
    db = chain(3)
    with db.epoch() as e:
        e.insert("edge", [(3, 4)])
    assert e.statistics.supports == {"r1": 1, "r2": 3}
    assert e.statistics.seconds > 0
    with db.epoch() as e:
        e.delete("edge", [(3, 4)])
    assert e.statistics.suspended == 5  # the edge and what hung on it
    assert e.statistics.revived == 0


def test_labels_are_given_and_never_given_again() -> None:
    db = Engine(REACH)
    with db.epoch() as e:
        assert e.add_rule("a(X) :- edge(X,_).") == "r3"
        assert e.add_rule("b(X) :- edge(X,_).", label="mine") == "mine"
        assert e.add_rule("own: c(X) :- edge(X,_).") == "own"
    with db.epoch() as e:
        e.remove_rule("r3")
    with db.epoch() as e:
        assert e.add_rule("a(X) :- edge(X,_).") == "r4"
    assert sorted(db.rules) == ["mine", "own", "r1", "r2", "r4"]
    assert db.rules["r4"].endswith("a(X) :- edge(X, _).")


def test_unknown_label_is_refused_with_the_known_ones() -> None:
    db = Engine(REACH)
    with pytest.raises(EngineError, match="no rule has the label `r9`; known labels: `r1`, `r2`"), db.epoch() as e:
        e.remove_rule("r9")


def test_label_that_is_taken_is_refused() -> None:
    db = Engine(REACH)
    with pytest.raises((EngineError, ProgramError), match="r1"), db.epoch() as e:
        e.add_rule("a(X) :- edge(X,_).", label="r1")
    assert len(db.rules) == 2


def test_rule_added_and_removed_in_one_epoch_was_never_there() -> None:
    db = chain(2)
    with db.epoch() as e:
        e.remove_rule(e.add_rule("a(X) :- edge(X,_)."))
    assert "a" not in db


def test_rule_that_is_wrong_is_refused_with_its_code() -> None:
    db = chain(2)
    with pytest.raises(ProgramError) as raised, db.epoch() as e:
        e.add_rule("a(X) :- edge(Y, Y).")
    assert {d.code[:3] for d in raised.value.diagnostics} == {"TL3"}
    with pytest.raises(ProgramError, match="TL1"), db.epoch() as e:
        e.add_rule("a(X) :- edge(X")


def test_epoch_that_is_over_takes_nothing_more() -> None:
    db = chain(2)
    with db.epoch() as e:
        e.insert("edge", [(5, 6)])
    for misuse in (lambda: e.insert("edge", [(1, 1)]), lambda: e.add_rule("a(X) :- edge(X,_)."), e.commit):
        with pytest.raises(EngineError, match="this epoch has already ended"):
            misuse()


def test_commit_by_hand() -> None:
    db = Engine(REACH)
    e = db.epoch()
    e.insert("edge", [(1, 2)])
    assert len(db["edge"]) == 0
    e.commit()
    assert len(db["reach"]) == 1


def partitions_of(db: Engine) -> list[Partition]:
    runtime = core_of(db).runtime
    if isinstance(runtime, Coordinator):
        assert isinstance(runtime.nodes, LocalNodes)
        return [service.node.partition for service in runtime.nodes.services]
    return [runtime.node.partition]


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 2}, {"partitions": 2}], ids=str)
def test_closed_engine_holds_no_facts(options: dict[str, int]) -> None:
    db = Engine("p(X) :- e(X).", **options)
    with db.epoch() as e:
        e.insert("e", [(1,), (2,)])
    assert sorted(db.query("p(X)")) == [(1,), (2,)]
    del e
    held = weakref.WeakSet(partitions_of(db))
    assert held
    gc.disable()
    try:
        db.close()
        assert not held
    finally:
        gc.enable()


def test_closed_engine_refuses_everything() -> None:
    db = chain(2)
    view = db["reach"]
    rows = view.rows()
    with db:
        pass
    for use in (lambda: db["reach"], db.epoch, lambda: db.query("reach(X,Y)"), db.state, lambda: view.rows()):
        with pytest.raises(EngineError, match="closed"):
            use()
    assert len(rows) == 3


def test_unknown_relation_is_refused_with_the_nearest_name() -> None:
    db = chain(2)
    with pytest.raises(EngineError, match=r"unknown relation `raech`.*`reach`"):
        db["raech"]
    assert "raech" not in db
    assert "reach" in db


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(facts=1000), "its limit is 1,000"),
        (Limits(memory=20_000), "the limit is 20,000"),
    ],
)
def test_limits_abort_the_epoch_and_nothing_has_changed(limits: Limits, said: str) -> None:
    db = Engine(REACH, limits=limits)
    before = db.state()
    with pytest.raises(LimitError, match=said), db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(300)])
    assert db.state() == before


def test_small_limit_of_facts_is_kept_exactly() -> None:
    db = Engine(REACH, limits=Limits(facts=5))
    with pytest.raises(LimitError), db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3), (3, 4)])
    assert len(db["edge"]) == 0
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3)])
    assert len(db["reach"]) == 3


@pytest.mark.parametrize(
    ("limits", "said"),
    [(Limits(facts=10_000), "its limit is 10,000"), (Limits(seconds=0.5), "exceeded its time limit of 0.5 s")],
)
def test_divergence_runs_into_a_limit(limits: Limits, said: str) -> None:
    db = Engine("n(Y) :- n(X), Y = X + 1.", limits=limits)
    with pytest.raises(LimitError, match=said), db.epoch() as e:
        e.insert("n", [(0,)])
    assert len(db["n"]) == 0


def test_negative_cycle_diverges_into_the_limits() -> None:
    program = "d(X, min<C>) :- s(X), C = 0.  d(Y, min<C>) :- d(X,A), e(X,Y,W), C = A + W."
    db = Engine(program, limits=Limits(facts=10_000))
    with pytest.raises(LimitError), db.epoch() as e:
        e.insert("s", [(0,)])
        e.insert("e", [(0, 1, -1), (1, 0, 0)])
    assert len(db["d"]) == 0


def test_reader_sees_the_last_committed_epoch_while_another_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    db = chain(30)
    before = sorted(db["reach"])
    seen: list[list[tuple[int, int]]] = []
    machine = core_of(db).runtime.node.partition.machine

    def read() -> None:
        seen.append(sorted(db["reach"]))

    def look(self: Interrupts) -> None:
        if len(seen) < 3:
            reader = threading.Thread(target=read)
            reader.start()
            reader.join(timeout=10)

    monkeypatch.setattr(small_epoch, "MOST_ROWS", -1)  # a small epoch is over before anybody could read
    monkeypatch.setattr(Interrupts, "check", look)
    monkeypatch.setattr(type(machine), "_adapt", lambda *_: None)
    machine._budget = 20
    with db.epoch() as e:
        e.delete("edge", [(10, 11)])
        e.insert("edge", [(30, 0), (40, 41)])
    assert len(seen) == 3
    assert all(rows == before for rows in seen)
    assert sorted(db["reach"]) != before


def test_iteration_once_begun_shows_its_epoch() -> None:
    db = chain(5)
    rows = iter(db["reach"])
    first = next(rows)
    with db.epoch() as e:
        e.delete("edge", [(i, i + 1) for i in range(5)])
    assert len([first, *rows]) == 15
    assert len(db["reach"]) == 0


def test_writers_in_two_threads_take_turns() -> None:
    db = Engine(REACH)

    def write(base: int) -> None:
        for i in range(20):
            with db.epoch() as e:
                e.insert("edge", [(base + i, base + i + 1)])

    writers = [threading.Thread(target=write, args=(base,)) for base in (0, 1000)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert db.epoch_number == 41
    assert len(db["reach"]) == 2 * 210


def test_user_functions_run_on_distinct_arguments_only() -> None:
    calls = []

    @user_function("double", ("number",), "number")
    def double(x: int) -> int:
        calls.append(x)
        return 2 * x

    db = Engine("p(X, double(Y)) :- q(X, Y).", functions=[double])
    with db.epoch() as e:
        e.insert("q", [(i, i % 3) for i in range(30)])
    assert sorted(calls) == [0, 1, 2]
    assert (29, 4) in db["p"]


def test_user_function_that_fails_is_told_and_rolled_back() -> None:
    @user_function("fails", ("symbol",), "symbol")
    def fails(text: str) -> str:
        raise RuntimeError("no")

    db = Engine("p(fails(X)) :- q(X).", functions=[fails])
    with pytest.raises(EvaluationError, match=r"fails\('a',\) failed: RuntimeError: no"), db.epoch() as e:
        e.insert("q", [("a",)])
    assert len(db["q"]) == 0


def test_user_function_with_a_result_of_another_type_is_told() -> None:
    wrong = user_function("wrong", ("number",), "number")(lambda x: "text")
    db = Engine("p(wrong(X)) :- q(X).", functions=[wrong])
    with pytest.raises(EvaluationError, match="'text' is not a value of type number"), db.epoch() as e:
        e.insert("q", [(1,)])


def test_built_in_functions_cannot_be_replaced() -> None:
    with pytest.raises(EngineError, match="built in"):
        Engine("", functions=[user_function("strlen", ("symbol",), "number")(len)])


def test_engine_without_a_program_learns_relations_from_data() -> None:
    db = Engine()
    with db.epoch() as e:
        e.insert("p", [("a", 1)])
    assert db.relations == ("p",)
    assert db["p"].types == ("symbol", "number")
    with pytest.raises(DataError, match="has 2 columns"), db.epoch() as e:
        e.insert("p", [(1,)])


def test_rules_of_an_epoch_that_comes_again_are_passed_over() -> None:
    db = Engine("a: p(X) :- q(X).")
    for _ in range(2):
        with db.epoch(source="file", offset=1) as e:
            e.insert("q", [(1,)])
            e.remove_rule("a")
            assert e.add_rule("p(X + 1) :- q(X).", label="b") == "b"
        assert (db.epoch_number, sorted(db["p"])) == (2, [(2,)])
        assert list(db.rules) == ["b"]


def test_asserted_facts_keep_the_types_that_a_rule_gave_them_when_the_rule_goes() -> None:
    db = Engine()
    with db.epoch() as e:
        e.add_rule("half(X, V / 2.0 + 0.5) :- f(X, V).", label="a")
        e.insert("f", [(1, 0.5)])
    with db.epoch() as e:
        e.remove_rule("a")
    with db.epoch() as e:
        e.add_rule("g(X) :- h(X).", label="b")
    assert list(db["f"]) == [(1, 0.5)]
    with db.epoch() as e:
        e.insert("f", [(2, 1.5)])
    assert sorted(db["f"]) == [(1, 0.5), (2, 1.5)]


def test_a_rule_that_is_replaced_by_one_of_another_shape_in_one_epoch_is_told_by_its_label() -> None:
    one, other = "p(N) :- N = count : { q(_) }.", "p(N) :- q(X), N = sum Y : { r(X, Y) }."
    db = Engine(f"a: {one} q(1). r(1, 4).")
    with pytest.raises(EngineError, match="rule `a` cannot be replaced by a rule of another shape"), db.epoch() as e:
        e.remove_rule("a")
        e.add_rule(other, label="a")
    assert list(db["p"]) == [(1,)]
    with db.epoch() as e:
        e.remove_rule("a")
    with db.epoch() as e:
        e.add_rule(other, label="a")
    assert list(db["p"]) == [(4,)]
    assert db.verify()
