"""Builds on one thread and on two, on the wall's clock.

Law: engines with one thread and with two alternate, and hold the same facts with as many supports. On a machine that is
busy with something else two threads gain nothing; the lowest of several times is reported, and the processor time of
both. Processors share caches and memory, often more than that: how much two engines that have nothing to do with each
other gain side by side is the most that the machine allows, and is reported, too.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.data.workloads import BUILDS, Workload
from benchmarks.options import Options
from benchmarks.record import HEADLINE, Record, Target, Value
from benchmarks.subject import Step, Subject

THREADS = (1, 2)
SPEED_UP = Target(1.6, floor=True)
STATES = ("random", "rmat", "rmat-large", "grid", "points-to")


def threads(options: Options) -> Iterator[Record]:
    """How much faster two threads build what one builds."""
    for name in STATES:
        workload = BUILDS[name](options.quick)
        steps: dict[int, list[Step]] = {count: [] for count in THREADS}
        for _ in range(options.repeats(3)):
            for count in THREADS:
                steps[count].append(_build(workload, count))
        apart = min(_side_by_side(workload) for _ in range(options.repeats(3)))
        supports = {step.supports for found in steps.values() for step in found}
        assert len(supports) == 1, f"{workload.title}: threads found {supports} supports"
        wall = {count: min(step.whole.wall for step in found) for count, found in steps.items()}
        cpu = {count: min(step.whole.cpu for step in found) for count, found in steps.items()}
        values = (
            Value(HEADLINE, wall[1] / wall[2], "x one thread", target=SPEED_UP, better="higher"),
            Value("two engines side by side", len(THREADS) * wall[1] / apart, "x one engine", better="higher"),
            *(Value(f"{count} thread{'s' * (count > 1)}", wall[count], "s", "wall") for count in THREADS),
            *(Value(f"{count} thread{'s' * (count > 1)}, processor", cpu[count], "s", "cpu") for count in THREADS),
        )
        yield Record("threads", workload.title, values, {"supports": supports.pop()})


def _side_by_side(workload: Workload) -> float:
    """The seconds that two engines of one thread each take, built at the same time."""
    gc.collect()
    subjects = [Subject(workload.rules) for _ in THREADS]
    began = time.perf_counter()
    with ThreadPoolExecutor(len(subjects)) as pool:
        list(pool.map(lambda subject: subject.insert(workload.facts), subjects))
    seconds = time.perf_counter() - began
    for subject in subjects:
        subject.engine.close()
    return seconds


def _build(workload: Workload, count: int) -> Step:
    gc.collect()
    subject = Subject(workload.rules, threads=count)
    step = subject.insert(workload.facts)
    subject.engine.close()
    return step
