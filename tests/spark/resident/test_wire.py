"""Endpoints without a stage: who is let in, how large messages may be, where they listen."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.flight as flight
import pytest
from pyarrow.fs import LocalFileSystem

from tests.spark.conftest import ROOT
from tests.spark.residents import Keeper
from tidelog.errors import EngineError
from tidelog.program.functions.table import FUNCTIONS
from tidelog.spark import PartitionLost, PreflightError, ResidentError, SparkError
from tidelog.spark.resident.client import Endpoint
from tidelog.spark.resident.credentials import Credentials, new_credentials
from tidelog.spark.resident.pack import NUMBER, pack
from tidelog.spark.resident.pieces import PIECE
from tidelog.spark.resident.server import Server
from tidelog.spark.resident.unpack import unpack
from tidelog.spark.resident.wire import decode, encode
from tidelog.spark.resident_node import ResidentNode
from tidelog.spark.session.listen import SETTING, message_limit, socket_folder
from tidelog.store.base.files import FileStore
from tidelog.store.base.objects import ObjectStore
from tidelog.store.log.markers import PieceContext

HERE = "127.0.0.1"


@contextmanager
def served(credentials: Credentials, host: str = HERE) -> Iterator[Endpoint]:
    """A keeper behind an endpoint; gives the endpoint."""
    keeper = Keeper(0, 1)
    with Server(0, host, credentials, {"call": keeper.call}, keeper) as server:
        yield server.endpoint


def test_calls_larger_than_a_piece_and_their_answers_come_whole() -> None:
    large = np.arange(PIECE // 4, dtype=np.int64)
    with served(Credentials("t")) as endpoint:
        peer = endpoint.open()
        assert (peer.call("echo", (large,)) == large).all()
        table = pa.table({"x": large})
        peer.deliver({"name": "x"}, table)
        assert peer.fetch({"name": "x"}).equals(table)
        assert [batch.nbytes <= PIECE for batch in peer.batches({"name": "x"})] == [True, True]


def test_message_larger_than_the_limit_is_refused() -> None:
    with served(Credentials("t", limit=PIECE * 2)) as endpoint:
        peer = endpoint.open()
        with pytest.raises(ResidentError, match="exceeds the limit of 33,554,432 bytes") as caught:
            peer.call("echo", (bytes(PIECE * 2),))
        assert caught.value.code == "TL6177"
        with pytest.raises(ResidentError, match="exceeds the limit of"):  # the answer is too large, the call is not
            peer.call("large", (PIECE * 2,))
        assert peer.call("echo", (1,)) == 1
        generous = replace(endpoint, credentials=Credentials("t")).open()
        with pytest.raises(ResidentError, match="exceeds the limit of"):  # refused where it comes, too
            generous.call("echo", (bytes(PIECE * 2),))
        whole = pa.table({"x": pa.array([bytes(PIECE * 2 + 1)])})
        with pytest.raises(ResidentError, match="exceeds the limit of"):
            generous.deliver({"name": "x"}, whole)
        assert generous.call("count", ("x",)) == 0


def test_limit_of_messages_is_a_setting_of_the_session() -> None:
    def session(said: str | None) -> Any:
        return SimpleNamespace(
            conf=SimpleNamespace(get=lambda name, default: said if name == SETTING and said else default)
        )

    assert message_limit(session(None)) == 2**31 - 1
    assert message_limit(session("1000000")) == 1_000_000
    for wrong in ("many", "-1", "10", "99999999999"):
        with pytest.raises(PreflightError, match="number of bytes") as output:
            message_limit(session(wrong))
        assert output.value.code == "TL6075"


def test_socket_lies_in_a_folder_that_only_this_user_enters() -> None:
    folder = socket_folder()
    assert folder is not None
    with folder, served(Credentials("t"), f"{folder.name}/0") as endpoint:
        assert endpoint.open().call("echo", ("a",)) == "a"
        with pytest.raises(SparkError, match="token"):
            replace(endpoint, credentials=Credentials("u")).open().call("echo", (1,))
        assert stat.S_IMODE(os.stat(folder.name).st_mode) == 0o700
        assert endpoint.port == 0


def test_socket_folder_with_a_long_path_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    assert socket_folder() is None
    assert list(deep.iterdir()) == []


def test_both_ends_of_a_tls_connection_show_a_certificate_of_the_run() -> None:
    driver, partition = new_credentials(tls=True)
    foreign, _ = new_credentials(tls=True)
    with served(partition) as endpoint:
        assert endpoint.location.startswith("grpc+tls://")
        assert replace(endpoint, credentials=driver).open().call("echo", (1,)) == 1
        assert endpoint.open().call("echo", (2,)) == 2  # from one partition to another
        own = driver.certificates
        assert own is not None
        assert foreign.certificates is not None
        strangers = [
            Credentials(driver.token),  # not encrypted at all
            Credentials(driver.token, foreign.certificates),  # trusts and shows another run's
            Credentials(driver.token, replace(foreign.certificates, authority=own.authority)),  # shows another run's
            Credentials(driver.token, replace(own, authority=foreign.certificates.authority)),  # trusts another run's
        ]
        for stranger in strangers:
            with pytest.raises(PartitionLost):
                replace(endpoint, credentials=stranger).open().call("echo", (3,), limit=5.0)
        with pytest.raises(flight.FlightUnavailableError):  # trusts this run's and shows nothing
            bare = flight.FlightClient(
                endpoint.location, tls_root_certs=own.authority, override_hostname="partition.tidelog"
            )
            list(bare.do_action(flight.Action("call", b""), flight.FlightCallOptions(timeout=5.0)))
        with pytest.raises(SparkError, match="token"):
            replace(endpoint, credentials=replace(driver, token="guess")).open().call("echo", (1,))
        with pytest.raises(PartitionLost):  # a partition that poses as the driver
            replace(endpoint, number=-1).open().call("echo", (1,), limit=5.0)


UNINVITED = """
import resource, sys
import pyarrow.flight as flight
from tests.spark.resident.test_wire import served
from tidelog.spark.resident.credentials import new_credentials
from tests.spark.resident.uninvited import send_large

