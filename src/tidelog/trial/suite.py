"""A folder of cases: reading it, running it, and the results.

Law: everything is read before anything is run; each case has a separate engine, so their order does not matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tidelog.program.functions.table import FUNCTIONS
from tidelog.trial import trial_failures as failures
from tidelog.trial.cases import CaseFile
from tidelog.trial.coverage import Coverage
from tidelog.trial.golden import Golden
from tidelog.trial.mutants import Mutant, is_noticed, mutants
from tidelog.trial.run import Outcome, Subject, run_case

ENDING = ".case"
Load = Callable[[CaseFile], Subject]


@dataclass(slots=True)
class Results:
    """The results of the cases of all files, and their coverage."""

    outcomes: list[tuple[CaseFile, Outcome]] = field(default_factory=list)
    coverage: Coverage = field(default_factory=Coverage)

    @property
    def failed(self) -> list[tuple[CaseFile, Outcome]]:
        """The cases in which an expectation did not hold."""
        return [(file, outcome) for file, outcome in self.outcomes if not outcome.passed]


def find_cases(places: Sequence[Path]) -> list[Path]:
    """The files of cases in these folders, or these files, in order of name."""
    found = [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob(f"*{ENDING}")))]
    if not found:
        raise failures.NO_CASES.error(folder=", ".join(map(str, places)))
    return found


def run_files(files: Sequence[CaseFile], load: Load, *, accept: bool = False) -> Results:
    """Run all cases of all files."""
    results = Results()
    for file in files:
        subject = load(file)
        functions = FUNCTIONS.with_functions(subject.functions)
        named = {rule.label for rule in subject.program.rules if rule.label}
        for case in file.cases:
            start = time.perf_counter()
            outcome = run_case(case, subject, Golden(file.path, accept))
            outcome.seconds = time.perf_counter() - start
            for program, rows in outcome.seen:
                results.coverage.see(str(file.program.resolve()), program, rows, functions, named)
                results.coverage.see_constraints(str(file.program.resolve()), program, outcome.refusals)
            results.outcomes.append((file, outcome))
    return results


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant of a program that no case of its files detects."""

    program: Path
    mutant: Mutant


def survivors(
    files: Sequence[CaseFile], load: Load, most: int, report: Callable[[int, int], None]
) -> Iterator[Survivor]:
    """The undetected mutants among the first ``most``; ``report`` is called with the number tried and the total."""
    by_program: dict[Path, list[CaseFile]] = {}
    for file in files:
        by_program.setdefault(file.program.resolve(), []).append(file)
    tried = 0
    for path, own in by_program.items():
        subjects = [(file, load(file)) for file in own]
        tried_mutants = list(mutants(subjects[0][1].program))[: most - tried]
        for mutant in tried_mutants:
            tried += 1
            report(tried, len(tried_mutants))
            noticed = (is_noticed(mutant, file.cases, subject, Golden(file.path)) for file, subject in subjects)
            if not any(noticed):
                yield Survivor(path, mutant)
