"""One fact: what an epoch costs in small programs, what each further view adds, and programs of many rules.

Law: an epoch is timed as a user writes it, through the API, in processor time; it is the best of several rounds of many
epochs, half of which insert a new fact and half of which delete it again. DuckDB does the same in the same process: it
inserts the row, reads the view for it, and deletes it; its view is computed when it is read, for that row alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import duckdb

from benchmarks.measure import now
from benchmarks.options import Options
from benchmarks.record import HEADLINE, Record, Target, Value
from tidelog import Engine

ONE_FACT, FURTHER = Target(0.10), Target(5.0)  # milliseconds; microseconds
LOAD, THROUGH, RULE = Target(5.0), Target(60.0), Target(10.0)  # seconds; milliseconds
ROUNDS, EPOCHS = 7, 200
MANY = 10_000
Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A small program, its facts, the relation that gets one more, and the view of it in SQL."""

    title: str
    rules: str
    facts: Mapping[str, Sequence[Row]]
    relation: str
    row: Callable[[int], Row]
    sql: str


CHAIN = [(i, i + 1) for i in range(1000)]
LUBM = """type(X, C) :- given(X, C).  type(X, D) :- type(X, C), sub(C, D).
type(X, C) :- p(X, P, _), dom(P, C).  type(Y, C) :- p(_, P, Y), ran(P, C).
p(X, P, Y) :- t(X, P, Y).  p(X, Q, Y) :- p(X, P, Y), subp(P, Q)."""
CLOSURE = """WITH RECURSIVE r(a, b) AS (SELECT a, b FROM fact WHERE a = ? UNION SELECT r.a, f.b FROM r, fact f
WHERE f.a = r.b) SELECT * FROM r"""
CLASSES = """WITH RECURSIVE r(a, b) AS (SELECT a, b FROM fact WHERE a = ? UNION SELECT r.a, s.b FROM r, other s
WHERE s.a = r.b) SELECT * FROM r"""
PROGRAMS = (
    Program(
        "a copy rule",
        "t(X, Y) :- e(X, Y).",
        {"e": CHAIN},
        "e",
        lambda n: (n, n),
        "SELECT a, b FROM fact WHERE a = ?",
    ),
    Program(
        "a join",
        "t(X, Z) :- e(X, Y), f(Y, Z).",
        {"e": CHAIN, "f": CHAIN},
        "e",
        lambda n: (n, n % 1000),
        "SELECT e.a, f.b FROM fact e, other f WHERE e.a = ? AND e.b = f.a",
    ),
    Program(
        "a closure",
        "r(X, Y) :- e(X, Y).  r(X, Z) :- e(X, Y), r(Y, Z).",
        {"e": CHAIN[:50]},
        "e",
        lambda n: (n, n + 10**7),
        CLOSURE,
    ),
    Program(
        "RDFS rules",
        LUBM,
        {
            "given": [(i, i % 7) for i in range(1000)],
            "sub": [(i, i + 1) for i in range(8)],
            "t": [(i, i % 5, i + 1) for i in range(1000)],
            "dom": [(0, 1)],
            "ran": [(1, 2)],
            "subp": [(0, 3)],
        },
        "given",
        lambda n: (n, 5),
        CLASSES,
    ),
)


def one_fact(options: Options) -> Iterator[Record]:
    """One fact in and out again, in small programs and under further views."""
    for program in PROGRAMS:
        own = 1e3 * _best(options, _turn(_engine(program.rules, program.facts), program.relation, program.row))
        peer = 1e3 * _best(options, _in_duckdb(program))
        values = (
            Value(HEADLINE, own, "ms", "cpu", target=ONE_FACT),
            Value("DuckDB", peer, "ms", "cpu"),
            Value("ratio", own / peer, "x DuckDB"),
        )
        yield Record("one-fact", program.title, values)
    yield _further(options, "beside each other", lambda _: "e")
    yield _further(options, "on top of each other", lambda i: f"v{i - 1}" if i else "e")


def _further(options: Options, title: str, source: Callable[[int], str]) -> Record:
    count, spent = (10, 100), []
    for views in count:
        rules = "\n".join(f"v{i}(X, Y) :- {source(i)}(X, Y)." for i in range(views))
        spent.append(_best(options, _turn(_engine(rules, {"e": CHAIN}), "e", lambda n: (n, n))))
    each = 1e6 * (spent[1] - spent[0]) / (count[1] - count[0])
    return Record("one-fact-view", f"each further view, {title}", (Value(HEADLINE, each, "us", "cpu", target=FURTHER),))


