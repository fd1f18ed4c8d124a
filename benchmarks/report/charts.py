"""Charts of results as SVG, for the page about benchmarks.

Law: a chart is a function of one file of results, to the byte, so that a test can compare what is committed. It needs
no library, and it is readable on a light and on a dark page.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from benchmarks.record import Record, Run

SYSTEMS = ("Tidelog", "DuckDB", "clingo")
COLOURS = {
    "Tidelog": "#1f77b4",
    "DuckDB": "#e0a03c",
    "clingo": "#8a8f98",
    "SQLite": "#8a8f98",
    "Spark": "#8a8f98",
    "in memory": "#7fb3d9",
    "durable": "#1f77b4",
}
WIDTH, LEFT, RIGHT, BAR, GAP, HEAD = 960, 470, 90, 15, 12, 64
HALO = ' stroke="#ffffff" stroke-width="3" paint-order="stroke"'  # a number stays readable across a line


@dataclass(frozen=True, slots=True)
class Group:
    """Bars below each other, with a label beside them."""

    label: str
    bars: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """Horizontal bars in one unit; ``target`` is drawn as a line, ``least`` is where a logarithmic scale begins."""

    title: str
    unit: str
    groups: Sequence[Group]
    target: float | None = None
    least: float | None = None

    def length(self, value: float) -> float:
        """How long a bar is, in pixels."""
        room = WIDTH - LEFT - RIGHT
        most = max([value for group in self.groups for value in group.bars.values()] + [self.target or 0])
        if self.least is None:
            return value / most * room
        return math.log(max(value / self.least, 1)) / math.log(most / self.least) * room


def charts_of(run: Run) -> dict[str, Chart]:
    """The charts of a run by name; some groups have none."""
    made = _MADE.get(run.group)
    return {name: chart for name, chart in made(run) if chart.groups} if made else {}


def _of_programs(run: Run) -> Iterator[tuple[str, Chart]]:
    builds = [Group(each.title.split(", ")[0], _build(each).bars) for each in run.of("build")]
    yield "builds", Chart("Build a real program: processor time", "s", builds)
    ones = [each for each in run.of("changes") if each.title.startswith("one fact, ")]
    changes = [Group(each.title.split(", ")[1], _changed(each)) for each in ones]
    title = "Delete one fact; other systems evaluate again: processor time, logarithmic"
    yield "changes", Chart(title, "ms", changes, least=0.05)


def _changed(record: Record) -> dict[str, float]:
    again = {system: record[f"{system} again"] for system in SYSTEMS if f"{system} again" in record}
    return {"Tidelog": record["out"], **again}


def _of_engine(run: Run) -> Iterator[tuple[str, Chart]]:
    yield "builds", Chart("Build a view: processor time", "s", [_build(each) for each in run.of("build")])
    churn = [_measured(each) for each in run.of("churn") if each.headline]
    yield "changes", Chart("Change 1 % of the edges: share of a build", "%", churn, 5)
    edges = [_measured(each) for each in run.of("one-row") if each.headline]
    yield "edges", Chart("Insert or delete one edge: processor time of the epoch", "ms", edges, 1)
    sizes = [Group(f"{each.facts['facts']:,} facts", _bar(each)) for each in run.of("growth") if "facts" in each.facts]
    yield "growth", Chart("The same change in larger states: processor time", "ms", sizes)


def _of_questions(run: Run) -> Iterator[tuple[str, Chart]]:
    asked = [_beside(each, {"Tidelog": "Tidelog question", "DuckDB": "DuckDB question"}) for each in run.of("question")]
    yield "questions", Chart("Ordinary questions, tables already loaded: processor time", "s", asked)


def _of_paths(run: Run) -> Iterator[tuple[str, Chart]]:
    asked = [_beside(each, {"Tidelog": "Tidelog", "DuckDB": "DuckDB"}) for each in run.of("question")]
    yield "questions", Chart("Path queries: processor time, logarithmic", "ms", asked, least=1)


def _of_spark(run: Run) -> Iterator[tuple[str, Chart]]:
    for name, step, title in (
        ("builds", "build", "Build a view on Spark: wall time, logarithmic"),
        ("changes", "row out", "Delete one row on Spark; DataFrames evaluate again: wall time, logarithmic"),
    ):
        found = [_beside(each, {"Tidelog": f"{step}: Tidelog", "Spark": f"{step}: peer"}) for each in run.of("beside")]
        yield name, Chart(title, "s", found, least=0.001)


def _of_durability(run: Run) -> Iterator[tuple[str, Chart]]:
    ones = [each for each in run.of("epochs") if each.title.endswith(", one fact")]
    bars = (_beside(each, {"in memory": "in memory", "durable": "durable"}) for each in ones)
    epochs = [Group(each.label.removesuffix(", one fact"), each.bars) for each in bars]
    yield "epochs", Chart("An epoch with one fact, with and without a state folder: processor time", "ms", epochs)


def _of_reading(run: Run) -> Iterator[tuple[str, Chart]]:
    read = [_beside(each, {name: name for name in ("Tidelog", "DuckDB", "SQLite")}) for each in run.of("read")]
    yield "calls", Chart("Read a view from Python: processor time of a call, logarithmic", "µs", read, least=0.1)


def _beside(record: Record, names: Mapping[str, str]) -> Group:
    """The values of one record, by the system that they belong to."""
    return Group(record.title, {system: record[name] for system, name in names.items() if name in record})


def _build(record: Record) -> Group:
    times = {system: record[f"{system} compute"] for system in SYSTEMS if f"{system} compute" in record}
    return Group(record.title, times)


def _measured(record: Record) -> Group:
    return Group(record.title, _bar(record))


def _bar(record: Record) -> dict[str, float]:
    assert record.headline is not None
    return {"Tidelog": record.headline.value}


_MADE: Mapping[str, Callable[[Run], Iterator[tuple[str, Chart]]]] = {
    "beside": _of_programs,
    "durability": _of_durability,
    "engine": _of_engine,
    "ordinary": _of_questions,
    "paths": _of_paths,
    "reading": _of_reading,
    "spark": _of_spark,
}


def svg(chart: Chart) -> str:
    """A chart as a picture.

    >>> svg(Chart("Epochs", "ms", [Group("one edge", {"Tidelog": 0.5})], 1)).count("<rect")
    2
    """
    places = list(accumulate((len(group.bars) * BAR + GAP for group in chart.groups), initial=HEAD))
    parts, top = [*_head(chart), *_target(chart, places[-1])], places[-1]
    for group, place in zip(chart.groups, places, strict=False):
        parts += _group(chart, group, place)
    size = f'width="{WIDTH}" height="{top + 8}" viewBox="0 0 {WIDTH} {top + 8}"'
    body = "\n".join(parts)
    style = 'font-family="system-ui, sans-serif" font-size="12"'
    background = '<rect width="100%" height="100%" rx="6" fill="#ffffff"/>'
    title = html.escape(chart.title)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style} role="img" aria-label="{title}">'
    return f"{head}\n{background}\n{body}\n</svg>\n"


def _head(chart: Chart) -> Iterator[str]:
    yield f'<g font-size="15" font-weight="600">{_text(16, 26, chart.title, "start")}</g>'
    shown = [system for system in COLOURS if any(system in group.bars for group in chart.groups)]
    if len(shown) > 1:
        for index, system in enumerate(shown):
            place = LEFT + 90 * index
            yield f'<circle cx="{place + 5}" cy="{HEAD - 20}" r="5" fill="{COLOURS[system]}"/>'
            yield _text(place + 15, HEAD - 16, system, "start")


def _target(chart: Chart, bottom: int) -> Iterator[str]:
    if chart.target is not None:
        place = LEFT + chart.length(chart.target)
        yield f'<path d="M{place:.1f} {HEAD - 6}V{bottom - 4}" stroke="#b03a2e" stroke-dasharray="5 4"/>'
        yield _text(place, HEAD - 12, f"target {chart.target:g} {chart.unit}", "middle", "#b03a2e")


def _group(chart: Chart, group: Group, top: float) -> Iterator[str]:
    middle = top + len(group.bars) * BAR / 2 + 4
    yield _text(LEFT - 10, middle, group.label, "end")
    for index, (system, value) in enumerate(group.bars.items()):
        place, length = top + index * BAR, chart.length(value)
        yield f'<rect x="{LEFT}" y="{place}" width="{length:.1f}" height="{BAR - 3}" fill="{COLOURS[system]}"/>'
        yield _text(LEFT + length + 6, place + 10, f"{_figure(value)} {chart.unit}", "start", "#555b63", HALO)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#22262b", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{html.escape(text)}</text>'