driver, partition = new_credentials(tls=True)
with served(partition) as endpoint:
    endpoint.open().call("echo", (1,))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    send_large(endpoint.port)
    assert endpoint.open().call("echo", (1,)) == 1
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_large_message_of_a_stranger_is_not_received() -> None:
    """Over TLS the connection ends at the handshake, so that 300 MB without certificate cost next to nothing."""
    done = subprocess.run(
        [sys.executable, "-c", UNINVITED], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert int(done.stdout) < 100


def test_delivery_that_is_refused_before_it_ends_is_an_error_of_its_own() -> None:
    with served(Credentials("t")) as endpoint:
        peer, rows = endpoint.open(), pa.table({"x": [1] * 100_000})
        for _ in range(20):  # whether the answer is heard is chance
            with pytest.raises(SparkError, match=r"the rows have no description|rejected"):
                peer.deliver(("no", "description"), rows)  # type: ignore[arg-type]  # that is the mistake


def test_sender_that_waits_for_an_answer_to_garbage_gets_one() -> None:
    """A call in the place of a description of rows: the rows that should follow were waited for, by both sides."""
    with served(Credentials("t")) as endpoint:
        client = flight.FlightClient(endpoint.location)
        options = flight.FlightCallOptions(timeout=60.0, headers=[(b"authorization", b"Bearer t")])
        command = flight.FlightDescriptor.for_command(encode(("echo", (1,))))
        writer, output = client.do_put(command, pa.schema([("x", pa.int64())]), options)
        writer.write_table(pa.table({"x": [1]}))
        answer = output.read()  # None: gRPC has dropped it with the end of the stream
        if answer is not None:
            with pytest.raises(ResidentError, match="the rows have no description"):
                decode(answer)
        assert endpoint.open().call("echo", (1,), limit=30.0) == 1
        writer.close()


def test_garbage_calls_with_the_token_are_answered_and_the_next_call_too() -> None:
    rng = Random(5)
    with served(Credentials("t")) as endpoint:
        client = flight.FlightClient(endpoint.location)
        options = flight.FlightCallOptions(timeout=30.0, headers=[(b"authorization", b"Bearer t")])
        for _ in range(100):
            body = rng.randbytes(rng.choice((0, 1, 9, 100, 10_000)))
            answers = list(client.do_action(flight.Action(rng.choice(("call", "stop", "")), body), options))
            assert len(answers) == 1
            with pytest.raises(flight.FlightServerError):
                client.do_get(flight.Ticket(body), options).read_all()
            writer, output = client.do_put(flight.FlightDescriptor.for_command(body), pa.schema([]), options)
            with writer:
                writer.done_writing()
                assert output.read() is not None
        assert endpoint.open().call("echo", (1,), limit=30.0) == 1


def test_place_of_a_state_in_a_garbage_call_is_none_to_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A text is no store, and a store that has its folder where a process happens to work is none that is sent."""
    monkeypatch.chdir(tmp_path)
    node = ResidentNode(FUNCTIONS, 0, 1)
    with Server(0, HERE, Credentials("t"), {"call": node.call}, node) as server:
        peer = server.endpoint.open()
        for place in (
            "edge",
            str(tmp_path),
            b"edge",
            None,
            7,
            ["edge"],
            {"name": "edge"},
            PieceContext(1, {}, False, {}),
        ):
            with pytest.raises(EngineError, match="invalid call of"):
                peer.call("open_piece", ((place, {}), {}))
        client = flight.FlightClient(server.endpoint.location)
        options = flight.FlightCallOptions(timeout=30.0, headers=[(b"authorization", b"Bearer t")])
        for store in (FileStore(Path("/edge")), ObjectStore(LocalFileSystem(), "/edge")):
            sent = encode(("open_piece", ((store, {}), {})))
            assert b"/edge" in sent
            (answer,) = client.do_action(flight.Action("call", sent.replace(b"/edge", b"./edg")), options)
            with pytest.raises(ResidentError, match="not absolute"):
                decode(answer.body)
        with pytest.raises(AssertionError, match="was not opened"):
            peer.call("snapshot_piece", ((1 << 62, {}), {}))
    assert list(tmp_path.iterdir()) == []


def test_table_that_unpacks_to_more_than_its_bytes_is_refused() -> None:
    for table in (pa.table({"x": [bytes(1 << 24)]}), pa.table({"x": pa.array(["a" * 9999] * 9).dictionary_encode()})):
        for compression in ("zstd", "lz4"):
            sink = pa.BufferOutputStream()
            options = pa.ipc.IpcWriteOptions(compression=compression)
            with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
                stream.write_table(table)
            data = sink.getvalue().to_pybytes()
            with pytest.raises(ResidentError, match="compressed") as caught:
                unpack(b"A" + NUMBER.pack(len(data)) + data)
            assert caught.value.code == "TL6176"
        assert unpack(pack(table)).equals(table)


@pytest.mark.parametrize("lengths", [[50_000, -50_000] * 20, [1, 1], [50_001], [1 << 62, 1 << 62]])
def test_texts_that_share_their_bytes_are_refused(lengths: list[int]) -> None:
    numbers = np.array(lengths, np.int64).tobytes()
    body = b"U" + NUMBER.pack(len(numbers)) + numbers + pack("x" * 50_000)
    with pytest.raises(ResidentError, match="the lengths of its strings are wrong") as caught:
        unpack(body)
    assert caught.value.code == "TL6176"
