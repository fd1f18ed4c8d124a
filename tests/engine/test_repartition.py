"""Another number of partitions: what is reported, what stays, and failures, stops and interrupts at any moment of it.

They notice an engine or a folder that stands between two numbers, facts that change, readers and views that are lost.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.law.harness import tell
from tests.law.repartition_cases import ALL_PAIRS, SHAPES, UNGROUPED, random_graph
from tests.store.disks import STOP, MemoryDisk, MemoryStore, Stopped
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.errors import EngineError, LimitError, StateError
from tidelog.partition.base.limits import Limits
from tidelog.store.folder.scrub import scrub
from tidelog.testing.invariants import violations
from tidelog.testing.programs import find_programs, load_program

PROGRAM = """
reach(X,Y) :- edge(X,Y).
reach(X,Z) :- reach(X,Y), reach(Y,Z).
far(X, max<Y>) :- reach(X,Y).
loud(cat(S, "!")) :- name(S, X), !reach(X, X).
"""
EDGES = [(i, i + 1) for i in range(9)]


def grown(path: object = None, partitions: int = 2) -> Engine:
    db = Engine(PROGRAM, path=path, partitions=partitions)  # type: ignore[arg-type]  # a path or a store
    with db.epoch() as e:
        e.insert("edge", EDGES)
        e.insert("name", [("a", 1), ("b", 2)])
    return db


def facts_of(db: Engine) -> dict[str, list[tuple[object, ...]]]:
    return {name: sorted(db[name]) for name in db.relations}


FACTS = facts_of(grown())


def check(db: Engine, partitions: int) -> None:
    assert core_of(db).runtime.partitions == partitions
    assert facts_of(db) == FACTS
    assert not violations(db.state())


def test_facts_stay_and_views_and_changes_that_somebody_holds_too() -> None:
    with grown() as db:
        view = db["loud"]
        with db.epoch() as e:
            e.insert("name", [("c", 3)])
        for count, told in (
            (3, "all facts were moved with their ranks and counts"),
            (1, "ranks were computed for reach"),
        ):
            assert db.repartition(count).endswith(told)
            assert sorted(view) == [("a!",), ("b!",), ("c!",)]
            assert list(e.changes["loud"].inserted) == [("c!",)]
        with db.epoch() as e:
            e.insert("name", [("d", 4)])
        assert ("d!",) in view
        assert db.epoch_number == 6


def test_the_same_number_is_no_epoch_and_an_impossible_one_is_refused() -> None:
    with grown() as db:
        assert db.repartition(2) == "there are already 2 partitions"
        assert db.epoch_number == 2
        with pytest.raises(EngineError, match="partitions=0: must be between 1 and"):
            db.repartition(0)
    with pytest.raises(EngineError, match="closed"):
        db.repartition(3)


def test_readers_in_other_threads_are_answered_meanwhile() -> None:
    db = Engine("reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z).")
    with db.epoch() as epoch:
        epoch.insert("edge", [(number, number + 1) for number in range(20)])
    expected, failures, over = frozenset(db["reach"]), [], threading.Event()

    def read(right: Callable[[], bool]) -> None:
        while not over.is_set():
            try:
                assert right()
            except BaseException as error:
                failures.append(error)

    acts = (
        lambda: frozenset(db["reach"]) == expected,
        lambda: (0, 20) in db["reach"],
        lambda: len(db.query("reach(0, X), reach(_, X)")) == 20,
        lambda: len(db.asserted("edge")) == 20 and db.memory > 0,
    )
    threads = [threading.Thread(target=read, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for count in (2, 3, 1, 4) * 8:
        db.repartition(count)
    over.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_limits_hold_for_the_new_partitions() -> None:
    with Engine("n(X) :- m(X).", partitions=2, limits=Limits(100)) as db:
        db.repartition(3)
        with pytest.raises(LimitError, match="its limit is 100"), db.epoch() as e:
            e.insert("m", [(i,) for i in range(200)])


def test_a_reader_of_an_epoch_cannot_change_the_number(tmp_path: Path) -> None:
    grown(tmp_path).close()
    with Engine(path=tmp_path, at=-1) as past, pytest.raises(EngineError, match="read"):
        past.repartition(3)


def test_a_state_that_got_other_numbers_is_scrubbed(tmp_path: Path) -> None:
    with grown(tmp_path, 3) as db:
        for count in (1, 4, 2):
            db.repartition(count)
            with db.epoch() as e:
                e.insert("edge", [(count, 50 + count)])
            db.snapshot()
    assert not scrub(str(tmp_path)).wrong


def test_feeds_rules_and_questions_go_on(tmp_path: Path) -> None:
    with grown(tmp_path / "s") as db:
        db.write_feed("far", folder=tmp_path / "feed")
        db.repartition(3)
        with db.epoch() as e:
            e.add_rule("back(Y, X) :- reach(X, Y).", label="back")
            e.insert("edge", [(9, 0)])
        assert len(db["back"]) == 100
        assert db.query("back(3, X)").rows()
        assert db.why("reach(3, 2)")
        assert db.blame("reach(3, 2)")
        assert not violations(db.state())
    with Engine(path=tmp_path / "s") as db:
        assert core_of(db).runtime.partitions == 3
        assert len(db["back"]) == 100
        assert db.blame("reach(3, 2)", since=1)
    assert len(list((tmp_path / "feed").iterdir())) >= 1


@pytest.mark.parametrize("counts", [(1, 2), (2, 3), (3, 1)])
def test_a_failure_at_any_operation_leaves_the_old_partitions(counts: tuple[int, int]) -> None:
    for nth in range(1, 100):
        disk = MemoryDisk()
        db = grown(MemoryStore(disk), counts[0])
        disk.nth = disk.operations + nth
        try:
            db.repartition(counts[1])
        except StateError:
            check(db, counts[0])
            assert db.epoch_number == 2
            db.repartition(counts[1])
        check(db, counts[1])
        again = Engine(path=MemoryStore(disk.after_power_loss()))
        check(again, counts[1])
        if disk.operations < disk.nth:
            return
    raise AssertionError("there is an end to the operations")


@pytest.mark.parametrize("counts", [(1, 2), (2, 3), (3, 1)])
def test_a_stop_at_any_operation_leaves_the_folder_before_or_after(counts: tuple[int, int]) -> None:
    found = set()
    for nth in range(1, 100):
        disk = MemoryDisk(mode=STOP)
        db = grown(MemoryStore(disk), counts[0])
        disk.nth = disk.operations + nth
        try:
            db.repartition(counts[1])
        except Stopped:
            for left in (disk.after_kill(), disk.after_power_loss(written=0.6 * (nth % 2))):
                again = Engine(path=MemoryStore(left))
                count = core_of(again).runtime.partitions
                assert (again.epoch_number, count) in ((2, counts[0]), (3, counts[1]))
                check(again, count)
                found.add(count)
            again.repartition(4)
            check(Engine(path=MemoryStore(left.after_kill())), 4)
        else:
            assert found == set(counts)
            return
    raise AssertionError("there is an end to the operations")


@pytest.mark.parametrize("after", [0, 1, 5, 9, 30])
def test_ctrl_c_leaves_the_old_partitions_or_the_new_ones(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidelog.engine.open import repartition as module

    calls = iter(range(after + 1))

    def interrupted(self: object) -> None:
        if next(calls, None) == after:
            os.kill(os.getpid(), signal.SIGINT)
        self.on_slice()  # type: ignore[attr-defined]  # the watch itself

    with grown() as db:
        monkeypatch.setattr(module._Watch, "__call__", interrupted)
        try:
            db.repartition(3)
        except KeyboardInterrupt:
            check(db, 2)
        monkeypatch.undo()
        db.repartition(3)
        check(db, 3)


KILLED = """
import sys
from tests.engine.test_repartition import grown
db = grown(sys.argv[1], 2)
print("ready", flush=True)
numbers = [3, 1, 4, 2]
while True:
    for number in numbers:
        db.repartition(number)
        print(number, flush=True)
