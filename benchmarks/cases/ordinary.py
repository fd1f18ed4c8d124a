"""Ordinary questions beside DuckDB: what users of SQL try first.

Law: every number is from a separate process, one thread, processor time. *Load* brings the tables in, which for Tidelog
means that equal rows are found; the *question* is asked of tables that are held: rules added in one epoch, beside
``CREATE TABLE ... AS`` of each view. *At once* is an engine whose rules are there before its tables. Views must be
equal row by row. Memory is the rise of the peak from before the load to the end.

A further question is an entry of `data.ordinary.QUESTIONS`; what is measured in another way is a function here.
"""

from __future__ import annotations

import gc
import hashlib
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from benchmarks.apart import call_apart, peak
from benchmarks.cases import ordinary_changes
from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.graphs import grid
from benchmarks.data.ordinary import QUESTIONS, SMALLER, Question, Tables
from benchmarks.data.workloads import CLOSURE
from benchmarks.measure import now
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, Value, median_of
from benchmarks.subject import Subject, kernel_ready, warm_up

REPEATS = 3
HERE = "benchmarks.cases.ordinary"
GROUPS, EPOCHS = 400_000, 200
ROWS, READS = 1_000_000, 9
MEMORY = 3.0
Found = dict[str, Any]


def asked(name: str, options: Options) -> Iterator[Record]:
    """One question: both systems in turn, each time in fresh processes."""
    question, runs = QUESTIONS[name], {way: [] for way in WAYS}  # type: dict[str, list[Found]]
    for _ in range(1 if options.quick else options.repeats(REPEATS)):
        for way, found in runs.items():
            found.append(call_apart(f"{HERE}:{WAYS[way]}", name=name, quick=options.quick))
    views = {way: found[0]["views"] for way, found in runs.items()}
    if len({str(found) for found in views.values()}) != 1:
        raise Disagreement(f"{question.title}: the views differ: {views}")
    middle = {way: {part: _median(found, part) for part in PARTS} for way, found in runs.items()}
    yield _record(question, runs, middle)


def _median(found: list[Found], part: str) -> float:
    return statistics.median(run[part] for run in found)


def _record(question: Question, runs: Mapping[str, list[Found]], middle: Mapping[str, Mapping[str, float]]) -> Record:
    own, once, peer = middle["Tidelog"], middle["at once"], middle["DuckDB"]
    values = [Value(HEADLINE, own["question"] / peer["question"], "x DuckDB", target=Target(question.most))]
    for way in ("Tidelog", "DuckDB"):
        for part in ("load", "question"):
            values.append(median_of(f"{way} {part}", (run[part] for run in runs[way]), "s", clock="cpu"))
    values.append(median_of("at once", (run["question"] for run in runs["at once"]), "s", clock="cpu"))
    values.append(Value("memory", once["memory"] / peer["memory"], "x DuckDB", target=Target(MEMORY)))
    values.append(Value("Tidelog memory", once["memory"] / 1e6, "MB"))
    values.append(Value("DuckDB memory", peer["memory"] / 1e6, "MB"))
    rows = {view: found[0] for view, found in runs["DuckDB"][0]["views"].items()}
    return Record("question", question.title, tuple(values), {"rows": sum(rows.values())})


def _tables(name: str, quick: bool) -> Tables:
    return QUESTIONS[name].tables(SMALLER if quick else 1)


def in_engine(name: str, quick: bool) -> Found:
    """Tables first, rules afterwards."""
    tables = _ready(name, quick)
    before, began = peak(), now()
    subject = Subject("")
    subject.insert(tables)
    loaded = now()
    subject.step(lambda epoch: [epoch.add_rule(rule) for rule in QUESTIONS[name].rules.strip().splitlines()])
    done = now()
    return _found(loaded.cpu - began.cpu, done.cpu - loaded.cpu, before, _views(name, lambda v: _arrow(subject, v)))


def in_engine_at_once(name: str, quick: bool) -> Found:
    """Rules first, and all tables in one epoch."""
    tables = _ready(name, quick)
    before, began = peak(), now()
    subject = Subject(QUESTIONS[name].rules)
    subject.insert(tables)
    done = now()
    return _found(0.0, done.cpu - began.cpu, before, _views(name, lambda v: _arrow(subject, v)))


