"""Memory per fact, from the engine's own books and from the operating system.

Law: each state is built in a separate process, so that peak memory is that of one build.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.apart import call_apart, peak
from benchmarks.data import workloads
from benchmarks.options import Options
from benchmarks.record import HEADLINE, Record, Target, Value
from benchmarks.subject import built, warm_up

MEMORY_TARGET = Target(60.0)
STATES = ("random", "grid", "same-generation")


def memory(options: Options) -> Iterator[Record]:
    """Bytes per fact of binary relations, indexes included."""
    for name in STATES:
        found = call_apart("benchmarks.cases.footprint:measure", name=name, quick=options.quick)
        values = (
            Value(HEADLINE, found["bytes"], "bytes per fact", target=MEMORY_TARGET),
            Value("peak while building", found["peak"], "bytes per fact"),
        )
        yield Record("memory", workloads.BUILDS[name](options.quick).title, values, {"facts": found["facts"]})


def measure(name: str, quick: bool) -> dict[str, float]:
    """Build a workload; bytes per fact held, and by how much the peak of this process rose per fact."""
    warm_up()
    workload = workloads.BUILDS[name](quick)
    before = peak()
    subject, step = built(workload)
    del step
    facts = subject.engine.fact_count
    return {"facts": facts, "bytes": subject.engine.memory / facts, "peak": (peak() - before) / facts}
