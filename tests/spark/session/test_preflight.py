"""Every refusal of the preflight names the setting and what to do (D17); those of clusters are in test_cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.spark.conftest import WORKER_PATH
from tests.spark.residents import Keeper
from tidelog.spark import PreflightError, ResidentStage
from tidelog.spark.resident import stage
from tidelog.spark.session.access import access
from tidelog.spark.session.preflight import preflight


class Pretending:
    """A session with other settings than it has, for those that are fixed once a session runs."""

    def __init__(self, spark: SparkSession, settings: dict[str, str]) -> None:
        self._spark = spark
        self._settings = settings

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    @property
    def conf(self) -> Pretending:
        return self

    def get(self, name: str, default: str | None = None) -> str | None:
        return self._settings.get(name, self._spark.conf.get(name, default))


def test_session_with_room_passes(spark: SparkSession) -> None:
    preflight(spark, 2)


def test_folder_of_a_local_session_needs_no_probe(spark: SparkSession, tmp_path: Path) -> None:
    preflight(spark, 1, folder=str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_too_few_slots_are_refused(spark: SparkSession) -> None:
    assert access(spark).slots() == 8
    with pytest.raises(
        PreflightError, match=r"8 resident partitions need 9 task slots.*local\[8\].*has 8: create.*local\[10\]"
    ) as refused:
        preflight(spark, 8)
    assert refused.value.code == "TL6019"


def test_slots_that_another_stage_holds_are_not_given_twice(spark: SparkSession) -> None:
    with ResidentStage(spark, 2, Keeper):
        others = ResidentStage(spark.newSession(), 6, Keeper)
        with pytest.raises(PreflightError, match=r"has 8, of which other engines occupy \d: close another engine"):
            others.start()
        with ResidentStage(spark.newSession(), 2, Keeper):
            assert spark.range(5).count() == 5


def test_executors_that_come_on_demand_count(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"spark.dynamicAllocation.enabled": "True", "spark.executor.cores": "4", "spark.task.cpus": "2"}
    pretending: Any = Pretending(spark, settings)
    preflight(pretending, 2)
    session = access(pretending)
    monkeypatch.setattr(type(session), "is_here", False)
    assert session.slots() > 1000
    settings["spark.dynamicAllocation.maxExecutors"] = "30"
    assert session.slots() == 60


def test_speculation_by_duration_is_refused(spark: SparkSession) -> None:
    settings = {"spark.speculation": "true"}
    pretending: Any = Pretending(spark, settings)
    preflight(pretending, 1)
    settings["spark.speculation.task.duration.threshold"] = "1min"
    with pytest.raises(PreflightError, match=r"threshold is 1min.*set spark.speculation to false") as refused:
        preflight(pretending, 1)
    assert refused.value.code == "TL6008"


def test_killing_of_idle_workers_is_refused(spark: SparkSession) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.execution.pyspark.udf.idleTimeoutSeconds", "60")
    preflight(session, 1)
    session.conf.set("spark.sql.execution.pyspark.udf.killOnIdleTimeout", "true")
    with pytest.raises(PreflightError, match=r"killOnIdleTimeout is true: Spark would kill .* after 60 s") as refused:
        preflight(session, 1)
    assert refused.value.code == "TL6009"
    core = {"spark.python.worker.idleTimeoutSeconds": "9", "spark.python.worker.killOnIdleTimeout": "true"}
    pretending: Any = Pretending(spark, core)
    with pytest.raises(PreflightError, match="after 9 s"):
        preflight(pretending, 1)


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("__version__ = '0.0.0'", r"have tidelog 0\.0\.0 .*the driver .*spark\.executorEnv\.PYTHONPATH"),
        (
            "import absent_package",
            r"cannot import tidelog \(ModuleNotFoundError: .*absent_package.*executorEnv\.PYTHONPATH",
        ),
    ],
    ids=["other version", "not importable"],
)
def test_workers_with_another_tidelog_are_refused(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, words: str
) -> None:
    (tmp_path / "tidelog").mkdir()
    (tmp_path / "tidelog" / "__init__.py").write_text(package)
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", f"{tmp_path}:{WORKER_PATH}")
    with pytest.raises(PreflightError, match=words) as refused:
        preflight(spark, 1)
    assert refused.value.code in {"TL6016", "TL6017"}


def test_workers_with_another_python_are_refused(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.9")
    with pytest.raises(
        PreflightError, match=r"the workers do not run the Python version of the driver.*spark\.pyspark\.python"
    ) as refused:
        preflight(spark, 1)
    assert refused.value.code == "TL6013"


def test_workers_without_python_are_refused(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    with pytest.raises(PreflightError, match=r"could not run a probe task.*/nowhere/python") as refused:
        preflight(spark, 1)
    assert refused.value.code == "TL6014"


def test_stage_whose_workers_do_not_run_is_refused_with_the_setting(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    with pytest.raises(PreflightError, match=r"could not run a probe task.*/nowhere/python") as refused:
        ResidentStage(spark, 1, Keeper).start()
    assert refused.value.code == "TL6014"


def test_stage_whose_workers_have_another_tidelog_is_refused(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tidelog").mkdir()
    (tmp_path / "tidelog" / "__init__.py").write_text("__version__ = '0.0.0'")
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", f"{tmp_path}:{WORKER_PATH}")
    with pytest.raises(PreflightError, match=r"have tidelog 0\.0\.0 ") as refused:
        ResidentStage(spark, 1, Keeper).start()
    assert refused.value.code == "TL6017"


def test_resident_of_another_version_says_so(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "own_version", lambda: "9.9.9")
    with pytest.raises(PreflightError, match=r"have tidelog .*, but the driver has 9\.9\.9") as refused:
        ResidentStage(spark, 1, Keeper).start()
    assert refused.value.code == "TL6017"
