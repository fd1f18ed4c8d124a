"""The plot: builds beside DuckDB, and every other measure as a multiple of its target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.outcome import Measure

GOOD, BAD = "#2b7a78", "#c8553d"
LABEL = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # a number stays readable across a line


def draw(measures: Sequence[Measure], path: Path) -> None:
    """Write the plot to a file."""
    held = [m for m in measures if m.target is not None]
    builds = [m for m in held if m.unit == "x DuckDB"]
    others = [m for m in held if m.unit != "x DuckDB"]
    panels = [(bars, title) for bars, title in ((builds, "build"), (others, "other")) if bars]
    heights = [0.38 * len(bars) + 1.1 for bars, _ in panels]
    figure = Figure(figsize=(11, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
    for axis, (bars, title) in zip(axes[:, 0], panels, strict=True):
        (_draw_builds if title == "build" else _draw_shares)(axis, bars)
    figure.savefig(path, dpi=120)


def _draw_builds(axis: Any, bars: Sequence[Measure]) -> None:
    _bars(axis, [m.what for m in bars], [m.value for m in bars], bars, "{:.2f} x")
    for target in sorted({m.target for m in bars if m.target is not None}):
        axis.axvline(target, color="#444444", linestyle="--", linewidth=1)
    axis.axvline(1, color="#999999", linestyle=":", linewidth=1)
    axis.set_title("Build beside DuckDB (dashed: target, dotted: equal)", fontsize=11)
    axis.set_xlabel("times DuckDB's recursive SQL, one thread each")


def _draw_shares(axis: Any, bars: Sequence[Measure]) -> None:
    names = [f"{m.group}: {m.what.split(': ')[0]}" for m in bars]
    _bars(axis, names, [m.share or 0.0 for m in bars], bars, "{:.2f}")
    axis.axvline(1, color="#444444", linestyle="--", linewidth=1)
    axis.set_title("Changes and memory beside their targets (left of the line: met)", fontsize=11)
    axis.set_xlabel("measured / target")


def _bars(axis: Any, names: Sequence[str], values: Sequence[float], bars: Sequence[Measure], form: str) -> None:
    places = range(len(names))
    axis.barh(places, values, color=[GOOD if m.met else BAD for m in bars], height=0.68)
    axis.set_yticks(places, names, fontsize=8)
    axis.set_ylim(len(names) - 0.4, -0.6)
    for place, value in zip(places, values, strict=True):
        axis.text(value, place, " " + form.format(value), va="center", fontsize=8, bbox=LABEL)
    axis.margins(x=0.12)
    axis.spines[["top", "right"]].set_visible(False)
