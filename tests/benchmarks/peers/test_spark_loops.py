"""Peers on Spark with tiny data: they agree with the engine, and a session that is given stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from benchmarks.data.graphs import Cells
from benchmarks.inner import local_session
from benchmarks.measure import checksum
from benchmarks.options import Options
from benchmarks.run import run
from pyspark.sql import SparkSession

from benchmarks.data import graphs, workloads
from benchmarks.peers import spark_loops
from tidelog import Engine

SMALL = graphs.rmat(3, 12)


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    """The session of this process, or one for this module."""
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    with local_session(2, settings={"spark.sql.adaptive.enabled": "false"}) as own:
        yield own


def kept(rules: str, view: str, facts: Mapping[str, Cells]) -> Cells:
    """The view as the embedded engine has it."""
    db = Engine(rules)
    with db.epoch() as epoch:
        for name, rows in facts.items():
            epoch.insert(name, rows)
    return db[view].to_numpy()


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize(
    ("make", "rules", "view", "changing", "facts"),
    [
        (spark_loops.Closure, workloads.CLOSURE, "reach", "edge", {"edge": SMALL}),
        (
            spark_loops.Components,
            workloads.COMPONENTS,
            "component",
            "edge",
            {"edge": SMALL, "node": graphs.nodes_of(SMALL)},
        ),
        (
            spark_loops.Shortest,
            workloads.SHORTEST,
            "distance",
            "road",
            {"road": graphs.weighted(SMALL), "source": SMALL[:1, :1]},
        ),
        (spark_loops.SameGeneration, workloads.SAME_GENERATION, "same", "parent", {"parent": graphs.tree(2, 3)}),
    ],
    ids=["closure", "components", "shortest", "same-generation"],
)
def test_peer_keeps_the_same_view_through_a_build_a_deletion_and_an_insertion(
    session: SparkSession, make: type[spark_loops.Peer], rules: str, view: str, changing: str, facts: dict[str, Cells]
) -> None:
    peer = make(session, {name: spark_loops.frame(session, rows) for name, rows in facts.items()}, changing)
    peer.build()
    whole = checksum(kept(rules, view, facts))
    assert checksum(peer.rows()) == whole
    peer.delete(tuple(facts[changing][2].tolist()))
    less = {**facts, changing: facts[changing][[place != 2 for place in range(len(facts[changing]))]]}
    assert checksum(peer.rows()) == checksum(kept(rules, view, less))
    peer.insert(tuple(facts[changing][2].tolist()))
    assert checksum(peer.rows()) == whole


@pytest.mark.spark
@pytest.mark.long
def test_quick_run_compares_and_tells_every_kind_of_number(session: SparkSession, tmp_path: Path) -> None:
    cases = ["spark/same-generation", "spark/rounds", "spark/messages"]
    run(cases, Options(quick=True, session=session), tmp_path, pages=True)
    page = (tmp_path / "spark.md").read_text()
    assert "| same generation, binary tree of depth 4; WITH RECURSIVE | 310 |" in page
    assert "| a round with little data |" in page
    assert "| messages, closure placed by its first column |" in page
    assert session.range(3).count() == 3
