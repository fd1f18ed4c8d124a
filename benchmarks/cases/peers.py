"""The contest: twelve programs on every system that is present, each in a separate process.

Law: all systems follow `peers.protocol`. The judge is DuckDB's SQL, which is written apart from the rules: after every
step each system must hold the rows that the judge holds. Times are processor time, as the system itself counts it;
memory is the peak of its process. The best of several runs counts. A system that is absent, that cannot express a
program or that takes longer than the limit is named, and left out.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.contest import PROGRAMS
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers.contestants import NAMES
from benchmarks.peers.protocol import CANNOT, write_task
from benchmarks.record import Record, Value

REPEATS = 3
LIMIT = 120  # seconds on the wall, for all steps of a program
JUDGE = "DuckDB"
Steps = dict[str, dict[str, Any]]


class Missing(Exception):
    """A system has no result, with the reason."""


def contest(name: str, options: Options) -> Iterator[Record]:
    """One program on all systems, which take turns."""
    program = PROGRAMS[name]
    workload = program.make(options.quick)
    found: dict[str, list[Steps]] = {}
    notes: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="tidelog-contest-") as place:
        folder = Path(place) / "task"
        write_task(folder, program, workload)
        for _ in range(1 if options.quick else options.repeats(REPEATS)):
            for system, command in commands(options).items():
                if system not in notes:
                    try:
                        found.setdefault(system, []).append(steps_of([*command, name, str(folder)]))
                    except Missing as reason:
                        notes[system] = str(reason)
    _judge(name, found)
    values = [value for system, runs in found.items() if runs for value in _values(system, runs)]
    sizes = {"base": sum(map(len, workload.facts.values())), "view": found[JUDGE][0]["build"]["rows"]}
    yield Record("contest", workload.title, tuple(values), sizes, tuple(f"{who}: {why}" for who, why in notes.items()))


def commands(options: Options) -> Mapping[str, Sequence[str]]:
    """The systems that this environment brings, and those of the command line."""
    own = {name: (sys.executable, "-m", "benchmarks.peers.contestants", word) for word, name in NAMES.items()}
    return {**own, **{name: tuple(shlex.split(command)) for name, command in options.peer or ()}}


def steps_of(command: Sequence[str]) -> Steps:
    """What a system printed, and the peak of its memory as ``memory``."""
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as complaint:
        child = subprocess.Popen(command, stdout=printed, stderr=complaint, cwd=Path(__file__).parents[2])
        memory = _peak_until_end(child)
        printed.seek(0)
        complaint.seek(0)
        said = complaint.read().strip().rpartition("\n")[2]
        if child.returncode == CANNOT:
            raise Missing(said or "cannot express the program")
        if child.returncode:
            raise Missing(f"ended with {child.returncode}: {said}")
        lines = [json.loads(line) for line in printed if line.startswith("{")]
    return {**{line["step"]: line for line in lines}, "memory": {"bytes": memory}}


def _peak_until_end(child: subprocess.Popen[Any]) -> int:
    """Wait for a process; returns the peak of its memory in bytes, as it was last seen."""
    end, highest = time.monotonic() + LIMIT, 0
    status = Path(f"/proc/{child.pid}/status")
    while child.poll() is None:
        if time.monotonic() > end:
            child.kill()
            child.wait()
            raise Missing(f"did not end in {LIMIT} s")
        lines = status.read_text().splitlines() if status.exists() else []
        highest = max(highest, *(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), 0)
        time.sleep(0.01)
    return highest


def _judge(name: str, found: Mapping[str, Sequence[Steps]]) -> None:
    """Refuse a run in which a system holds other rows than the judge."""
    judged = found[JUDGE][0]
    for system, runs in found.items():
        for step, line in (pair for run in runs for pair in run.items()):
            wanted = judged.get(step, line)
            if step != "memory" and (line["rows"], line["sum"]) != (wanted["rows"], wanted["sum"]):
                raise Disagreement(f"{name}, {step}: {system} has {line['rows']:,} rows, {JUDGE} {wanted['rows']:,}")


def _values(system: str, runs: Sequence[Steps]) -> Iterator[Value]:
    for step in runs[0]:
        if step == "memory":
            yield Value(f"{system} memory", min(run[step]["bytes"] for run in runs) / 1e6, "MB")
        else:
            yield Value(f"{system} {step}", 1e3 * min(run[step]["seconds"] for run in runs), "ms", "cpu")


GROUP = Group({name: Case(f"all systems: {name}", partial(contest, name)) for name in PROGRAMS})
