"""Settings are looked at before there is a session."""

from __future__ import annotations

from tidelog.spark.session.advice import advise

POD = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data"


def test_a_job_for_kubernetes_is_looked_at() -> None:
    settings = {
        "spark.master": "k8s://https://cluster:6443",
        "spark.executor.instances": "2",
        "spark.executor.cores": "4",
        "spark.kubernetes.container.image": "registry/spark-tidelog:1",
        f"{POD}.mount.path": "/data",
    }
    assert advise(settings, 7, "/data/state") == []
    assert advise(settings, 7, "s3://bucket/state") == []
    (output,) = advise(settings, 7, "/elsewhere/state")
    assert output.startswith("path=/elsewhere/state: no volume of the pods is mounted there")
    (output,) = advise(settings | {"spark.task.cpus": "2"}, 7, "/data/state")
    assert "4 slots, but 7 partitions need 8" in output


def test_settings_that_are_none_are_reported() -> None:
    settings = {"spark.master": "yarn", "spark.executor.instances": "many", "spark.archives": "e.tar.gz"}
    (output,) = advise(settings.items(), 2, "s3://bucket/state")
    assert output == (
        "spark.executor.instances=many, spark.executor.cores=1, spark.task.cpus=1: these settings must be whole numbers"
    )
    settings |= {"spark.executor.instances": "4", "spark.speculation": "true"}
    assert advise(settings, 2, "s3://bucket/state") == []
    settings |= {"spark.speculation.task.duration.threshold": "1h"}
    (output,) = advise(settings, 2, "s3://bucket/state")
    assert output.startswith("spark.speculation.task.duration.threshold=1h: ")


def test_executors_on_demand_count_up_to_their_maximum() -> None:
    settings = {"spark.master": "yarn", "spark.dynamicAllocation.enabled": "TRUE", "spark.archives": "e.tar.gz"}
    assert advise(settings, 100, "s3://bucket/state") == []
    (output,) = advise(settings | {"spark.dynamicAllocation.maxExecutors": "3"}, 3, "s3://bucket/state")
    assert output.startswith("spark.dynamicAllocation.maxExecutors=3, ")


def test_connect_and_local_sessions_are_distinguished() -> None:
    assert advise({"spark.master": "local[4]"}, 2) == []
    assert advise({}, 2) == []
    assert advise({"spark.remote": "sc://host"}, 2)[0].startswith("spark.remote: ")
