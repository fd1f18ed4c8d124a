"""Sessions: Tidelog's own is local, quiet and short-lived; a user's is left as it is; Java is looked for first (D2)."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.apart import run_apart
from tests.spark.conftest import WORKER_PATH
from tests.spark.residents import Keeper
from tidelog import Engine
from tidelog.spark import PreflightError, ResidentStage, local_session, open_session
from tidelog.spark.session.java import require_java
from tidelog.spark.session.preflight import preflight
from tidelog.spark.session.session import LOG_SETTINGS, worker_path


def fake_java(folder: Path, says: str, code: int = 0) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n")
    program.chmod(0o755)
    return program


def test_java_of_this_machine_is_usable() -> None:
    assert require_java() >= 17


def test_what_spark_may_say_is_settled_by_a_file_of_the_package() -> None:
    assert "rootLogger.level = error" in LOG_SETTINGS.read_text("utf-8")


def test_missing_java_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        PreflightError, match=r"`java` is not on the path: install Java 17 .*`--runtime embedded` needs no Java"
    ) as refused:
        open_session(2)
    assert refused.value.code == "TL6005"


def test_java_home_without_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        PreflightError, match=f"JAVA_HOME is {tmp_path}, which does not contain bin/java: install Java 17"
    ) as refused:
        require_java()
    assert refused.value.code == "TL6004"


@pytest.mark.parametrize(
    ("says", "code", "words"),
    [
        ('openjdk version "11.0.22" 2024-01-16', 0, "is Java 11: install Java 17"),
        ('java version "1.8.0_402"', 0, "is Java 8: install Java 17"),
        ("no such thing", 0, "does not report its version"),
        ('openjdk version "17.0.1"', 1, "does not report its version"),
    ],
)
def test_unusable_java_is_recognised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, says: str, code: int, words: str
) -> None:
    fake_java(tmp_path, says, code)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PreflightError, match=words) as refused:
        require_java()
    assert refused.value.code in {"TL6002", "TL6003"}


def test_java_that_does_not_run_is_recognised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path, "").chmod(0o644)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PreflightError, match="could not be run") as refused:
        require_java()
    assert refused.value.code == "TL6001"


def test_own_session_is_local_and_uses_this_interpreter(spark: SparkSession) -> None:
    assert spark.sparkContext.master == "local[8]"
    assert spark.conf.get("spark.driver.host") == spark.conf.get("spark.driver.bindAddress") == "127.0.0.1"
    assert spark.conf.get("spark.pyspark.python") == sys.executable
    assert spark.conf.get("spark.ui.enabled") == "false"
    assert spark.conf.get("spark.sql.execution.arrow.pyspark.enabled") == "true"


def test_session_leaves_interrupt_and_environment_as_they_were(spark: SparkSession) -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert "SPARK_LOCAL_IP" not in os.environ


def test_workers_of_a_checkout_find_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import tidelog

    monkeypatch.setenv("PYTHONPATH", f"one{os.pathsep}two")
    parts = worker_path().split(os.pathsep)
    assert parts[-2:] == ["one", "two"]
    assert parts[0] == str(Path(tidelog.__file__).parents[1]) or len(parts) == 2


def test_no_session_is_made_beside_a_running_one(spark: SparkSession) -> None:
    before = spark.sparkContext.getConf().getAll()
    with pytest.raises(
        PreflightError, match=r"already running in this process; pass it \(`Engine\(spark=session\)`\)"
    ) as refused:
        open_session(2)
    assert refused.value.code == "TL6020"
    assert spark.sparkContext.getConf().getAll() == before


@pytest.mark.long  # a JVM of its own; the session of all other tests is a user's, too
def test_user_session_is_left_intact() -> None:
    run_apart(use_own_session)


@pytest.mark.long  # a JVM of its own, for a setting that rarely changes
def test_workers_in_local_mode_run_the_drivers_interpreter_where_nobody_named_one() -> None:
    run_apart(use_no_named_interpreter)


def use_no_named_interpreter() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder, "python3")  # the first of the path, and none that could hold a partition
        wrong.write_text("#!/bin/sh\nexit 3\n")
        wrong.chmod(0o755)
        os.environ.update(PYTHONPATH=WORKER_PATH, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
        os.environ.pop("PYSPARK_PYTHON", None)
        spark = SparkSession.builder.master("local[4]").config("spark.ui.enabled", "false").getOrCreate()
        with Engine("near(X) :- edge(X, _).", spark=spark, partitions=2) as db:
            with db.epoch() as epoch:
                epoch.insert("edge", spark.range(1, 2).selectExpr("id AS x", "id + 1 AS y"))
            assert list(db["near"]) == [(1,)]
        assert spark.sparkContext.pythonExec == "python3"  # the session is as it was
        spark.stop()


def use_own_session() -> None:
    os.environ.update(PYTHONPATH=WORKER_PATH)
    builder = SparkSession.builder.master("local[3]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "3").getOrCreate()
    spark.range(1).count()  # Spark itself settles some of its settings at the first use
    before = marks_of(spark)
    spark.addTag("mine")
    with ResidentStage(spark, 2, Keeper) as stage:
        assert stage.call_all("echo", (1,)) == [1, 1]
        assert spark.range(10).count() == 10
        assert stage.processes[0] != os.getpid()
    assert marks_of(spark) == before, marks_of(spark) ^ before
    assert spark.getTags() == {"mine"}
    assert spark.range(10).repartition(3).count() == 10
    spark.stop()
    with pytest.raises(PreflightError, match="the Spark session was stopped") as refused:
        preflight(spark, 1)
    assert refused.value.code == "TL6007"
    with local_session(1) as own:  # and after it there is room for one of Tidelog's
        assert own.range(3).count() == 3


def marks_of(spark: SparkSession) -> set[object]:
    """By what a user would notice that the session was tampered with."""
    context = spark.sparkContext
    return {
        *context.getConf().getAll(),
        *spark.conf.getAll.items(),
        context.applicationId,
        context.pythonExec,
        signal.getsignal(signal.SIGINT),
    }
