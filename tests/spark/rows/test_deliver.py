"""What a task does with its rows, without Spark: it starts quickly, and delivers rows, entries and a report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import tidelog

TASK = """
import sys
import numpy as np
import pyarrow as pa
from tidelog.io.vectors import from_vector
from tidelog.spark.rows.deliver import Delivery
from tidelog.spark.rows.tables import cells_of, entries_of

class Partition:
    def __init__(self):
        self.got = []
    def deliver(self, label, table):
        told = cells_of(table).tolist() if label["kind"] == "rows" else "entries"
        self.got.append((label["kind"], label.get("sign"), told))

def numbers(*values, kind=np.int64, type_=pa.int64()):
    return from_vector(np.array(values, kind), type_)

ends, empty = np.array([0, 1, 2, 3], np.int32), np.zeros(4, np.int32)
texts = pa.Array.from_buffers(pa.binary(), 3, [None, pa.py_buffer(ends), pa.py_buffer(b"aba")])
nothing = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(bytes(1)), pa.py_buffer(empty), pa.py_buffer(b"")])
batch = pa.RecordBatch.from_arrays(
    [numbers(7, 8, 7), numbers(1, 2, 3), texts, numbers(1, 1, -1), nothing, nothing,
     numbers(0, 1, 0, kind=np.int32, type_=pa.int32())],
    names=["c0", "c1", "v0", "sign", "bad", "example", "owner"],
)
partitions = (Partition(), Partition())
(report,) = Delivery("r", 2, ((0, False),), partitions, "stage", owned=True)(iter([batch]))
assert "pandas" not in sys.modules, "pandas takes longer to import than the task runs"
rows = sorted(each for p in partitions for each in p.got if each[0] == "rows")
assert rows == [("rows", -1, [[7, 3]]), ("rows", 1, [[7, 1]]), ("rows", 1, [[8, 2]])], rows
told = report.to_pylist()[0]
told.pop("attempt")
assert told == {"rows": 3, "entries": 2, "bad": 0, "reason": None, "example": None, "failure": None}, told
print("delivered")
"""


def test_task_delivers_without_importing_pandas() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", TASK],
        env={"PYTHONPATH": str(Path(tidelog.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout == "delivered\n", ended.stderr
