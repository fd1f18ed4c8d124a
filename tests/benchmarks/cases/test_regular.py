"""The Regular Datalog paper's experiment on tiny graphs: queries are in its fragment, both engines agree."""

from __future__ import annotations

import pytest
from benchmarks.cases.regular import Trial, records
from benchmarks.data.schemas import SCHEMAS, Schema, drawn_labels, graph_of, views_of


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
def test_both_engines_keep_the_same_views(schema: Schema) -> None:
    trial = Trial(schema, graph_of(schema, 80))
    found = list(records("share", trial, 10, draws=1))
    assert [(r.facts["engine"], r.facts["what"]) for r in found] == [
        (engine, what) for what in ("inserted", "deleted") for engine in ("the paper's engine", "Tidelog")
    ]
    assert all(record["full"] > 0 for record in found)


def test_schemas_have_as_many_labels_as_those_of_the_paper() -> None:
    assert {name: len(schema.labels) for name, schema in SCHEMAS.items()} == {"shop": 82, "social": 27}


def test_graphs_and_queries_are_the_same_on_every_run() -> None:
    schema = SCHEMAS["social"]
    one, same = graph_of(schema, 100), graph_of(schema, 100)
    assert {label: rows.tolist() for label, rows in one.edges.items()} == {k: v.tolist() for k, v in same.edges.items()}
    assert views_of(schema) == views_of(schema)
    assert len(views_of(schema)) == 10


def test_a_smaller_share_of_labels_is_a_part_of_a_larger_one() -> None:
    graph = graph_of(SCHEMAS["shop"], 100)
    assert set(drawn_labels(graph, 5, 0)) < set(drawn_labels(graph, 25, 0))
    assert drawn_labels(graph, 25, 0) != drawn_labels(graph, 25, 1)


def test_twice_the_density_is_about_twice_the_edges() -> None:
    schema = SCHEMAS["social"]
    assert 1.7 < graph_of(schema, 1_000, 2.0).size / graph_of(schema, 1_000).size < 2.1
