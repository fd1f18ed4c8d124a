"""Run the benchmarks: ``python -m benchmarks.run [--only NAME ...] [--quick] [--data lubm1.tsv.gz] [--repeat N]``.

A full run writes ``benchmarks/results/engine.md`` and ``engine.png``; a part of it or a quick one only prints, unless
``--write`` is given. The kernel is compiled before anything is timed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.cases import CASES
from benchmarks.outcome import Disagreement, Finding, Options
from benchmarks.report import show, write
from benchmarks.subject import warm_up

RESULTS = Path(__file__).parent / "results"


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="cases by name or first part of it: " + ", ".join(CASES)
    )
    parser.add_argument("--quick", action="store_true", help="small data: shows that everything runs, measures little")
    parser.add_argument("--data", metavar="PATH", help="LUBM-1 as tab-separated triples, plain or gzip")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="builds per system and case (default 3)")
    parser.add_argument("--aggregates", action="store_true", help="also min inside recursion: components, paths")
    parser.add_argument("--clingo-supports", type=int, default=3_000_000, metavar="N", help="leave clingo out above")
    parser.add_argument("--write", action="store_true", help="write the results also of a part or a quick run")
    return parser.parse_args(given)


def chosen(asked: argparse.Namespace) -> list[str]:
    """The names of the cases to run; a name that fits nothing is an error."""
    if not asked.only:
        return [name for name, case in CASES.items() if asked.aggregates or not case.optional]
    unknown = [part for part in asked.only if not any(name.startswith(part) for name in CASES)]
    if unknown:
        sys.exit(f"no case is called {', '.join(unknown)}; known: {', '.join(CASES)}")
    return [name for name in CASES if any(name.startswith(part) for part in asked.only)]


def main(given: Sequence[str] | None = None) -> None:
    """Run, print, write."""
    asked, console = arguments(given), Console()
    if asked.data and not Path(asked.data).is_file():
        sys.exit(f"no such file: {asked.data}")
    names = chosen(asked)
    options = Options(asked.quick, asked.repeat, asked.data, asked.clingo_supports)
    console.print(f"kernel ready after {warm_up().wall:.1f} s; cases: {', '.join(names)}")
    findings = [finding for name in names for finding in _run(name, options, console)]
    show(console, findings)
    if asked.write or not (asked.only or asked.quick):
        write(findings, RESULTS)
        console.print(f"written: {RESULTS.name}/engine.md, {RESULTS.name}/engine.png")


def _run(name: str, options: Options, console: Console) -> list[Finding]:
    if name == "lubm" and options.data is None:
        console.print("lubm: left out, it needs --data with the path of LUBM-1")
        return []
    try:
        with console.status(name):
            found = list(CASES[name].run(options))
    except Disagreement as error:
        console.print(f"[red]{name}: {error}[/red]")
        sys.exit(1)
    console.print(f"{name}: done")
    return found


if __name__ == "__main__":
    main()
