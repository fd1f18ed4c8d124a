"""Facts of a Java program with its library, read by path, and the analysis of `programs/analysis/java.dl`.

Law: a folder holds a file per relation, tab-separated, plain or gzip, with `-` in a name where the program has `_`;
rows may come twice. Tidelog gets text, its peers numbers. Statements are what a change takes out and puts back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash
from pyarrow import csv

from benchmarks.data.numbered import Numbers, numbered_facts, numbered_rules
from benchmarks.data.workloads import Workload
from tidelog.program import Declaration, Program
from tidelog.syntax import parse_file

PROGRAM = Path(__file__).parents[2] / "programs" / "analysis" / "java.dl"
VIEWS = ("points_to", "field_points_to", "static_points_to", "element_points_to", "runs", "reachable")
"""What systems must agree on."""
STATEMENTS = (
    "AssignHeapAllocation", "AssignLocal", "AssignCast", "LoadInstanceField", "StoreInstanceField", "LoadStaticField",
    "StoreStaticField", "LoadArrayIndex", "StoreArrayIndex", "StaticMethodInvocation", "SpecialMethodInvocation",
    "VirtualMethodInvocation", "Return",
)  # fmt: skip
Row = tuple[object, ...]
Statement = tuple[str, Row]
TABS = csv.ParseOptions(delimiter="\t", quote_char=False, double_quote=False, escape_char=False)


def program() -> Program:
    """The analysis."""
    return parse_file(PROGRAM)


def base_relations(parsed: Program) -> dict[str, Declaration]:
    """What a front end produces: the relations that `.input` names."""
    given = {directive.relation for directive in parsed.directives if directive.kind == "input"}
    return {declared.relation: declared for declared in parsed.declarations if declared.relation in given}


def file_of(folder: Path, relation: str) -> Path:
    """The file of a relation."""
    names = [f"{stem}.facts{ending}" for stem in (relation, relation.replace("_", "-")) for ending in ("", ".gz")]
    found = [folder / name for name in names if (folder / name).exists()]
    if not found:
        raise FileNotFoundError(f"{folder} has none of {', '.join(names)}")
    return found[0]


def read_facts(folder: Path, *, quick: bool = False, threads: bool = False) -> dict[str, pa.Table]:
    """A table per relation, with the program's columns and types; for a quick run a cut of them."""
    given = base_relations(program())
    tables = {name: read_relation(file_of(folder, name), declared, threads) for name, declared in given.items()}
    return cut(tables) if quick else tables


def read_relation(path: Path, declared: Declaration, threads: bool) -> pa.Table:
    """One file."""
    types = {c.name: pa.int64() if c.type == "number" else pa.string() for c in declared.columns}
    converted = csv.ConvertOptions(column_types=types, strings_can_be_null=False, quoted_strings_can_be_null=False)
    reading = csv.ReadOptions(column_names=list(types), use_threads=threads, block_size=1 << 24)
    return csv.read_csv(path, reading, TABS, converted)


def statements(tables: Mapping[str, pa.Table]) -> list[Statement]:
    """Every statement with its relation, each once, in an order that does not depend on the files."""
    return [(name, row) for name in STATEMENTS for row in sorted(_rows(tables[name]))]


def _rows(table: pa.Table) -> set[Row]:
    return set(zip(*(column.to_pylist() for column in table.columns), strict=True))


def drawn(found: Sequence[Statement], count: int, seed: int) -> list[Statement]:
    """So many statements, no two alike."""
    places = np.random.default_rng(seed).choice(len(found), count, replace=False)
    return [found[place] for place in places.tolist()]


def by_relation(chosen: Iterable[Statement]) -> dict[str, list[Row]]:
    """Statements as changes of relations."""
    found: dict[str, list[Row]] = {}
    for name, row in chosen:
        found.setdefault(name, []).append(row)
    return found


def left(tables: Mapping[str, pa.Table], gone: Iterable[Statement]) -> dict[str, pa.Table]:
    """The tables without some statements; a statement is known by its first column."""
    lost = {name: pa.array([row[0] for row in rows]) for name, rows in by_relation(gone).items()}
    return {
        name: table.filter(pc.invert(pc.is_in(table.column(0), lost[name]))) if name in lost else table
        for name, table in tables.items()
    }


def numbered(tables: Mapping[str, pa.Table]) -> tuple[Workload, Numbers]:
    """The same question in numbers."""
    numbers = Numbers()
    facts = numbered_facts(tables, numbers)
    title = f"Java analysis, {sum(map(len, facts.values())):,} facts"
    return Workload("java", title, numbered_rules(program(), numbers), VIEWS[0], facts, ""), numbers


def cut(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """Types and members of everything, but statements of the application alone."""
    owned = tables["ApplicationClass"].column(0)
    methods = tables["Method"].filter(pc.is_in(tables["Method"]["owner"], owned))["m"]
    return {
        name: table.filter(pc.is_in(table["m"], methods)) if name in STATEMENTS else table
        for name, table in tables.items()
    }


def text_checksum(columns: Sequence[Sequence[str]]) -> int:
    """A number that depends on the set of rows, whatever numbers a system has for its symbols.

    >>> text_checksum([["a", "b"], ["c", "d"]]) == text_checksum([["b", "a"], ["d", "c"]])
    True
    """
    return sum(xxhash.xxh64_intdigest("\t".join(row).encode()) for row in zip(*columns, strict=True)) % (1 << 64)
