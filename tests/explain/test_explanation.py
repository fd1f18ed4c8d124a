"""Explanations are snapshots of the plans in force."""

from __future__ import annotations

import json
from textwrap import dedent

from tidelog import Engine


def told(program: str, *, core: bool = False) -> str:
    return str(Engine(dedent(program)).explain(core=core))


def test_recursive_program_tells_strata_orders_and_indexes() -> None:
    program = "edge(1,2). edge(2,3). reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."
    assert told(program) == dedent("""\
        relations
          edge(c1: number, c2: number)  base, 2 facts
          reach(X: number, Y: number)  stratum 1, 3 facts

        stratum 1, recursive: reach
          r1: reach(X, Y) :- edge(X, Y).
            on edge(X, Y)
          r2: reach(X, Z) :- edge(X, Y), reach(Y, Z).
            on edge(X, Y): reach(Y, Z) by column 1
            on reach(Y, Z): edge(X, Y) by column 2

        indexes
          edge by column 2: r2
          reach by column 1: r2""")


def test_strata_stand_in_order_and_filters_where_they_apply() -> None:
    program = """
        .decl n(x: number)
        .decl e(a: number, b: symbol)
        .decl p(x: number)
        .decl q(x: number)
        n(1). n(2). e(1, "a").
        q(x) :- n(x), !p(x).
        p(x) :- e(x, s), x + 1 < 5, s < "b", n(y), y = x.
    """
    assert told(program) == dedent("""\
        relations
          e(a: number, b: symbol)  base, 1 fact
          n(x: number)  base, 2 facts
          p(x: number)  stratum 1, 1 fact
          q(x: number)  stratum 2, 1 fact

        stratum 1: p
          r2: p(x) :- e(x, s), x + 1 < 5, s < "b", n(y), y = x.
            on e(x, s): x + 1 < 5, then s < "b", then n(y) as one fact
            on n(y): y + 1 < 5, then e(x, s) by column 1, then s < "b"

        stratum 2: q
          r1: q(x) :- n(x), !p(x).
            on n(x): !p(x)
            on !p(x): n(x) as one fact

        indexes
          e by column 1: r2""")


AGGREGATES = """
    e(1, 2). n(1).
    deg(X, count<*>) :- e(X, _).
    d(X, min<C>) :- e(X, C).
    d(X, min<C>) :- n(X), C = 0.
    leaf(X) :- n(X), !e(X, _).
"""


def test_relations_of_rewrites_are_told_in_words() -> None:
    text = told(AGGREGATES)
    assert "__" not in text
    assert text.split("\n\n", 1)[1] == dedent("""\
        stratum 1: deg
          r1: deg(X, count<*>) :- e(X, _).
            on e(X, V1): fold the count of its group

        stratum 2: rows to aggregate of r2, r3
          r2: d(X, min<C>) :- e(X, C).
            on e(X, C)
          r3: d(X, min<C>) :- n(X), C = 0.
            on n(X)

        stratum 3: d
          r2, r3: d
            on [rows to aggregate of r2, r3](V1, V2): fold the min of its group

        stratum 4: e on column 1
          r4: e on column 1
            on e(V1, _)

        stratum 5: leaf
          r4: leaf(X) :- n(X), !e(X, _).
            on n(X): ![e on column 1](X)
            on ![e on column 1](X): n(X) as one fact""")


def test_core_rules_are_told_on_demand() -> None:
    text = told(AGGREGATES, core=True)
    assert "  r1: deg(X, count<*>) :- e(X, V1)." in text
    assert "  __only_e/1(c1: number)  stratum 4, 1 fact" in text
    assert "  e/only/1: __only_e/1(V1) :- e(V1, _)." in text


def test_cross_products_are_reported() -> None:
    db = Engine("a(1). b(2). p(X, Y) :- a(X), b(Y).")
    explanation = db.explain()
    assert explanation.cross_products == (("r1", "a"), ("r1", "b"))
    assert "on a(X): all of b(Y)" in str(explanation)
    assert str(explanation).endswith("  r1: a\n  r1: b")


def test_ranges_are_told() -> None:
    assert "on q(X): Y in range(0, X)" in told("q(3). p(X, Y) :- q(X), Y = range(0, X).")


def test_explanation_is_json() -> None:
    explanation = json.loads(json.dumps(Engine("e(1,2). p(X) :- e(X, _).").explain().to_json()))
    assert explanation["strata"][0]["rules"][0]["orders"] == [
        {"trigger": "e(X, _)", "steps": [], "crossed": [], "numbers": [], "replaced": False}
    ]
    assert explanation["relations"][0] == {
        "name": "e",
        "columns": ["c1: number", "c2: number"],
        "stratum": None,
        "facts": 1,
    }


def test_explanation_follows_changes_of_rules() -> None:
    db = Engine("e(1,2). p(X) :- e(X, _).")
    with db.epoch() as epoch:
        epoch.remove_rule("r1")
        epoch.add_rule("q(X) :- e(_, X).")
    explanation = db.explain()
    assert [rule.label for stratum in explanation.strata for rule in stratum.rules] == ["r2"]


REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- edge(X,Y), reach(Y,Z)."


def test_placement_on_several_partitions_is_told() -> None:
    for explanation in (Engine(REACH).explain(partitions=2), Engine(REACH, partitions=2).explain()):
        assert str(explanation).split("\n\n")[-1] == dedent("""\
            placement on 2 partitions
              edge: on every partition
              reach: placed by column 2; 0 messages between partitions
              r1: sends nothing; fires on every partition, each keeps what it owns
              r2: sends nothing""")
    assert Engine(REACH).explain().placement is None


def test_copies_of_relations_are_told_in_words_and_as_core_rules() -> None:
    text = "r1 reach(@S, D) :- link(@S, D). r2 reach(@S, D) :- link(@S, Z), reach(@Z, D)."
    with Engine(text, partitions=2) as db:
        told, core = str(db.explain()), str(db.explain(core=True))
    assert "__" not in told
    assert "  r2: copy of link by column 2\n    on link(V1, V2)" in told
    assert "on [copy of link by column 2](S, Z): reach(@Z, D) by column 1" in told
    assert "  reach: placed by column 1; messages from r2\n" in told
    assert told.endswith("  r2: sends link to the owners by column 2, reach to the owners by column 1")
    assert core.endswith("  r2: sends to the owner of reach by column 1; reads the copy __link_by_2")


def test_a_rule_that_sends_more_than_it_keeps_is_warned_of() -> None:
    warning = "warning: it joins its recursion with itself, and may send many messages for each fact that it keeps"
    doubling = "r1: reach(X, Y) :- edge(X, Y). r2: reach(X, Z) :- reach(X, Y), reach(Y, Z)."
    found = Engine(doubling).explain(partitions=2)
    assert found.placement is not None
    assert {label: warning in line for label, line in found.placement.rules.items()} == {"r1": False, "r2": True}
    with Engine(doubling, partitions=2) as db:
        assert warning in str(db.explain())
        assert warning in str(db.explain(core=True))
    linear = "r1: reach(@X, Y) :- edge(@X, Y). r2: reach(@X, Z) :- edge(@X, Y), reach(@Y, Z)."
    assert warning not in str(Engine(linear).explain(partitions=2))  # it sends, once for each edge and fact


def test_placement_is_json() -> None:
    placement = json.loads(json.dumps(Engine(REACH).explain(partitions=3).to_json()))["placement"]
    assert placement["partitions"] == 3
    assert placement["relations"]["reach"] == "reach: placed by column 2; 0 messages between partitions"
    assert placement["rules"]["r2"] == "r2: sends nothing"
