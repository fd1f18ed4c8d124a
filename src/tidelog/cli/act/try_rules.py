"""What `tidelog test` does: reads cases with their programs, runs them, and reports the results.

Law: a program with errors is refused, with all of its errors, before any case runs. Results are written to the standard
output, progress to the standard error; the exit code is 0 if every expectation was met.
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
from tidelog.program import Program
from tidelog.program.types.functors import UserFunctions, function_table
from tidelog.trial.cases import CaseFile
from tidelog.trial.junit import to_junit
from tidelog.trial.read import read_cases
from tidelog.trial.run import Outcome, Subject
from tidelog.trial.suite import Results, Survivor, find_cases, run_files, survivors

if TYPE_CHECKING:
    from tidelog.cli.base.options import CaseFormat

PAUSE = 0.3


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """What to run and how to report it."""

    places: tuple[Path, ...]
    coverage: bool
    accept: bool
    mutants: bool
    most: int
    format: CaseFormat


def try_rules(request: TrialRequest) -> bool:
    """Run all cases and report the results; returns whether all passed."""
    load = _loader()
    files = [read_cases(path, _program) for path in find_cases(request.places)]
    results = run_files(files, load, accept=request.accept)
    undetected = list(_survivors(files, load, request)) if request.mutants and not results.failed else None
    _show(results, undetected, request)
    return not results.failed


def _program(path: Path) -> Program:
    """The program in a file; a program with errors is refused."""
    return refuse_errors(check_file(str(path))).program


def _loader() -> Callable[[CaseFile], Subject]:
    """A function that reads the program and the facts of a case file, each only once."""

    @cache
    def load(program: Path, facts: Path | None, functions: Path | None) -> Subject:
        functions_given: UserFunctions = () if functions is None else load_functions(functions)
        checked = refuse_errors(check_file(str(program), functions=functions_given))
        _, own = function_table(functions_given, checked.program)
        data = () if facts is None else tuple(read_facts(checked, facts))
        return Subject(checked.program, data, tuple(own))

    return lambda file: load(file.program, file.facts, file.functions)


def _survivors(
    files: Sequence[CaseFile], load: Callable[[CaseFile], Subject], request: TrialRequest
) -> Iterator[Survivor]:
    to = console(stderr=True)

    def show_progress(tried: int, all_: int) -> None:
        if to.is_terminal:
            to.print(f"mistake {tried} of {all_}", end="\r")

    yield from survivors(files, load, request.most, show_progress)
    if to.is_terminal:
        to.print(" " * 40, end="\r")


def _show(results: Results, undetected: list[Survivor] | None, request: TrialRequest) -> None:
    if request.format == "junit":
        typer.echo(to_junit(results))
    elif request.format == "json":
        typer.echo(json.dumps(results_to_json(results, undetected), indent=2, ensure_ascii=False))
    else:
        _show_text(results, undetected, request, console())


def _show_text(results: Results, undetected: list[Survivor] | None, request: TrialRequest, to: Console) -> None:
    for file, outcome in results.outcomes:
        to.print(f"{'ok    ' if outcome.passed else 'FAILED'}  {file.path}: {outcome.case.name}")
        for broken in outcome.broken:
            to.print(f"        {file.path}:{broken.line}: {broken.message}")
        for path in outcome.accepted:
            to.print(f"        accepted {path}")
    _show_coverage(results, request, to)
    for survivor in undetected or ():
        to.print(f"not detected by any case: rule `{survivor.mutant.rule}`: {survivor.mutant.change}")
    if undetected is not None and not undetected:
        to.print("every mistake was detected")
    failed, all_ = len(results.failed), len(results.outcomes)
    to.print(f"{all_ - failed} of {all_} cases passed")


def _show_coverage(results: Results, request: TrialRequest, to: Console) -> None:
    coverage = results.coverage
    for rule in coverage.unused:
        to.print(f"{rule.kind} `{rule.label}` {'was never used' if rule.kind == 'rule' else 'refused nothing'}")
    if request.coverage:
        for rule in coverage.rules.values():
            for premise in rule.never_failed if rule.used else ():
                to.print(f"rule `{rule.label}`: `{premise}` never failed")
    used = len(coverage.rules) - len(coverage.unused)
    skipped = f"; {coverage.skipped} steps were skipped, because they have too many facts" if coverage.skipped else ""
    to.print(f"{used} of {len(coverage.rules)} rules used{skipped}")


def results_to_json(results: Results, undetected: list[Survivor] | None) -> dict[str, Any]:
    """The results as plain values for `json`."""
    return {
        "passed": not results.failed,
        "cases": [_case_to_json(file, outcome) for file, outcome in results.outcomes],
        "coverage": results.coverage.to_json(),
        "mutants": None
        if undetected is None
        else [{"rule": s.mutant.rule, "change": s.mutant.change} for s in undetected],
    }


def _case_to_json(file: CaseFile, outcome: Outcome) -> dict[str, Any]:
    return {
        "file": str(file.path),
        "line": outcome.case.line,
        "name": outcome.case.name,
        "passed": outcome.passed,
        "seconds": round(outcome.seconds, 4),
        "failures": [{"line": broken.line, "message": broken.message} for broken in outcome.broken],
        "accepted": outcome.accepted,
    }


def watch_rules(request: TrialRequest, wait: Callable[[float], None] = time.sleep) -> None:
    """Run the cases again and again, whenever a file near them changes."""
    before: dict[Path, int] = {}
    while True:
        now = _stamps(request)
        if now != before:
            before = now
            try:
                try_rules(request)
            except ProgramError as error:
                show_diagnostics(error.diagnostics, console(stderr=True))
            except TidelogError as error:
                show_error(error, console(stderr=True))
        wait(PAUSE)


def _stamps(request: TrialRequest) -> dict[Path, int]:
    """When the files of the folders, and the programs, facts and functions that they name, were last written."""
    found: set[Path] = set()
    for path in find_cases(request.places):
        found.add(path)
        try:
            file = read_cases(path)
        except TidelogError:  # reported when it is run
            continue
        found |= {each for each in (file.program, file.functions) if each is not None}
        found |= set(file.facts.glob("*")) if file.facts is not None else set()
    return {path: path.stat().st_mtime_ns for path in found if path.exists()}
