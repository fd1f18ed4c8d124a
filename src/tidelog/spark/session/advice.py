"""Check the settings of a session that does not run yet for resident partitions.

Law: only settings are read; nothing is started and no cluster is contacted, so that a job for Kubernetes, YARN or a
service that creates sessions itself can be checked where it is written. `preflight` reports the problems of a running
session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tidelog.spark.session.memory import memory_problems

Settings = Mapping[str, str]
THRESHOLD = "spark.speculation.task.duration.threshold"
PACKED = ("spark.archives", "spark.yarn.dist.archives", "spark.submit.pyFiles", "spark.executorEnv.PYTHONPATH")


def advise(settings: Settings | Iterable[tuple[str, str]], partitions: int, state: str | None = None) -> list[str]:
    """What to change before an engine with these partitions and this state folder can open; empty if nothing.

    >>> advise({"spark.master": "yarn", "spark.executor.instances": "4", "spark.archives": "env.tar.gz#env"}, 3, "s3://b/s")
    []
    >>> for line in advise({"spark.master": "yarn"}, 2):
    ...     print(line.split(":")[0])
    spark.executor.instances=2, spark.executor.cores=1, spark.task.cpus=1
    path
    spark.archives
    """
    settings = dict(settings)
    memory = memory_problems(lambda name, default: settings.get(name, default))
    return [*_kind(settings), *_slots(settings, partitions), *memory, *_folder(settings, state), *_workers(settings)]


def _is(settings: Settings, master: str) -> bool:
    return settings.get("spark.master", "").startswith(master)


def _is_local(settings: Settings) -> bool:
    return settings.get("spark.master", "local").startswith("local")


def _kind(settings: Settings) -> Iterator[str]:
    if settings.get("spark.remote") or _is(settings, "sc://"):
        yield "spark.remote: tasks must be able to connect to the client; set `spark.tidelog.host` to its address"
    threshold = settings.get(THRESHOLD)
    if threshold and settings.get("spark.speculation", "").lower() == "true":
        yield f"{THRESHOLD}={threshold}: Spark would start copies of partitions; leave it unset"


def _slots(settings: Settings, partitions: int) -> Iterator[str]:
    """Advice on slots: YARN and Kubernetes declare executors in advance; a standalone cluster uses what it has."""
    if not (_is(settings, "yarn") or _is(settings, "k8s")):
        return
    name, default = "spark.executor.instances", "2"
    if settings.get("spark.dynamicAllocation.enabled", "").lower() == "true":
        name, default = "spark.dynamicAllocation.maxExecutors", ""
    instances = settings.get(name, default)
    if not instances:
        return
    cores, cpus = settings.get("spark.executor.cores", "1"), settings.get("spark.task.cpus", "1")
    settings_text = f"{name}={instances}, spark.executor.cores={cores}, spark.task.cpus={cpus}"
    if not all(number.strip().isdecimal() for number in (instances, cores, cpus)):
        yield f"{settings_text}: these settings must be whole numbers"
        return
    there = int(instances) * (int(cores) // max(1, int(cpus)))
    if there < partitions + 1:
        yield f"{settings_text}: this makes {there} slots, but {partitions} partitions need {partitions + 1}"


def _folder(settings: Settings, state: str | None) -> Iterator[str]:
    if _is_local(settings):
        return
    if state is None:
        yield "path: partitions on several machines need a state folder that all of them can access"
    elif "://" not in state and _is(settings, "k8s"):
        mounts = [value for name, value in settings.items() if ".volumes." in name and name.endswith("mount.path")]
        if not any(state.startswith(mount.rstrip("/") + "/") for mount in mounts):
            yield f"path={state}: no volume of the pods is mounted there; mount one, or use an object store"


def _workers(settings: Settings) -> Iterator[str]:
    """Advice on workers: executors need Python and Tidelog, in an archive or in the image of their pods."""
    if _is_local(settings) or any(settings.get(name) for name in PACKED):
        return
    if any(name.startswith("spark.kubernetes") and name.endswith("container.image") for name in settings):
        return
    yield "spark.archives: executors need Python and Tidelog; ship an environment as an archive, or install them there"
