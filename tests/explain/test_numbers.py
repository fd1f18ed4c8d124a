"""What steps did: numbers that can be counted by hand, on one partition and on several."""

from __future__ import annotations

import json

import pytest

from tidelog import Engine
from tidelog.explain.plans import JoinOrder, StepNumbers

CHAIN = "r1: reach(X, Y) :- edge(X, Y). r2: reach(X, Z) :- reach(X, Y), edge(Y, Z), X != 2, !bad(Z)."


def orders(db: Engine, label: str) -> list[JoinOrder]:
    strata = db.explain(analyze=True).strata
    return [order for stratum in strata for rule in stratum.rules if rule.label == label for order in rule.orders]


def filled(partitions: int = 1) -> Engine:
    """A chain of five edges: reach gets 1..5 from each, but nothing further from 2, and nothing through 6."""
    db = Engine(CHAIN, partitions=partitions)
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(1, 6)])
        e.insert("bad", [(6,)])
    return db


@pytest.mark.parametrize("partitions", [1, 3])
def test_entries_rows_and_passes_of_every_step_are_exact(partitions: int) -> None:
    db = filled(partitions)
    present = len(list(db["reach"]))
    on_reach = orders(db, "r2")[0]
    trigger, *steps = on_reach.numbers
    assert trigger == StepNumbers("reach(X, Y)", present, None, present)
    by_name = {
        step.step.partition(" by ")[0].replace("copy of edge on every partition", "edge"): step for step in steps
    }
    not_two = by_name["X != 2"]
    assert (not_two.entered, not_two.passed) == (present, present - 1)
    edge = next(step for name, step in by_name.items() if "edge" in name)
    assert (edge.entered, edge.visited, edge.passed) == (not_two.passed, edge.passed, edge.passed)
    absent = by_name["!bad(Z)"]
    assert absent.entered == edge.passed
    supports = {rule.rule: rule.supports for rule in db.profile().overall.rules}
    assert absent.passed == supports["r2"]


def test_numbers_grow_with_every_epoch() -> None:
    db = filled()
    before = orders(db, "r1")[0].numbers[0]
    with db.epoch() as e:
        e.insert("edge", [(10, 11)])
    after = orders(db, "r1")[0].numbers[0]
    assert (before.entered, after.entered) == (5, 6)


def test_rows_that_do_not_match_are_visited_and_do_not_pass() -> None:
    db = Engine("p(X) :- a(X), b(X, Y, Y).")
    with db.epoch() as e:
        e.insert("b", [(1, i, i % 10) for i in range(100)])
    with db.epoch() as e:
        e.insert("a", [(1,)])
    numbers = next(order.numbers for order in orders(db, "r1") if order.trigger == "a(X)")
    visit = numbers[1]
    assert (visit.entered, visit.visited, visit.passed) == (1, 100, 10)


def test_the_plan_over_the_whole_state_is_told_where_it_did_something() -> None:
    db = Engine("edge(1, 2). edge(2, 3).")
    with db.epoch() as e:
        e.add_rule("two(X, Z) :- edge(X, Y), edge(Y, Z).", "late")
    whole = [order for order in orders(db, "late") if order.trigger == "the whole state"]
    assert [step.visited for step in whole[0].numbers] == [None, 2, 1]


def test_a_plan_that_was_replaced_keeps_its_numbers() -> None:
    db = Engine("p(X, Z) :- a(X, Y), b(Y, Z).")
    with db.epoch() as e:
        e.insert("a", [(i, i) for i in range(5)])
        e.insert("b", [(i, i) for i in range(5)])
    with db.epoch() as e:
        e.insert("a", [(i, i) for i in range(20_000)])
    with db.epoch() as e:
        e.insert("b", [(7, 7)])
    told = orders(db, "r1")
    assert sum(order.numbers[-1].passed for order in told) >= 5
    assert sum(order.numbers[0].entered for order in told if order.trigger == "b(Y, Z)" and not order.replaced) >= 1


def test_an_epoch_that_is_rolled_back_counts_as_work() -> None:
    db = filled()
    before = orders(db, "r1")[0].numbers[0].entered
    epoch = db.epoch()
    epoch.insert("edge", [(20, 21)])
    db.preview(epoch)
    assert orders(db, "r1")[0].numbers[0].entered > before


def test_table_fits_a_terminal_of_100_columns() -> None:
    db = Engine("p(X, Y) :- a(X), b(X, Y), X < 3.")
    with db.epoch() as e:
        e.insert("b", [(i % 10, i) for i in range(1000)])
    with db.epoch() as e:
        e.insert("a", [(i,) for i in range(10)])
    text = str(db.explain(analyze=True))
    assert max(map(len, text.splitlines())) <= 100
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("    on a(X) "))
    assert [line.split()[:9] for line in lines[at : at + 4]] == [
        ["on", "a(X)", "entered", "visited", "passed", "per", "entry", "expected"],
        ["facts", "that", "changed", "10", "10"],
        ["X", "<", "3", "10", "3"],
        ["b(X,", "Y)", "by", "column", "1", "3", "300", "300", "100"],
    ]
    entered, visited = (lines[at].index(head) + len(head) for head in ("entered", "visited"))
    assert all(line[:entered].endswith(("10", " 3")) and line[entered] == " " for line in lines[at + 1 : at + 4])
    assert lines[at + 3][:visited].endswith(" 300")


def test_long_steps_have_their_numbers_on_a_line_of_their_own() -> None:
    name = "a_relation_with_a_name_that_is_quite_long_indeed"
    db = Engine(f"{name}(1, 2). p(X, Z) :- {name}(X, Y), {name}(Y, Z).")
    with db.epoch() as e:
        e.insert(name, [(5, 6)])  # before, there is nothing to visit
    lines = str(db.explain(analyze=True)).splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() == f"{name}(Y, Z) by column 1")
    assert lines[at + 1].split()[:4] == ["1", "0", "0", "0"]


def test_numbers_are_json() -> None:
    told = json.loads(json.dumps(filled().explain(analyze=True).to_json()))
    numbers = told["strata"][0]["rules"][0]["orders"][0]["numbers"]
    assert numbers == [{"step": "edge(X, Y)", "entered": 5, "visited": None, "passed": 5, "expected": None}]


def test_every_visit_says_how_it_finds_its_facts() -> None:
    rules = """
    .decl a(x: number) .decl b(x: number, y: number) .decl p(x: number, y: number)
    p(x, y) :- a(x), b(x, y).
    p(x, y) :- b(x, y), a(y), b(y, x).
    p(x, y) :- b(x, y), a(w), x <= w, w < y.
    p(x, y) :- a(x), b(_, y), x % 10 = y % 10.
    p(x, y) :- a(x), a(y), x != y.
    """
    db = Engine(rules, partitions=1, threads=1)
    with db.epoch() as epoch:
        epoch.insert("a", [(i,) for i in range(20)])
        epoch.insert("b", [(i, i + 3) for i in range(20)])
    steps = [
        step.step
        for stratum in db.explain(analyze=True).strata
        for rule in stratum.rules
        for order in rule.orders
        for step in order.numbers
    ]
    told = "\n".join(steps)
    for words in (
        "b(x, y) by column 1",
        "as one fact",
        "a(w) in the order of column 1 from x below y",
        "[a by V1 % 10](x, V1) by column 2",
        "all of a(y)",
    ):
        assert words in told, words
