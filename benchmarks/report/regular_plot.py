"""The plot of the Regular Datalog paper's two insights: small updates gain more, sparse graphs gain more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.record import Record, Run

COLOURS = {"the paper's engine": "#c8553d", "Tidelog": "#2b7a78"}
LINES = {"inserted": "-", "deleted": "--"}
MARKS = {"shop": "s", "social network": "o"}


def draw(run: Run, path: Path) -> None:
    """Write the plot to a file."""
    figure = Figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _curves(left, run.of("share"), lambda record: record.facts["share"])
    left.set_xlabel("labels whose edges are inserted or deleted, %")
    left.set_title("The fewer labels, the more is gained?", fontsize=11)
    left.set_ylabel("gain over full computation, %")
    _curves(right, run.of("density"), lambda record: record.facts["edges"] / record.facts["nodes"])
    right.set_xlabel("edges per node (social network, 10 % of the labels)")
    right.set_title("The sparser, the more is gained?", fontsize=11)
    for axis in (left, right):
        axis.axhline(0, color="#999999", linewidth=1)
    figure.legend(*left.get_legend_handles_labels(), fontsize=8, loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=120)


def _curves(axis: Any, records: list[Record], place: Any) -> None:
    curves: dict[tuple[str, str, str], list[Record]] = {}
    for record in records:
        curves.setdefault((record.facts["schema"], record.facts["engine"], record.facts["what"]), []).append(record)
    for (schema, engine, what), found in curves.items():
        axis.plot(
            [place(record) for record in found],
            [record["gain"] for record in found],
            LINES[what],
            color=COLOURS[engine],
            marker=MARKS[schema],
            label=f"{schema}, {engine}, labels {what}",
        )