"""


@pytest.mark.long
@pytest.mark.parametrize("round_", range(1))
def test_a_killed_process_leaves_the_folder_at_one_number(tmp_path: Path, round_: int) -> None:
    for number in range(4):
        state = str(tmp_path / f"s{number}")
        child = subprocess.Popen([sys.executable, "-c", KILLED, state], stdout=subprocess.PIPE)
        assert child.stdout is not None
        for _ in range(2 + round_):
            child.stdout.readline()
        child.kill()
        child.wait()
        child.stdout.close()
        with Engine(path=state) as db:
            check(db, core_of(db).runtime.partitions)


def test_states_on_other_file_systems_get_other_numbers_too(tmp_path: Path) -> None:
    from pyarrow import fs

    from tidelog.store.base.objects import ObjectStore

    store = ObjectStore(fs.LocalFileSystem(), str(tmp_path))
    with grown(store, 1) as db:
        db.repartition(3)
    with Engine(path=store, partitions=2) as db:
        check(db, 2)
    with Engine(path=store) as db:
        check(db, 2)


STAR = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), edge(Y,Z)."


def test_a_relation_with_a_heavy_key_is_placed_by_another_column() -> None:
    with Engine(STAR, partitions=4) as db:
        with db.epoch() as e:
            e.insert("edge", [(0, i) for i in range(1, 2000)])
            e.insert("edge", [(i, 5000 + i % 7) for i in range(1, 2000)])
        facts, before = sorted(db["reach"]), str(db.explain())
        assert "reach: placed by column 1; 0 messages between partitions; the fullest partition has 2.5 x" in before
        db.repartition(4)
        assert sorted(db["reach"]) == facts
        assert "reach: placed by column 2; messages from r2\n" in str(db.explain())
        assert core_of(db).runtime.facts.unevenness("reach") < 1.2
        assert db.repartition(4) == "there are already 4 partitions"
        db.repartition(2)
        assert "reach: placed by column 2" in str(db.explain())


def test_a_column_that_the_program_names_stays() -> None:
    with Engine(STAR.replace("(X", "(@X").replace("(Y,Z)", "(@Y,Z)"), partitions=4) as db:
        with db.epoch() as e:
            e.insert("edge", [(0, i) for i in range(1, 2000)])
        assert "the fullest partition has 4.0 x the mean" in str(db.explain())
        assert db.repartition(4) == "there are already 4 partitions"


STAR_EDGES = [(0, i) for i in range(1, 3000)] + [(i, -i) for i in range(1, 3000)]


def fullest(db: Engine, name: str) -> float:
    return core_of(db).runtime.facts.unevenness(name)


def uneven(rules: str, **facts: list[tuple[int, ...]]) -> Engine:
    """A star on four partitions: half of all edges leave one node."""
    db = Engine(rules, partitions=4)
    with db.epoch() as e:
        for name, rows in {"edge": STAR_EDGES, **facts}.items():
            e.insert(name, rows)
    return db


@pytest.mark.parametrize(
    ("rules", "facts", "head"),
    [
        ("lab(X,Y,L) :- edge(X,Y), label(X,L).", {"label": [(i, i % 7) for i in range(3000)]}, "lab"),
        ("deg(X, count<Y>) :- edge(X,Y).", {}, "deg"),
        ("two(X,Y) :- edge(X,Y), edge(X,Z), Z < 3.", {}, "two"),
        ("t(X,Y) :- edge(X,Y). t(X,Z) :- t(X,Y), t(Y,Z).", {}, "t"),
    ],
)
def test_a_relation_whose_rules_need_the_heavy_column_stays(
    rules: str, facts: dict[str, list[tuple[int, ...]]], head: str
) -> None:
    with uneven(rules, **facts) as db:
        rows, before = sorted(db[head]), str(db.explain())
        assert "the fullest partition has" in before
        assert db.repartition(4) == "there are already 4 partitions"
        assert (sorted(db[head]), str(db.explain())) == (rows, before)
        db.repartition(3)
        assert "_by_1" not in str(db.explain(core=True)), "a copy as heavy as the relation"
        assert sorted(db[head]) == rows


def test_what_is_small_beside_a_heavy_relation_is_put_on_every_partition() -> None:
    rules, label = "lab(X,Y,L) :- edge(X,Y), label(X,L).", [(i, i % 7) for i in range(1000)]
    with uneven(rules, label=label) as db:
        assert fullest(db, "edge") > 2
        db.repartition(4)
        assert "label: on every partition" in str(db.explain())
        assert "x the mean" not in str(db.explain())
        assert max(fullest(db, "edge"), fullest(db, "lab")) < 1.2
        with db.epoch() as e:
            e.insert("edge", [(0, -i) for i in range(5000, 6000)])
            e.delete("label", [(1, 1)])
        assert e.statistics.messages == 0
        assert len(db["lab"]) == 2999 + 999 + 1000 - 1
        assert db.verify()
        assert db.repartition(4) == "there are already 4 partitions"


def test_what_is_small_but_asked_for_by_a_column_stays_there() -> None:
    with uneven("lab(X,Y,L) :- edge(X,Y), label(@X,L).", label=[(i, i % 7) for i in range(1000)]) as db:
        assert db.repartition(4) == "there are already 4 partitions"


def test_an_uneven_copy_is_told_with_what_it_copies() -> None:
    rules = "lab(X,Y,L) :- edge(X,@Y), label(X,L). deg(X, median<Y>) :- edge(X,Y), X >= 0."
    with uneven(rules, label=[(i, i % 7) for i in range(3000)]) as db:
        told = str(db.explain())
        assert fullest(db, "edge") < 1.2
        assert "  copy of edge by column 1: the fullest partition has 2.5 x the mean\n" in told
        assert "  rows to aggregate of r2: the fullest partition has 2.5 x the mean\n" in told
        assert "  __edge_by_1: the fullest partition has 2.5 x the mean\n" in str(db.explain(core=True))


# Min and max, witnesses, keys, subsumption


WAY = (2, 1, 3, 2, 4, 8, 4, 3, 1, 8, 2, 3, 4, 1)  # between any two of 1, 2, 3 and 4, and to and from 8


@pytest.mark.parametrize("shape", SHAPES)
def test_groups_of_several_columns_go_to_any_number_of_partitions_and_back(shape: str) -> None:
    graph = random_graph(8)
    with Engine(SHAPES[shape]) as judge, Engine(SHAPES[shape]) as db:
        for row in graph:
            for one in (judge, db):
                with one.epoch() as e:
                    e.insert("w", graph[:-3] if row is graph[0] else [row])
                    e.delete("w", [row] if row in graph[1:4] else [])
        for count, row in zip(WAY, graph[-3:] * 5, strict=False):
            db.repartition(count)
            assert facts_of(db) == facts_of(judge)
            for one in (judge, db):
                with one.epoch() as e:
                    (e.delete if row in one["w"] else e.insert)("w", [row])
            assert facts_of(db) == facts_of(judge)
            assert not violations(db.state())
        assert db.verify()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_folder_with_groups_opens_with_any_number_of_partitions_and_is_read_as_it_was(shape: str) -> None:
    disk, graph = MemoryDisk(), random_graph(8)
    with Engine(SHAPES[shape], path=MemoryStore(disk), partitions=3) as db:
        with db.epoch() as e:
            e.insert("w", graph)
        expected, number = facts_of(db), db.epoch_number
    for count in (1, 2, 8, 3):
        with Engine(path=MemoryStore(disk), partitions=count) as db:
            assert facts_of(db) == expected
            assert db.verify()
        with Engine(path=MemoryStore(disk), at=number) as past:
            assert facts_of(past) == expected
            assert past.verify()


def test_shortest_paths_of_many_nodes_are_moved_and_built() -> None:
    """Both ways to another number: records that move as they are, and a recursion that joins itself."""
    joining = "d(X, Z, min<C + K>) :- d(X, Y, C), d(Y, Z, K)."
    graph, found = random_graph(20), []
    for rules in (ALL_PAIRS, ALL_PAIRS + joining):
        with Engine(rules, partitions=2) as db:
            with db.epoch() as e:
                e.insert("w", graph)
            expected = facts_of(db)
            found.append([db.repartition(count) for count in (1, 3, 4)])
            assert facts_of(db) == expected
            assert db.verify()
    moved, built = found
    assert moved == ["all facts were moved with their ranks and counts"] * 3
    assert "new ranks were computed for" in built[0]


PROGRAMS = find_programs(Path(__file__).parents[2] / "programs")
# Random programs of all features do the same in `tests/law/test_repartition.py`.
SAMPLED = [pytest.param(path, marks=[pytest.mark.long] if i % 4 else []) for i, path in enumerate(PROGRAMS)]


@pytest.mark.parametrize("path", SAMPLED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_program_goes_through_other_numbers_while_it_changes(path: Path) -> None:
    case = load_program(path)
    with Engine(case.start.program, partitions=2) as db:
        with db.epoch() as e:
            for name, rows in case.start.relations().items():
                e.insert(name, rows)
        numbers = iter((1, 3, 2, 4) * (1 + len(case.epochs)))
        db.repartition(next(numbers))
        assert {name: frozenset(db[name]) for name in case.expected} == case.expected
        for change in case.epochs:
            with db.epoch() as e:
                tell(e, change, case.start.program.convention)
            before = {name: frozenset(db[name]) for name in db.relations}
            db.repartition(next(numbers))
            assert {name: frozenset(db[name]) for name in db.relations} == before
        assert {name: frozenset(db[name]) for name in case.expected_after} == case.expected_after
        assert db.verify()


# What rules that are gone leave behind


@pytest.mark.parametrize("rule", [UNGROUPED, UNGROUPED.replace("count", "sum X").replace("e(_)", "e(X)")])
@pytest.mark.parametrize("way", [(2, 1, 2), (3, 1, 2), (2, 1, 3), (2, 3, 2), (1, 2, 1, 3)])
@pytest.mark.parametrize("opened", [False, True])
def test_a_rule_that_comes_back_after_other_numbers_of_partitions_derives_all(
    rule: str, way: tuple[int, ...], opened: bool
) -> None:
    disk = MemoryDisk()
    db = Engine("", path=MemoryStore(disk), partitions=way[0])
    with db.epoch() as e:
        e.add_rule(rule, label="L")
        e.insert("v", [(i,) for i in range(10)])
    with db.epoch() as e:
        e.remove_rule("L")
    for count in way[1:]:
        if opened:
            db.close()
            db = Engine(path=MemoryStore(disk), partitions=count)
        else:
            db.repartition(count)
    with db.epoch() as e:
        e.add_rule(rule, label="L")
    assert len(db["d"]) == 10
    assert db.verify()
    with db.epoch() as e:
        e.insert("v", [(10,)])
    db.close()
    with Engine(path=MemoryStore(disk)) as db:
        assert len(db["d"]) == 11
        assert db.verify()


def test_nothing_of_a_rule_that_is_gone_survives_but_the_name_of_its_relation() -> None:
    """`blame` is asked about facts of a relation that rules made once, also after other partitions took over."""
    disk = MemoryDisk()
    with Engine("", path=MemoryStore(disk), partitions=2) as db:
        with db.epoch() as e:
            e.add_rule(UNGROUPED, label="L")
            e.insert("v", [(1,), (2,)])
        with db.epoch() as e:
            e.remove_rule("L")
        db.repartition(3)
        assert {name for name in core_of(db).runtime.node.strata if name.startswith("__")} == set()
        assert set(core_of(db).planner.placing.known) == set(core_of(db).runtime.node.strata)
    with Engine(path=MemoryStore(disk)) as db:
        assert "rule `L` was removed" in str(db.blame("d(1)"))


def test_relations_that_a_rule_had_put_together_are_apart_again() -> None:
    with Engine("a(X) :- n(X).  b(X) :- a(X).", partitions=2) as db:
        with db.epoch() as e:
            e.insert("n", [(1,), (2,)])
            label = e.add_rule("a(X) :- b(X).")
        with db.epoch() as e:
            e.remove_rule(label)
        assert any(len(group) > 1 for group in core_of(db).runtime.node.groups)
        db.repartition(1)
        assert all(len(group) == 1 for group in core_of(db).runtime.node.groups)
        assert not violations(db.state())
