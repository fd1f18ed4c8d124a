"""The contest: twelve programs on every system that is present, each in a separate process.

Law: all systems follow `peers.protocol`. The judge is DuckDB's SQL, which is written apart from the rules: after every
step each system must hold the rows that the judge holds. Times are processor time, as the system itself counts it;
memory is the peak of its process. The best of several runs counts. The rule that is added is not in the SQL: there all
systems must hold the same rows. A system that cannot express a program, or that takes longer than the limit, is named.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.apart import peak_of
from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.contest import PROGRAMS
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers.contestants import NAMES
from benchmarks.peers.protocol import CANNOT, write_task
from benchmarks.record import Record, Value

REPEATS = 3
LIMITS = {True: 7, False: 30}  # seconds of processor time of a process, with small data or without
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
        for _ in range(options.repeats(1 if options.quick else REPEATS)):
            for system, command in commands(options).items():
                if system not in notes:
                    try:
                        found.setdefault(system, []).append(
                            steps_of([*command, name, str(folder)], LIMITS[options.quick])
                        )
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


def steps_of(command: Sequence[str], limit: int) -> Steps:
    """What a system printed, and the peak of its memory as ``memory``."""
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as complaint:
        child = subprocess.Popen(command, stdout=printed, stderr=complaint, cwd=Path(__file__).parents[2])
        memory = _peak_until_end(child, limit)
        printed.seek(0)
        complaint.seek(0)
        said = complaint.read().strip().rpartition("\n")[2]
        if child.returncode == CANNOT:
            raise Missing(said or "cannot express the program")
        if child.returncode:
            raise Missing(f"ended with {child.returncode}: {said}")
        lines = [json.loads(line) for line in printed if line.startswith("{")]
    return {"memory": {"bytes": memory}, **{line["step"]: line for line in lines}}


def _peak_until_end(child: subprocess.Popen[Any], limit: int) -> int:
    """Wait for a process; returns the peak of its memory in bytes, as it was last seen.

    A resource limit would end it as well, but under one Linux counts processor time in ticks of milliseconds.
    """
    highest = 0
    while child.poll() is None:
        highest = max(highest, peak_of(child.pid))
        if _seconds_of(child.pid) > limit:
            child.kill()
            child.wait()
            raise Missing(f"takes more than {limit} s")
        time.sleep(0.002)
    return highest


def _seconds_of(process: int) -> float:
    """The processor time of a process so far, without that of others it started (Linux)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _judge(name: str, found: Mapping[str, Sequence[Steps]]) -> None:
    """Refuse a run in which a system holds other rows than the judge."""
    judged = {step: line for runs in found.values() for run in runs[:1] for step, line in run.items()} | found[JUDGE][0]
    for system, runs in found.items():
        for step, line in (pair for run in runs for pair in run.items()):
            wanted = judged[step]
            if step != "memory" and (line["rows"], line["sum"]) != (wanted["rows"], wanted["sum"]):
                raise Disagreement(f"{name}, {step}: {system} has {line['rows']:,} rows, not {wanted['rows']:,}")


def _values(system: str, runs: Sequence[Steps]) -> Iterator[Value]:
    for step in runs[0]:
        if step == "memory":
            yield Value(f"{system} memory", min(run[step]["bytes"] for run in runs) / 1e6, "MB")
        else:
            yield Value(f"{system} {step}", 1e3 * min(run[step]["seconds"] for run in runs), "ms", "cpu")


GROUP = Group({name: Case(f"all systems: {name}", partial(contest, name)) for name in PROGRAMS})
