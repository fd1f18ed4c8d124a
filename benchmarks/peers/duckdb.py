"""DuckDB's recursive SQL, with one thread by default; where a workload has none, loops around statements.

Law: load (facts into the system) and compute (from facts to the full result inside the system) are timed apart;
fetching the result for comparison is in neither.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.data.graphs import Cells
from benchmarks.data.workloads import Workload
from benchmarks.measure import timed
from benchmarks.outcome import Outcome
from benchmarks.peers.duckdb_loops import evaluate, quoted


def run_duckdb(workload: Workload, threads: int = 1) -> Outcome:
    """Evaluate the workload into a table."""
    with duckdb.connect(config={"threads": threads}) as connection:
        _, load = timed(lambda: load_tables(connection, workload))
        _, compute = timed(lambda: computed(connection, workload))
        rows = fetched(connection, "result" if workload.sql else workload.view)
    return Outcome.of_rows("DuckDB", load, compute, rows)


def computed(connection: duckdb.DuckDBPyConnection, workload: Workload) -> None:
    """From tables of base facts to those of the result."""
    if workload.sql:
        connection.execute(f"CREATE TABLE result AS {workload.sql}")
    else:
        evaluate(connection, workload.rules)


def fetched(connection: duckdb.DuckDBPyConnection, name: str) -> Cells:
    """All rows of a table of numbers."""
    columns = connection.execute(f"SELECT * FROM {quoted(name)}").fetchnumpy()
    return np.stack([np.asarray(column, np.int64) for column in columns.values()], axis=1)


def load_tables(connection: duckdb.DuckDBPyConnection, workload: Workload) -> None:
    """A table per base relation: columns a, b, ... for SQL by hand, c0, c1, ... for the loops."""
    for name, rows in workload.facts.items():
        places = range(rows.shape[1])
        names = list("abcdefgh"[: len(places)]) if workload.sql else [f"c{i}" for i in places]
        arrow = pa.table([np.ascontiguousarray(rows[:, i]) for i in places], names=names)
        connection.register("arriving", arrow)
        connection.execute(f"CREATE TABLE {quoted(name)} AS SELECT * FROM arriving")
        connection.unregister("arriving")
