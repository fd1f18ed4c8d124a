"""The examples of the Regular Datalog paper's slides: potential friends, the maintenance step, delta matching."""

from __future__ import annotations

import pytest

from tidelog.lab.semantics import least_model, prepare
from tidelog.lab.semantics.regular import (
    BASE,
    CLOSED,
    DELTA,
    FULL,
    ONCE,
    BulkUpdate,
    Graph,
    compute,
    delta_consequences,
    delta_marks,
    forward_clause,
    is_incremental,
    is_model,
    is_supported,
    maintain,
    match_body,
    read_regular,
    updated,
)
from tidelog.lab.semantics.regular.matching import heads
from tidelog.syntax import parse_program

FRIENDS = """
connected(X, Y) :- follows+(X, Y).
pfriends(X, Y) :- ((knows & (connected/^connected)) | contacted)(X, Y).
pconnected(X, Y) :- pfriends+(X, Y).
"""
DATALOG = """
connected(X, Y) :- follows(X, Y).
connected(X, Y) :- follows(X, Z), connected(Z, Y).
pfriends(X, Y) :- knows(X, Y), connected(X, Z), connected(Y, Z).
pfriends(X, Y) :- contacted(X, Y).
pconnected(X, Y) :- pfriends(X, Y).
pconnected(X, Y) :- pfriends(X, Z), pconnected(Z, Y).
"""
GRAPH = """
knows(alice, bob).  contacted(bob, eve).  follows(alice, bill).  follows(bob, bill).
"""


def pairs(*text: str) -> frozenset[tuple[str, ...]]:
    """``pairs("alice bob")`` is the set of one edge."""
    return frozenset(tuple(each.split()) for each in text)


@pytest.fixture(scope="module")
def friends():
    program, edges = read_regular(FRIENDS + GRAPH)
    return program, compute(program, edges)


# potential friends


def test_symbols_are_treated_in_the_order_of_the_three_strata(friends):
    assert friends[0].defined == ("connected", "pfriends", "pconnected")
    assert friends[0].base == {"follows", "knows", "contacted"}
    assert friends[0].views == ("pconnected",)


def test_the_clause_of_potential_friends_is_a_disjunction_of_two_conjunctions(friends):
    assert str(friends[0].clauses["pfriends"]) == (
        "(X, Y) <- knows(X, Y), connected(X, #1), connected(Y, #1) ; contacted(X, Y)"
    )


@pytest.mark.parametrize(
    ("symbol", "rows"),
    [
        ("connected", pairs("alice bill", "bob bill")),
        ("pfriends", pairs("alice bob", "bob eve")),
        ("pconnected", pairs("alice bob", "bob eve", "alice eve")),
    ],
)
def test_each_stratum_gives_what_the_slides_show(friends, symbol, rows):
    assert friends[1][symbol, ONCE] == rows


LONGER = GRAPH.replace("follows(alice, bill).", "follows(alice, tim). follows(tim, bill).")
"""Alice follows Bill by way of Tim."""
AROUND = LONGER + "knows(bill, tim). follows(bill, bob). contacted(eve, alice)."
"""Following and friendship both go round."""


def test_with_two_steps_of_following_the_friends_are_the_same():
    program, edges = read_regular(FRIENDS + LONGER)
    model = compute(program, edges)
    assert model["connected", ONCE] == pairs("alice tim", "tim bill", "alice bill", "bob bill")
    assert model["pfriends", ONCE] == pairs("alice bob", "bob eve")


@pytest.mark.parametrize("graph", [GRAPH, LONGER, AROUND], ids=["slides", "two steps", "around"])
def test_the_six_datalog_rules_beside_the_three_regular_clauses_give_the_same_relations(graph):
    program, edges = read_regular(FRIENDS + graph)
    regular = compute(program, edges)
    datalog = least_model(prepare(parse_program(DATALOG + graph)), prepare(parse_program(DATALOG + graph)).facts)
    for symbol in program.defined:
        rows = {fact.row for fact in datalog if fact.relation == symbol}
        assert rows == regular[symbol, ONCE]
        assert rows


# the maintenance step


def test_the_step_for_connected_takes_over_what_came_to_the_closure(friends):
    program, graph = friends
    support = {("knows", ONCE), ("contacted", ONCE), ("follows", CLOSED), ("connected", ONCE), ("pconnected", ONCE)}
    before = BulkUpdate().at(("follows", CLOSED), pairs("bill bob"))
    after = forward_clause(program, graph, support, before, "connected")
    assert after == before.at(("connected", ONCE), pairs("bill bob"), ())
    assert is_incremental(program, support, before, "connected")
    assert not is_incremental(program, support, after, "pfriends")  # outside the support


def test_a_new_edge_makes_bill_and_bob_reach_each_other(friends):
    program, graph = friends
    update = maintain(program, graph, BulkUpdate(Graph.of({"follows": pairs("bill bob")})))
    new = pairs("bill bob", "bob bob", "bill bill", "alice bob")
    assert update.inserted["follows", CLOSED] == update.inserted["connected", ONCE] == new
    assert not update.deleted
    assert is_model(updated(graph, update), program)


