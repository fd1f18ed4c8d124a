"""DuckDB's recursive SQL with one thread.

Law: load (facts into the system) and compute (from facts to the full result inside the system) are timed apart;
fetching the result for comparison is in neither.
"""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.data.workloads import Workload
from benchmarks.measure import timed
from benchmarks.outcome import Outcome


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
