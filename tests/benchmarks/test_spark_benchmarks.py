"""The Spark benchmarks on tiny data: they run, peers and engine agree, and a session that is given stays as it is."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator, Mapping

import pytest
from benchmarks.graphs import Cells
from benchmarks.measure import checksum
from benchmarks.spark_findings import Comparison, Finding, Pair, Reading, Target, parts
from pyspark.sql import SparkSession

from benchmarks import graphs, spark, spark_peers, workloads
from tidelog import Engine
from tidelog.spark import local_session

FLOOR, CEILING = Target(10, floor=True), Target(3)
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
        (spark_peers.Closure, workloads.CLOSURE, "reach", "edge", {"edge": SMALL}),
        (
            spark_peers.Components,
            workloads.COMPONENTS,
            "component",
            "edge",
            {"edge": SMALL, "node": graphs.nodes_of(SMALL)},
        ),
        (
            spark_peers.Shortest,
            workloads.SHORTEST,
            "distance",
            "road",
            {"road": graphs.weighted(SMALL), "source": SMALL[:1, :1]},
        ),
        (spark_peers.SameGeneration, workloads.SAME_GENERATION, "same", "parent", {"parent": graphs.tree(2, 3)}),
    ],
    ids=["closure", "components", "shortest", "same-generation"],
)
def test_peer_keeps_the_same_view_through_a_build_a_deletion_and_an_insertion(
    session: SparkSession, make: type[spark_peers.Peer], rules: str, view: str, changing: str, facts: dict[str, Cells]
) -> None:
    peer = make(session, {name: spark_peers.frame(session, rows) for name, rows in facts.items()}, changing)
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
def test_quick_run_compares_and_tells_every_kind_of_number(session: SparkSession) -> None:
    told: list[str] = []
    spark.main(["--quick", "--only", "same-generation", "rounds", "messages"], session, told.append)
    assert [line.partition(":")[0] for line in told[1:-1:2]] == ["same-generation", "rounds", "messages"]
    assert "| same generation, binary tree of depth 4; WITH RECURSIVE | 310 |" in told[-1]
    assert "| a round with little data |" in told[-1]
    assert session.range(3).count() == 3


def test_unknown_case_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        spark.main(["--only", "odd"])
    assert "same-generation" in capsys.readouterr().err


def test_page_names_what_stayed_behind_its_target() -> None:
    pair = Pair(5.0, 1.0, FLOOR)
    findings: list[Finding] = [
        Comparison("grid", "loop", 9, 2, pair, pair, Pair(50.0, 1.0, FLOOR)),
        Reading("growth", 4, "x", CEILING),
    ]
    page = "\n".join(parts(findings, "how"))
    assert "Missed: growth; grid, build; grid, row out." in page
    assert "| 50 x |" in page
    assert "| growth | 4 x | at most 3 | no |  |" in page


@pytest.mark.parametrize("name", ["spark_findings", "spark_peers"])
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"benchmarks.{name}")).failed == 0