def _ready(name: str, quick: bool) -> Tables:
    """The kernel is loaded, and so is all that a question imports."""
    warm_up()
    subject = Subject(QUESTIONS[name].rules)
    subject.insert({relation: table.slice(0, 10) for relation, table in _tables(name, True).items()})
    tables = _tables(name, quick)
    gc.collect()
    return tables


def _arrow(subject: Subject, view: str) -> pa.Table:
    return subject.engine[view].to_arrow()


def in_duckdb(name: str, quick: bool) -> Found:
    """The same in SQL."""
    tables, db = _tables(name, quick), duckdb.connect(config={"threads": 1})
    db.register("arriving", pa.table({"x": [1]}))  # imports what it needs
    db.execute("SELECT sum(x), regexp_full_match('a', 'a') FROM arriving GROUP BY x").fetchall()
    before, began = peak(), now()
    for relation, table in tables.items():
        db.register("arriving", table)
        db.execute(f"CREATE TABLE {relation} AS SELECT * FROM arriving")
    loaded = now()
    for view, sql in QUESTIONS[name].sql.items():
        db.execute(f"CREATE TABLE view_{view} AS {sql}")
    done = now()
    views = _views(name, lambda view: _all(db, f"view_{view}"))
    return _found(loaded.cpu - began.cpu, done.cpu - loaded.cpu, before, views)


def _all(db: duckdb.DuckDBPyConnection, table: str) -> pa.Table:
    return db.sql(f"FROM {table}").to_arrow_table()


def _views(name: str, read: Callable[[str], pa.Table]) -> Callable[[], dict[str, tuple[int, str]]]:
    return lambda: {view: _digest(read(view)) for view in QUESTIONS[name].sql}


def _digest(table: pa.Table) -> tuple[int, str]:
    """The number of rows and a digest of their values, whatever their order."""
    table = table.rename_columns([f"c{i}" for i in range(table.num_columns)])
    table = table.sort_by([(name, "ascending") for name in table.column_names])
    text = "\n".join("\t".join(map(repr, row.values())) for row in table.to_pylist())
    return table.num_rows, hashlib.sha256(text.encode()).hexdigest()[:16]


def _found(load: float, question: float, before: int, views: Callable[[], Any]) -> Found:
    return {"load": load, "question": question, "memory": max(peak() - before, 1), "views": views()}


WAYS = {"Tidelog": "in_engine", "at once": "in_engine_at_once", "DuckDB": "in_duckdb"}
PARTS = ("load", "question", "memory")


