"""What goes wrong on Spark and is seldom seen: each is reported with its code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.flight as flight
import pytest
from pyspark.sql import SparkSession

from tests.runner import CliRunner
from tests.spark.residents import Keeper
from tidelog import Engine
from tidelog.cli import app
from tidelog.errors import DataError, EngineError
from tidelog.spark import Endpoint, ResidentStage, SparkError, StageError
from tidelog.spark.arrivals import Arrival
from tidelog.spark.resident import stage as stages
from tidelog.spark.resident.credentials import Credentials
from tidelog.spark.resident.rendezvous import Rendezvous
from tidelog.spark.resident.resident import Assignment
from tidelog.spark.streams import Stream, start_stream

HERE = "127.0.0.1"


# Rows and streams


def test_collected_frame_without_its_column_of_changes_is_refused(spark: SparkSession) -> None:
    with pytest.raises(DataError, match=r"n: expected one column `sign` with .*the rows have id") as refused:
        Arrival("n", spark.range(1), change="sign").collected()
    assert refused.value.code == "TL1501"


def test_json_of_a_relation_with_a_key_is_refused(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIDELOG_RUNTIME", raising=False)
    (tmp_path / "p.dl").write_text(
        ".decl route(d: number, n: number)\n.input route(IO=json)\nmaterialize(route, infinity, infinity, keys(1)).\n"
    )
    (tmp_path / "route.json").write_text('{"d": 1, "n": 2}\n')
    result = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path)])
    assert result.exit_code == 1
    assert "error[TL1513]: " in result.stderr


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"also": {"1": print}}, "`also` must be a function of an epoch for every number of a batch"),
        ({"also": {1: "q(X) :- p(X)."}}, "`also` must be a function of an epoch"),
        ({"also": [1]}, "`also` must be a function of an epoch"),
        ({"availableNoww": True}, "`trigger` must be one of processingTime, once, continuous, availableNow"),
    ],
)
def test_wrong_words_about_a_stream_are_refused(spark: SparkSession, given: dict[str, Any], words: str) -> None:
    rows = spark.readStream.format("rate").load()
    with Engine("p(X) :- q(X).") as db, pytest.raises(EngineError, match=words):
        db.stream(rows, "q", **given)


def test_frame_that_is_no_stream_is_refused(spark: SparkSession) -> None:
    def begin(source: str, number: int) -> Any:
        raise AssertionError("no batch comes")

    with pytest.raises(EngineError, match="stream of `n`: the DataFrame is not a stream") as refused:
        start_stream(Stream(spark.range(1), "n", "numbers"), begin, None)
    assert refused.value.code == "TL4702"


# The resident stage


class Broken(flight.FlightServerBase):  # type: ignore[misc]  # pyarrow has no types
    """A partition whose transport fails."""

    def do_action(self, context: Any, action: Any) -> Any:
        raise flight.FlightServerError("no room")


def test_failure_of_the_transport_is_reported() -> None:
    with (
        Broken(f"grpc+tcp://{HERE}:0") as server,
        pytest.raises(SparkError, match="partition 3: no room") as output,
    ):
        Endpoint(3, HERE, server.port, Credentials("secret")).open().call("anything")
    assert output.value.code == "TL6102"


def test_driver_takes_and_gives_no_rows() -> None:
    meeting = Rendezvous(HERE, HERE, Credentials("secret"))
    peer = meeting.endpoint.open()
    with pytest.raises(StageError, match="the driver does not accept rows") as refused:
        peer.deliver({"name": "rows"}, pa.table({"x": [1]}))
    assert refused.value.code == "TL6103"
    with pytest.raises(StageError, match="the driver has no rows") as refused:
        peer.fetch({"name": "rows"})
    assert refused.value.code == "TL6104"
    meeting.close()


def start_with(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, job: Callable[[Assignment], Any]) -> StageError:
    """How a stage refuses to start whose Spark job is this one."""
    for check in ("check_session", "probe_workers", "await_slots"):
        monkeypatch.setattr(stages, check, lambda *_, **__: None)
    monkeypatch.setattr(stages, "Job", lambda _, assignment: job(assignment))
    stage = ResidentStage(spark, 1, Keeper, silence=0.3)
    with pytest.raises(StageError) as refused:
        stage.start()
    stage.stop()
    return refused.value


def test_stage_that_ends_before_it_begins_is_reported(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(assignment: Assignment) -> Any:
        over = threading.Event()
        over.set()
        return SimpleNamespace(ended=over, end_reason="no executor was left", cancel=over.set)

    output = start_with(spark, monkeypatch, ended)
    assert (output.code, str(output)) == (
        "TL6108",
        "the resident stage ended before all its tasks had started: no executor was left",
    )


def test_partition_that_falls_silent_while_it_starts_is_reported(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(assignment: Assignment) -> Any:
        assert assignment.driver.open().call("arrive", (assignment.generation, 0, 0, 1))
        over = threading.Event()
        return SimpleNamespace(ended=over, end_reason="", cancel=over.set)

    output = start_with(spark, monkeypatch, silent)
    assert (output.code, str(output)) == ("TL6109", "partition 0 sent no heartbeat for 0.3 s during startup")
