"""Where the time of a small epoch goes: in compiled code, and outside of it.

Law: the whole way of an epoch of one row is measured without a profiler; the time in compiled code is what a profiler
says of calls that Python makes, which it does not slow down. The difference is preparing, planning and reporting.
"""

from __future__ import annotations

import cProfile
import pstats
import statistics
import time
from collections.abc import Iterator

from benchmarks.data import graphs, workloads
from benchmarks.options import Options
from benchmarks.record import HEADLINE, Record, Target, Value
from benchmarks.subject import Subject, built

OUTSIDE = Target(0.15)
ROUNDS = 120
COMPILED = "tidelog_kernel_"


def overhead(options: Options) -> Iterator[Record]:
    """One old edge out and in again: how much of the epoch is not evaluation in compiled code."""
    for make in (workloads.random_closure, workloads.rmat_closure):
        workload = make(options.quick)
        subject, _ = built(workload)
        rows = [tuple(row) for row in graphs.sample(workload.facts["edge"], 2 * ROUNDS, seed=9).tolist()]
        whole = [seconds for row in rows[:ROUNDS] for seconds in _epochs(subject, row)]
        profile = cProfile.Profile(time.process_time)
        for row in rows[ROUNDS:]:
            profile.runcall(_epochs, subject, row)
        epoch, compiled = 1e3 * statistics.mean(whole), 1e3 * _compiled(profile) / (2 * ROUNDS)
        values = (
            Value(HEADLINE, epoch - compiled, "ms", "cpu", target=OUTSIDE),
            Value("epoch", epoch, "ms", "cpu"),
            Value("compiled", compiled, "ms", "cpu"),
        )
        yield Record("overhead", f"one edge out or in, {workload.title}", values)


def _epochs(subject: Subject, row: tuple[int, ...]) -> list[float]:
    out, into = subject.delete({"edge": [row]}), subject.insert({"edge": [row]})
    return [out.whole.cpu, into.whole.cpu]


def _compiled(profile: cProfile.Profile) -> float:
    """Seconds in compiled code of the kernel."""
    found: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = vars(pstats.Stats(profile))["stats"]
    return sum(each[2] for (_, _, name), each in found.items() if COMPILED in name)
