"""Starting: commands and first epochs in fresh processes with a warm cache, beside the imports they are made of.

Law: all commands take turns, each in a separate process, so that other work on the machine affects all of them alike.
Bytecode and the compiled kernel are there before anything is timed. Times are those of the whole process, from start to
end, as the system counts them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.cases.catalogue import Case, Group
from benchmarks.measure import Duration
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, Value, clocked

REPEATS = 15
QUICK = 2
MOST = 2.0  # times as long as DuckDB
PROGRAM = """.decl edge(x: number, y: number)
.decl reach(x: number, y: number)
.input edge
.output reach
reach(x, y) :- edge(x, y).
reach(x, z) :- reach(x, y), edge(y, z).
"""
RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."
FIRST_EPOCH = f"""
from tidelog import Engine
with Engine({RULES!r}) as db:
    with db.epoch() as epoch:
        epoch.insert("edge", [(1, 2), (2, 3)])
    assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
"""
DUCKDB = """
import duckdb
found = duckdb.sql('''WITH RECURSIVE edge(x, y) AS (VALUES (1, 2), (2, 3)), reach(x, y) AS (
    SELECT * FROM edge UNION SELECT reach.x, edge.y FROM reach, edge WHERE reach.y = edge.x) SELECT * FROM reach''')
assert sorted(found.fetchall()) == [(1, 2), (1, 3), (2, 3)]
"""


@dataclass(frozen=True, slots=True)
class Start:
    """A process: its arguments to Python, what is set in its environment, and the seconds it may take."""

    arguments: Sequence[str]
    most: float | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


def command(*words: str, most: float, **settings: str) -> Start:
    """A command line of Tidelog."""
    return Start(("-m", "tidelog.cli", *words), most, settings)


PEER, OWN = "DuckDB: import, closure of two edges", "Python: import, first epoch"
STARTS: Mapping[str, Start] = {
    "python -c 'import numpy, pyarrow'": Start(("-c", "import numpy, pyarrow")),
    PEER: Start(("-c", DUCKDB)),
    "tidelog check": command("check", "reach.dl", most=0.25),
    "tidelog --help": command("--help", most=0.25),
    "tidelog run --help": command("run", "--help", most=0.25),
    "completion of a command": command(
        most=0.25, _TIDELOG_COMPLETE="complete_bash", COMP_WORDS="tidelog ch", COMP_CWORD="1"
    ),
    "completion of an option": command(
        most=0.25, _TIDELOG_COMPLETE="complete_bash", COMP_WORDS="tidelog run --st", COMP_CWORD="2"
    ),
    "tidelog run": command("run", "reach.dl", "-F", ".", "-D", ".", most=0.4),
    OWN: Start(("-c", FIRST_EPOCH)),
}


def starting(options: Options) -> Iterator[Record]:
    """All of them, in turn."""
    times: dict[str, list[Duration]] = {name: [] for name in STARTS}
    with tempfile.TemporaryDirectory(prefix="tidelog-") as name:
        folder = Path(name)
        (folder / "reach.dl").write_text(PROGRAM)
        (folder / "edge.facts").write_text("1\t2\n2\t3\n")
        for start in STARTS.values():
            run(start, folder)  # makes bytecode, and the kernel
        for _ in range(QUICK if options.quick else options.repeats(REPEATS)):
            for each, start in STARTS.items():
                times[each].append(run(start, folder))
        if (folder / "reach.csv").read_text() != "1\t2\n1\t3\n2\t3\n":
            raise Disagreement("tidelog run wrote something else")
    for each, start in STARTS.items():
        target = None if start.most is None else Target(start.most)
        yield Record("start", each, clocked("start", times[each], target=target))
    own, peer = (statistics.median(each.cpu for each in times[name]) for name in (OWN, PEER))
    yield Record("ratio", OWN, (Value(HEADLINE, own / peer, "x DuckDB", target=Target(MOST)),))


def run(start: Start, folder: Path) -> Duration:
    """How long a process takes, on the wall and of the processor."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"COLUMNS": "100", **start.settings}
    began = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *start.arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)  # so that it is not waited for again
    if child.returncode != 0:
        raise Disagreement(f"{' '.join(start.arguments)[:80]} ends with {child.returncode}")
    return Duration(took, used.ru_utime + used.ru_stime)


GROUP = Group({"processes": Case("commands and first epochs in fresh processes", starting)})
