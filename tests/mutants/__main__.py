"""Put each mistake into a copy of the sources and run its tests: ``python -m tests.mutants [--seconds N] [WORD ...]``.

Prints a table of what became of each mutant. The exit code is 1 if one survives that should be noticed. A mutant whose
tests do not end within ``--seconds`` counts as noticed: it hangs. With words: only mutants whose names have one.

``--each FILE ...`` runs these test files one by one instead, and the table lists which of them notice a mutant. What a
file notices with how many random cases (``--cases``) decides its share of them (`tests/law/share.py`).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.catalogue import MUTANTS, ROOT, Mutant

KILLED, SURVIVES, EQUIVALENT, HANGS = "killed", "survives", "survives, equivalent", "killed, by time"


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
            if not each:
                return _tested(mutant, mutant.tests, self)
            noticed = [name for name in each if _tested(mutant, [name], self) in (KILLED, HANGS)]
        finally:
            file.write_text(text, "utf-8")
        return f"{KILLED} by {', '.join(Path(name).stem for name in noticed)}" if noticed else _survival(mutant)


def _survival(mutant: Mutant) -> str:
    return EQUIVALENT if mutant.equivalent else SURVIVES


def _tested(mutant: Mutant, tests: Sequence[str], trial: Trial) -> str:
    folder = trial.folder
    own = {
        "PYTHONPATH": str(folder / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TIDELOG_KERNEL_CACHE": str(folder / "kernel"),
        "TIDELOG_CASES": str(trial.cases),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, capture_output=True, timeout=trial.seconds)
    except subprocess.TimeoutExpired:
        return HANGS
    if done.returncode not in (0, 1):
        raise SystemExit(f"{mutant.name}: the tests do not run:\n{done.stdout.decode()}{done.stderr.decode()}")
    return KILLED if done.returncode else _survival(mutant)


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
    parser.add_argument("--each", nargs="+", default=(), metavar="FILE", help="Run these test files one by one.")
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
