"""Secrets of a run in places that others read: Spark's settings, pages and event log, and the process list."""

from __future__ import annotations

import os
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spark.apart import run_apart
from tests.spark.processes import descendants
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.spark.nodes import SparkNodes
from tidelog.spark.session.session import open_session


@pytest.mark.long
def test_token_and_keys_are_in_no_setting_page_event_log_or_process_list(tmp_path: Path) -> None:
    secrets = run_apart(run, str(tmp_path))
    logs = [path.read_bytes() for path in (tmp_path / "events").rglob("*") if path.is_file()]
    assert any(b"SparkListenerJobStart" in log for log in logs)
    for secret in secrets:
        assert not any(secret.encode() in log for log in logs)


def run(folder: str) -> list[str]:
    """An engine with rules, rows of a DataFrame and TLS; what its secrets are."""
    (Path(folder) / "events").mkdir()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{folder}/events",
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
    }
    spark = open_session(2, settings=settings)
    with Engine("p(X) :- q(X).", spark=spark, partitions=2, tls=True) as db:
        with db.epoch() as epoch:
            epoch.insert("q", spark.range(5))
        nodes = core_of(db).runtime.nodes
        assert isinstance(nodes, SparkNodes)
        secrets = list(secrets_of(nodes))
        for text in told(str(spark.sparkContext.uiWebUrl), spark.sparkContext.getConf().getAll()):
            for secret in secrets:
                assert secret not in text
    spark.stop()
    return secrets


def secrets_of(nodes: SparkNodes) -> Iterator[str]:
    """The token, and a line of each key."""
    for credentials in (nodes.stage._own, nodes.stage._others):
        yield credentials.token
        assert credentials.certificates is not None
        yield re.findall(r"\n(\S{40,})\n", credentials.certificates.key.decode())[0]


def told(ui: str, conf: list[tuple[str, str]]) -> Iterator[str]:
    """What anybody can read while the engine runs."""
    yield repr(conf)
    for page in ("jobs/", "stages/", "SQL/", "environment/", "executors/", "api/v1/applications"):
        with urllib.request.urlopen(f"{ui}/{page}", timeout=60) as answer:
            yield answer.read().decode()
    for number in (os.getpid(), *descendants(os.getpid())):
        for file in ("cmdline", "environ"):
            try:
                yield Path(f"/proc/{number}/{file}").read_bytes().decode("utf-8", "replace")
            except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
                continue
