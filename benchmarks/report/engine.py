"""The page of the engine: builds side by side, and every measure beside its target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.table import WORDS, Page, Table, machine_text, number, prose, table, target_text

SYSTEMS = ("Tidelog", "DuckDB", "clingo")
PREFACE = """
Written by `{command}`. {machine}; every system computes in one thread. Numbers are medians of processor time (on an
idle machine that is wall time); systems alternate within a case; the results of all systems were equal in size and
checksum. [The design notes](../../docs/design/benchmarks.md) describe each case.
"""
PLOT = "![Measured values as multiples of their targets](engine.png)"


def page(run: Run) -> Page:
    """All findings of the group."""
    return Page("The engine, measured", tuple(_parts(run)), PLOT if any(map(_held, run.records)) else "")


def _parts(run: Run) -> Iterator[str | Table]:
    machine = machine_text(run.machine, "duckdb", "clingo", "numba", "numpy")
    yield prose(PREFACE.format(command=run.command, machine=machine))
    if builds := run.of("build"):
        yield "## Builds, seconds of processor time"
        yield builds_table(builds)
    if measures := [record for record in run.records if record.headline]:
        yield "## Measures and targets"
        yield measures_table(measures)
    if notes := [f"- {record.title}: {note}" for record in run.records for note in record.notes]:
        yield "\n".join(notes)


def _held(record: Record) -> bool:
    return record.headline is not None and record.headline.target is not None


def builds_table(builds: Sequence[Record]) -> Table:
    """Load and compute of every system."""
    times = [f"{system} {part}" for system in SYSTEMS for part in ("load", "compute")]
    lines = [
        (
            build.title,
            f"{build.facts['rows']:,}",
            f"{build.facts['supports']:,}",
            *(f"{build[name]:.3f}" if name in build else "-" for name in times),
        )
        for build in builds
    ]
    return table(("build", "facts", "supports", *times), lines)


def measures_table(records: Sequence[Record]) -> Table:
    """Every measure beside its target."""
    return table(("what", "measured", "target", "met", "detail"), list(map(_measure_line, records)))


def _measure_line(record: Record) -> tuple[str, ...]:
    value = record.headline
    assert value is not None
    shown = f"{number(value.value)} {value.unit}"
    return f"{label(record)}", shown, target_text(value.target), WORDS[value.met], DETAILS[record.kind](record)


def label(record: Record) -> str:
    """What a record measured, in words."""
    title = record.title
    if record.kind == "growth":
        title += f", {record.facts['facts']:,} facts"
    elif record.kind == "growth-factor":
        title += f", {record.facts['from']:,} to {record.facts['to']:,} facts"
    return f"{LABELS[record.kind]}: {title}"


def _build(record: Record) -> str:
    own, peer = record["Tidelog compute"], record["DuckDB compute"]
    each = 1e9 * own / max(1, record.facts["supports"])
    walls = record.wall("Tidelog compute") / record.wall("DuckDB compute")
    return f"{own:.2f} s beside {peer:.2f} s; {each:.0f} ns per support; wall ratio {walls:.2f}"


def _churn(record: Record) -> str:
    supports, suspended = record.facts["supports"], record.facts["suspended"]
    return f"{record['change']:.1f} ms; {supports:,} supports, {suspended:,} facts suspended"


def _epoch(record: Record) -> str:
    times = f"evaluation {record['evaluation']:.2f} ms, 95 % below {record['95 % below']:.1f} ms"
    return f"{times}, wall {record.wall('measured'):.2f} ms; {record.facts['supports']:,} supports"


def _overhead(record: Record) -> str:
    return f"of {record['epoch']:.2f} ms, {record['compiled']:.2f} ms of them in compiled code; means"


def _many_rules(record: Record) -> str:
    rule = f"a rule in {record['rule added']:.0f} ms, out {record['rule removed']:.0f} ms"
    after = f"{record['one fact after it']:.0f} ms after that"
    facts = f"one fact {record['one fact']:.1f} ms, at most {record['one fact, most']:.0f} ms, {after}"
    return f"to load; {facts}; {rule}"


def _threads(record: Record) -> str:
    times = f"{record['1 thread']:.2f} s with one, {record['2 threads']:.2f} s with two threads, wall"
    return f"{times}; two engines side by side gain {record['two engines side by side']:.2f} x"


def _rule(record: Record) -> str:
    return f"{record['change']:.1f} ms; its {record.facts['supports']:,} supports need {record['need']:.1f} ms"


def _small_rule(record: Record) -> str:
    return f"evaluation {record['evaluation']:.2f} ms, the rest is parser, checks and plan"


def _memory(record: Record) -> str:
    peak = f"{record['peak while building']:,.0f} bytes per fact"
    return f"{record.facts['facts']:,} facts; peak of the process while building: {peak}"


def _lubm_build(record: Record) -> str:
    return f"wall {record.wall('measured'):.0f} ms"


def _lubm_part(record: Record) -> str:
    return f"{record['with encoding']:.1f} ms with encoding; {record.facts['supports']:,} supports"


LABELS: Mapping[str, str] = {
    "build": "build",
    "churn": "1 % of old edges",
    "one-row": "one row",
    "overhead": "outside compiled code",
    "one-fact": "one fact",
    "one-fact-view": "one fact",
    "many-rules": "many rules",
    "threads": "two threads",
    "growth": "growth",
    "growth-factor": "growth",
    "rule": "rules",
    "small-rule": "rules",
    "memory": "memory",
    "lubm-build": "LUBM-1",
    "lubm-part": "LUBM-1",
    "lubm-one": "LUBM-1",
}
DETAILS: Mapping[str, Callable[[Record], str]] = {
    "build": _build,
    "churn": _churn,
    "one-row": _epoch,
    "overhead": _overhead,
    "one-fact": lambda record: (
        f"DuckDB {record['DuckDB']:.2f} ms: row in, row of the view; ratio {record['ratio']:.2f}"
    ),
    "one-fact-view": lambda record: "",
    "many-rules": _many_rules,
    "threads": _threads,
    "growth": _epoch,
    "growth-factor": lambda record: "",
    "rule": _rule,
    "small-rule": _small_rule,
    "memory": _memory,
    "lubm-build": _lubm_build,
    "lubm-part": _lubm_part,
    "lubm-one": _epoch,
}
