"""The peers: DuckDB's recursive SQL with one thread, and clingo.

Law: load (facts into the system) and compute (from facts to the full result inside the system) are timed apart;
fetching the result for comparison is in neither.
"""

from __future__ import annotations

import clingo
import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.graphs import Cells
from benchmarks.measure import now, timed
from benchmarks.outcome import Outcome
from benchmarks.workloads import Workload


def run_duckdb(workload: Workload) -> Outcome:
    """Evaluate the workload's SQL into a table."""
    with duckdb.connect(config={"threads": 1}) as connection:
        _, load = timed(lambda: _load_tables(connection, workload))
        _, compute = timed(lambda: connection.execute(f"CREATE TABLE result AS {workload.sql}"))
        columns = connection.execute("SELECT * FROM result").fetchnumpy()
        rows = np.stack([np.asarray(c, np.int64) for c in columns.values()], axis=1)
    return Outcome.of_rows("DuckDB", load, compute, rows)


def _load_tables(connection: duckdb.DuckDBPyConnection, workload: Workload) -> None:
    for name, rows in workload.facts.items():
        names = "abcdefgh"[: rows.shape[1]]
        arrow = pa.table([np.ascontiguousarray(rows[:, i]) for i in range(rows.shape[1])], names=list(names))
        connection.register("arriving", arrow)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM arriving")
        connection.unregister("arriving")


def run_clingo(workload: Workload) -> Outcome:
    """Ground the facts, then the rules, and solve; the result is the one stable model."""
    control = clingo.Control(["--warn=none"])
    began = now()
    control.add("facts", [], _fact_text(workload))
    control.ground([("facts", [])])
    load = now() - began
    control.add("rules", [], workload.rules)
    _, compute = timed(lambda: _ground_and_solve(control))
    return Outcome.of_rows("clingo", load, compute, _atoms(control, workload.view))


def _fact_text(workload: Workload) -> str:
    lines = [f"{name}({','.join(map(str, row))})." for name, rows in workload.facts.items() for row in rows.tolist()]
    return "\n".join(lines)


def _ground_and_solve(control: clingo.Control) -> None:
    control.ground([("rules", [])])
    control.solve()


def _atoms(control: clingo.Control, view: str) -> Cells:
    arity = next(arity for name, arity, _ in control.symbolic_atoms.signatures if name == view)
    found = [[a.number for a in atom.symbol.arguments] for atom in control.symbolic_atoms.by_signature(view, arity)]
    return np.array(found, np.int64).reshape(-1, arity)
