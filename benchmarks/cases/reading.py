"""Reading a view of a million rows: alone, beside epochs, and beside other readers.

Law: all hold the same rows, and every answer is compared. A reading is timed in a separate loop, in one thread;
DuckDB, SQLite and a dict of Python are asked the same through their own interfaces, with an index where they have one.
Beside each other readers and the writer are threads of one process, each as fast as it can, so that they share one
interpreter: what one gets the others do not.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.cases.asking import asking
from benchmarks.cases.catalogue import Case, Group
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Target, Value, median_of
from benchmarks.subject import kernel_ready
from tidelog import Engine

ROWS, QUICK, REPEATS = 1_000_000, 10_000, 7
LOOP_SECONDS, BESIDE_SECONDS = 0.2, 3.0
READERS = (0, 1, 8, 50)
PROGRAM = ".decl e(x: number, y: number)\n.decl v(x: number, y: number)\nv(x, y) :- e(x, y).\n"
KEY = 77
Read = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing to read: its answer, the microseconds it may take, and how each of the peers does it."""

    answer: object
    most: float | None
    ways: Mapping[str, Read]


def filled(rows: int) -> tuple[Engine, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """An engine with a view of this many rows, and the rows."""
    cells = np.stack([np.arange(rows), np.arange(rows) * 7], axis=1)
    db = Engine(PROGRAM)
    with db.epoch() as e:
        e.insert("e", cells)
    return db, cells


def in_duckdb(cells: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> duckdb.DuckDBPyConnection:
    """A table of DuckDB's, with an index on its first column."""
    db = duckdb.connect(config={"threads": 1})
    x, y = cells[:, 0].copy(), cells[:, 1].copy()
    db.register("given", pa.table({"x": x, "y": y}))
    db.execute("CREATE TABLE v AS SELECT * FROM given")
    db.execute("CREATE INDEX by_x ON v (x)")
    return db


def in_sqlite(cells: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> sqlite3.Connection:
    """A table of SQLite's, in memory, with its rows in the order of their first column."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE v (x INTEGER PRIMARY KEY, y INTEGER)")
    db.executemany("INSERT INTO v VALUES (?, ?)", cells.tolist())
    return db


def readings(db: Engine, rows: int, cells: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> dict[str, Reading]:
    """What is read, and how."""
    duck, lite = in_duckdb(cells), in_sqlite(cells)
    pairs, by_key = set(map(tuple, cells.tolist())), dict(cells.tolist())
    view, asked, row = db["v"], db.prepare("v(x, y)", bind="x"), (KEY, 7 * KEY)
    ask = "SELECT y FROM v WHERE x = ?"
    return {
        "len": Reading(
            rows,
            20.0,
            {
                "Tidelog": lambda: len(view),
                "DuckDB": lambda: duck.execute("SELECT count(*) FROM v").fetchone()[0],  # type: ignore[index]
                "SQLite": lambda: lite.execute("SELECT count(*) FROM v").fetchone()[0],
                "Python": lambda: len(pairs),
            },
        ),
        "a row in the view": Reading(
            True,
            20.0,
            {
                "Tidelog": lambda: row in view,
                "DuckDB": lambda: bool(duck.execute("SELECT 1 FROM v WHERE x = ? AND y = ?", row).fetchall()),
                "SQLite": lambda: bool(lite.execute("SELECT 1 FROM v WHERE x = ? AND y = ?", row).fetchall()),
                "Python": lambda: row in pairs,
            },
        ),
        "five rows": Reading(
            5,
            None,
            {
                "Tidelog": lambda: len(view.head(5)),
                "DuckDB": lambda: len(duck.execute("SELECT * FROM v LIMIT 5").fetchall()),
                "SQLite": lambda: len(lite.execute("SELECT * FROM v LIMIT 5").fetchall()),
            },
        ),
        "query of one key": Reading(
            [(7 * KEY,)],
            300.0,
            {
                "Tidelog": lambda: db.query(f"v({KEY}, y)").rows(),
                "DuckDB": lambda: duck.execute(f"SELECT y FROM v WHERE x = {KEY}").fetchall(),
                "SQLite": lambda: lite.execute(f"SELECT y FROM v WHERE x = {KEY}").fetchall(),
            },
        ),
        "the same, prepared": Reading(
            [(7 * KEY,)],
            None,
            {
                "Tidelog": lambda: asked(KEY).rows(),
                "DuckDB": lambda: duck.execute(ask, (KEY,)).fetchall(),
                "SQLite": lambda: lite.execute(ask, (KEY,)).fetchall(),
                "Python": lambda: [(by_key[KEY],)],
            },
        ),
    }


def microseconds(read: Read, answer: object, seconds: float) -> float:
    """The processor time of one reading, over a loop that takes so long."""
    if read() != answer:  # also makes the index, once
        raise Disagreement(f"{read()} was read, {answer} is held")
    count, began = 0, time.process_time()
    while (took := time.process_time() - began) < seconds:
        for _ in range(8):
            read()
        count += 8
    return 1e6 * took / count


def alone(options: Options) -> Iterator[Record]:
    """Each reading alone."""
    rows = QUICK if options.quick else ROWS
    seconds = LOOP_SECONDS / 50 if options.quick else LOOP_SECONDS
    db, cells = filled(rows)
    for title, reading in readings(db, rows, cells).items():
        times: dict[str, list[float]] = {name: [] for name in reading.ways}
        for _ in range(options.repeats(REPEATS)):
            for name, read in reading.ways.items():
                times[name].append(microseconds(read, reading.answer, seconds))
        target = None if reading.most is None else Target(reading.most)
        values = [
            median_of(name, found, "µs", clock="cpu", target=target if name == "Tidelog" else None)
            for name, found in times.items()
        ]
        yield Record("read", title, tuple(values), {"rows": rows})


@dataclass(slots=True)
class Counted:
    """What threads have done so far, each in a separate place."""

    done: list[int]
    wrong: int = 0


def reader(view: Read, counted: Counted, place: int, stop: threading.Event) -> None:
    """Look rows up until it is over."""
    while not stop.is_set():
        counted.wrong += not view()
        counted.done[place] += 1


def together(db: Engine, rows: int, readers: int, seconds: float, *, writes: bool) -> tuple[float, float]:
    """Epochs and look-ups a second, of one writer, if it ``writes``, and of the readers."""
    view, row, stop, counted = db["v"], (KEY, 7 * KEY), threading.Event(), Counted([0] * readers)
    threads = [
        threading.Thread(target=reader, args=(lambda: row in view, counted, place, stop)) for place in range(readers)
    ]
    for thread in threads:
        thread.start()
    epochs, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        if not writes:
            time.sleep(seconds)
            continue
        with db.epoch() as e:
            (e.delete if epochs % 2 else e.insert)("e", [(rows + 1, 1)])
        epochs += 1
    read = sum(counted.done)
    stop.set()
    for thread in threads:
        thread.join()
    if counted.wrong:
        raise Disagreement(f"{counted.wrong} look-ups found no row that is there")
    return epochs / took, read / took


def beside(options: Options) -> Iterator[Record]:
    """Readers and a writer, alone and together."""
    rows = QUICK if options.quick else ROWS
    seconds = BESIDE_SECONDS / 20 if options.quick else BESIDE_SECONDS
    db, _ = filled(rows)
    together(db, rows, 1, seconds, writes=True)  # after which there is a copy
    for readers in READERS:
        runs = [together(db, rows, readers, seconds, writes=True) for _ in range(options.repeats(3))]
        epochs, looked = zip(*runs, strict=True)
        values: list[Value] = [median_of("epochs", epochs, "a second", clock="wall", better="higher")]
        if readers:
            free = [together(db, rows, readers, seconds, writes=False)[1] for _ in range(options.repeats(3))]
            values.append(median_of("look-ups beside", looked, "a second", clock="wall", better="higher"))
            values.append(median_of("look-ups alone", free, "a second", clock="wall", better="higher"))
        yield Record("beside", f"{readers} readers", tuple(values), {"rows": rows, "readers": readers})


GROUP = Group(
    {
        "alone": Case("len, in, head and queries of a key, beside DuckDB, SQLite and Python's own", alone),
        "beside": Case("look-ups and epochs a second, of one writer and up to fifty readers", beside),
        "asking": Case("proofs, refutations, blame and queries on eight partitions", asking),
    },
    kernel_ready,
)
