"""The page of the gMark workload, in the form of the Regular Datalog paper's table."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from benchmarks.record import Record, Run
from benchmarks.report.table import WORDS, Page, Table, machine_text, prose, table

FEW = 5
PREFACE = """
Written by `{command}`. {machine}. Processor time of evaluation; sums over {queries} queries on a graph of {edges:,}
edges, {nodes:,} nodes and {labels} labels. Every maintained view was equal to one computed from scratch.
"""


def page(run: Run) -> Page:
    """Updates by labels, and by single edges."""
    return Page("Views of path queries under updates, measured", tuple(_parts(run)))


def _parts(run: Run) -> Iterator[str | Table]:
    shares, queries = run.of("labels"), run.of("query")
    machine = machine_text(run.machine, "numba", "numpy")
    yield prose(PREFACE.format(command=run.command, machine=machine, **shares[0].facts))
    yield prose(" ".join(_verdicts(shares, queries)))
    for what in ("inserted", "deleted"):
        yield f"## All edges of some labels are {what}"
        yield _share_table([record for record in shares if record.facts["what"] == what])
    with_edges = [ms for q in queries if "gain" in q for name in ("edge out", "edge in") for ms in q.value(name).runs]
    yield "## One edge is inserted or deleted"
    if with_edges:
        yield f"Median over all queries: {statistics.median(with_edges):.2f} ms."
        yield _query_table(queries)


def _verdicts(shares: Sequence[Record], queries: Sequence[Record]) -> Iterator[str]:
    """What was to be shown, and whether it was."""
    least = min(record["gain"] for record in shares)
    yield f"Gain of updates by labels: {least:.1f} % or more."
    held = [record.value("gain") for record in queries if _is_held(record)]
    met = sum(bool(gain.met) for gain in held)
    yield f"One edge: {met} of {len(held)} queries whose full computation takes more than 50 ms gain at least 95 %."


def _is_held(record: Record) -> bool:
    return "gain" in record and record.value("gain").target is not None


def _share_table(records: Sequence[Record]) -> Table:
    head = ("symbols", "edges", "full, ms", "incremental, ms", "time gain, ms", "gain")
    lines = [
        (
            f"{record.facts['share']} %",
            f"{record.facts['share of edges']:.1f} %",
            f"{record['full']:,.0f}",
            f"{record['incremental']:,.0f}",
            f"{record['full'] - record['incremental']:,.0f}",
            f"{record['gain']:.1f} %",
        )
        for record in records
    ]
    return table(head, lines)


def _query_table(queries: Sequence[Record]) -> Table:
    """The queries whose full computation is slow, or the slowest few if none is."""
    slowest = sorted((record for record in queries if "gain" in record), key=lambda record: -record["full"])
    shown = [record for record in queries if _is_held(record)] or slowest[:FEW]
    lines = [
        (
            record.title,
            f"{record.facts['rows']:,}",
            f"{record['full']:,.1f}",
            f"{record['edge out']:.2f}",
            f"{record['edge in']:.2f}",
            f"{record['gain']:.1f} %",
            WORDS[record.value("gain").met],
        )
        for record in shown
    ]
    return table(("query", "rows", "full, ms", "edge out, ms", "edge in, ms", "gain", "at least 95 %"), lines)