def beside_groups(options: Options) -> Iterator[Record]:
    """One fact of a view, in an engine that also holds many groups of another one."""
    sizes = (0, GROUPS // (SMALLER if options.quick else 1))
    runs: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(options.repeats(REPEATS)):
        for size, found in runs.items():
            found.append(call_apart(f"{HERE}:one_fact", groups=size, quick=options.quick))
    without, beside = map(statistics.median, runs.values())
    values = (
        Value(HEADLINE, beside / without, "x without", target=Target(1.15)),
        Value("without", without, "ms", clock="cpu"),
        Value("beside", beside, "ms", clock="cpu"),
    )
    yield Record("fact", "one fact beside groups of another view", values, {"groups": sizes[1]})


def one_fact(groups: int, quick: bool) -> float:
    """The median of the milliseconds of a one-fact epoch."""
    warm_up()
    subject = Subject("number(G, count<*>) :- w(A, G). v(X) :- other(X).")
    places = np.arange(max(groups, 1))
    subject.insert({"w": np.stack([places, places], axis=1), "other": [(0,)]})
    gc.collect()
    steps = [subject.insert({"other": [(i,)]}) for i in range(1, EPOCHS // (10 if quick else 1))]
    return 1e3 * statistics.median(step.whole.cpu for step in steps[5:])


def to_arrow(options: Options) -> Iterator[Record]:
    """A view of a million rows to Arrow."""
    rows = ROWS // (SMALLER if options.quick else 1)
    own = call_apart(f"{HERE}:engine_to_arrow", rows=rows)
    peer = call_apart(f"{HERE}:duckdb_to_arrow", rows=rows)
    values = (
        Value(HEADLINE, own / peer, "x DuckDB", target=Target(1.5)),
        Value("Tidelog", own, "ms", clock="cpu"),
        Value("DuckDB", peer, "ms", clock="cpu"),
    )
    yield Record("read", "a view of 1,000,000 rows to Arrow", values, {"rows": rows})


def _pairs(rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.stack([np.arange(rows), np.arange(rows) * 7], axis=1)


def engine_to_arrow(rows: int) -> float:
    """Milliseconds of one reading."""
    warm_up()
    subject = Subject("v(X, Y) :- e(X, Y).")
    subject.insert({"e": _pairs(rows)})
    return _reads(lambda: subject.engine["v"].to_arrow(), rows)


def duckdb_to_arrow(rows: int) -> float:
    """The same of a table."""
    db, cells = duckdb.connect(config={"threads": 1}), _pairs(rows)
    db.register("arriving", pa.table({"x": cells[:, 0].copy(), "y": cells[:, 1].copy()}))
    db.execute("CREATE TABLE v AS SELECT * FROM arriving")
    return _reads(lambda: _all(db, "v"), rows)


def ranges(options: Options) -> Iterator[Record]:
    """A few rows of a million, between two bounds: asked again and again, after the first time."""
    rows = ROWS // (SMALLER if options.quick else 1)
    own = call_apart(f"{HERE}:engine_ranges", rows=rows)
    peer = call_apart(f"{HERE}:duckdb_ranges", rows=rows)
    values = (
        Value(HEADLINE, own["later"] / peer["later"], "x DuckDB", target=Target(3.0)),
        Value("Tidelog", own["later"], "ms", clock="cpu"),
        Value("DuckDB", peer["later"], "ms", clock="cpu"),
        Value("Tidelog, first", own["first"], "ms", clock="cpu"),
    )
    yield Record("read", "`v(X, Y), X < 10` on 1,000,000 rows", values, {"rows": rows})


def engine_ranges(rows: int) -> Found:
    """Milliseconds of the first reading and of later ones."""
    warm_up()
    subject = Subject("v(X, Y) :- e(X, Y).")
    subject.insert({"e": _shuffled(rows)})
    list(subject.engine.query("v(X, Y), X = 3"))
    return _range_reads(lambda: len(subject.engine.query("v(X, Y), X < 10")))


def duckdb_ranges(rows: int) -> Found:
    """The same of a table."""
    db, cells = duckdb.connect(config={"threads": 1}), _shuffled(rows)
    db.register("arriving", pa.table({"x": cells[:, 0].copy(), "y": cells[:, 1].copy()}))
    db.execute("CREATE TABLE v AS SELECT * FROM arriving")
    return _range_reads(lambda: len(db.sql("SELECT x, y FROM v WHERE x < 10").fetchall()))


def _shuffled(rows: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.stack([np.random.default_rng(8).permutation(rows), np.arange(rows)], axis=1)


def _range_reads(read: Callable[[], int]) -> Found:
    times = []
    for _ in range(4 * READS):
        began = time.process_time()
        if read() != 10:
            raise Disagreement("a range query has other rows")
        times.append(1e3 * (time.process_time() - began))
    return {"first": times[0], "later": statistics.median(times[2:])}


RECORDS = """
.type id = [c: number, n: number]
.decl item(a: number, b: number, c: number, d: number)
.decl child(x: id, y: id) .decl later(x: id, y: id) .decl last(a: number, b: number)
child([a, b], [c, d]) :- item(a, b, c, d).
later([a, b], [e, f]) :- child([a, b], [c, d]), child([e, f], [c, d]), a < e.
last(a, b) :- child([a, b], _), !later([a, b], _).
"""
FLAT = """
.decl item(a: number, b: number, c: number, d: number)
.decl child(a: number, b: number, c: number, d: number) .decl later(a: number, b: number, c: number, d: number)
.decl last(a: number, b: number)
child(a, b, c, d) :- item(a, b, c, d).
later(a, b, e, f) :- child(a, b, c, d), child(e, f, c, d), a < e.
last(a, b) :- child(a, b, _, _), !later(a, b, _, _).
"""


def records(options: Options) -> Iterator[Record]:
    """A program whose keys are records, beside the same with a column for each part."""
    runs: dict[str, list[Found]] = {RECORDS: [], FLAT: []}
    for _ in range(options.repeats(REPEATS)):
        for program, found in runs.items():
            found.append(call_apart(f"{HERE}:items_of", program=program, quick=options.quick))
    if len({run["rows"] for found in runs.values() for run in found}) != 1:
        raise Disagreement("records and flat columns give different views")
    own, flat = (_median(found, "seconds") for found in runs.values())
    values = (
        Value(HEADLINE, own / flat, "x flat columns", target=Target(1.5)),
        Value("records", own, "s", clock="cpu"),
        Value("flat columns", flat, "s", clock="cpu"),
    )
    yield Record(
        "records", "records as keys: 100,000 items and their siblings", values, {"rows": runs[FLAT][0]["rows"]}
    )


def items_of(program: str, quick: bool) -> Found:
    """Seconds of the epoch that brings the items, and how many have no later sibling."""
    warm_up()
    subject, n = Subject(program), 1000 if quick else 100_000
    number = np.arange(n)
    items = np.stack([number, number % 7, number // 3, (number // 3) % 7], axis=1)
    gc.collect()
    step = subject.insert({"item": items})
    return {"seconds": step.whole.cpu, "rows": len(subject.engine["last"])}


def _reads(read: Callable[[], pa.Table], rows: int) -> float:
    times = []
    for _ in range(READS):
        began = time.process_time()
        table = read()
        times.append(1e3 * (time.process_time() - began))
        if table.num_rows != rows:
            raise Disagreement(f"{table.num_rows} rows of {rows}")
    return statistics.median(times)


def first_change(options: Options) -> Iterator[Record]:
    """The first change of one in a hundred after a build, beside those that follow."""
    runs = [call_apart(f"{HERE}:changes_after_build", quick=options.quick) for _ in range(options.repeats(REPEATS))]
    first, later = (statistics.median(run[part] for run in runs) for part in ("first", "later"))
    values = (
        Value(HEADLINE, first / later, "x later ones", target=Target(1.3)),
        Value("first", first, "ms", clock="cpu"),
        Value("later", later, "ms", clock="cpu"),
    )
    yield Record("first", "the first +1 % after a build: the closure of a grid", values, {"facts": runs[0]["facts"]})


def changes_after_build(quick: bool) -> Found:
    """Milliseconds of the first epoch that inserts one in a hundred edges after a build, and of five more."""
    warm_up()
    edges = grid(12 if quick else 60)
    order = np.random.default_rng(7).permutation(len(edges))
    part = max(1, len(edges) // 100)
    subject = Subject(CLOSURE)
    subject.insert({"edge": edges[order[6 * part :]]})
    gc.collect()
    times = [subject.insert({"edge": edges[order[i * part : (i + 1) * part]]}).whole.cpu for i in range(6)]
    return {"first": 1e3 * times[0], "later": 1e3 * statistics.median(times[1:]), "facts": subject.engine.fact_count}


GROUP = Group(
    {
        **{name: Case(question.title, partial(asked, name)) for name, question in QUESTIONS.items()},
        "beside-groups": Case("one fact beside 400,000 groups of another view", beside_groups),
        "to-arrow": Case("a view of 1,000,000 rows to Arrow", to_arrow),
        "ranges": Case("a range of 1,000,000 rows", ranges),
        "records": Case("records as keys, beside flat columns", records),
        "first-change": Case("the first +1 % after a build, beside later ones", first_change),
        "large-builds": Case("a build of more than ten million facts", ordinary_changes.large_builds),
        "shortest": Case("shortest paths from one node", ordinary_changes.shortest_paths),
        "root-edge": Case("same generation: an edge near the root", ordinary_changes.edge_near_the_root),
        "points": Case("an interval join whose points arrive", ordinary_changes.points_arriving),
    },
    kernel_ready,
)
