"""Pages and plots of all groups, made from JSON alone.

Law: a page is a function of one file of results. A run that keeps its page writes the JSON first and reads it back, so
that there is one way to a page.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.record import Run, read_run
from benchmarks.report.charts import charts_of, svg
from benchmarks.report.table import Page, page_text

PLOTTED = ("circuits", "engine", "network", "regular")


def page_of(run: Run) -> Page:
    """The page of a run: ``page`` of the module that is called like the group."""
    made: Page = import_module(f"benchmarks.report.{run.group}").page(run)
    return made


def write_page(source: Path) -> list[Path]:
    """The page of a file of results, beside it, and its plot if the group has one."""
    run = read_run(source)
    page = source.with_suffix(".md")
    page.write_text(page_text(page_of(run)), encoding="utf-8")
    return [page, *_plotted(run, source.with_suffix(".png")), *_charted(run, source)]


def _charted(run: Run, source: Path) -> list[Path]:
    written = []
    for name, chart in charts_of(run).items():
        path = source.with_name(f"{source.stem}-{name}.svg")
        path.write_text(svg(chart), encoding="utf-8")
        written.append(path)
    return written


def _plotted(run: Run, path: Path) -> list[Path]:
    if run.group not in PLOTTED:
        return []
    try:
        module = import_module(f"benchmarks.report.{run.group}_plot")
    except ModuleNotFoundError as error:
        print(f"{path.name} is left out: {error}", file=sys.stderr)
        return []
    module.draw(run, path)
    return [path] if path.exists() else []
