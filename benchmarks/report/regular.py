"""The page of the Regular Datalog paper's experiment."""

from __future__ import annotations

from benchmarks.record import Record, Run
from benchmarks.report.table import Page, Table, machine_text, number, prose, table

PRINTED = {"shop": "13.2 to 15.9 %", "social network": "25.2 to 42.0 %"}
"""What the paper's table says of its own runs on WD and SNB."""
PLOT = "![Gain of maintenance by share of the labels, and by edges per node](regular.png)"


def page(run: Run) -> Page:
    """A table per schema and direction, and one for density."""
    how = prose(
        f"""Written by `{run.command}`. {machine_text(run.machine, "numba")}. Processor time of ten views together,
        sums over {run.records[0].facts["draws"]} random choices of the labels whose edges are all inserted or deleted
        in one update. The paper's engine is a direct translation of its definitions to Python, so compare its times
        with each other and not with Tidelog's. Both have the same resulting rows."""
    )
    return Page("Regular Datalog: the paper's engine and Tidelog", (how, *_shares(run), *_densities(run)), PLOT)


def _shares(run: Run) -> list[str | Table]:
    found = run.of("share")
    parts: list[str | Table] = []
    for schema in dict.fromkeys(record.facts["schema"] for record in found):
        own = [record for record in found if record.facts["schema"] == schema]
        facts = own[0].facts
        parts.append(
            f"## {schema.capitalize()}: {facts['nodes']:,} nodes, {facts['labels']} labels, {facts['edges']:,} edges"
        )
        parts.append(prose(f"The paper reports gains of {PRINTED[schema]} for its schema of this kind."))
        parts.append(_table(own, "share"))
    return parts


def _densities(run: Run) -> list[str | Table]:
    found = run.of("density")
    return ["## More edges between the same nodes", _table(found, "density")] if found else []


def _table(records: list[Record], kind: str) -> Table:
    first = ("symbols", "edges touched") if kind == "share" else ("edges per node", "edges touched")
    head = (*first, "update", "engine", "full, ms", "incremental, ms", "gain")
    return table(head, [_line(record, kind) for record in records], ("update", "engine"))


def _line(record: Record, kind: str) -> tuple[object, ...]:
    facts = record.facts
    first = f"{facts['share']} %" if kind == "share" else f"{facts['edges'] / facts['nodes']:.1f}"
    times = (number(record["full"]), number(record["incremental"]))
    return first, f"{facts['touched']:.1f} %", facts["what"], facts["engine"], *times, f"{record['gain']:.1f} %"
