"""The one entry to the benchmarks: run cases, compare two runs, make pages.

    python -m benchmarks [CASE ...] [--quick] [--repeat N] [--data lubm1.tsv.gz] [--out FOLDER] [--write]
    python -m benchmarks --list
    python -m benchmarks compare FIRST SECOND
    python -m benchmarks page [FOLDER or FILE ...]

A case is named by its group, by its name or the beginning of it (edge, build-), or by both (durability/rmat). Without a
name all cases run whose data is given, but none that needs Spark. Every run writes what it measured as JSON, a file per
group, to build/benchmarks or to --out; --write keeps it in benchmarks/results and makes the pages there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from rich.console import Console

from benchmarks.cases.catalogue import GROUPS, NEEDS, listed
from benchmarks.options import Options
from benchmarks.record import Run, read_runs
from benchmarks.report import compare
from benchmarks.report.pages import write_page
from benchmarks.report.table import show
from benchmarks.run import run

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SCRATCH = HERE.parent / "build" / "benchmarks"


def run_parser() -> argparse.ArgumentParser:
    """The options of a run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="groups: " + ", ".join(GROUPS))
    parser.add_argument("--list", action="store_true", help="list all cases with one line each")
    parser.add_argument("--quick", action="store_true", help="small data: shows that everything runs, measures little")
    parser.add_argument("--repeat", type=_positive, metavar="N", help="builds per system and case (most: 3)")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write results there")
    parser.add_argument("--write", action="store_true", help="make the pages too, in benchmarks/results or --out")
    data = parser.add_argument_group("data by path")
    data.add_argument("--data", type=Path, metavar="PATH", help="LUBM-1: tab-separated triples, plain or gzip")
    data.add_argument("--gmark", type=Path, metavar="FOLDER", help="graph.tsv and queries.json of a gMark workload")
    data.add_argument("--topologies", type=Path, metavar="FOLDER", help="networks: *.tsv with one link per line")
    data.add_argument("--java", type=Path, metavar="FOLDER", help="facts of a Java program: *.facts, plain or gzip")
    data.add_argument("--replay", type=Path, metavar="FILE", help="changes of a network: month, sign, ends")
    data.add_argument(
        "--peer",
        type=_peer,
        action="append",
        metavar="NAME=COMMAND",
        help="peers: a further system, called as benchmarks/peers/protocol.py describes",
    )
    more = parser.add_argument_group("limits and sizes")
    more.add_argument("--clingo-supports", type=_positive, metavar="N", help="builds: no clingo above (3,000,000)")
    more.add_argument("--queries", type=_positive, metavar="N", help="gmark: only the first N queries")
    more.add_argument("--largest", type=_positive, metavar="N", help="network: no networks with more nodes (1,000)")
    more.add_argument("--limit", type=_positive, metavar="N", help="network: messages after which a cell says > N")
    more.add_argument("--nodes", type=_positive, metavar="N", help="circuits: nodes of the closure graphs (200)")
    more.add_argument("--small-nodes", type=_positive, metavar="N", help="circuits: nodes where all systems run (24)")
    more.add_argument("--epochs", type=_positive, metavar="N", help="serving: epochs of the memory case (100,000)")
    more.add_argument("--threads", type=_positive, metavar="N", help="beside: threads of Tidelog and DuckDB (1)")
    return parser


def _peer(text: str) -> tuple[str, str]:
    name, equals, command = text.partition("=")
    if not (name and equals and command):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=COMMAND")
    return name, command


def _positive(text: str) -> int:
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{value} is not positive")
    return value


def main(given: Sequence[str] | None = None) -> None:
    """Do what the command line says."""
    words = list(sys.argv[1:] if given is None else given)
    commands: Mapping[str, Callable[[Sequence[str]], None]] = {"compare": compare_runs, "page": make_pages}
    if words and words[0] in commands:
        commands[words[0]](words[1:])
        return
    asked = run_parser().parse_args(words)
    if asked.list:
        list_cases()
        return
    given_options = {field.name: getattr(asked, field.name) for field in fields(Options) if field.name in asked}
    run(asked.cases, Options(**given_options), asked.out or (RESULTS if asked.write else SCRATCH), pages=asked.write)


def list_cases() -> None:
    """One line per case, under its group."""
    shown = ""
    for full, case in listed():
        owner = full.partition("/")[0]
        if owner != shown:
            print(f"{owner}: {GROUPS[owner]}")
            shown = owner
        print(f"  {full:32} {case.line}" + (f" (needs {NEEDS[case.needs]})" if case.needs else ""))


def compare_runs(given: Sequence[str]) -> None:
    """Two files or folders of results side by side."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compare", description=compare_runs.__doc__)
    parser.add_argument("first", type=Path, help="a file of results, or a folder of them")
    parser.add_argument("second", type=Path, help="the same of another run")
    parser.add_argument("--threshold", type=float, default=compare.THRESHOLD, help="ratios up to here are noise")
    parser.add_argument("--changed", action="store_true", help="only what is beyond the threshold")
    asked = parser.parse_args(given)
    if asked.threshold < 1:
        parser.error("--threshold is a ratio of at least 1")
    before, after = (_runs(place) for place in (asked.first, asked.second))
    show(compare.page(before, after, asked.threshold, asked.changed), Console())


def _runs(place: Path) -> dict[str, Run]:
    if not place.exists():
        sys.exit(f"no such file or folder: {place}")
    return read_runs(place)


def make_pages(given: Sequence[str]) -> None:
    """Pages and plots from results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks page", description=make_pages.__doc__)
    parser.add_argument("places", nargs="*", type=Path, help="files or folders of results (benchmarks/results)")
    asked = parser.parse_args(given)
    for place in asked.places or [RESULTS]:
        if not place.exists():
            sys.exit(f"no such file or folder: {place}")
        for source in sorted(place.glob("*.json")) if place.is_dir() else [place]:
            for path in write_page(source):
                print(f"written: {path}")


if __name__ == "__main__":
    main()