def test_a_symbol_outside_the_support_is_computed_in_full(friends):
    program, graph = friends
    stale = graph.at(("pfriends", ONCE), ()).at(("pfriends", CLOSED), ())
    support = program.support() - {("pfriends", ONCE), ("pfriends", CLOSED), ("pconnected", ONCE)}
    assert is_supported(stale, program, support)
    update = maintain(program, stale, BulkUpdate(Graph.of({"knows": pairs("bob alice")})), support)
    assert updated(stale, update)["pfriends", ONCE] == pairs("alice bob", "bob alice", "bob eve")
    assert is_model(updated(stale, update), program)


def test_a_deletion_makes_the_clauses_above_start_again(friends):
    program, graph = friends
    gone = BulkUpdate(deleted=Graph.of({"follows": pairs("bob bill")}))
    update = maintain(program, graph, gone)
    assert update.deleted["pfriends", ONCE] == pairs("alice bob")
    assert update.deleted["pconnected", ONCE] == pairs("alice bob", "alice eve")
    for symbol in program.defined:
        assert not is_incremental(program, program.support(), update, symbol)
    assert is_model(updated(graph, update), program)


def test_a_deletion_elsewhere_leaves_a_clause_incremental(friends):
    program, _ = friends
    update = BulkUpdate(Graph.of({"follows": pairs("eve bob")}), Graph.of({"knows": pairs("alice bob")}))
    assert is_incremental(program, program.support(), update, "connected")
    assert not is_incremental(program, program.support(), update, "pfriends")


def test_a_support_that_was_right_once_is_not_enough(friends):
    """The rows of pfriends are forgotten while pconnected stays in the support: a deletion below leaves no trace."""
    program, graph = friends
    stale = graph.at(("pfriends", ONCE), ()).at(("pfriends", CLOSED), ())
    support = program.support() - {("pfriends", ONCE), ("pfriends", CLOSED)}
    assert not is_supported(stale, program, support)
    update = maintain(program, stale, BulkUpdate(deleted=Graph.of({"knows": pairs("alice bob")})), support)
    after = updated(stale, update)
    assert after["pfriends", ONCE] == pairs("bob eve")
    assert after["pconnected", ONCE] == pairs("alice bob", "bob eve", "alice eve")  # two of them have lost their ground
    assert is_model(after, program)  # a model all the same, which is all that soundness asks for


# delta matching in three clauses: the figure's graph is chosen so that it gives the rows that the slides print

THREE = "pfriends(X, Y) :- knows(X, Y), connected(Z, X), connected(Z, Y)."
KNOWN = Graph.of(
    {
        "knows": pairs("v6 v0", "v3 v0", "v0 v2", "v0 v5"),
        "connected": pairs("v1 v0", "v4 v0", "v7 v6", "v7 v3", "v7 v0"),
    }
)
NEW = Graph.of({"connected": pairs("v1 v2", "v4 v5"), "knows": pairs("v2 v0")})


@pytest.fixture(scope="module")
def three():
    program, _ = read_regular(THREE)
    return program, program.clauses["pfriends"], compute(program, KNOWN)


def test_the_view_before_the_update(three):
    assert three[2]["pfriends", ONCE] == pairs("v6 v0", "v3 v0")


@pytest.mark.parametrize(
    ("marks", "rows"),
    [
        ((DELTA, BASE, BASE), pairs()),
        ((FULL, DELTA, BASE), pairs("v2 v0")),
        ((FULL, FULL, DELTA), pairs("v0 v2", "v0 v5")),
    ],
)
def test_each_of_the_three_clauses_matches_what_the_slides_show(three, marks, rows):
    _, clause, _ = three
    (body,) = clause.bodies
    assert heads(clause, match_body(body, marks, KNOWN, NEW)) == rows


def test_the_marks_of_the_definition_add_up_to_the_same_rows(three):
    _, clause, _ = three
    assert delta_marks(3) == [(DELTA, FULL, FULL), (BASE, DELTA, FULL), (BASE, BASE, DELTA)]
    assert delta_consequences(clause, KNOWN, NEW) == pairs("v2 v0", "v0 v2", "v0 v5")


def test_the_view_after_the_update(three):
    program, _, model = three
    after = updated(model, maintain(program, model, BulkUpdate(NEW)))
    assert after["pfriends", ONCE] == pairs("v6 v0", "v3 v0", "v2 v0", "v0 v2", "v0 v5")


def test_a_join_of_two_changes_by_two_marked_bodies(three):
    """V = r join s: the delta is (r-delta join s-full) with (r join s-delta), instead of three joins."""
    program, _ = read_regular("v(X, Y) :- r(X, Z), s(Z, Y).")
    old, new = Graph.of({"r": [(1, 2)], "s": [(2, 3)]}), Graph.of({"r": [(5, 2), (1, 4)], "s": [(4, 6), (2, 7)]})
    clause = program.clauses["v"]
    (body,) = clause.bodies
    found = [heads(clause, match_body(body, marks, old, new)) for marks in delta_marks(2)]
    assert found == [{(5, 3), (5, 7), (1, 6)}, {(1, 7)}]