def _engine(rules: str, facts: Mapping[str, Sequence[Row]]) -> Engine:
    db = Engine(rules, threads=1)
    with db.epoch() as epoch:
        for relation, rows in facts.items():
            epoch.insert(relation, rows)
    return db


def _turn(db: Engine, relation: str, row: Callable[[int], Row]) -> Callable[[int], None]:
    def turn(number: int) -> None:
        with db.epoch() as epoch:
            epoch.insert(relation, [row(number)])
        with db.epoch() as epoch:
            epoch.delete(relation, [row(number)])

    return turn


def _in_duckdb(program: Program) -> Callable[[int], None]:
    db = duckdb.connect(config={"threads": 1})
    first, *rest = program.facts.values()
    for name, rows in (("fact", first), ("other", rest[0] if rest else first)):
        db.execute(f"CREATE TABLE {name}(a BIGINT, b BIGINT)")
        db.executemany(f"INSERT INTO {name} VALUES (?, ?)", [list(row) for row in rows])

    def turn(number: int) -> None:
        db.execute("INSERT INTO fact VALUES (?, ?)", program.row(number))
        db.execute(program.sql, [number]).fetchall()
        db.execute("DELETE FROM fact WHERE a = ?", [number])
        db.execute(program.sql, [number]).fetchall()

    return turn


def _best(options: Options, turn: Callable[[int], None]) -> float:
    """Seconds of an epoch: the best mean of several rounds."""
    half, found = EPOCHS // 2, []
    for number in range(2 if options.quick else ROUNDS):
        began = now()
        for place in range(half):
            turn(10**6 + number * half + place)
        found.append((now().cpu - began.cpu) / EPOCHS)
    return min(found)


@dataclass(frozen=True, slots=True)
class Shape:
    """How many rules depend on each other: rule ``i``, the relation that gets facts, and the number of columns."""

    rule: Callable[[int], str]
    relation: Callable[[int], str] = lambda count: "e"
    columns: int = 2


SHAPES: Mapping[str, Shape] = {
    "views beside each other": Shape(lambda i: f"v{i}(X, Y) :- e(X, Y)."),
    "views on top of each other": Shape(lambda i: f"v{i}(X, Y) :- {f'v{i - 1}' if i else 'e'}(X, Y)."),
    "a hierarchy of classes": Shape(lambda i: f"v{i // 2}(X) :- v{i + 1}(X).", lambda count: f"v{count}", 1),
}
RULES, FACTS = 7, 9


def many_rules(options: Options) -> Iterator[Record]:
    """Programs of 10,000 rules: load, one fact through all views, and a rule that is added and removed.

    A further fact may cost more than the one before it: the tables of all views grow in the same epoch.
    """
    count = MANY // 20 if options.quick else MANY
    for title, shape in SHAPES.items():
        began = now()
        db = Engine("\n".join(map(shape.rule, range(count))), threads=1)
        loaded = now()
        body, relation = f"v5({', '.join('XY'[: shape.columns])})", shape.relation(count)
        insert = partial(_insert, db, relation, shape.columns)
        first = _timed(partial(insert, 0))
        facts = [_timed(partial(insert, n)) for n in range(1, FACTS)]
        added = [_timed(partial(_add, db, f"x{n}", f"x{n}(X) :- {body}.")) for n in range(RULES)]
        after = _timed(partial(insert, FACTS))
        removed = [_timed(partial(_remove, db, f"x{n}")) for n in range(RULES)]
        values = (
            Value(HEADLINE, loaded.cpu - began.cpu, "s", "cpu", target=LOAD),
            Value("first fact", 1e3 * first, "ms", "cpu"),
            Value("one fact", 1e3 * statistics.median(facts), "ms", "cpu", target=THROUGH),
            Value("one fact, most", 1e3 * max(facts), "ms", "cpu"),
            Value("rule added", 1e3 * statistics.median(added), "ms", "cpu", target=RULE),
            Value("one fact after it", 1e3 * after, "ms", "cpu", target=THROUGH),
            Value("rule removed", 1e3 * statistics.median(removed), "ms", "cpu", target=RULE),
        )
        yield Record("many-rules", f"{count:,} {title}", values)


def _timed(act: Callable[[], None]) -> float:
    began = now()
    act()
    return now().cpu - began.cpu


def _insert(db: Engine, relation: str, columns: int, number: int) -> None:
    with db.epoch() as epoch:
        epoch.insert(relation, [tuple(range(10 * number, 10 * number + columns))])


def _add(db: Engine, label: str, rule: str) -> None:
    with db.epoch() as epoch:
        epoch.add_rule(rule, label)


def _remove(db: Engine, label: str) -> None:
    with db.epoch() as epoch:
        epoch.remove_rule(label)
