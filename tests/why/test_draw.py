"""Proofs as drawings: what the text shows is there, and nothing of a value is markup."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from tests.explain.test_graph import SVG, boxes, titles
from tidelog.engine.engine import Engine
from tidelog.why.draw import MOST
from tidelog.why.render import line_parts
from tidelog.why.tree import walk

PROGRAM = """
    edge(1, 2). edge(2, 3). edge(3, 4). node(9). node(1). says("<b>&", "a").
    reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z).
    lone(X) :- node(X), !reach(X, _), X > 5.
    degree(X, count<Y>) :- edge(X, Y).
    told(X) :- says(X, _).
    all(N) :- N = count : { edge(_, _) }.
"""


@pytest.fixture(scope="module")
def db() -> Engine:
    return Engine(PROGRAM)


@pytest.mark.parametrize("fact", ["reach(1, 4)", "lone(9)", "degree(1, 1)", "all(3)", "edge(1, 2)", 'told("<b>&")'])
def test_every_part_of_a_proof_is_drawn(db: Engine, fact: str) -> None:
    proof = db.why(fact)
    drawing = proof.svg()
    shown = {text.text for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")}
    for node in walk(proof.root):
        assert {part for part in line_parts(node) if part} <= shown


def test_no_two_parts_overlap(db: Engine) -> None:
    for one, other in itertools.combinations(boxes(db.why("reach(1, 4)").svg()).values(), 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_kinds_of_parts_look_different(db: Engine) -> None:
    drawing = db.why("lone(9)").svg()
    assert drawing.count("stroke-dasharray") == 1  # the absence
    assert "no reach(9, _)" in drawing
    assert "9 &gt; 5" in drawing


def test_a_large_proof_is_drawn_in_part_and_says_so() -> None:
    with Engine("r(X, Y) :- e(X, Y). r(X, Z) :- e(X, Y), r(Y, Z).") as db:
        with db.epoch() as epoch:
            epoch.insert("e", [(i, i + 1) for i in range(100)])
        drawing = db.why("r(0, 100)").svg()
    assert len(boxes(drawing)) <= MOST
    assert "parts not drawn" in drawing


def test_a_long_value_is_shortened_and_told_whole_beside() -> None:
    with Engine("p(X) :- q(X).") as db:
        with db.epoch() as epoch:
            epoch.insert("q", [("x" * 200,)])
        drawing = db.why(("p", ("x" * 200,))).svg()
    assert "…" in drawing
    assert any("x" * 200 in title for title in titles(drawing))
