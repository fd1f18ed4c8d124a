"""What `tidelog test` does: reads cases with their programs, runs them, and reports the results.

Law: a program with errors is refused with all of them before any case is run. Results go to the standard output,
progress to the standard error; the exit code says whether everything held.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from tidelog.cli.base.functions import load_functions
from tidelog.cli.base.show import console, show_diagnostics, show_error
from tidelog.cli.input.inputs import read_facts, refuse_errors
from tidelog.cli.input.report import check_file
from tidelog.errors import ProgramError, TidelogError
from tidelog.program.types.functors import Given, function_table
from tidelog.trial.cases import CaseFile
from tidelog.trial.junit import to_junit
from tidelog.trial.read import read_cases
from tidelog.trial.run import Outcome, Subject
from tidelog.trial.suite import Results, Survivor, find_cases, run_files, survivors

if TYPE_CHECKING:
    from tidelog.cli.base.options import CaseFormat

PAUSE = 0.3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is run and how it is reported."""

    places: tuple[Path, ...]
    coverage: bool
    accept: bool
    mutants: bool
    most: int
    format: CaseFormat


def try_rules(wanted: Wanted) -> bool:
    """Run all cases and report the results; returns whether all passed."""
    load = _loader()
    files = [read_cases(path, _convention) for path in find_cases(wanted.places)]
    results = run_files(files, load, accept=wanted.accept)
    missed = list(_survivors(files, load, wanted)) if wanted.mutants and not results.failed else None
    _show(results, missed, wanted)
    return not results.failed


def _convention(program: Path) -> str:
    """How a program reads identifiers; one with errors is refused."""
    return refuse_errors(check_file(str(program))).program.convention


def _loader() -> Callable[[CaseFile], Subject]:
    """Reads the program and the facts of a file of cases, each once."""

    @cache
    def load(program: Path, facts: Path | None, functions: Path | None) -> Subject:
        given: Given = () if functions is None else load_functions(functions)
        checked = refuse_errors(check_file(str(program), functions=given))
        _, own = function_table(given, checked.program)
        data = () if facts is None else tuple(read_facts(checked, facts))
        return Subject(checked.program, data, tuple(own))

    return lambda file: load(file.program, file.facts, file.functions)


def _survivors(files: Sequence[CaseFile], load: Callable[[CaseFile], Subject], wanted: Wanted) -> Iterator[Survivor]:
    to = console(stderr=True)

    def tell(tried: int, all_: int) -> None:
        if to.is_terminal:
            to.print(f"mistake {tried} of {all_}", end="\r")

    yield from survivors(files, load, wanted.most, tell)
    if to.is_terminal:
        to.print(" " * 40, end="\r")


def _show(results: Results, missed: list[Survivor] | None, wanted: Wanted) -> None:
    if wanted.format == "junit":
        typer.echo(to_junit(results))
    elif wanted.format == "json":
        typer.echo(json.dumps(results_to_json(results, missed), indent=2, ensure_ascii=False))
    else:
        _show_text(results, missed, wanted, console())


def _show_text(results: Results, missed: list[Survivor] | None, wanted: Wanted, to: Console) -> None:
    for file, outcome in results.outcomes:
        to.print(f"{'ok    ' if outcome.passed else 'FAILED'}  {file.path}: {outcome.case.name}")
        for broken in outcome.broken:
            to.print(f"        {file.path}:{broken.line}: {broken.told}")
        for path in outcome.accepted:
            to.print(f"        accepted {path}")
    _show_coverage(results, wanted, to)
    for survivor in missed or ():
        to.print(f"not detected by any case: rule `{survivor.mutant.rule}`: {survivor.mutant.told}")
    if missed is not None and not missed:
        to.print("every mistake was detected")
    failed, all_ = len(results.failed), len(results.outcomes)
    to.print(f"{all_ - failed} of {all_} cases passed")


def _show_coverage(results: Results, wanted: Wanted, to: Console) -> None:
    coverage = results.coverage
    for rule in coverage.unused:
        to.print(f"{rule.kind} `{rule.label}` {'was never used' if rule.kind == 'rule' else 'refused nothing'}")
    if wanted.coverage:
        for rule in coverage.rules.values():
            for premise in rule.never_failed if rule.used else ():
                to.print(f"rule `{rule.label}`: `{premise}` never failed")
    used = len(coverage.rules) - len(coverage.unused)
    skipped = f"; {coverage.skipped} steps were skipped, because they have too many facts" if coverage.skipped else ""
    to.print(f"{used} of {len(coverage.rules)} rules used{skipped}")


def results_to_json(results: Results, missed: list[Survivor] | None) -> dict[str, Any]:
    """Plain values for `json`."""
    return {
        "passed": not results.failed,
        "cases": [_case_to_json(file, outcome) for file, outcome in results.outcomes],
        "coverage": results.coverage.to_json(),
        "mutants": None if missed is None else [{"rule": s.mutant.rule, "change": s.mutant.told} for s in missed],
    }


def _case_to_json(file: CaseFile, outcome: Outcome) -> dict[str, Any]:
    return {
        "file": str(file.path),
        "line": outcome.case.line,
        "name": outcome.case.name,
        "passed": outcome.passed,
        "seconds": round(outcome.seconds, 4),
        "failures": [{"line": broken.line, "message": broken.told} for broken in outcome.broken],
        "accepted": outcome.accepted,
    }


def watch_rules(wanted: Wanted, wait: Callable[[float], None] = time.sleep) -> None:
    """Run the cases again and again, whenever a file near them changes."""
    before: dict[Path, int] = {}
    while True:
        now = _stamps(wanted)
        if now != before:
            before = now
            try:
                try_rules(wanted)
            except ProgramError as error:
                show_diagnostics(error.diagnostics, console(stderr=True))
            except TidelogError as error:
                show_error(error, console(stderr=True))
        wait(PAUSE)


def _stamps(wanted: Wanted) -> dict[Path, int]:
    """When the files of the folders, and the programs, facts and functions that they name, were written."""
    found: set[Path] = set()
    for path in find_cases(wanted.places):
        found.add(path)
        try:
            file = read_cases(path)
        except TidelogError:  # reported when it is run
            continue
        found |= {each for each in (file.program, file.functions) if each is not None}
        found |= set(file.facts.glob("*")) if file.facts is not None else set()
    return {path: path.stat().st_mtime_ns for path in found if path.exists()}
