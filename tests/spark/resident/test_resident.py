"""The resident stage while all goes well: calls, rows, peers, errors that come back, the token."""

from __future__ import annotations

import pickle
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.flight as flight
import pytest
from pyspark.sql import SparkSession

from tests.spark.processes import wait_for
from tests.spark.residents import Keeper, refusing, slow
from tidelog.errors import EvaluationError
from tidelog.spark import Endpoint, NoAnswer, PartitionLost, Peer, ResidentError, ResidentStage, SparkError, StageError
from tidelog.spark.resident.credentials import Credentials

ROWS = pa.table({"x": pa.array(range(25), pa.int64())})


@pytest.fixture
def stage(kept_stage: ResidentStage) -> ResidentStage:
    return kept_stage


def test_every_partition_is_made_by_the_factory_in_a_process_of_its_own(stage: ResidentStage) -> None:
    known = stage.call_all("whoami")
    assert [(number, partitions) for number, partitions, _ in known] == [(0, 2), (1, 2)]
    assert tuple(process for _, _, process in known) == stage.processes
    assert len(set(stage.processes)) == 2
    assert stage.alive


def test_calls_take_the_same_or_their_own_arguments(stage: ResidentStage) -> None:
    assert stage.call_all("echo", ("a",)) == ["a", "a"]
    assert stage.call_all("echo", each=[(1,), ((2, None),)]) == [1, (2, None)]
    assert stage.call(1, "echo", ({"k": [1]},)) == {"k": [1]}
    with pytest.raises(StageError, match="1 item, but the engine has 2 partitions") as refused:
        stage.call_all("echo", each=[(1,)])
    assert refused.value.code == "TL6106"


def test_large_values_cross(stage: ResidentStage) -> None:
    value = b"x" * 20_000_000
    assert stage.call(0, "echo", (value,)) == value


def test_rows_delivered_are_rows_fetched(stage: ResidentStage) -> None:
    stage.deliver(0, {"name": "rows"}, ROWS)
    stage.deliver(0, {"name": "rows"}, ROWS.slice(0, 0))
    assert stage.fetch(0, {"name": "rows"}) == ROWS
    assert stage.fetch(0, {"name": "rows", "reader": True}).num_rows == 25
    assert [batch.num_rows for batch in stage.endpoints[0].open().batches({"name": "rows", "reader": True})] == [
        10,
        10,
        5,
    ]


def test_partitions_reach_each_other_directly(stage: ResidentStage) -> None:
    assert stage.call_all("send", ("mail", 7)) == [2, 2]
    assert stage.call_all("count", ("mail",)) == [14, 14]
    assert stage.call(0, "ask", (1, "whoami"))[0] == 1
    assert stage.call(1, "borrow", (0, "mail")) == 14


