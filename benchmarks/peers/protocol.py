"""How any system takes part in the contest: a command that reads a folder, and prints a line of JSON for every step.

The command is called with two more arguments, the name of a program and a folder:

    facts/RELATION.tsv   base facts: whole numbers, separated by tabs
    out/RELATION.tsv     one fact in a hundred of the relation that changes
    one/RELATION.tsv     a single fact of it
    program.dl, rule.dl  the rules, and a rule that is added at the end
    view.txt             the relation whose rows are compared

It loads the facts, which is not timed, and then takes the steps of `STEPS`: *build* computes the view, *out* deletes
the facts of ``out/``, *in* inserts them again, *one out* and *one in* do the same with ``one/``, *rule* adds the rule.
After each step it prints

    {"step": "build", "seconds": 0.52, "rows": 1000000, "sum": 5829110341}

with the processor time of the step, and the number of rows of the view with their `measure.checksum` (for each cell of
a row m = (m ^ cell) * 0xBF58476D1CE4E5B9, m ^= m >> 31, from m = 0x9E3779B97F4A7C15; the sum of all rows modulo 2^64),
which are not timed. A system that cannot take a step leaves it out; one that computes everything again does that. If
another process than the one called computes, ``{"step": "memory", "bytes": 65536000}`` is its peak. A system which is
not able to express the program ends with exit code 3.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks.data.contest import Program, changed_rows
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.measure import checksum, now

STEPS = ("build", "out", "in", "one out", "one in", "rule")
CANNOT = 3


class System(Protocol):
    """What takes the steps; `rows` is called after each."""

    def build(self) -> object:
        """Compute the view."""

    def delete(self, relation: str, rows: Cells) -> object:
        """Delete base facts, and bring the view up to date."""

    def insert(self, relation: str, rows: Cells) -> object:
        """Insert base facts, and bring the view up to date."""

    def add_rule(self, rule: str) -> object:
        """Add a rule, and bring the view up to date."""

    def rows(self) -> Cells:
        """The rows of the view."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a folder holds."""

    rules: str
    rule: str
    view: str
    facts: Mapping[str, Cells]
    out: tuple[str, Cells]
    one: tuple[str, Cells]


def write_task(folder: Path, program: Program, workload: Workload) -> None:
    """The folder of a program."""
    many, single = changed_rows(program, workload)
    parts = {"facts": workload.facts, "out": {program.changing: many}, "one": {program.changing: single}}
    for part, relations in parts.items():
        (folder / part).mkdir(parents=True)
        for name, rows in relations.items():
            np.savetxt(folder / part / f"{name}.tsv", rows, "%d", "\t")
    (folder / "program.dl").write_text(workload.rules)
    (folder / "rule.dl").write_text(program.rule)
    (folder / "view.txt").write_text(workload.view)


def read_task(folder: Path) -> Task:
    """What `write_task` wrote."""
    facts, out, one = (_read(folder / part) for part in ("facts", "out", "one"))
    texts = [(folder / name).read_text() for name in ("program.dl", "rule.dl", "view.txt")]
    return Task(texts[0], texts[1], texts[2], facts, next(iter(out.items())), next(iter(one.items())))


def _read(folder: Path) -> dict[str, Cells]:
    return {path.stem: np.loadtxt(path, np.int64, delimiter="\t", ndmin=2) for path in sorted(folder.glob("*.tsv"))}


def take_steps(system: System, task: Task, steps: Sequence[str] = STEPS) -> None:
    """Take the steps in order, and print what they cost."""
    acts: Mapping[str, Callable[[], object]] = {
        "build": system.build,
        "out": lambda: system.delete(*task.out),
        "in": lambda: system.insert(*task.out),
        "one out": lambda: system.delete(*task.one),
        "one in": lambda: system.insert(*task.one),
        "rule": lambda: system.add_rule(task.rule),
    }
    for step in steps:
        began = now()
        acts[step]()
        seconds = (now() - began).cpu
        print_step(step, seconds, system.rows())


def print_step(step: str, seconds: float, rows: Cells) -> None:
    """The line of one step."""
    print(json.dumps({"step": step, "seconds": seconds, "rows": len(rows), "sum": checksum(rows)}), flush=True)


def cannot(reason: str) -> None:
    """End: the system cannot express the program."""
    print(reason, file=sys.stderr)
    sys.exit(CANNOT)
