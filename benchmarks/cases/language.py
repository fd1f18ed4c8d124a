"""How long reading and checking a large program takes, beside Python's own compiler on a text of the same size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.cases.catalogue import Case, Group
from benchmarks.data.programs import program_text, python_text
from benchmarks.measure import Duration, timed
from benchmarks.options import Options
from benchmarks.record import Record, Target, clocked
from tidelog.program.check import check_program
from tidelog.syntax import parse_program

RULES, QUICK = 10_000, 400
TARGET = Target(5.0)  # seconds for reading and checking together


def repeated(work: Callable[[], object], repeat: int) -> list[Duration]:
    """The times of some work."""
    return [timed(work)[1] for _ in range(repeat)]


def program(options: Options) -> Iterator[Record]:
    """Read a program, check it, and compile a Python module as long."""
    rules, repeat = QUICK if options.quick else RULES, options.repeats(5)
    text = program_text(rules)
    parsed, peer_text = parse_program(text), python_text(len(text))
    reading = repeated(lambda: parse_program(text), repeat)
    checking = repeated(lambda: check_program(parsed), repeat)
    compiling = repeated(lambda: compile(peer_text, "peer", "exec"), repeat)
    both = [one + other for one, other in zip(reading, checking, strict=True)]
    values = (
        *clocked("read", reading),
        *clocked("check", checking),
        *clocked("both", both, target=TARGET),
        *clocked("Python's compiler", compiling),
    )
    facts = {"rules": rules, "characters": len(text), "characters of Python": len(peer_text)}
    yield Record("program", "a large program", values, facts)


GROUP = Group({"program": Case("read and check 10,000 rules", program)})
