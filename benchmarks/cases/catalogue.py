"""All cases by name, in groups: what can be requested.

Law: a name is the group's and the case's, as in ``engine/edge``; a group is imported when one of its cases is asked
for or listed. Results of a group are in one file, and so is its page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module

from benchmarks.options import Options
from benchmarks.record import Record

GROUPS: Mapping[str, str] = {
    "engine": "the engine beside DuckDB and clingo: builds, changes of facts and rules, memory",
    "deletion": "facts suspended beside net changes, and much taken away at once",
    "language": "reading and checking a large program beside Python's compiler",
    "editor": "typing in a program of 10,000 rules: edits, findings, completion and hover",
    "ordinary": "group-by, floats, joins, texts and readers: what users of SQL try first, beside DuckDB",
    "loading": "files and data frames of strings beside DuckDB and Arrow",
    "reading": "len, in and queries of a key beside DuckDB, SQLite and Python; readers beside a writer",
    "serving": "the server: reads beside a writer, feeds to many clients, memory over many epochs",
    "starting": "commands and first epochs in fresh processes, beside the imports they are made of",
    "live": "from COMMIT in PostgreSQL to a view and to a feed, kills in between",
    "durability": "epochs with a state folder beside epochs in memory, opening beside building",
    "partitions": "another number of partitions beside one pass over the state; uneven relations placed anew",
    "messages": "messages between partitions: a closure that sends what it finds, beside one partition",
    "circuits": "incremental circuits beside the engine",
    "paths": "path queries beside DuckDB's recursive SQL",
    "well_founded": "negation in cycles: the positions of a game that are won, beside SWI-Prolog's tabling",
    "rollup": "aggregates in recursion: the costs of the parts of a hierarchy, beside a loop in Python",
    "certificate": "a certificate beside a build",
    "gmark": "views of the gMark path queries under updates",
    "regular": "the Regular Datalog paper's engine and Tidelog on two schemas, in the form of its table",
    "network": "messages and bytes of algorithms when a link fails",
    "internet": "policy routing between autonomous systems: builds, links and policies that change",
    "spark": "partitions on Spark beside hand-written Spark",
    "peers": "twelve programs on every system that is present, incremental or not",
    "beside": "real programs beside DuckDB and clingo: builds, +1 %, -1 %, one fact",
}
NEEDS: Mapping[str, str] = {
    "data": "--data with the path of LUBM-1",
    "gmark": "--gmark with the folder of graph.tsv and queries.json",
    "replay": "--replay with a file of changes",
    "java": "--java with a folder of facts",
    "spark": "Java, for Spark",
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured under one name; ``needs`` is an option that must be given, or ``spark``.

    A case that needs both an option and Spark says so by ``on_spark``.
    """

    line: str
    run: Callable[[Options], Iterator[Record]]
    needs: str | None = None
    on_spark: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Cases whose results are in one file; ``around`` prepares what all of them need."""

    cases: Mapping[str, Case]
    around: Callable[[Options], AbstractContextManager[Options]] = nullcontext


@dataclass(frozen=True, slots=True)
class Chosen:
    """The cases to run, by group, and why other requested cases are left out."""

    cases: Mapping[str, tuple[str, ...]]
    left_out: tuple[str, ...]


class UnknownCase(Exception):
    """A name that fits no case."""


def group(name: str) -> Group:
    """The group with a name: ``GROUP`` of the module that is called like it."""
    found: Group = import_module(f"benchmarks.cases.{name}").GROUP
    return found


def listed() -> Iterator[tuple[str, Case]]:
    """All cases with their full names."""
    for name in GROUPS:
        for case, found in group(name).cases.items():
            yield f"{name}/{case}", found


def fits(asked: str, full: str) -> bool:
    """Whether an argument names a case: its group, or the beginning of its name with or without the group.

    >>> fits("engine", "engine/edge"), fits("ed", "engine/edge"), fits("engine/b", "engine/edge")
    (True, True, False)
    >>> fits("spark", "certificate/spark"), fits("certificate/spark", "certificate/spark")
    (False, True)
    """
    name = full.partition("/")[2]
    if asked in GROUPS:
        return full.startswith(f"{asked}/")
    return full.startswith(asked) if "/" in asked else name.startswith(asked)


def choose(asked: Sequence[str], options: Options) -> Chosen:
    """The cases that are requested by name; without a name all whose data is present, but none on Spark."""
    known = dict(listed())
    if unknown := [name for name in asked if not any(fits(name, full) for full in known)]:
        raise UnknownCase(f"no case is called {', '.join(unknown)}; known: {', '.join(known)}")
    wanted = [full for full in known if not asked or any(fits(name, full) for name in asked)]
    absent = {full: needs for full in wanted if (needs := lacking(known[full], options, named=bool(asked)))}
    cases: dict[str, tuple[str, ...]] = {}
    for full in wanted:
        if full not in absent:
            owner, _, name = full.partition("/")
            cases[owner] = (*cases.get(owner, ()), name)
    return Chosen(cases, tuple(f"{full} is left out: it needs {needs}" for full, needs in absent.items()))


def lacking(case: Case, options: Options, *, named: bool) -> str | None:
    """What a case needs and does not have."""
    if case.needs not in (None, "spark") and getattr(options, case.needs) is None:
        return NEEDS[case.needs]
    if named or not (case.on_spark or case.needs == "spark"):
        return None
    return NEEDS["spark"] + ", and to be asked for by name"
