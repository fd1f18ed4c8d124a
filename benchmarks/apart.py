"""A function called in a separate process, so that peak memory is that of one build.

Law: the process imports the function's module and nothing else; arguments and result travel as JSON.

    python -m benchmarks.apart benchmarks.cases.footprint:measure '{"name": "random", "quick": true}'
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any


def call_apart(function: str, limit: float | None = None, **arguments: Any) -> Any:
    """What ``module:function`` returns in a separate process; TimeoutExpired after this many seconds."""
    command = [sys.executable, "-m", "benchmarks.apart", function, json.dumps(arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1], timeout=limit
    )
    if done.returncode:
        raise RuntimeError(f"{function} failed in its own process, with {arguments}:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def peak() -> int:
    """The highest resident memory of this process so far, in bytes.

    Linux reports it per program; `getrusage` would start from the peak of the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        if "VmHWM" in lines:
            return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def peak_of(process: int) -> int:
    """The highest resident memory of another process so far, in bytes; 0 where that is not known (Linux)."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return max((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), default=0)


def held_by_family() -> int:
    """Bytes that this process and all that descend from it hold now, what they share divided among them (Linux)."""
    parents = {int(path.parent.name): path for path in Path("/proc").glob("[0-9]*/stat")}
    family, found = {os.getpid()}, -1
    while found != len(family):
        found = len(family)
        family |= {number for number, path in parents.items() if _parent(path) in family}
    return sum(_share(number) for number in family)


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended
        return 0


def _share(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


def main() -> None:
    """Call the function that the command line names."""
    name, arguments = sys.argv[1:]
    module, _, function = name.partition(":")
    print(json.dumps(getattr(importlib.import_module(module), function)(**json.loads(arguments))))


if __name__ == "__main__":
    main()
