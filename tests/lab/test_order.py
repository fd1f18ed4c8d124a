"""Does order matter: what is reported first, what is tried, what is found and how far it is reduced."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from random import Random

import pytest

from tests.law.harness import Case
from tests.runner import CliRunner
from tidelog import user_function
from tidelog.cli import app
from tidelog.errors import EngineError
from tidelog.lab.order import suspects
from tidelog.lab.order.compare import run_way
from tidelog.lab.order.shrink import shrink
from tidelog.lab.order.ways import Way, all_orders, net, random_way
from tidelog.lab.simulate.page import render
from tidelog.syntax import parse_changes, parse_program, print_program
from tidelog.testing import check_order

REACH = "reach(X,Y) :- edge(X,Y).  reach(X,Z) :- edge(X,Y), reach(Y,Z)."
CHOICE = ".decl e(x: number, y: number)\n.decl p(x: number, y: number) choice-domain x\np(x, y) :- e(x, y).\n"
_numbers = itertools.count()


@user_function("next_number", ("number",), "number")
def next_number(x: int) -> int:
    """No function: it gives another number every time."""
    return next(_numbers)


@user_function("twice", ("number",), "number")
def twice(x: int) -> int:
    """A function."""
    return 2 * x


@user_function("dice", ("number",), "number")
def dice(x: int) -> int:
    """No function either."""
    return random.randint(1, x)


def test_a_program_without_choice_agrees_in_all_orders_and_schedules() -> None:
    report = check_order(REACH, {"edge": [(1, 2), (2, 3)]}, tries=10)
    assert report
    assert (report.tried, report.orders, report.refused) == (12, 2, 0)
    assert "exhausted: all 2 orders of single changes" in str(report)


def test_all_schedules_of_messages_are_explored_where_the_simulator_runs_the_program() -> None:
    text = "path(@S,D) :- link(@S,D). path(@S,D) :- link(@S,Z), path(@Z,D)."
    report = check_order(text, {"link": [("a", "b"), ("b", "c")]}, tries=3)
    assert report.agrees
    assert report.explored.states > 10
    assert f"all schedules of messages on the simulator, {report.explored.states} states" in str(report)


def test_changes_of_facts_and_rules_agree_in_any_batches() -> None:
    script = "-edge(2,3). +edge(2,4). commit. + back: reach(Y,X) :- reach(X,Y). commit. -edge(1,2). - back. +edge(4,1)."
    report = check_order(REACH, {"edge": [(1, 2), (2, 3)]}, script, tries=10)
    assert report.agrees, str(report)
    assert (report.orders, report.refused) == (24, 0)


def test_epochs_of_a_program_with_constraints_stay_whole() -> None:
    program = "reads(U) :- owns(U).  safe: :- reads(U), !cleared(U)."
    report = check_order(program, {"owns": [("ann",), ("bob",)], "cleared": [("ann",), ("bob",)]}, tries=6)
    assert report.agrees
    assert (report.tried, report.refused, report.orders) == (6, 0, None)


def test_random_programs_agree() -> None:
    for seed in range(4):
        case = Case.random(seed, "plain", epochs=0)
        report = check_order(print_program(case.program), tries=4)
        assert report.agrees, str(report)


def test_a_choice_is_reported_before_and_shown_by_the_smallest_example() -> None:
    report = check_order(CHOICE, {"e": [(1, 2), (1, 3), (2, 5), (2, 7), (3, 1)]}, tries=5)
    assert not report
    assert [(suspect.sure, suspect.span and suspect.span.line) for suspect in report.suspects] == [(True, 2)]
    assert report.difference is not None
    assert report.difference.relations == ["p"]
    first, other = report.difference.ways
    assert sum(map(len, first.batches)) == sum(map(len, other.batches)) == 2
    assert (other.partitions, other.delivery, other.repeated, other.restarted) == (1, None, frozenset(), frozenset())
    assert str(report).count("results in p(") == 2


def test_a_function_that_is_none_is_suspected_and_found() -> None:
    report = check_order("p(X, Y) :- e(X), Y = next_number(X).", {"e": [(1,), (2,)]}, functions=[next_number], tries=3)
    assert not report.agrees
    assert [suspect.what for suspect in report.suspects] == ["`next_number`"]
    assert "order may matter here: `next_number`" in str(report)
    assert report.difference is not None
    assert sum(map(len, report.difference.ways[1].batches)) == 1
    assert "repeated in the same order" in str(report)


def test_a_function_that_is_one_is_not_suspected() -> None:
    program = parse_program("p(X, Y) :- e(X), Y = twice(X). q(X, Y) :- e(X), Y = dice(X).")
    assert [suspect.what for suspect in suspects(program, [twice, dice])] == ["`dice`"]
    assert suspects(parse_program("p(X) :- e(X)."), [dice]) == []
    report = check_order("p(X, Y) :- e(X), Y = twice(X).", {"e": [(1,), (2,)]}, functions=[twice], tries=3)
    assert report.agrees
    assert report.suspects == ()


def test_the_picture_is_a_run_that_the_page_plays() -> None:
    report = check_order(CHOICE, {"e": [(1, 2), (1, 3)]}, tries=5)
    assert report.difference is not None
    run = report.difference.picture("order matters")
    assert [node["name"] for node in run["nodes"]] == ["changes", "one order", "another order"]
    tables: dict[tuple[str, str], set[tuple[object, ...]]] = {}
    for step in run["steps"]:
        assert step["epoch"] < len(run["epochs"])
        for node, name, row, count in step["changes"]:
            held = tables.setdefault((node, name), set())
            (held.add if count else held.discard)(tuple(row))
    assert tables["one order", "e"] == tables["another order", "e"]
    assert tables["one order", "p"] != tables["another order", "p"]
    page = render(json.loads(json.dumps(run)))
    assert "order matters" in page
    assert "the two orders differ" in page


def test_a_way_brings_the_same_changes() -> None:
    story = parse_changes("+p(1). +p(2). -p(2). +p(3). + r: q(X) :- p(X). commit. -p(1). +p(4).")
    for seed in range(30):
        way = random_way(story, Random(seed))
        for sign in (1, -1):
            wanted = [c for epoch in story for c in net(epoch) if getattr(c, "sign", 0) == sign]
            found = [c for batch in way.batches for c in batch if getattr(c, "sign", 0) == sign]
            assert sorted(map(str, found)) == sorted(map(str, wanted))
        assert way.delivery is None or way.partitions > 1
    orders = all_orders(story, 1000)
    assert orders is not None
    assert len(orders) == 12
    assert all_orders(story, 11) is None


def test_every_kind_of_way_comes_to_the_same() -> None:
    program = parse_program(REACH)
    story = parse_changes("+edge(1,2). +edge(2,3). commit. -edge(1,2). commit. +edge(3,1).")
    wanted = run_way(program, Way(story), ())
    assert wanted.rows["reach"] == {(2, 3), (3, 1), (2, 1)}
    for way in (
        Way(story, 3, 7),
        Way(story, repeated=frozenset({0, 1, 2})),
        Way(story, restarted=frozenset({0, 2})),
        Way(story, 2, 5, frozenset({1}), frozenset({0})),
    ):
        assert wanted.differs(run_way(program, way, ())) == [], str(way)


def test_shrinking_leaves_what_differs() -> None:
    story = tuple(parse_changes(" commit. ".join(f"+p({i})." for i in range(9))))

    def differs(pair: tuple[Way, Way]) -> bool:
        facts = {str(change.atom.args[0].value) for batch in pair[1].batches for change in batch}  # type: ignore[union-attr]
        return {"3", "7"} <= facts

    first, other = shrink((Way(story), Way(story[::-1], 3, 1, frozenset({2}), frozenset({4}))), differs)
    assert [len(way.batches) for way in (first, other)] == [2, 1]
    assert other.partitions == 1


def test_nothing_to_bring_is_reported() -> None:
    assert str(check_order(REACH, tries=1)) == "nothing was tried: there are neither facts nor changes"


def test_a_trial_needs_at_least_one_try() -> None:
    with pytest.raises(EngineError) as refused:
        check_order(REACH, tries=0)
    assert refused.value.code == "TL4913"


def test_the_example_of_a_choice_shows_that_order_matters() -> None:
    path = Path(__file__).parents[2] / "examples" / "order" / "first_come.dl"
    result = CliRunner().invoke(app, ["test-order", str(path), "--tries", "1"])
    assert (result.exit_code, result.stdout.count("results in gets(")) == (1, 2)


def test_test_order_from_outside(tmp_path: Path) -> None:
    path, page = tmp_path / "p.dl", tmp_path / "page.html"
    path.write_text(CHOICE + "e(1, 2). e(1, 3).\n")
    result = CliRunner().invoke(app, ["test-order", str(path), "--tries", "3", "--page", str(page)])
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{path}:2: order matters here: `p` chooses")
    assert "another order" in page.read_text()
    (tmp_path / "edge.facts").write_text("1\t2\n2\t3\n")
    (tmp_path / "changes.dl").write_text("-edge(1, 2).\n")
    path.write_text(REACH)
    options = ["-F", str(tmp_path), "--changes", str(tmp_path / "changes.dl"), "--tries", "4"]
    result = CliRunner().invoke(app, ["test-order", str(path), *options])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("all agree: 6 ways tried")
