"""A walk through the code: which files an act enters, how often it crosses from file to file, how many calls it makes.

`python -m tests.walk ACT` prints the walk of an act, warm: the act is done a few times before it is traced.
`python -m tests.walk` prints one line per act. It is a tool for developers who want to know what a change costs a
reader and the interpreter; no test compares its numbers.

Only files of `src/tidelog` count. A crossing is a call from one of them into another; calls are calls of their
functions, resumed generators included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import tidelog
from tidelog import Engine

PACKAGE = Path(tidelog.__file__).parent
RULES = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z)."
WARM = 3  # times that an act is done before it is traced


@dataclass(slots=True)
class Walk:
    """What an act enters."""

    calls: int = 0
    crossings: Counter[str] = field(default_factory=Counter)  # into each file
    checks: int = 0  # of whole programs

    @property
    def files(self) -> list[str]:
        """The files, in the order in which they are first entered."""
        return list(self.crossings)

    def __str__(self) -> str:
        packages = len({name.split("/")[0] for name in self.files})
        checked = f", a program checked {self.checks} time(s)" if self.checks else ""
        return (
            f"{len(self.files)} files of {packages} packages, {sum(self.crossings.values()):,} crossings, "
            f"{self.calls:,} calls{checked}"
        )


@contextmanager
def traced() -> Iterator[Walk]:
    """Trace what is done inside."""
    walk, here = Walk(), str(PACKAGE) + "/"
    names: dict[str, str | None] = {}

    def name_of(frame: FrameType) -> str | None:
        path = frame.f_code.co_filename
        if path not in names:
            names[path] = path.removeprefix(here) if path.startswith(here) else None
        return names[path]

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and (name := name_of(frame)) is not None:
            walk.calls += 1
            walk.checks += frame.f_code.co_name == "examine_program"
            caller = frame.f_back
            while caller is not None and name_of(caller) is None:
                caller = caller.f_back
            if caller is None or name_of(caller) != name:
                walk.crossings[name] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield walk
    finally:
        sys.setprofile(before)


def warm_walk(act: Callable[[], object]) -> Walk:
    """The walk of an act that was done before."""
    for _ in range(WARM):
        act()
    with traced() as walk:
        act()
    return walk


def walk_epoch() -> Walk:
    """An epoch that inserts two rows."""
    db, numbers = Engine(RULES), count(step=10)

    def act() -> None:
        first = next(numbers)
        with db.epoch() as e:
            e.insert("edge", [(first, first + 1), (first + 1, first + 2)])

    return warm_walk(act)


def walk_partitions() -> Walk:
    """The same with two partitions in this process."""
    db, numbers = Engine(RULES, partitions=2), count(step=10)

    def act() -> None:
        first = next(numbers)
        with db.epoch() as e:
            e.insert("edge", [(first, first + 1), (first + 1, first + 2)])

    return warm_walk(act)


def walk_query() -> Walk:
    """A new query with a join."""
    db, numbers = Engine(RULES + " edge(1, 2). edge(2, 3)."), count(1)
    return warm_walk(lambda: list(db.query(f"reach({next(numbers)}, X), edge(X, Y)")))


def walk_query_again() -> Walk:
    """A query that was asked before."""
    db = Engine(RULES + " edge(1, 2). edge(2, 3).")
    return warm_walk(lambda: list(db.query("reach(1, X)")))


def walk_why() -> Walk:
    """A proof as text."""
    db = Engine(RULES + " edge(1, 2). edge(2, 3).")
    return warm_walk(lambda: str(db.why("reach(1, 3)")))


def walk_rule() -> Walk:
    """An epoch that adds a rule and takes it away again."""
    db = Engine(RULES + " edge(1, 2). edge(2, 3).")

    def act() -> None:
        with db.epoch() as e:
            label = e.add_rule("back(Y, X) :- reach(X, Y).")
        with db.epoch() as e:
            e.remove_rule(label)

    return warm_walk(act)


def walk_new_relation() -> Walk:
    """An epoch that adds a rule and the first rows of a relation that it reads."""
    db, numbers = Engine(RULES), count(1)

    def act() -> None:
        number = next(numbers)
        with db.epoch() as e:
            e.add_rule(f"seen{number}(X) :- visit{number}(X, Y).")
            e.insert(f"visit{number}", [(number, number + 1)])

    return warm_walk(act)


def walk_resume() -> Walk:
    """An engine that resumes a state folder of two epochs."""
    with tempfile.TemporaryDirectory() as folder:
        with Engine(RULES, path=folder) as db, db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        return warm_walk(lambda: Engine(path=folder).close())


def walk_engine() -> Walk:
    """A new engine of a program."""
    return warm_walk(lambda: Engine(RULES).close())


def walk_run() -> Walk:
    """`tidelog run` of a program with a file of facts: traced from its first step, since a process runs it once."""
    from tests.runner import CliRunner
    from tidelog.cli import app

    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "p.dl"
        program.write_text(RULES + "\n", "utf-8")
        (Path(folder) / "edge.facts").write_text("1\t2\n2\t3\n", "utf-8")
        words = ["run", str(program), "-F", folder, "-D", folder, "--runtime", "embedded"]

        def act() -> None:
            ended = CliRunner().invoke(app, words)
            assert ended.exit_code == 0, ended.output

        return warm_walk(act)


ACTS: dict[str, Callable[[], Walk]] = {
    "epoch": walk_epoch,
    "partitions": walk_partitions,
    "rule": walk_rule,
    "query": walk_query,
    "query-again": walk_query_again,
    "why": walk_why,
    "new-relation": walk_new_relation,
    "resume": walk_resume,
    "engine": walk_engine,
    "run": walk_run,
}


def main() -> None:
    """Print one walk in full, or all of them in a line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.walk", description=__doc__.split("\n\n")[0])
    parser.add_argument("act", nargs="?", choices=ACTS, help="the act to walk through; all if none is given")
    act = parser.parse_args().act
    if act is None:
        for name in ACTS:  # each in a new process, so that none is warmed by another
            script = f"from tests.walk import ACTS; print('{name:13}', ACTS['{name}']())"
            subprocess.run([sys.executable, "-c", script], check=True)
        return
    walk = ACTS[act]()
    print(f"{ACTS[act].__doc__}\n{walk}\n")
    for name, entered in walk.crossings.items():
        print(f"{entered:6}  {name}")


if __name__ == "__main__":
    main()
