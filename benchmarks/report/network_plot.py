"""The plot of the networks: messages of a failure per algorithm, and the replay as cumulated messages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.record import Record, Run
from benchmarks.report.network import TITLES

COLOURS = {
    "ranked": "tab:blue",
    "heights": "tab:cyan",
    "dred": "tab:orange",
    "base-facts": "tab:purple",
    "psn-extended": "tab:red",
    "psn": "tab:green",
}


def draw(run: Run, path: Path) -> None:
    """Write the plot to a file."""
    failures = [record for record in run.of("traffic") if record.facts["event"] == "failure"]
    panels = [(title, found) for case, title in TITLES.items() if (found := [r for r in failures if r.case == case])]
    replayed = run.of("replay")
    rows = len(panels) + bool(replayed)
    figure = Figure(figsize=(11, 4.2 * rows), layout="constrained")
    axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
    for axis, (title, found) in zip(axes, panels, strict=False):
        _draw_failures(axis, title, found)
    if replayed:
        _draw_replay(axes[-1], replayed)
    figure.savefig(path, dpi=110)


def _draw_failures(axis: Any, title: str, records: Sequence[Record]) -> None:
    algorithms = tuple(records[0].facts["states"])
    width = 0.8 / len(algorithms)
    for i, name in enumerate(algorithms):
        places = [n + (i - len(algorithms) / 2 + 0.5) * width for n in range(len(records))]
        ended = [record.facts["states"][name] in ("right", "wrong") for record in records]
        heights = [record[f"{name} messages"] if there else 0 for record, there in zip(records, ended, strict=True)]
        axis.bar(places, heights, width, label=name, color=COLOURS[name])
    axis.set_yscale("log")
    axis.set_ylabel("messages")
    axis.set_title(f"{title}: a link fails (no bar: over the limit)")
    names = [record.facts["network"].partition(" (")[0] for record in records]
    axis.set_xticks(range(len(records)), names, fontsize=8)
    axis.legend(ncols=3, fontsize=8)


def _draw_replay(axis: Any, records: Sequence[Record]) -> None:
    for record in records:
        years = [int(month[:4]) + (int(month[4:6]) - 1) / 12 for month in record.facts["months"]]
        sums = list(accumulate(record.value("messages").runs))
        name = record.title
        axis.plot(years, sums, label=name, color=COLOURS[name], drawstyle="steps-post", marker=".")
    axis.set_yscale("log")
    axis.set_ylabel("messages so far")
    axis.set_title("Replay: path vector with a_MIN (a line ends where a month went over the limit)")
    axis.legend()
