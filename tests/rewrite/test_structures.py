"""Patterns are taken apart, and joins through parts read opened relations: the rules that come out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tidelog.engine.engine import Engine
from tidelog.program.check import check_program
from tidelog.rewrite.pipeline import is_core, to_core
from tidelog.rewrite.unpack_structures import unpack_structures
from tidelog.syntax import parse_program, print_rule

TYPES = """
.type P = [x: number, next: P]
.type T = Leaf {v: number} | Node {l: T, r: T} | Empty {}
.decl p(x: P)
.decl q(x: P, y: P)
.decl t(x: T)
.decl n(x: number)
"""


def core(text: str) -> list[str]:
    rules = to_core(check_program(parse_program(TYPES + text)).program.rules)
    assert all(map(is_core, rules))
    return [print_rule(rule) for rule in rules]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n(x) :- p([x, _]).", ["r1: n(x) :- p(V1), V1 != nil, x = part(V1, P, 1)."]),
        ("n(1) :- p([1, nil]).", ["r1: n(1) :- p(V1), V1 = [1, nil]."]),
        ("n(x) :- p(s), s = [x, nil].", ["r1: n(x) :- p(s), s != nil, x = part(s, P, 1), nil = part(s, P, 2)."]),
        ("p(s) :- n(x), s = [x, nil].", ["r1: p(s) :- n(x), s = [x, nil]."]),
        ("n(x) :- t($Leaf(x)).", ["r1: n(x) :- t(V1), is(V1, $Leaf) = 1, x = part(V1, $Leaf, 1)."]),
        ("n(x) :- n(y), $Leaf(x) = $Leaf(y).", ["r1: n(x) :- n(y), x = y."]),
        (
            "n(1) :- n(y), $Leaf(y) = $Empty.",
            ["r1: n(1) :- n(y), V1 = $Empty, is(V1, $Leaf) = 1, y = part(V1, $Leaf, 1), V1 = $Leaf(y)."],
        ),
        (
            "t(x) :- t(x), t(y), $Node(x, _) = $Node(_, y).",
            ["t/only: __only_t() :- t(_).", "r1: t(x) :- t(x), __only_t()."],
        ),
        ("n(1) :- p(s), !p([1, s]).", ["r1: n(1) :- p(s), V1 = [1, s], !p(V1)."]),
    ],
)  # fmt: skip
def test_patterns_become_equations(text: str, wanted: list[str]) -> None:
    assert core(text) == wanted


def test_an_equation_that_nothing_binds_is_written_in_both_directions() -> None:
    rule = check_program(parse_program(TYPES + "n(x) :- p(s), s = [x, nil].")).program.rules[0]
    (unpacked,) = unpack_structures(replace(rule, body=rule.body[1:]))
    assert print_rule(unpacked) == "n(x) :- s != nil, x = part(s, P, 1), nil = part(s, P, 2), s = [x, nil]."


def test_a_join_through_one_part_reads_the_opened_relation() -> None:
    opened, rule = core("p(r) :- p([_, r]), q(r, _).")
    assert opened == (
        "p/open/1/[,P,number,P: __open_p/1/[,P,number,P(V1, P1, P2)"
        " :- p(V1), V1 != nil, P1 = part(V1, P, 1), P2 = part(V1, P, 2)."
    ).replace("p/open/1/[,P,number,P:", '"p/open/1/[,P,number,P":')
    assert rule == "r1: p(r) :- __open_p/1/[,P,number,P(V1, _, r), q(r, _)."


def test_a_value_whose_parts_stand_in_one_atom_is_made_and_looked_up() -> None:
    (rule,) = core("n(x) :- p([x, s]), m(x, s).\n.decl m(x: number, s: P)")
    assert "V1 = [x, s]" in rule
    assert "__open" not in rule


def test_rules_that_open_alike_share_the_opened_relation() -> None:
    with Engine(TYPES + "p(r) :- p([_, r]), q(r, _).\nn(x) :- p([x, r]), q(_, r).") as db:
        with db.epoch() as epoch:
            epoch.insert("p", [((1, (2, None)),)])
            epoch.insert("q", [((2, None), (2, None))])
        assert set(db["n"]) == {(1,)}
        assert "p, opened" in str(db.explain())
        assert "__open" not in str(db.explain())
        assert "p([1, [2, nil]])" in str(db.why("n(1)"))
        assert "__open" not in str(db.why("n(1)"))
        with db.epoch() as epoch:
            epoch.remove_rule("r1")
        assert set(db["n"]) == {(1,)}
        with db.epoch() as epoch:
            epoch.delete("q", [((2, None), (2, None))])
        assert not set(db["n"])


def test_values_that_are_read_into_the_same_parts_are_one_value() -> None:
    (rule,) = core("q([x, r], [y, s]) :- q([x, r], [y, s]), q([x, r], _).")
    assert rule == "r1: q(V1, V2) :- q(V1, V2), V1 != nil, V2 != nil, q(V1, _)."


def test_values_that_share_one_part_are_joined_by_it() -> None:
    *opened, rule = core("n(x) :- p([x, r]), q([x, s], _), r != s.")
    assert len(opened) == 2
    assert rule.startswith("r1: n(x) :- __open_p/1/[,P,number,P(V1, x, r), __open_q/1/[,P,number,P(V2, _, x, s)")
