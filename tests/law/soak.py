"""The central law for as long as you like: ``python -m tests.law.soak [--minutes N] [--seed N --kind KIND]``.

Without a seed: fresh random cases until the time is over (for ever without ``--minutes``); with one: that case alone.
A case that fails is made small and printed; the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from random import SystemRandom

from tests.law.harness import KINDS, Case, run, shrink


def failure(case: Case) -> str | None:
    """What went wrong with a case, if anything did."""
    try:
        run(case)
    except KeyError:
        raise
    except Exception as error:  # any error at all is a finding here
        return f"{type(error).__name__}: {error}"
    return None


def report(case: Case, seed: int, kind: str, problem: str) -> None:
    """Print a failing case, as small as it can be made."""
    same = problem.split(":")[0]
    small = shrink(case, lambda c: (failure(c) or "").startswith(same))
    print(f"\nseed {seed}, kind {kind}: {failure(small)}\n{small}")


def soak(minutes: float | None, epochs: int) -> int:
    """Random cases until the time is over; the number that failed."""
    random, began, done, failed = SystemRandom(), time.monotonic(), 0, 0
    while minutes is None or time.monotonic() - began < 60 * minutes:
        seed, kind = random.randrange(10**12), random.choice(sorted(KINDS))
        case = Case.random(seed, kind, epochs)
        problem = failure(case)
        done += 1
        if problem is not None:
            failed += 1
            report(case, seed, kind, problem)
        if done % 100 == 0:
            print(f"{done:,} cases, {failed} failed, {time.monotonic() - began:,.0f} s", flush=True)
    print(f"{done:,} cases, {failed} failed")
    return failed


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    parser.add_argument("--seed", type=int, help="one case: the seed that a failure named")
    parser.add_argument("--kind", choices=sorted(KINDS), default="all", help="which features the programs use")
    parser.add_argument("--epochs", type=int, default=4, help="epochs per case (4 in the tests)")
    asked = parser.parse_args()
    if asked.seed is None:
        sys.exit(1 if soak(asked.minutes, asked.epochs) else 0)
    case = Case.random(asked.seed, asked.kind, asked.epochs)
    problem = failure(case)
    if problem is not None:
        report(case, asked.seed, asked.kind, problem)
    sys.exit(1 if problem else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\nstopped")
