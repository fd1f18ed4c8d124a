"""What durability costs: epochs with a state folder beside epochs in memory, and opening beside rebuilding.

Law: both engines get the same epochs in turn, in one run; the reopened engine must hold the rows of the one that built
them. Ratios of opening to rebuilding are made of processor time, since reading is served from memory either way; an
epoch waits for the disk, so that epochs are compared on the wall, beside the time of one bare append with a sync on
the same disk.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.graphs import Cells, sample
from benchmarks.data.workloads import AGGREGATES, BUILDS, Workload
from benchmarks.inner import records_touched
from benchmarks.measure import Duration, checksum, median, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Value, clocked
from benchmarks.subject import kernel_ready
from tidelog import Engine

WORKLOADS = {**BUILDS, **AGGREGATES}
NAMES = ("random", "rmat", "grid", "same-generation", "points-to", "components", "shortest")
CHANGED = {"edge": "edge", "parent": "parent", "address": "copy", "road": "road"}
REPEATS = 7


def durability(make: Callable[[bool], Workload], options: Options) -> Iterator[Record]:
    """All numbers of one workload."""
    workload, repeat = make(options.quick), options.repeats(REPEATS)
    with tempfile.TemporaryDirectory(prefix="tidelog-") as name:
        folder = Path(name)
        memory, first = built(workload)
        durable, _ = built(workload, folder / "state")
        yield from _epochs(workload, (memory, durable), folder, repeat)
        _must_equal(workload, memory, durable)
        memory.close()
        durable.close()
        shutil.rmtree(folder / "state")
        built(workload, folder / "state")[0].close()
        yield opening(workload, [first, built(workload)[1]], folder / "state", repeat)


def _must_equal(workload: Workload, one: Engine, other: Engine) -> None:
    if checksum(one[workload.view].to_numpy()) != checksum(other[workload.view].to_numpy()):
        raise Disagreement(f"{workload.title}: the rows of two engines differ")


def changed_relation(workload: Workload) -> str:
    """The base relation whose facts change."""
    return next(CHANGED[name] for name in CHANGED if name in workload.facts)


def load(db: Engine, workload: Workload) -> None:
    """All base facts in one epoch."""
    with db.epoch() as e:
        for name, rows in workload.facts.items():
            e.insert(name, rows)


def built(workload: Workload, path: Path | None = None) -> tuple[Engine, Duration]:
    """An engine with all facts, and how long the epoch took."""
    db = Engine(workload.rules, path=path)
    _, took = timed(lambda: load(db, workload))
    return db, took


def toggled(db: Engine, name: str, rows: Cells) -> Iterator[Duration]:
    """Delete the rows and insert them again."""
    for change in ("delete", "insert"):

        def commit(change: str = change) -> None:
            with db.epoch() as e:
                getattr(e, change)(name, rows)

        yield timed(commit)[1]


def _epochs(workload: Workload, engines: tuple[Engine, Engine], folder: Path, repeat: int) -> Iterator[Record]:
    name = changed_relation(workload)
    rows = workload.facts[name]
    one = [sample(rows, 1, seed) for seed in range(repeat)]
    share = [sample(rows, max(1, len(rows) // 100), seed) for seed in range(max(1, repeat // 2))]
    for what, batches in (("one fact", one), ("1 %", share)):
        values = tuple(epoch_values(engines, name, batches, folder))
        yield Record("epochs", f"{workload.title}, {what}", values, {"workload": workload.title, "epoch": what})


def epoch_values(engines: tuple[Engine, Engine], name: str, batches: Sequence[Cells], folder: Path) -> Iterator[Value]:
    """The same epochs on both engines, in turn, and bare appends of as many bytes between them."""
    durable = engines[1]
    times: tuple[list[Duration], ...] = ([], [], [])
    before = durable.epoch_number
    for rows in batches:
        for found, db in zip(times, engines, strict=False):
            found += toggled(db, name, rows)
        times[2].append(bare_append(folder / "sync", int(sum(logged(durable, durable.epoch_number - 2)) / 2)))
    for name, found in zip(("in memory", "durable", "bare append"), times, strict=True):
        yield from clocked(name, found, "ms")
    sizes, records = logged(durable, before), records_touched(folder / "state", before)
    yield Value("bytes", sum(sizes) / len(sizes), "bytes", runs=tuple(sizes))
    yield Value("records", sum(records) / len(records), "records", runs=tuple(records))


def logged(db: Engine, since: int) -> list[int]:
    """The bytes of each epoch after one in the log."""
    return [entry.size for entry in db.log() if entry.epoch > since]


def bare_append(path: Path, size: int) -> Duration:
    """A bare append of this many bytes with a sync, on the same disk."""
    data = os.urandom(size)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append() -> None:
        os.write(file, data)
        os.fdatasync(file)

    took = timed(append)[1]
    os.close(file)
    return took


def opening(workload: Workload, builds: Sequence[Duration], folder: Path, repeat: int) -> Record:
    """Open the state as its log is, then with a snapshot."""
    reopened, from_log = opened(folder, repeat)
    facts = reopened.fact_count
    reopened.snapshot()
    (snapshot,) = (folder / "snapshots").iterdir()
    rows = checksum(reopened[workload.view].to_numpy())
    reopened.close()
    again, from_snapshot = opened(folder, repeat)
    if checksum(again[workload.view].to_numpy()) != rows:
        raise Disagreement(f"{workload.title}: other rows from the snapshot than from the log")
    again.close()
    slower = max(median(from_log).cpu, median(from_snapshot).cpu)
    values = (
        *clocked("rebuild", builds, "ms"),
        *clocked("open from log", from_log, "ms"),
        *clocked("open from snapshot", from_snapshot, "ms"),
        Value("faster", median(builds).cpu / slower, "x", better="higher"),
        Value("snapshot", snapshot.stat().st_size, "bytes"),
    )
    return Record("opening", f"{workload.title}, opening", values, {"workload": workload.title, "facts": facts})


def opened(folder: Path, repeat: int) -> tuple[Engine, list[Duration]]:
    """The engine, and the times of some openings."""
    times = []
    for _ in range(repeat):
        db, took = timed(lambda: Engine(path=folder))
        times.append(took)
        db.close()
        del db
        gc.collect()  # its memory is free before the next one is opened
    return Engine(path=folder), times


GROUP = Group(
    {name: Case(f"{name}, with a state folder and without", partial(durability, WORKLOADS[name])) for name in NAMES},
    kernel_ready,
)
