"""Memory per fact, from the engine's own books and from the operating system.

Each state is built in a process of its own, so that peak memory is that of one build:
``python -m benchmarks.footprint random`` prints one line of JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import workloads
from benchmarks.outcome import Finding, Measure, Options
from benchmarks.subject import built, warm_up

MEMORY_TARGET = 150.0
STATES = ("random", "grid", "same-generation")


def memory(options: Options) -> Iterator[Finding]:
    """Bytes per fact of binary relations, indexes included."""
    for name in STATES:
        found = _in_own_process(name, options.quick)
        title = workloads.BUILDS[name](options.quick).title
        detail = f"{found['facts']:,} facts; peak of the process while building: {found['peak']:,.0f} bytes per fact"
        yield Measure("memory", title, found["bytes"], "bytes per fact", MEMORY_TARGET, detail)


def _in_own_process(name: str, quick: bool) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.footprint", name, *(["quick"] if quick else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(name: str, quick: bool) -> dict[str, float]:
    """Build a workload; bytes per fact held, and by how much the peak of this process rose per fact."""
    warm_up()
    workload = workloads.BUILDS[name](quick)
    before = _peak()
    subject, step = built(workload)
    del step
    facts = subject.facts()
    return {"facts": facts, "bytes": subject.bytes() / facts, "peak": (_peak() - before) / facts}


def _peak() -> int:
    """The highest resident memory so far, in bytes.

    Linux tells it per program; `getrusage` would start from the peak of the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if "VmHWM" in lines:
            return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], "quick" in sys.argv[2:])))
