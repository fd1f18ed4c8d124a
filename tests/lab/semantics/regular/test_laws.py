"""The laws of Regular Datalog on random programs, graphs and updates.

They can notice a wrong model, a model that is not the least one, a closure out of step with its symbol and maintenance
that differs from computing again. They say nothing about speed.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lab.semantics.regular.programs import Case, Facts, cases, changed, graphs, pairs, updates
from tidelog.errors import DataError
from tidelog.lab.semantics.regular import (
    CLOSED,
    ONCE,
    BulkUpdate,
    Graph,
    RegularProgram,
    compute,
    consequences,
    delta_consequences,
    difference,
    edges_of,
    forward_program,
    is_closure,
    is_model,
    is_supported,
    is_well_formed,
    maintain,
    satisfies,
    to_regular,
    transitive_closure,
    updated,
)
from tidelog.syntax import parse_program
from tidelog.testing import evaluate

LAW = settings(max_examples=20, deadline=None)
SLOW_LAW = settings(max_examples=10, deadline=None)


def graph_of(case: Case, facts: Facts) -> Graph:
    return edges_of(parse_program(case.text), facts)


def program_of(case: Case) -> RegularProgram:
    return to_regular(parse_program(case.text))


# closures and updates


def has_path(edges: frozenset[tuple[int, ...]], source: int, target: int) -> bool:
    """Whether some sequence of at most as many edges as there are leads from one node to the other."""
    at = {source}
    for _ in edges:
        at = {b for a, b in edges if a in at}
        if target in at:
            return True
    return False


@LAW
@given(pairs)
def test_a_closure_holds_exactly_the_pairs_that_a_path_joins(edges):
    joined = {(a, b) for a in range(5) for b in range(5) if has_path(edges, a, b)}
    assert transitive_closure(edges) == joined
    assert is_closure(edges, frozenset(joined))
    assert is_closure(transitive_closure(edges), transitive_closure(edges))


@LAW
@given(graphs(), updates(), updates())
def test_updates_compose_as_they_are_applied(graph, first, second):
    assert updated(updated(graph, first), second) == updated(graph, first.then(second))


@LAW
@given(updates(), updates(), updates())
def test_composition_of_updates_is_a_monoid(one, two, three):
    assert one.then(two).then(three) == one.then(two.then(three))
    assert one.then(BulkUpdate()) == one == BulkUpdate().then(one)


@LAW
@given(updates(), pairs, pairs)
def test_insertion_wins_and_updates_stay_disjoint(update, inserted, deleted):
    composed = update.at(("a", ONCE), inserted, deleted)
    assert not composed.inserted & composed.deleted
    assert composed.inserted["a", ONCE] == inserted
    assert composed.deleted["a", ONCE] == deleted - inserted
    assert composed.inserted["b", ONCE] == update.inserted["b", ONCE]


@LAW
@given(graphs(), graphs())
def test_the_difference_of_two_graphs_leads_from_one_to_the_other(before, after):
    update = difference(before, after)
    assert updated(before, update) == after
    assert not update.inserted & before
    assert update.deleted & before == update.deleted
    assert (hash(before) == hash(after)) or before != after
    assert bool(update.changed()) == (before != after)


# view computation


@LAW
@given(cases())
def test_view_computation_gives_a_model_and_it_is_the_least(case):
    program = program_of(case)
    model = compute(program, graph_of(case, case.facts))
    judge = evaluate(parse_program(case.text), case.facts)
    assert {name: model[name, ONCE] for name in case.defined} == {name: judge[name] for name in case.defined}
    assert is_model(model, program)


@LAW
@given(cases(), st.data())
def test_taking_a_derived_row_away_breaks_the_model(case, data):
    program = program_of(case)
    model = compute(program, graph_of(case, case.facts))
    shown = [(name, row) for name in case.defined for row in sorted(model[name, ONCE])]
    if shown:
        name, row = data.draw(st.sampled_from(shown))
        assert not satisfies(model.at((name, ONCE), model[name, ONCE] - {row}), program)


@SLOW_LAW
@given(cases())
def test_a_model_is_supported_in_everything(case):
    program = program_of(case)
    model = compute(program, graph_of(case, case.facts))
    assert is_supported(model, program, program.support())


@SLOW_LAW
@given(cases(), st.data())
def test_what_is_processed_stays_processed(case, data):
    """The cumulative form of soundness: after each symbol the symbols so far are satisfied and well formed."""
    program = program_of(case)
    model = compute(program, graph_of(case, case.facts))
    edges = graph_of(case, data.draw(changed(case.facts)))
    base = difference(model.only(k for k in model if k[0] not in program.clauses), edges.closed({s for s, _ in edges}))
    update, done = base, []
    for symbol in program.defined:
        update = forward_program(program, model, program.support(), update, [symbol])
        done.append(symbol)
        now = updated(model, update)
        assert satisfies(now, program, done)
        assert is_well_formed(now, filter(program.is_binary, [*program.base, *done]))


# view maintenance


@SLOW_LAW
@given(cases(), st.data())
def test_maintenance_equals_computing_again(case, data):
    program, facts = program_of(case), case.facts
    model = compute(program, graph_of(case, facts))
    for _ in range(3):
        after = data.draw(changed(facts))
        changes = difference(graph_of(case, facts), graph_of(case, after))
        update = maintain(program, model, changes)
        model, facts = updated(model, update), after
        assert model == compute(program, graph_of(case, facts))
        assert is_model(model, program)


@SLOW_LAW
@given(cases(), st.data())
def test_what_maintenance_outputs_is_the_net_change(case, data):
    program = program_of(case)
    before = compute(program, graph_of(case, case.facts))
    edges = graph_of(case, data.draw(changed(case.facts)))
    changes = difference(graph_of(case, case.facts), edges)
    assert maintain(program, before, changes) == difference(before, compute(program, edges))


@SLOW_LAW
@given(cases(), st.data())
def test_insertions_alone_delete_nothing_and_need_no_full_evaluation(case, data):
    program = program_of(case)
    before = compute(program, graph_of(case, case.facts))
    edges = graph_of(case, data.draw(changed(case.facts, deletions=False)))
    update = maintain(program, before, BulkUpdate(edges))
    assert not update.deleted
    for clause in program.clauses.values():
        new = delta_consequences(clause, before, update.inserted)
        assert consequences(clause, updated(before, update)) == consequences(clause, before) | new


@SLOW_LAW
@given(cases(), st.data())
def test_any_support_that_holds_gives_the_same_model(case, data):
    """Some symbols are forgotten; all that is still right may stay in the support, however odd the choice."""
    program = program_of(case)
    graph = compute(program, graph_of(case, case.facts))
    for key in data.draw(st.frozensets(st.sampled_from(sorted(program.support())))):
        if key[1] == CLOSED or key[0] in program.clauses:
            graph = graph.at(key, ())
    support = {key for key in program.support() if is_supported(graph, program, {key})}
    edges = graph_of(case, data.draw(changed(case.facts)))
    update = maintain(program, graph, difference(graph_of(case, case.facts), edges), support)
    assert updated(graph, update) == compute(program, edges)


def test_computed_symbols_and_closures_cannot_be_changed_from_outside():
    program = to_regular(parse_program("p(X, Y) :- e+(X, Y)."))
    model = compute(program, Graph.of({"e": [(1, 2)]}))
    for changes in (BulkUpdate(Graph.of({"p": [(1, 2)]})), BulkUpdate(deleted=Graph({("e", CLOSED): [(1, 2)]}))):
        with pytest.raises(DataError, match="is computed") as refused:
            maintain(program, model, changes)
        assert refused.value.code == "TL7502"
