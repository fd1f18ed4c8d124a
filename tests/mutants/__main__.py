"""Put each mistake into a copy of the sources and run its tests: ``python -m tests.mutants [--seconds N] [WORD ...]``.

Prints a table of what became of each mutant. The exit code is 1 if one survives that should be noticed. A mutant whose
tests do not end within ``--seconds`` counts as noticed: it hangs. With words: only mutants whose names have one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.catalogue import MUTANTS, ROOT, Mutant

KILLED, SURVIVES, EQUIVALENT, HANGS = "killed", "survives", "survives, equivalent", "killed, by time"


def verdict(mutant: Mutant, folder: Path, seconds: float) -> str:
    """What the tests make of a mutant; the copy of the sources is as before afterwards."""
    file = folder / mutant.path
    text = file.read_text("utf-8")
    file.write_text(mutant.applied_to(text), "utf-8")
    try:
        return _tested(mutant, folder, seconds)
    finally:
        file.write_text(text, "utf-8")


def _tested(mutant: Mutant, folder: Path, seconds: float) -> str:
    own = {
        "PYTHONPATH": str(folder / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TIDELOG_KERNEL_CACHE": str(folder / "kernel"),
        "TIDELOG_CASES": "20",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests]
    try:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return HANGS
    if done.returncode not in (0, 1):
        raise SystemExit(f"{mutant.name}: the tests do not run:\n{done.stdout.decode()}{done.stderr.decode()}")
    return KILLED if done.returncode else EQUIVALENT if mutant.equivalent else SURVIVES


def table(verdicts: Iterable[tuple[Mutant, str]]) -> str:
    """What became of the mutants, as a table of Markdown."""
    rows = [f"| {mutant.name} | {found} |" for mutant, found in verdicts]
    return "\n".join(["| mutant | result |", "|---|---|", *rows])


def main() -> int:
    """Try the mutants."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Which mistakes do the tests notice?")
    parser.add_argument("words", nargs="*", help="Only mutants whose names contain one of these words.")
    parser.add_argument("--seconds", type=float, default=600, help="Maximum time for the tests of one mutant.")
    chosen = parser.parse_args()
    wanted = [m for m in MUTANTS if not chosen.words or any(word in m.name for word in chosen.words)]
    found: list[tuple[Mutant, str]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        for mutant in wanted:
            found.append((mutant, verdict(mutant, folder, chosen.seconds)))
            print(f"{found[-1][1]}: {mutant.name}", file=sys.stderr, flush=True)
    print(table(found))
    return int(any(result == SURVIVES for _, result in found))


if __name__ == "__main__":
    sys.exit(main())
