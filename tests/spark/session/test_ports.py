"""The ports of an engine's processes: any, or those of a range."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.residents import Keeper
from tests.spark.session.test_preflight import Pretending
from tidelog.spark import PreflightError, ResidentStage
from tidelog.spark.session.ports import free_port, read_ports

pytestmark = pytest.mark.spark
HERE = "127.0.0.1"


@pytest.mark.parametrize("text", ["40000", "40000-", "500-600", "40000-40002", "40010-40000", "65000-65600", "a-b"])
def test_range_of_ports_is_checked(spark: SparkSession, text: str) -> None:
    pretending: Any = Pretending(spark, {"spark.tidelog.ports": text})
    with pytest.raises(PreflightError, match=r"`spark\.tidelog\.ports` is .* at least 4 ports") as refused:
        read_ports(pretending, 3)
    assert refused.value.code == "TL6079"
    pretending = Pretending(spark, {"spark.tidelog.ports": " 40000-40003 "})
    assert read_ports(pretending, 3) == (40000, 40003)
    assert read_ports(spark, 3) is None


def test_ports_in_use_are_skipped() -> None:
    with socket.socket() as listening:
        listening.bind((HERE, 0))
        listening.listen()
        port = listening.getsockname()[1]
        assert free_port((port - 1, port + 5), HERE, 1, 3) == port + 3
        with pytest.raises(PreflightError, match="other processes listen on all ports") as refused:
            free_port((port, port + 1), HERE, 0, 2)
        assert refused.value.code == "TL6080"
    assert free_port(None, HERE, 0, 3) == 0
    assert free_port((40000, 40003), "/tmp/socket", 0, 3) == 0


def test_driver_and_partitions_listen_on_ports_of_the_range(spark: SparkSession) -> None:
    first = free_port((41000, 60000), HERE, 0, 50)
    session = spark.newSession()
    session.conf.set("spark.tidelog.ports", f"{first}-{first + 30}")
    with ResidentStage(session, 2, Keeper, tls=True) as stage:
        used = [stage._meeting().endpoint.port, *(endpoint.port for endpoint in stage.endpoints)]
        assert len(set(used)) == 3
        assert all(first <= port <= first + 30 for port in used)
        assert stage.call_all("send", ("n", 3)) == [2, 2]
        stage.restart()
        assert stage.call(1, "whoami")[:2] == (1, 2)