def test_spark_tasks_send_and_fetch_rows_directly(spark: SparkSession, stage: ResidentStage) -> None:
    endpoints = stage.endpoints

    def send(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for endpoint in endpoints:
                endpoint.open().deliver({"name": "sent"}, pa.Table.from_batches([batch]))
            yield batch.slice(0, 1)

    def fetch(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from endpoints[number].open().batches({"name": "sent"})

    spark.range(0, 10, 1, 2).mapInArrow(send, "id long").count()
    assert stage.call_all("count", ("sent",)) == [10, 10]
    assert spark.range(0, 2, 1, 2).mapInArrow(fetch, "id long").count() == 20


def test_error_of_a_resident_is_raised_as_itself(stage: ResidentStage) -> None:
    with pytest.raises(EvaluationError, match="bad luck in partition 1") as caught:
        stage.call(1, "fail", ("plain",))
    assert any("in fail" in note for note in caught.value.__notes__)
    with pytest.raises(EvaluationError, match="takes no rows"):
        stage.deliver(1, {"name": "rows", "refuse": True}, ROWS)
    with pytest.raises(EvaluationError, match="has no nothing"):
        stage.fetch(1, {"name": "nothing"})
    with pytest.raises(SparkError, match="EvaluationError: partition 1 has no nothing"):
        stage.fetch(1, {"name": "nothing", "long": 20_000})
    with pytest.raises(ResidentError, match="Unpicklable: one") as foreign:
        stage.call(0, "fail", ("unpicklable",))
    assert foreign.value.code == "TL6113"
    with pytest.raises(EvaluationError, match="bad luck in partition 1"):
        stage.call(0, "ask", (1, "fail", "plain"))
    assert stage.alive


def test_error_of_one_partition_waits_for_the_others(stage: ResidentStage) -> None:
    with pytest.raises(EvaluationError, match="partition 1"):
        stage.call_all("fail_if", (1,))
    assert stage.call_all("fail_if", (5,)) == [0, 1]


def test_long_call_blocks_nothing(stage: ResidentStage, tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    waiting = threading.Thread(target=stage.call_all, args=("begin", (str(mark), "sleep", 600.0)))
    waiting.start()
    wait_for(lambda: len(list(tmp_path.iterdir())) == 2, 60)
    stage.deliver(0, {"name": "meanwhile"}, ROWS)
    assert stage.call_all("count", ("meanwhile",)) == [25, 0]
    assert stage.fetch(0, {"name": "meanwhile"}) == ROWS
    assert waiting.is_alive()
    for begun in tmp_path.iterdir():
        begun.unlink()
    waiting.join()


def test_caller_may_look_up_while_it_waits(stage: ResidentStage, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[float] = []
    monkeypatch.setattr(stage, "on_wait", lambda: looked.append(time.monotonic()))
    assert stage.call_all("sleep", (0.6,)) == ["slept", "slept"]
    assert len(looked) >= 2

    def tired() -> None:
        raise EvaluationError("waited long enough")

    monkeypatch.setattr(stage, "on_wait", tired)
    with pytest.raises(EvaluationError, match="waited long enough"):
        stage.call_all("sleep", (0.6,))


def test_call_over_its_limit_is_given_up(stage: ResidentStage) -> None:
    with pytest.raises(NoAnswer, match=r"partition 0 did not answer `call` within 0\.3 s") as late:
        stage.call(0, "hang", (1.0,), limit=0.3)
    assert late.value.code == "TL6112"
    assert stage.call_all("echo", (1,)) == [1, 1]


def test_token_is_demanded_by_every_method_of_every_endpoint(stage: ResidentStage) -> None:
    assert stage._rendezvous is not None
    for endpoint in (*stage.endpoints, stage._rendezvous.endpoint):
        bare = flight.FlightClient(endpoint.location)
        wrong = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer " + b"0" * 64)])
        for options in (flight.FlightCallOptions(), wrong):
            for request in (
                lambda bare=bare, options=options: list(bare.do_action(flight.Action("call", b""), options)),
                lambda bare=bare, options=options: bare.do_get(flight.Ticket(b""), options).read_all(),
                lambda bare=bare, options=options: list(bare.list_flights(options=options)),
                lambda bare=bare, options=options: put(bare, options),
            ):
                with pytest.raises(flight.FlightUnauthenticatedError):
                    request()
        bare.close()


def put(client: flight.FlightClient, options: flight.FlightCallOptions) -> None:
    writer, answers = client.do_put(flight.FlightDescriptor.for_command(b""), ROWS.schema, options)
    answers.read()
    writer.close()


def test_peer_with_a_wrong_token_is_refused(stage: ResidentStage) -> None:
    right = stage.endpoints[0]
    with pytest.raises(SparkError, match="rejected the token") as refused:
        Endpoint(right.number, right.host, right.port, Credentials("guess")).open().call("whoami")
    assert refused.value.code == "TL6101"


def test_token_is_not_shown(stage: ResidentStage) -> None:
    assert stage.endpoints[0].credentials.token not in repr(stage.endpoints)


def test_partitions_of_a_local_session_open_no_port(stage: ResidentStage) -> None:
    folders = {Path(endpoint.host).parent for endpoint in stage.endpoints}
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
    assert {endpoint.port for endpoint in stage.endpoints} == {0}


def test_stage_over_tls_speaks_between_all_partitions_and_listens_on_loopback_only(spark: SparkSession) -> None:
    with ResidentStage(spark, 2, Keeper, tls=True) as stage:
        assert {endpoint.host for endpoint in stage.endpoints} == {"127.0.0.1"}
        assert stage.call_all("send", ("mail", 5)) == [2, 2]
        assert stage.call_all("count", ("mail",)) == [10, 10]
        with pytest.raises(PartitionLost):
            replace(stage.endpoints[0], credentials=Credentials(stage.endpoints[0].credentials.token)).open().call(
                "whoami"
            )


def test_peer_travels_as_its_address(stage: ResidentStage) -> None:
    peer = pickle.loads(pickle.dumps(stage.endpoints[1].open()))
    assert isinstance(peer, Peer)
    assert peer.call("whoami")[0] == 1
    peer.close()
    assert peer.call("whoami")[0] == 1


def test_error_of_the_factory_is_raised_by_start(spark: SparkSession) -> None:
    stage = ResidentStage(spark, 2, refusing)
    with pytest.raises(EvaluationError, match="partition 1 of 2 cannot be made"):
        stage.start()
    assert not stage.alive
    stage.stop()


def test_slow_factory_may_outlast_the_start_limit_while_it_is_heard_of(spark: SparkSession) -> None:
    with ResidentStage(spark, 1, slow, start_limit=60.0, silence=2.5, patience=10.0) as stage:
        assert stage.call_all("echo", (1,)) == [1]


def test_stage_that_is_not_started_or_stopped_says_so(spark: SparkSession) -> None:
    stage = ResidentStage(spark, 1, Keeper)
    for action in (lambda: stage.call_all("whoami"), lambda: stage.call(0, "whoami"), lambda: stage.endpoints):
        with pytest.raises(StageError, match="is not running") as refused:
            action()
        assert refused.value.code == "TL6107"
    assert not stage.alive
    stage.stop()
    with stage:
        assert stage.call_all("echo", (1,)) == [1]
        with pytest.raises(StageError, match="is already running") as refused:
            stage.start()
        assert refused.value.code == "TL6105"
        (left,) = stage.endpoints
    stage.stop()
    with pytest.raises(StageError, match="is not running"):
        stage.call_all("whoami")
    with pytest.raises(SparkError):
        left.open().call("whoami", limit=2.0)


def test_stop_ends_calls_that_run(spark: SparkSession) -> None:
    stage = ResidentStage(spark, 1, Keeper).start()
    ended: list[object] = []

    def call() -> None:
        try:
            ended.append(stage.call(0, "sleep", (60.0,)))
        except SparkError as error:
            ended.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    time.sleep(0.3)
    began = time.monotonic()
    stage.stop()
    assert time.monotonic() - began < 50
    caller.join(60)
    assert not caller.is_alive()
    assert len(ended) == 1


def test_session_serves_other_jobs_beside_the_stage(spark: SparkSession, stage: ResidentStage) -> None:
    assert spark.range(100).repartition(4).count() == 100
    assert stage.alive
