"""The graph of a program: what it shows, and that its drawing shows the same, legibly."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.docs.pages import ROOT
from tidelog.explain.graph import ProgramGraph, program_graph
from tidelog.explain.layers import Layers
from tidelog.explain.relation_node import ReadEdge, RelationNode
from tidelog.syntax import parse_program, read_file

PROGRAMS = sorted(path for path in (ROOT / "programs").rglob("*.dl") if "rejected" not in path.parts)
SVG = "{http://www.w3.org/2000/svg}"
TEXT = """
    reach(X, Y) :- edge(X, Y).  reach(X, Z) :- edge(X, Y), reach(Y, Z).
    lone(X) :- node(X), !reach(X, X), reach(X, _).
    degree(X, count<Y>) :- edge(X, Y).
    even(X) :- zero(X). even(X) :- odd(Y), next(Y, X). odd(X) :- even(Y), next(Y, X).
    far(X) :- lone(X), edge(X, _).
"""


@pytest.fixture
def graph() -> ProgramGraph:
    return program_graph(parse_program(TEXT), {"edge": 4, "reach": 1_000})


def boxes(drawing: str) -> dict[str, tuple[float, float, float, float]]:
    """The boxes with text, by it: left, top, right, bottom."""
    found = {}
    for group in ElementTree.fromstring(drawing).iter(f"{SVG}g"):
        box, texts = group.find(f"{SVG}rect"), group.findall(f"{SVG}text")
        if box is not None and texts and texts[0].text:
            x, y, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
            found[texts[0].text] = (x, y, x + width, y + height)
    return found


def titles(drawing: str) -> set[str]:
    return {title.text or "" for title in ElementTree.fromstring(drawing).iter(f"{SVG}title")}


def test_an_edge_has_the_strictest_kind_and_its_rules(graph: ProgramGraph) -> None:
    edges = {(edge.source, edge.target): edge for edge in graph.edges}
    assert edges["reach", "lone"] == ReadEdge("reach", "lone", "negative", ())
    assert edges["edge", "degree"].kind == "aggregate"
    assert edges["reach", "reach"].kind == "positive"


def test_a_node_has_stratum_rules_recursion_and_size(graph: ProgramGraph) -> None:
    nodes = {node.name: node for node in graph.nodes}
    assert nodes["edge"] == RelationNode("edge", 0, 0, False, 4)
    assert nodes["reach"] == RelationNode("reach", nodes["reach"].stratum, 2, True, 1_000)
    assert nodes["even"].stratum == nodes["odd"].stratum > 0
    assert nodes["lone"].stratum > nodes["reach"].stratum
    assert json.loads(json.dumps(graph.to_json()))["nodes"][0]["name"] == "edge"


def test_text_names_everything(graph: ProgramGraph) -> None:
    told = str(graph)
    assert "  lone <- node, !reach" in told
    assert "  degree <- all of edge" in told
    assert "  reach <- edge, reach  (1,000 facts)" in told


def test_drawing_has_every_relation_and_every_arrow(graph: ProgramGraph) -> None:
    drawing = graph.svg()
    assert set(boxes(drawing)) == {node.name for node in graph.nodes}
    arrows = titles(drawing) - {node.name for node in graph.nodes}
    assert "lone reads the absence of reach" in arrows
    assert "degree reads all of edge" in arrows
    assert len(arrows) == len(graph.edges) + 1  # and the drawing itself
    assert drawing == graph.svg()


def test_what_is_read_stands_to_the_left(graph: ProgramGraph) -> None:
    placed = boxes(graph.svg())
    for edge in graph.edges:
        if {edge.source, edge.target} not in ({"even", "odd"}, {"reach"}):
            assert placed[edge.source][2] < placed[edge.target][0]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_no_two_boxes_of_a_program_overlap(path: Path) -> None:
    drawing = program_graph(read_file(path)[0]).svg()
    for one, other in itertools.combinations(boxes(drawing).values(), 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_an_arrow_that_passes_a_column_has_a_place_of_its_own() -> None:
    layers = Layers({"a": 0, "b": 1, "c": 2}, [("a", "b"), ("b", "c"), ("a", "c")], {})
    assert layers.routes["a", "c"] == ["a", ("a", 1), "c"]
    heights = layers.heights({"a": 30, "b": 30, "c": 30}, 10, 16)
    assert abs(heights["b"] - heights["a", 1]) >= 15 + 8


def test_crossings_are_taken_out() -> None:
    layers = Layers({"a": 0, "b": 0, "c": 1, "d": 1}, [("a", "d"), ("b", "c")], {})
    assert [column.index(low) for column, low in zip(layers.columns, ("a", "d"), strict=True)] in ([0, 0], [1, 1])


def test_members_of_a_group_stand_together() -> None:
    arrows = [("x", "p"), ("y", "m"), ("z", "q")]
    layers = Layers({"x": 0, "y": 0, "z": 0, "p": 1, "m": 1, "q": 1}, arrows, {"p": 1, "q": 1, "m": 2})
    places = [layers.columns[1].index(name) for name in ("p", "q")]
    assert abs(places[0] - places[1]) == 1


def test_a_program_without_relations_is_drawn_too() -> None:
    assert "no relations" in program_graph(parse_program("")).svg()
    assert str(program_graph(parse_program(""))) == "no relations"
