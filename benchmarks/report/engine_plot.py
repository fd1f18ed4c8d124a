"""The plot of the engine: builds beside DuckDB, and every other measure as a multiple of its target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from benchmarks.record import Record, Run
from benchmarks.report.engine import label

GOOD, BAD = "#2b7a78", "#c8553d"
LABEL = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # a number stays readable across a line


class Bar(NamedTuple):
    """A measure that has a target."""

    name: str
    value: float
    limit: float
    met: bool


def draw(run: Run, path: Path) -> None:
    """Write the plot to a file; nothing if no measure has a target."""
    builds = [bar for record in run.of("build") for bar in _bars_of(record, record.title)]
    others = [bar for r in run.records if r.kind != "build" for bar in _bars_of(r, ": ".join(label(r).split(": ")[:2]))]
    panels = [(bars, paint) for bars, paint in ((builds, _draw_builds), (others, _draw_shares)) if bars]
    if not panels:
        return
    heights = [0.38 * len(bars) + 1.1 for bars, _ in panels]
    figure = Figure(figsize=(11, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
    for axis, (bars, paint) in zip(axes[:, 0], panels, strict=True):
        paint(axis, bars)
    figure.savefig(path, dpi=120)


def _bars_of(record: Record, name: str) -> list[Bar]:
    value = record.headline
    if value is None or value.target is None:
        return []
    return [Bar(name, value.value, value.target.limit, value.target.met(value.value))]


def _draw_builds(axis: Any, bars: Sequence[Bar]) -> None:
    _draw(axis, bars, [bar.value for bar in bars], "{:.2f} x")
    for limit in sorted({bar.limit for bar in bars}):
        axis.axvline(limit, color="#444444", linestyle="--", linewidth=1)
    axis.axvline(1, color="#999999", linestyle=":", linewidth=1)
    axis.set_title("Build beside DuckDB (dashed: target, dotted: equal)", fontsize=11)
    axis.set_xlabel("times DuckDB's recursive SQL, one thread each")


def _draw_shares(axis: Any, bars: Sequence[Bar]) -> None:
    _draw(axis, bars, [bar.value / bar.limit for bar in bars], "{:.2f}")
    axis.axvline(1, color="#444444", linestyle="--", linewidth=1)
    axis.set_title("Changes and memory beside their targets (left of the line: met)", fontsize=11)
    axis.set_xlabel("measured / target")


def _draw(axis: Any, bars: Sequence[Bar], values: Sequence[float], form: str) -> None:
    places = range(len(bars))
    axis.barh(places, values, color=[GOOD if bar.met else BAD for bar in bars], height=0.68)
    axis.set_yticks(places, [bar.name for bar in bars], fontsize=8)
    axis.set_ylim(len(bars) - 0.4, -0.6)
    for place, value in zip(places, values, strict=True):
        axis.text(value, place, " " + form.format(value), va="center", fontsize=8, bbox=LABEL)
    axis.margins(x=0.12)
    axis.spines[["top", "right"]].set_visible(False)
