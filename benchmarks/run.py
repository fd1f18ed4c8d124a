"""Running cases, group by group.

Law: what is shown is the page made from the JSON that was written. A disagreement between systems ends the run, and
nothing of its group is written. A page keeps the results of cases that were not measured again, if they were measured
under the same conditions.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from benchmarks.cases.catalogue import UnknownCase, choose, group
from benchmarks.options import Options
from benchmarks.outcome import Disagreement
from benchmarks.record import Record, Run, machine, merged, read_run, run_of, write_run
from benchmarks.report.pages import page_of, write_page
from benchmarks.report.table import show


def run(asked: Sequence[str], options: Options, out: Path, *, pages: bool = False) -> None:
    """Run cases: show what they find, write it as JSON, and make the pages on request."""
    _must_exist(options)
    try:
        chosen = choose(asked, options)
    except UnknownCase as error:
        sys.exit(str(error))
    for reason in chosen.left_out:
        _say(reason)
    if not chosen.cases:
        sys.exit("nothing is left to run")
    for name, cases in chosen.cases.items():
        try:
            run_group(name, cases, options, out, pages=pages)
        except Disagreement as error:
            sys.exit(f"{name}: {error}")


def _must_exist(options: Options) -> None:
    for path in (options.data, options.gmark, options.topologies, options.replay, options.java):
        if path is not None and not path.exists():
            sys.exit(f"no such file or folder: {path}")


def run_group(name: str, cases: tuple[str, ...], options: Options, out: Path, *, pages: bool) -> None:
    """Some cases of one group, from measuring to the page."""
    whole = cases == choose((name,), options).cases[name]
    names = (name,) if whole else tuple(f"{name}/{case}" for case in cases)
    before = None if whole or not pages else _results_of_others(name, cases, options, out)
    found = run_of(name, names, _read_by(name, cases, options), records_of(name, cases, options))
    written = write_run(found if before is None else merged(before, found, list(group(name).cases)), out)
    show(page_of(read_run(written)), Console())
    for path in (written, *(write_page(written) if pages else ())):
        _say(f"written: {path}")


def _results_of_others(name: str, cases: Sequence[str], options: Options, out: Path) -> Run | None:
    """The written results of a group, if they have other cases than those that are about to be measured."""
    path = out / f"{name}.json"
    if not path.exists():
        return None
    before = read_run(path)
    if all(record.case in cases for record in before.records):
        return None
    if before.machine != machine() or before.options.get("quick", False) != options.quick:
        sys.exit(
            f"{path} has results of other cases, which were measured with other versions or sizes. "
            f"Run the whole group: python -m benchmarks {name} --write"
        )
    return before


def _read_by(name: str, cases: Sequence[str], options: Options) -> Options:
    """The options without the paths that none of the cases reads."""
    needed = {group(name).cases[case].needs for case in cases}
    kept = {path: getattr(options, path) if path in needed else None for path in ("data", "gmark", "replay", "java")}
    return replace(options, **kept)


def records_of(name: str, cases: Sequence[str], options: Options) -> Iterator[Record]:
    """What some cases of a group find."""
    found = group(name)
    with found.around(options) as prepared:
        for case in cases:
            began = time.perf_counter()
            for record in found.cases[case].run(prepared):
                yield replace(record, case=case)
            _say(f"{name}/{case}: done after {time.perf_counter() - began:.1f} s")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
