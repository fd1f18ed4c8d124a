"""Real programs in a second form: characters of a text as records and in columns; a Java program without entry point.

Law: both forms of the text have equal rows; without an entry point nothing is reachable, and no object flows.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.apart import call_apart
from benchmarks.data import java, texts
from benchmarks.measure import checksum
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import HEADLINE, Record, Target, Value
from benchmarks.subject import Subject, warm_up
from tidelog import Limits

HERE = "benchmarks.cases.second_forms"
ROUNDS, REPEATS = 3_800, 5
FORMS = {"records": texts.AS_RECORDS, "columns": texts.IN_COLUMNS}
ENTRY = "MainClass"
Found = dict[str, Any]


def records_of_text(options: Options) -> Iterator[Record]:
    """The order of a text whose characters are records, beside the same with a column for each part."""
    rounds = 8 if options.quick else ROUNDS
    runs: dict[str, list[Found]] = {form: [] for form in FORMS}
    for _ in range(options.repeats(REPEATS)):
        for form, found in runs.items():
            found.append(call_apart(f"{HERE}:ordered_text", form=form, rounds=rounds))
    results = {(run["rows"], run["checksum"]) for found in runs.values() for run in found}
    if len(results) != 1:
        raise Disagreement(f"records and columns give different texts: {results}")
    own, flat = (statistics.median(run["seconds"] for run in found) for found in runs.values())
    values = (
        Value(HEADLINE, own / flat, "x columns", target=Target(1.5)),
        Value("records", own, "s", clock="cpu"),
        Value("columns", flat, "s", clock="cpu"),
    )
    facts = {"insertions": runs["records"][0]["insertions"], "rows": runs["records"][0]["rows"]}
    yield Record("forms", "the order of a text: characters as records", values, facts)


def ordered_text(form: str, rounds: int) -> Found:
    """Seconds of the epoch that brings all operations, and what it finds."""
    warm_up()
    facts = texts.operations(rounds)
    subject = Subject(FORMS[form])
    step = subject.insert(facts)
    rows = subject.engine["text"].to_numpy()
    return {
        "seconds": step.whole.cpu, "insertions": len(facts["inserted"]), "rows": len(rows), "checksum": checksum(rows)
    }  # fmt: skip


def without_entry_point(options: Options) -> Iterator[Record]:
    """The Java analysis of everything but the class with `main`: its rules have nothing to start from."""
    assert options.java is not None, "chosen only when it is given"
    found = call_apart(f"{HERE}:unreached_program", folder=str(options.java.resolve()), quick=options.quick)
    if found["reached"]:
        raise Disagreement(f"{found['reached']} objects flow in a program without entry point")
    values = (
        Value(HEADLINE, found["recursion"], "s", "cpu", target=Target(0.3)),
        Value("all strata", found["compute"], "s", clock="cpu"),
    )
    facts = {"relations": found["relations"], "given": found["given"]}
    yield Record("forms", "Java analysis without its entry point: the recursive stratum", values, facts)


def unreached_program(folder: str, quick: bool) -> Found:
    """Seconds of processor time of the largest stratum, as a share of that of all, and of all."""
    warm_up()
    tables = java.read_facts(Path(folder), quick=quick)
    tables[ENTRY] = tables[ENTRY].slice(0, 0)
    subject = Subject(java.PROGRAM.read_text("utf-8"), limits=Limits(seconds=900.0))
    step = subject.insert(tables)
    largest, compute = max(step.epoch.statistics.strata, key=lambda stratum: len(stratum.relations)), step.compute
    return {
        "recursion": largest.seconds * compute.cpu / compute.wall,
        "compute": compute.cpu,
        "relations": len(largest.relations),
        "given": sum(table.num_rows for table in tables.values()),
        "reached": len(subject.engine["points_to"]),
    }
