"""The systems of the contest that are called from Python: Tidelog, DuckDB, clingo and pydbsp, in separate processes.

    python -m benchmarks.peers.contestants duckdb closure FOLDER

Law: each follows `peers.protocol`, in one thread. DuckDB and clingo compute the view again after every change. pydbsp
needs another version of Python: it takes part where ``--peer`` names that.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.data.contest import PROGRAMS
from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.peers.protocol import STEPS, System, Task, cannot, read_task, take_steps

NAMES = {"tidelog": "Tidelog", "duckdb": "DuckDB", "clingo": "clingo"}


class InTidelog:
    """An engine that maintains the view."""

    def __init__(self, task: Task) -> None:
        from benchmarks.subject import Subject, warm_up

        warm_up()
        self._task, self._subject = task, Subject(task.rules)

    def build(self) -> object:
        """One epoch with all facts, which are loaded in it."""
        return self._subject.insert(self._task.facts)

    def delete(self, relation: str, rows: Cells) -> object:
        """One epoch."""
        return self._subject.delete({relation: rows})

    def insert(self, relation: str, rows: Cells) -> object:
        """One epoch."""
        return self._subject.insert({relation: rows})

    def add_rule(self, rule: str) -> object:
        """One epoch."""
        return self._subject.step(lambda epoch: epoch.add_rule(rule))

    def rows(self) -> Cells:
        """The rows of the view."""
        return self._subject.rows(self._task.view)


class InDuckDB:
    """Tables of facts, from which SQL computes the view."""

    def __init__(self, task: Task, sql: str) -> None:
        import duckdb

        from benchmarks.peers.duckdb import load_tables

        self._work = Workload("", "", task.rules, task.view, task.facts, sql)
        self._db = duckdb.connect(config={"threads": 1})
        load_tables(self._db, self._work)
        self._view = "result" if sql else task.view

    def build(self) -> None:
        """Compute the view again."""
        from benchmarks.peers.duckdb import computed

        kept = ", ".join(f"'{name}'" for name in self._work.facts)
        made = f"SELECT table_name FROM duckdb_tables() WHERE table_name NOT IN ({kept})"
        for (name,) in self._db.execute(made).fetchall():
            self._db.execute(f'DROP TABLE "{name}"')
        computed(self._db, self._work)

    def delete(self, relation: str, rows: Cells) -> None:
        """Delete rows, and compute the view again."""
        self._change(relation, rows, "DELETE FROM {0} WHERE EXISTS (SELECT 1 FROM arriving g WHERE {1})")

    def insert(self, relation: str, rows: Cells) -> None:
        """Insert rows, and compute the view again."""
        self._change(relation, rows, "INSERT INTO {0} SELECT * FROM arriving")

    def _change(self, relation: str, rows: Cells, statement: str) -> None:
        import pyarrow as pa

        names = [name for name, *_ in self._db.execute(f'DESCRIBE "{relation}"').fetchall()]
        columns = [np.ascontiguousarray(rows[:, i]) for i in range(rows.shape[1])]
        self._db.register("arriving", pa.table(columns, names=names))
        same = " AND ".join(f'g.{name} = "{relation}".{name}' for name in names)
        self._db.execute(statement.format(f'"{relation}"', same))
        self._db.unregister("arriving")
        self.build()

    def add_rule(self, rule: str) -> None:
        """Never called: the view is one statement."""
        raise AssertionError("DuckDB's view is one SQL statement, so the rule step is skipped for it")

    def rows(self) -> Cells:
        """The rows of the view."""
        from benchmarks.peers.duckdb import fetched

        return fetched(self._db, self._view)


class InClingo:
    """Facts and rules, grounded again after every change."""

    def __init__(self, task: Task) -> None:
        self._task, self._facts = task, dict(task.facts)
        self._found: Cells = np.zeros((0, 1), np.int64)

    def build(self) -> None:
        """Ground, and solve."""
        from benchmarks.peers.clingo import solved

        work = Workload("", "", self._task.rules, self._task.view, self._facts, "")
        self._found = solved(work)[2](self._task.view)

    def delete(self, relation: str, rows: Cells) -> None:
        """Compute the view without some facts."""
        gone = set(map(tuple, rows.tolist()))
        left = [row for row in self._facts[relation].tolist() if tuple(row) not in gone]
        self._facts[relation] = np.array(left, np.int64)
        self.build()

    def insert(self, relation: str, rows: Cells) -> None:
        """Compute the view with more facts."""
        self._facts[relation] = np.concatenate([self._facts[relation], rows])
        self.build()

    def add_rule(self, rule: str) -> None:
        """Compute the view with one more rule."""
        self._task = replace(self._task, rules=f"{self._task.rules}\n{rule}")
        self.build()

    def rows(self) -> Cells:
        """The rows of the view."""
        return self._found


class InPydbsp:
    """An interpreter of rules as data, which maintains all views; facts are tuples."""

    def __init__(self, task: Task) -> None:
        from benchmarks.peers.circuits import PydbspRunner
        from tidelog.program import Atom
        from tidelog.syntax import parse_program

        rules = list(parse_program(task.rules).rules)
        if any(not isinstance(part, Atom) for rule in rules for part in rule.body) or "min<" in task.rules:
            cannot("no comparisons, arithmetic or minima; its negation is not tried here")
        self._task, self._runner, self._rules = task, PydbspRunner(), rules

    def build(self) -> None:
        """All rules and facts."""
        self._runner.load(self._rules, [(name, tuple(row)) for name, rows in self._facts for row in rows.tolist()])

    @property
    def _facts(self) -> list[tuple[str, Cells]]:
        return list(self._task.facts.items())

    def delete(self, relation: str, rows: Cells) -> None:
        """One change."""
        self._runner.change([(relation, tuple(row)) for row in rows.tolist()], -1)

    def insert(self, relation: str, rows: Cells) -> None:
        """One change."""
        self._runner.change([(relation, tuple(row)) for row in rows.tolist()], 1)

    def add_rule(self, rule: str) -> None:
        """One change."""
        from tidelog.syntax import parse_program

        self._runner.add_new_rule(parse_program(rule).rules[0])

    def rows(self) -> Cells:
        """The rows of the view."""
        found = [row for (name, row), weight in self._runner.facts().items() if name == self._task.view and weight > 0]
        return np.array(found, np.int64)


def system_of(name: str, program: str, task: Task) -> System:
    """A system, ready to build."""
    if name == "tidelog":
        return InTidelog(task)
    if name == "duckdb":
        return InDuckDB(task, PROGRAMS[program].make(True).sql)
    if name == "pydbsp":
        return InPydbsp(task)
    if "min<" in task.rules:
        cannot("clingo does not support minima inside recursion")
    return InClingo(task)


def main(words: list[str]) -> None:
    """Take the steps of one system."""
    name, program, folder = words
    task = read_task(Path(folder))
    take_steps(system_of(name, program, task), task, STEPS[:-1] if name == "duckdb" else STEPS)


if __name__ == "__main__":
    main(sys.argv[1:])
