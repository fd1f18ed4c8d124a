"""Thousands of epochs: neither processes nor files nor what the driver keeps grow with their number."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tidelog import Engine
from tidelog.engine.engine import core_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EPOCHS = int(os.environ.get("TIDELOG_EPOCHS", "10000"))
KEPT = 40  # epochs that stay readable: their files are there, however many come
MOST = 48 << 20  # bytes by which a process may grow: less than 5 KiB an epoch
REACH = "reach(X,Y) :- edge(X,Y). reach(X,Z) :- reach(X,Y), edge(Y,Z). far(@Y, X) :- reach(X, Y), mark(Y)."


def resident_bytes(process: int) -> int:
    """What a process holds in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.long
@pytest.mark.parametrize("epochs", [EPOCHS])
def test_neither_memory_nor_files_grow_with_epochs(spark: SparkSession, tmp_path: Path, epochs: int) -> None:
    with Engine(REACH, spark=spark, partitions=2, path=tmp_path / "state", history=KEPT) as db:
        with db.epoch() as epoch:
            epoch.insert("edge", [(i, i + 1) for i in range(60)])
            epoch.insert("mark", [(i,) for i in range(0, 60, 7)])
        held, files = [], []
        for number in range(epochs):
            with db.epoch() as epoch:
                (epoch.delete if number % 2 == 0 else epoch.insert)("edge", [(30, 31)])
            if number in (epochs // 5, epochs - 1):
                gc.collect()
                processes = (os.getpid(), *core_of(db).runtime.nodes.stage.processes)  # type: ignore[union-attr]
                held.append([resident_bytes(process) for process in processes])
                files.append(sum(1 for path in (tmp_path / "state").rglob("*") if path.is_file()))
        assert len(db["reach"]) == 60 * 61 // 2
    grown = [after - before for before, after in zip(*held, strict=True)]
    assert max(grown) < MOST, f"bytes gained by driver and partitions: {grown}"
    assert files[1] <= 2 * files[0], f"files in the state folder: {files}"
    print(f"{epochs:,} epochs: bytes gained {grown}, files {files}")
