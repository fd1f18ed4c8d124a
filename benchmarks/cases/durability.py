"""What durability costs: epochs with a state folder beside epochs in memory, and opening beside rebuilding.

Law: both engines get the same epochs in turn, in one run; the reopened engine must hold the rows of the one that built
them. Ratios of opening to rebuilding are made of processor time, since reading is served from memory either way; an
epoch waits for the disk, so that epochs are compared on the wall, beside the time of one bare append with a sync on
the same disk.

    python -m benchmarks.durability [--quick] [--only NAME] [--page FILE]
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.graphs import Cells, sample
from benchmarks.measure import Duration, checksum, median, timed
from benchmarks.workloads import AGGREGATES, BUILDS, Workload
from tidelog import Engine
from tidelog.store.image import deltas_of

WORKLOADS = {**BUILDS, **AGGREGATES}
NAMES = ("random", "rmat", "grid", "same-generation", "points-to", "components", "shortest")
CHANGED = {"edge": "edge", "parent": "parent", "address": "copy", "road": "road"}
REPEATS = 7
PAGE = Path(__file__).parent / "results" / "durability.md"


@dataclass(frozen=True, slots=True)
class Epochs:
    """Median epochs of one size: in memory and durable; what the log took per record touched."""

    title: str
    memory: Duration
    durable: Duration
    sync: Duration
    bytes: float
    records: float


@dataclass(frozen=True, slots=True)
class Opening:
    """Building in memory beside opening from the log and from a snapshot."""

    facts: int
    build: Duration
    from_log: Duration
    from_snapshot: Duration
    snapshot_bytes: int
    same: bool

    @property
    def ratio(self) -> float:
        """How many times faster the slower of the two openings is than the build."""
        return self.build.cpu / max(self.from_log.cpu, self.from_snapshot.cpu)


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


def measure_epochs(
    title: str, engines: tuple[Engine, Engine], name: str, batches: Sequence[Cells], folder: Path
) -> Epochs:
    """The same epochs on both engines, in turn, and bare appends between them."""
    durable = engines[1]
    times: tuple[list[Duration], ...] = ([], [], [])
    before = durable.epoch_number
    for rows in batches:
        for found, db in zip(times, engines, strict=False):
            found += toggled(db, name, rows)
        size, _, frames = log_since(durable, durable.epoch_number - 2)
        times[2].append(bare_append(folder / "sync", size // frames))
    size, records, frames = log_since(durable, before)
    memory, kept, bare = map(median, times)
    return Epochs(title, memory, kept, bare, size / frames, records / frames)


def log_since(db: Engine, epoch: int) -> tuple[int, int, int]:
    """Bytes, records touched and number of the epochs after one."""
    size = records = frames = 0
    for frame in db._kept("the log").frames(epoch):
        size, frames = size + frame.size, frames + 1
        records += sum(len(d.added) + len(d.changed) + len(d.removed) for d in deltas_of(frame))
    return size, records, frames


def bare_append(path: Path, size: int) -> Duration:
    """A bare append of so many bytes with a sync, on the same disk."""
    data = os.urandom(size)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def append() -> None:
        os.write(file, data)
        os.fdatasync(file)

    took = timed(append)[1]
    os.close(file)
    return took


def measure_opening(workload: Workload, built_in: Sequence[Duration], folder: Path) -> Opening:
    """Open the state as its log is, then with a snapshot."""
    reopened, from_log = opened(folder)
    rows = reopened[workload.view].to_numpy()
    facts = reopened.fact_count
    reopened.snapshot()
    reopened.close()
    (snapshot,) = (folder / "snapshots").iterdir()
    again, from_snapshot = opened(folder)
    same = checksum(again[workload.view].to_numpy()) == checksum(rows)
    again.close()
    return Opening(facts, median(built_in), from_log, from_snapshot, snapshot.stat().st_size, same)


def opened(folder: Path) -> tuple[Engine, Duration]:
    """The engine, and the median of some openings."""
    times = []
    for _ in range(REPEATS):
        db, took = timed(lambda: Engine(path=folder))
        times.append(took)
        db.close()
        del db
        gc.collect()  # its memory is free before the next one is opened
    return Engine(path=folder), median(times)


def measure(workload: Workload, folder: Path) -> tuple[list[Epochs], Opening]:
    """All numbers of one workload."""
    memory, first = built(workload)
    durable, _ = built(workload, folder / "state")
    name = changed_relation(workload)
    rows = workload.facts[name]
    one = [sample(rows, 1, seed) for seed in range(REPEATS)]
    share = [sample(rows, max(1, len(rows) // 100), seed) for seed in range(max(1, REPEATS // 2))]
    epochs = [
        measure_epochs("one fact", (memory, durable), name, one, folder),
        measure_epochs("1 %", (memory, durable), name, share, folder),
    ]
    assert checksum(memory[workload.view].to_numpy()) == checksum(durable[workload.view].to_numpy())
    memory.close()
    durable.close()
    shutil.rmtree(folder / "state")
    built(workload, folder / "state")[0].close()
    return epochs, measure_opening(workload, [first, built(workload)[1]], folder / "state")


def milliseconds(duration: Duration, clock: str = "wall") -> str:
    """A time in milliseconds with three digits."""
    return f"{getattr(duration, clock) * 1000:.3g}"


def preface(quick: bool) -> str:
    """What was measured, and on how much of a machine."""
    data = "small data (`--quick`)" if quick else "full data"
    where = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    return f"""Written by `python -m benchmarks.durability`: {data}, {where}.
