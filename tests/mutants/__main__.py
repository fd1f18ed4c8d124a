"""Put each mistake into a copy of the sources and run its tests: ``python -m tests.mutants [--seconds N] [WORD ...]``.

Prints a table of what became of each mutant. The exit code is 1 if one survives that should be noticed. A mutant whose
tests do not end within ``--seconds`` counts as noticed: it hangs. With words: only mutants whose names have one.

``--each FILE ...`` runs these test files instead, each until a test fails, and the table lists which of them notice a
mutant. What a file notices with how many random cases (``--cases``) decides its share of them (`tests/law/share.py`).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.catalogue import MUTANTS, ROOT, Mutant

KILLED, SURVIVES, EQUIVALENT, HANGS = "killed", "survives", "survives, equivalent", "killed, by time"
COMPILED = ROOT / "src" / "tidelog" / "kernel" / "__pycache__"
EACH = ("--tb=no", "-p", "tests.mutants.first_failures")


@dataclass(frozen=True, slots=True)
class Trial:
    """A copy of the sources, and how long and with how many random cases tests are run on it."""

    folder: Path
    seconds: float
    cases: int

    def verdict(self, mutant: Mutant, each: Sequence[str]) -> str:
        """What the tests make of a mutant; the copy of the sources is as before afterwards."""
        file = self.folder / mutant.path
        text = file.read_text("utf-8")
        file.write_text(mutant.applied_to(text), "utf-8")
        try:
            report = _tested(mutant, each or mutant.tests, self, *(EACH if each else ("-x",)))
        finally:
            file.write_text(text, "utf-8")
        if report is None:
            return HANGS
        noticed = failed_files(report)
        if not noticed:
            return EQUIVALENT if mutant.equivalent else SURVIVES
        return f"{KILLED} by {', '.join(noticed)}" if each else KILLED


def failed_files(report: str) -> list[str]:
    """The names of the test files in the summary of a run that has failures.

    >>> failed_files("FAILED tests/law/test_law.py::test_one - why\\nERROR tests/law/test_law.py::test_two\\n")
    ['test_law']
    """
    found = re.findall(r"^(?:FAILED|ERROR) ([^:\s]+)", report, re.MULTILINE)
    return list(dict.fromkeys(Path(name).stem for name in found))


def _tested(mutant: Mutant, tests: Sequence[str], trial: Trial, *options: str) -> str | None:
    """What pytest prints; None if it does not end in time."""
    own = {
        "PYTHONPATH": str(trial.folder / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TIDELOG_CASES": str(trial.cases),
    }
    if mutant.file.startswith("kernel/"):  # all others run on the kernel that is compiled already
        own["TIDELOG_KERNEL_CACHE"] = str(trial.folder / "kernel")
    elif COMPILED.exists():
        own["TIDELOG_KERNEL_CACHE"] = str(COMPILED)
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", *options, *tests]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **own}, capture_output=True, text=True, timeout=trial.seconds
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 1):
        raise SystemExit(f"{mutant.name}: the tests do not run:\n{done.stdout}{done.stderr}")
    return done.stdout


def table(verdicts: Iterable[tuple[Mutant, str]]) -> str:
    """What became of the mutants, as a table of Markdown."""
    rows = [f"| {mutant.name} | {found} |" for mutant, found in verdicts]
    return "\n".join(["| mutant | result |", "|---|---|", *rows])


def main() -> int:
    """Try the mutants."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Which mistakes do the tests notice?")
    parser.add_argument("words", nargs="*", help="Only mutants whose names contain one of these words.")
    parser.add_argument("--seconds", type=float, default=600, help="Maximum time for the tests of one mutant.")
    parser.add_argument("--cases", type=int, default=20, help="Random cases of the central law (TIDELOG_CASES).")
    parser.add_argument(
        "--each", nargs="+", default=(), metavar="FILE", help="Run these test files, each until a test fails."
    )
    chosen = parser.parse_args()
    wanted = [m for m in MUTANTS if not chosen.words or any(word in m.name for word in chosen.words)]
    found: list[tuple[Mutant, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for mutant in wanted:
            found.append((mutant, Trial(folder, chosen.seconds, chosen.cases).verdict(mutant, chosen.each)))
            print(f"{found[-1][1]}: {mutant.name}", file=sys.stderr, flush=True)
    print(table(found))
    return int(any(result == SURVIVES for _, result in found))


if __name__ == "__main__":
    sys.exit(main())
