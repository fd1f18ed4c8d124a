"""The page of the engine on Spark.

Law: times are wall time, since the work is done in other processes. Whatever is compared had equal results, or the run
stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.table import WORDS, Page, Table, machine_text, number, prose, table, target_text

STEPS = ("build", "row out", "row in")
COMPARED = (
    "workload; peer",
    "facts",
    "turns",
    *(f"{what}: {part}" for what in STEPS for part in ("peer s", "Tidelog s", "ratio")),
)
READ = ("what", "measured", "target", "met", "detail")
METHOD = """
Wall time; medians of {builds} builds and {changes} changed rows for Tidelog, one of each for the peer. The view was
compared with the peer's after the build, after a row was deleted and after it was reinserted. The loops are written by
hand over DataFrames: deltas are checkpointed, base facts cached and broadcast, and results checkpointed every few
turns. An inserted row continues the loop; a deleted row requires computing everything again. Spark's `WITH RECURSIVE`
does not eliminate duplicates, so it can only express same-generation over a tree. Builds start from the same cached
DataFrames, and changed rows are Python tuples. The session is running and the engine is open before the clock starts.
Targets: a build at least 10 x, a changed row at least 100 x faster than the peer.
"""


def page(run: Run) -> Page:
    """Workloads beside their peers, and all other numbers."""
    return Page("The engine on Spark, measured", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    compared, read = run.of("beside"), [record for record in run.records if record.headline]
    machine = machine_text(run.machine, "pyspark", "pyarrow", "numba", "numpy")
    yield prose(f"Written by `{run.command}`. {machine}. {_verdict(run)}")
    if compared:
        yield "## Compared with Spark alone"
        yield prose(METHOD.format(builds=compared[0].facts["builds"], changes=compared[0].facts["rows"]))
        yield table(COMPARED, list(map(_compared_line, compared)))
    if read:
        yield "## Rounds, epochs, partitions, growth"
        yield readings(read)


def _verdict(run: Run) -> str:
    short = list(missed(run.records))
    return "Missed: " + "; ".join(short) + "." if short else "All targets are met."


def missed(records: Sequence[Record]) -> Iterator[str]:
    """What stayed behind its target."""
    for record in records:
        for value in record.values:
            if value.met is False:
                part = value.name.partition(":")[0]
                yield record.title if value is record.headline else f"{record.title}, {part}"


def _compared_line(record: Record) -> tuple[str, ...]:
    cells = [cell for what in STEPS for cell in _cells(record, what)]
    turns = record.facts["turns"]
    return f"{record.title}; {record.facts['peer']}", f"{record.facts['facts']:,}", f"{turns or ''}", *cells


def _cells(record: Record, what: str) -> tuple[str, str, str]:
    ratio = record.value(f"{what}: ratio")
    mark = " (missed)" if ratio.met is False else ""
    return number(record[f"{what}: peer"]), number(record[f"{what}: Tidelog"]), f"{number(ratio.value)} x{mark}"


def readings(records: Sequence[Record]) -> Table:
    """The table of all single numbers."""
    return table(READ, list(map(_reading_line, records)))


def _reading_line(record: Record) -> tuple[str, ...]:
    value = record.headline
    assert value is not None
    what = f"{record.title}, {record.facts['facts']:,} facts" if record.kind == "growth" else record.title
    shown = f"{number(value.value)} {value.unit}"
    return what, shown, target_text(value.target), WORDS[value.met], DETAILS[record.kind](record)


def _round(record: Record) -> str:
    facts = record.facts
    return f"epoch / messages to a partition that waits; {facts['messages']:,} of them along {facts['nodes']:,} nodes"


def _session(record: Record) -> str:
    """Beside what an empty job of the same session takes."""
    value, before, after = record["measured"], record.facts["empty before"], record.facts["empty after"]
    return f"an empty job of that session takes {before:.2f} s before and {after:.2f} s after; {value / after:.1f} x"


def _messages(record: Record) -> str:
    facts = record.facts
    counts = f"{facts['messages']:,} messages in {facts['rounds']} rounds and {record['build']:.2f} s"
    return f"{counts}; {facts['facts']:,} facts placed by `@X`"


def _one_row(record: Record) -> str:
    high = record.value("95 % below")
    return f"95 % below {number(high.value)} {high.unit}; {len(record.value('measured').runs)} epochs"


def _partitions(record: Record) -> str:
    one, two = (value.value for value in record.values[1:])
    return f"{one:.2f} s beside {two:.2f} s; {record.facts['facts']:,} facts, no messages"


def _growth(record: Record) -> str:
    memory, facts = record["memory"], record.facts["facts"]
    return f"{record['build']:.3f} s, {memory / (1 << 20):,.0f} MiB, {memory / facts:.0f} bytes a fact"


def _wide(record: Record) -> str:
    memory, facts = record["memory"] / (1 << 30), record.facts
    shown = f"{facts['facts']:,} facts, {facts['messages']:,} messages; opened in {record['opening']:.1f} s"
    return f"{shown}; all processes together {memory:.1f} GiB"


DETAILS: Mapping[str, Callable[[Record], str]] = {
    "session": _session,
    "round": _round,
    "messages": _messages,
    "opening": lambda record: "starts the resident stage; once per engine",
    "one-row": _one_row,
    "partitions": _partitions,
    "growth": _growth,
    "wide": _wide,
    "growth-factor": lambda record: "",
}
