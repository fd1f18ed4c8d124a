"""How long reading and checking a large program takes, beside Python's own compiler on a text of the same size.

Run as ``python -m benchmarks.language``; prints a table, and with ``--write`` keeps it in benchmarks/results.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tidelog.program.check import check_program
from tidelog.syntax import parse_program

RULES = 10_000
TARGET = 5.0  # seconds for reading and checking together
RESULTS = Path(__file__).parent / "results" / "language.md"


def program_text(rules: int) -> str:
    """Rules of four kinds: recursion, arithmetic, aggregates with negation, disjunction."""
    lines = []
    for i in range(rules // 4):
        lines.append(f"p{i}(X, Z) :- p{i * 7 % 1000}(X, Y), e{i % 300}(Y, Z).")
        lines.append(f"q{i}(X, Y) :- e{i % 300}(X, Y), Y > {i}, Z = X + Y, e{i % 299}(Z, _).")
        lines.append(f"r{i}(X, count<*>) :- p{i}(X, _), !q{i}(X, X).")
        lines.append(f"s{i}(X, Y) :- (p{i}(X, Y) ; q{i}(Y, X)), X != Y.")
    return "\n".join(lines)


def python_text(size: int) -> str:
    """A Python module of about so many characters, in the shape of our rules."""
    line = "def p{0}(x, z): return [y for y in e{0} if x + y > {0} and not q(x, y) or r(z, y)]\n"
    return "".join(line.format(i) for i in range(size // 85))


def seconds(run: Callable[[], object], repeat: int) -> float:
    """The median processor time."""
    taken = []
    for _ in range(repeat):
        began = time.process_time()
        run()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--write", action="store_true", help=f"write the table to {RESULTS.name}")
    options = parser.parse_args()
    text = program_text(RULES)
    program = parse_program(text)
    peer_text = python_text(len(text))
    reading = seconds(lambda: parse_program(text), options.repeat)
    checking = seconds(lambda: check_program(program), options.repeat)
    peer = seconds(lambda: compile(peer_text, "peer", "exec"), options.repeat)
    both = reading + checking
    verdict = "met" if both < TARGET else "missed"
    rows = [
        "| what | seconds | beside Python's compiler |",
        "|---|---|---|",
        f"| read {RULES:,} rules ({len(text):,} characters) | {reading:.2f} | {reading / peer:.1f} x |",
        f"| check them | {checking:.2f} | {checking / peer:.1f} x |",
        f"| both (target {TARGET:.0f} s: {verdict}) | {both:.2f} | {both / peer:.1f} x |",
        f"| Python's compiler on {len(peer_text):,} characters | {peer:.2f} | 1.0 x |",
    ]
    print("\n".join(rows))
    if options.write:
        title = "# Reading and checking, measured"
        how = "Written by `python -m benchmarks.language --write`; medians of processor time."
        RESULTS.write_text("\n".join([title, "", how, "", *rows, ""]))


if __name__ == "__main__":
    main()
