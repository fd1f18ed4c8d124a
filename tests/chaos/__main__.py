"""Misfortune for as long as you like: ``python -m tests.chaos [--minutes N] [--seed N --attack NAME] [--embedded]``.

Every round has a seed, which is printed before it begins; one that fails keeps its state folder. At the end the counts
of what was done are printed; the exit code is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import SystemRandom

from tests.chaos.attacks import ATTACKS, Counts, run_round

SPARK = "on spark"


def torment(minutes: float, names: list[str], folder: Path) -> tuple[Counts, list[str]]:
    """Random rounds until the time is over: what was done, and what was found."""
    random, counts, found = SystemRandom(), Counter[str](), list[str]()
    until = time.monotonic() + 60 * minutes
    while time.monotonic() < until:
        name, seed = random.choice(names), random.randrange(10**9)
        print(f"--seed {seed} --attack '{name}'", flush=True)
        problem = run_round(name, seed, folder, counts)
        if problem is not None:
            found.append(f"--seed {seed} --attack '{name}': {problem}")
            print(f"FOUND {found[-1]}", flush=True)
        else:
            shutil.rmtree(folder / f"state-{seed}", ignore_errors=True)
    return counts, found


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="stop after so many minutes")
    parser.add_argument("--seed", type=int, help="one round: the seed that was printed")
    parser.add_argument("--attack", choices=sorted(ATTACKS), help="one kind of misfortune")
    parser.add_argument("--embedded", action="store_true", help="nothing on Spark")
    asked = parser.parse_args()
    if asked.seed is not None and asked.attack is None:
        parser.error("--seed is that of an attack: give --attack as it was printed, too")
    names = [asked.attack] if asked.attack else sorted(n for n in ATTACKS if not (asked.embedded and n == SPARK))
    folder = Path(tempfile.mkdtemp(prefix="tidelog-chaos-"))
    if asked.seed is not None:
        counts = Counter[str]()
        problem = run_round(names[0], asked.seed, folder, counts)
        found = [] if problem is None else [problem]
    else:
        counts, found = torment(asked.minutes, names, folder)
    for name, count in sorted(counts.items()):
        print(f"{count:8,}  {name}")
    print(f"{len(found)} found" + "".join(f"\n  {line}" for line in found))
    if found:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
