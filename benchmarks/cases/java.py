"""The analysis of a whole Java program: build, memory, statements that change, beside DuckDB and clingo.

Law: every build is a separate process, so that its peak memory is its own. Systems must agree on six relations of
the result, text by text, after the build and without one in a hundred statements; after all changes the result is the
one that was built. A statement is an instruction of a method body, whether or not the method is reachable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.apart import call_apart, peak
from benchmarks.cases.builds import LARGEST_CLINGO
from benchmarks.data import java
from benchmarks.data.java import VIEWS, Statement
from benchmarks.data.numbered import Numbers
from benchmarks.measure import Duration, timed
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.peers.clingo import solved
from benchmarks.peers.duckdb import computed, fetched, load_tables
from benchmarks.record import HEADLINE, Record, Target, Value, clocked
from benchmarks.subject import Step, Subject, warm_up
from tidelog import Engine, Limits

BUILD, MEMORY, ONE, WORST = Target(22.0), Target(2.0), Target(2.0), Target(20.0)
SHARES = {"0.1 %": (1_000, Target(0.2)), "1 %": (100, None)}
SINGLES, SECONDS = 50, 900.0
"""Statements changed one by one; how long a build may take."""
Found = dict[str, Any]
Timed = tuple[float, float]


def analysis(options: Options) -> Iterator[Record]:
    """Tidelog with one thread and with all, DuckDB, clingo."""
    assert options.java is not None, "chosen only when it is given"
    asked = {"folder": str(options.java.resolve()), "quick": options.quick}
    counts = sorted({1, os.cpu_count() or 1})
    ours = {count: call_apart("benchmarks.cases.java:measure", threads=count, **asked) for count in counts}
    duck = call_apart("benchmarks.cases.java:measure_duckdb", **asked)
    one = ours[1]
    must_agree(one, duck, "built", "Tidelog", "DuckDB")
    must_agree(one, duck, "without 1 %", "Tidelog", "DuckDB")
    peers, largest = {"DuckDB": duck}, options.chosen("clingo_supports", LARGEST_CLINGO)
    if one["supports"] <= largest:
        peers["clingo"] = call_apart("benchmarks.cases.java:measure_clingo", **asked)
        must_agree(one, peers["clingo"], "built", "Tidelog", "clingo")
    yield _beside(one, peers, largest)
    for count, found in ours.items():
        must_agree(one, found, "built", "one thread", f"{count} threads")
        yield from records(found, f"{count} thread{'s' * (count > 1)}", BUILD)


def must_agree(one: Found, other: Found, what: str, name: str, other_name: str) -> None:
    """Refuse results that differ."""
    if one[what] != other[what]:
        raise Disagreement(f"Java analysis, {what}: {name} has {one[what]}, {other_name} {other[what]}")


def _beside(ours: Found, peers: Mapping[str, Found], largest: int) -> Record:
    systems = {"Tidelog": ours, **peers}
    times = [
        value
        for name, found in systems.items()
        for part in ("load", "compute")
        for value in clocked(f"{name} {part}", [Duration(*found[part])])
    ]
    ratio = ours["compute"][1] / peers["DuckDB"]["compute"][1]
    facts = {"given": ours["given"], "rows": ours["built"][VIEWS[0]][0], "supports": ours["supports"]}
    notes = ["Tidelog reads text, its peers numbers", "DuckDB: loops of SQL statements made from the rules"]
    if "clingo" not in peers:
        notes.append(f"clingo omitted: {ours['supports']:,} supports exceed its limit of {largest:,}")
    return Record("build", title(ours), (Value(HEADLINE, ratio, "x DuckDB"), *times), facts, tuple(notes))


def title(found: Found) -> str:
    """What was analysed, by size."""
    return f"Java analysis, {found['given']:,} facts"


def records(found: Found, where: str, target: Target | None) -> Iterator[Record]:
    """What one process measured, a record each."""
    sizes = {name: size for name, (size, _) in found["built"].items()}
    whole = [Duration(*found["read"]) + Duration(*found["load"]) + Duration(*found["compute"])]
    values = (
        Value(HEADLINE, whole[0].wall, "s", "wall", target=target),
        *clocked("whole", whole),
        *(value for part in ("read", "load", "compute") for value in clocked(part, [Duration(*found[part])])),
    )
    yield Record("java-build", f"build, reading included, {where}", values, {**sizes, "supports": found["supports"]})
    if "memory" in found:
        values = (Value(HEADLINE, found["peak"], "GB", target=MEMORY), Value("memory", found["memory"], "GB"))
        yield Record("java-memory", f"peak of the process, {where}", values)
    for way in ("out", "in"):
        yield from _one(way, found, where)
        for share in SHARES:
            yield _share(share, way, found, where, whole[0])


def _one(way: str, found: Found, where: str) -> Iterator[Record]:
    each = [Duration(*taken) for taken in found[f"one {way}"]]
    worst = Value(HEADLINE, 1e3 * max(d.cpu for d in each), "ms", "cpu", target=WORST)
    facts = {"statements": len(each)}
    yield Record("java-one", f"one statement {way}, median, {where}", clocked(HEADLINE, each, "ms", ONE), facts)
    yield Record("java-one", f"one statement {way}, worst, {where}", (worst,), facts)


def _share(share: str, way: str, found: Found, where: str, build: Duration) -> Record:
    target = SHARES[share][1] or Target(build.cpu)
    times = clocked(HEADLINE, [Duration(*found[f"{share} {way}"])], "s", target)
    return Record("java-share", f"{share} of the statements {way}, {where}", times, found[f"{share} touched"])


def measure(folder: str, threads: int, quick: bool) -> Found:
    """Build and change, in this process."""
    warm_up()
    tables, read = timed(lambda: java.read_facts(Path(folder), quick=quick, threads=threads > 1))
    subject = Subject(java.PROGRAM.read_text("utf-8"), threads, limits=Limits(seconds=SECONDS))
    step = subject.insert(tables)
    found = {
        "given": sum(len(subject.engine.asserted(name)) for name in tables),
        "read": pair(read), "load": pair(step.load), "compute": pair(step.compute), "supports": step.supports,
        "memory": subject.engine.memory / 1e9, "peak": peak() / 1e9, "built": results(subject.engine),
    }  # fmt: skip
    del step
    return {**found, **changes(subject, java.statements(tables), found["built"])}


def changes(subject: Subject, all_statements: Sequence[Statement], built: Found, singles: int = SINGLES) -> Found:
    """Single statements, then shares of all; the result must be the one that was built."""
    found: Found = {"one out": [], "one in": []}
    for name, row in java.drawn(all_statements, singles, 51):
        found["one out"].append(pair(subject.delete({name: [row]}).whole))
        found["one in"].append(pair(subject.insert({name: [row]}).whole))
    for share, (part, _) in SHARES.items():
        gone = java.by_relation(java.drawn(all_statements, max(1, len(all_statements) // part), part))
        out = subject.delete(gone)
        found[f"without {share}"] = results(subject.engine)
        back = subject.insert(gone)
        found |= {f"{share} out": pair(out.whole), f"{share} in": pair(back.whole), f"{share} touched": _touched(out)}
    must_agree({"built": built}, {"built": results(subject.engine)}, "built", "first", "after all changes")
    return found


def _touched(step: Step) -> dict[str, int]:
    return {"supports": step.supports, "suspended": step.epoch.statistics.suspended}


def pair(duration: Duration) -> Timed:
    """Both clocks, for JSON."""
    return duration.wall, duration.cpu


def results(engine: Engine) -> dict[str, list[int]]:
    """Size and checksum of every relation that is compared."""
    return {name: _result([c.to_pylist() for c in engine[name].to_arrow().columns]) for name in VIEWS}


def _result(columns: Sequence[Sequence[str]]) -> list[int]:
    return [len(columns[0]), java.text_checksum(columns)]


def measure_duckdb(folder: str, quick: bool) -> Found:
    """The same by loops around SQL, in this process: with everything, and without one in a hundred statements."""
    tables = java.read_facts(Path(folder), quick=quick)
    found = _by_duckdb(tables)
    all_statements = java.statements(tables)
    gone = java.drawn(all_statements, max(1, len(all_statements) // SHARES["1 %"][0]), SHARES["1 %"][0])
    return {**found, "without 1 %": _by_duckdb(java.left(tables, gone))["built"]}


def _by_duckdb(tables: Mapping[str, Any]) -> Found:
    workload, numbers = java.numbered(tables)
    with duckdb.connect(config={"threads": 1}) as connection:
        _, load = timed(lambda: load_tables(connection, workload))
        _, compute = timed(lambda: computed(connection, workload))
        built = {name: _numbered_result(fetched(connection, name), numbers) for name in VIEWS}
    return {"load": pair(load), "compute": pair(compute), "built": built}


def _numbered_result(rows: Any, numbers: Numbers) -> list[int]:
    texts = numbers.texts()
    return _result([[texts[cell] for cell in column] for column in rows.T.tolist()])


def measure_clingo(folder: str, quick: bool) -> Found:
    """The same by clingo, in this process."""
    workload, numbers = java.numbered(java.read_facts(Path(folder), quick=quick))
    load, compute, atoms = solved(workload)
    return {
        "load": pair(load),
        "compute": pair(compute),
        "built": {name: _numbered_result(atoms(name), numbers) for name in VIEWS},
    }
