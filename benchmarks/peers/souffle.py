"""Soufflé, whose binary comes by path: its interpreter, or a program that it compiled. It computes all again.

    python -m benchmarks.peers.souffle compiled /opt/souffle/bin/souffle closure FOLDER

Law: a step costs the processor time of a process that reads the facts and computes the view, less that of the same
program without facts. The view is written in another process, which is not timed. Compiled programs are kept for later
runs, by their text; compiling is not timed, and a compiled program takes no step of the rule.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.apart import peak_of
from benchmarks.data.graphs import Cells
from benchmarks.peers.protocol import print_step, read_task
from tidelog.program import Atom, Negation
from tidelog.syntax import parse_program

LEAST = re.compile(r"(\w+)\((\w+), min<(\w+)>\) :-")
LEAST_SECONDS = 1e-4  # what the difference of two processes can show
ASKED = "asked"  # whether the view is written


def program_of(rules: str, view: str, facts: Mapping[str, Cells]) -> str:
    """The same program in Soufflé's language, in which a least value removes those above it.

    >>> print(program_of("far(X, min<C>) :- road(X, C).", "far", {"road": np.array([[1, 2]])}))
    .decl asked(c0:number)
    .input asked
    .decl far(c0:number, c1:number) btree_delete
    .decl far_found(c0:number, c1:number)
    .output far_found
    .decl road(c0:number, c1:number)
    .input road
    far(X, C) :- road(X, C).
    far(X, C) <= far(X, D) :- D < C.
    far_found(c0, c1) :- asked(1), far(c0, c1).
    """
    arities = {ASKED: 1, **_arities(rules)}
    arities[f"{view}_found"] = arities[view]
    least = {found[1] for found in LEAST.finditer(rules)}
    lines = []
    for name, arity in sorted(arities.items()):
        columns = ", ".join(f"c{i}:number" for i in range(arity))
        lines.append(f".decl {name}({columns}){' btree_delete' if name in least else ''}")
        lines += [f".input {name}"] if name in facts or name == ASKED else []
        lines += [f".output {name}"] if name == f"{view}_found" else []
    cells = ", ".join(f"c{i}" for i in range(arities[view]))
    return "\n".join(
        [
            *lines,
            LEAST.sub(r"\1(\2, \3) :-", rules).strip(),
            *(f"{name}(X, C) <= {name}(X, D) :- D < C." for name in sorted(least)),
            f"{view}_found({cells}) :- {ASKED}(1), {view}({cells}).",
        ]
    )


def _arities(rules: str) -> dict[str, int]:
    found = {}
    for rule in parse_program(rules).rules:
        atoms = [part.atom if isinstance(part, Negation) else part for part in rule.body]
        for atom in (rule.head, *atoms):
            if isinstance(atom, Atom):
                found[atom.predicate] = len(atom.args)
    return found


class InSouffle:
    """A folder of facts, and how its programs are run."""

    def __init__(self, souffle: str, folder: Path, *, compiled: bool) -> None:
        self._souffle, self._folder, self._compiled = souffle, folder, compiled
        self.memory = 0
        (folder / "empty").mkdir()

    def write(self, facts: Mapping[str, Cells]) -> None:
        """The facts as files."""
        for name, rows in facts.items():
            np.savetxt(self._folder / f"{name}.facts", rows, "%d", "\t")
            (self._folder / "empty" / f"{name}.facts").touch()
        (self._folder / "empty" / f"{ASKED}.facts").touch()

    def command(self, text: str) -> Sequence[str]:
        """How a program is run; compiles it where that has not been done."""
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        source = self._folder / f"{name}.dl"
        source.write_text(text)
        if not self._compiled:
            return self._souffle, str(source)
        binary = Path(tempfile.gettempdir()) / f"souffle-{name}"
        if not binary.exists():
            subprocess.run([self._souffle, "-o", str(binary), str(source)], check=True, capture_output=True)
        return (str(binary),)

    def seconds(self, command: Sequence[str]) -> float:
        """The processor time of reading the facts and computing."""
        (self._folder / f"{ASKED}.facts").write_text("0\n")
        return max(LEAST_SECONDS, self._run(command) - self._run(command, "empty"))

    def rows(self, command: Sequence[str], view: str) -> Cells:
        """The rows of the view."""
        (self._folder / f"{ASKED}.facts").write_text("1\n")
        memory = self.memory
        self._run(command)
        self.memory = memory  # a copy of the view, for its rows, is not counted
        text = (self._folder / f"{view}_found.csv").read_text()
        rows: Cells = np.array([line.split("\t") for line in text.splitlines()], np.int64)
        return rows

    def _run(self, command: Sequence[str], facts: str = ".") -> float:
        folders = ("-F", str(self._folder / facts), "-D", str(self._folder / facts))
        with subprocess.Popen([*command, *folders], stdout=subprocess.DEVNULL) as child:
            ended = 0
            while not ended:
                self.memory = max(self.memory, peak_of(child.pid))
                time.sleep(0.001)
                ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise RuntimeError(f"Soufflé ended with {child.returncode}")
        return usage.ru_utime + usage.ru_stime


def main(words: list[str]) -> None:
    """Take the steps."""
    mode, souffle, _, task_folder = words
    task = read_task(Path(task_folder))
    changing, many = task.out
    without = {part: _without(task.facts[changing], rows) for part, rows in (("out", many), ("one", task.one[1]))}
    steps = [("build", task.facts, task.rules)]
    for part, out, back in (("out", "out", "in"), ("one", "one out", "one in")):
        steps += [(out, {**task.facts, changing: without[part]}, task.rules), (back, task.facts, task.rules)]
    if mode == "interpreted":
        steps.append(("rule", task.facts, f"{task.rules}\n{task.rule}"))
    with tempfile.TemporaryDirectory(prefix="tidelog-souffle-") as place:
        system = InSouffle(souffle, Path(place), compiled=mode == "compiled")
        for step, facts, rules in steps:
            system.write(facts)
            command = system.command(program_of(rules, task.view, task.facts))
            print_step(step, system.seconds(command), system.rows(command, task.view))
        print(json.dumps({"step": "memory", "bytes": system.memory}))


def _without(rows: Cells, gone: Cells) -> Cells:
    left = set(map(tuple, gone.tolist()))
    return np.array([row for row in rows.tolist() if tuple(row) not in left], np.int64)


if __name__ == "__main__":
    main(sys.argv[1:])
