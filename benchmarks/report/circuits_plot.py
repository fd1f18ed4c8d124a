"""The plot of the circuits: Figure 4 of the DYRE paper, seconds to load more and more of the data."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.record import Record, Run
from benchmarks.report.circuits import MEMORY

COLOURS = {
    "indexed": "#c8553d",
    "chained": "#8a1c4a",
    "not-indexed": "#e0a458",
    "engine": "#2b7a78",
    "pydbsp": "#6a5acd",
}


def draw(run: Run, path: Path) -> None:
    """Write the plot to a file; nothing if no growth was measured."""
    workloads: dict[str, list[Record]] = {}
    for record in run.of("growth"):
        workloads.setdefault(record.facts["workload"], []).append(record)
    if not workloads:
        return
    figure = Figure(figsize=(3.6 * len(workloads), 3.8), layout="constrained")
    axes = figure.subplots(1, len(workloads), squeeze=False)[0]
    for axis, (workload, records) in zip(axes, workloads.items(), strict=True):
        for record in records:
            points = [(float(v.name.split()[0]), v.value) for v in record.values if not v.name.startswith(MEMORY)]
            system = record.facts["system"]
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, color=COLOURS[system], label=system)
        axis.set_yscale("log")
        axis.set_title(workload, fontsize=10)
        axis.set_xlabel("% of the data")
        axis.legend(fontsize=7)
    figure.get_axes()[0].set_ylabel("seconds to load")
    figure.savefig(path, dpi=120)