Epochs delete and insert base facts; both engines get the same ones in turn. The bare append writes as many bytes as an
epoch and syncs. A record is touched if the epoch changes its counts, rank or presence. `faster` is made of the slower
opening. Medians; openings repeat in one process whose memory is warm: the first one, which has to ask the system for
all its pages, took about half as long again on the dense closure."""


def page(found: Sequence[tuple[Workload, list[Epochs], Opening]], quick: bool) -> str:
    """The report as Markdown."""
    lines = ["# What durability costs", "", preface(quick), ""]
    lines += ["## Epochs, in milliseconds on the wall", ""]
    lines += ["| workload | epoch | in memory | durable | bare append + sync | bytes | bytes per record touched |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for workload, epochs, _ in found:
        for e in epochs:
            cells = [milliseconds(d) for d in (e.memory, e.durable, e.sync)]
            per_record = f"{e.bytes / e.records:.0f}" if e.records else ""
            lines.append(f"| {workload.title} | {e.title} | {' | '.join(cells)} | {e.bytes:,.0f} | {per_record} |")
    lines += ["", "## Opening beside rebuilding, in milliseconds of processor time", ""]
    lines += [
        "| workload | facts | rebuild | open, from log | open, from snapshot | faster | snapshot bytes per fact |"
    ]
    lines += ["|---|---|---|---|---|---|---|"]
    for workload, _, o in found:
        cells = [milliseconds(d, "cpu") for d in (o.build, o.from_log, o.from_snapshot)]
        per_fact = f"{o.snapshot_bytes / max(1, o.facts):.0f}"
        wrong = "" if o.same else " (rows differ)"
        lines.append(f"| {workload.title} | {o.facts:,} | {' | '.join(cells)} | {o.ratio:.1f} x{wrong} | {per_fact} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None, show: Callable[[str], None] = print) -> None:
    """Measure, show and write the page."""
    parser = argparse.ArgumentParser(description="What durability costs.")
    parser.add_argument("--quick", action="store_true", help="small data, for a look")
    parser.add_argument("--only", choices=NAMES, action="append", help="only this workload; may be repeated")
    parser.add_argument("--page", type=Path, default=None, help="where the report is written")
    options = parser.parse_args(arguments)
    found = []
    for name in options.only or NAMES:
        workload = WORKLOADS[name](options.quick)
        with tempfile.TemporaryDirectory(prefix="tidelog-") as folder:
            epochs, opening = measure(workload, Path(folder))
        found.append((workload, epochs, opening))
        show(page(found[-1:], options.quick))
    if options.page is not None or not (options.quick or options.only):
        target = options.page or PAGE
        target.parent.mkdir(exist_ok=True)
        target.write_text(page(found, options.quick), "utf-8")


if __name__ == "__main__":
    main()
