"""Refusals of a session that need no Spark to be provoked."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

import tidelog
from tidelog.errors import DataError
from tidelog.spark import PreflightError, SparkError, open_session
from tidelog.spark.session import session as sessions
from tidelog.spark.session.active import active_session
from tidelog.spark.session.preflight import _check_worker

HERE = ".".join(map(str, sys.version_info[:2]))
SAME = {"host": "h", "python": HERE, "tidelog": tidelog.__version__, "home": "/x", "folder": "mark", "driver": ""}


@pytest.mark.parametrize(
    ("different", "code", "words"),
    [
        ({"python": "3.9"}, "TL6015", f"run Python 3.9, but the driver runs Python {HERE}: set spark.pyspark.python"),
        ({"tidelog": "!ImportError: no"}, "TL6016", r"cannot import tidelog \(ImportError: no\): install"),
        ({"tidelog": "0.0.0"}, "TL6017", r"have tidelog 0\.0\.0 \(/x\), but the driver has"),
        ({"folder": "!no such file"}, "TL6018", r"cannot access the state folder \(no such file\): use a folder"),
        ({"driver": "OSError: no route"}, "TL6006", r"cannot connect to this process at here \(OSError: no route\)"),
    ],
)
def test_worker_that_differs_is_refused(different: dict[str, str], code: str, words: str) -> None:
    row: Any = SimpleNamespace(**{**SAME, **different})
    with pytest.raises(PreflightError, match=words) as refused:
        _check_worker(row, "mark", ("here", 1))
    assert refused.value.code == code


def test_worker_that_does_not_differ_is_taken() -> None:
    row: Any = SimpleNamespace(**SAME)
    _check_worker(row, "mark", None)


def test_session_that_does_not_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("the master is not there")

    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    monkeypatch.setattr(sessions, "require_java", lambda: 17)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", fail)
    with pytest.raises(SparkError, match="Spark did not start: the master is not there") as output:
        open_session(2)
    assert output.value.code == "TL6021"


def test_view_without_a_session_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    with pytest.raises(DataError, match="no Spark session is active: create one") as output:
        active_session()
    assert output.value.code == "TL1511"
