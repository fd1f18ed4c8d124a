"""`tidelog verify --facts`: what Soufflé, DuckDB and clingo computed, right and damaged."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog.cli import app

PROGRAM = """\
.decl edge(x: number, y: number)
.input edge
.decl reach(x: number, y: number)
.output reach
.decl node(x: number)
.output node
.decl apart(x: number, y: number)
.output apart
r1: reach(X, Y) :- edge(X, Y).
r2: reach(X, Z) :- reach(X, Y), edge(Y, Z).
n1: node(X) :- edge(X, _).
n2: node(Y) :- edge(_, Y).
a1: apart(X, Y) :- node(X), node(Y), !reach(X, Y).
"""
RANDOM = random.Random(7)
EDGES = sorted({(RANDOM.randrange(12), RANDOM.randrange(12)) for _ in range(18)})


def duckdb(folder: Path) -> None:
    """A recursive query and two plain ones, written as CSV with headers and as Parquet."""
    db = pytest.importorskip("duckdb").connect()
    db.execute("create table edge (x integer, y integer)")
    db.executemany("insert into edge values (?, ?)", EDGES)
    db.execute(
        "create table reach as with recursive r(x, y) as (select x, y from edge union "
        "select r.x, edge.y from r join edge on r.y = edge.x) select * from r"
    )
    db.execute("create table node as select x from edge union select y from edge")
    db.execute("create table apart as select a.x, b.x as y from node a, node b except select * from reach")
    for name, kind in {"reach": "csv", "node": "csv", "apart": "parquet"}.items():
        db.execute(f"copy {name} to '{folder / name}.{kind}'")


def clingo(folder: Path) -> None:
    """The stable model, one file of tab-separated rows for each relation."""
    control = pytest.importorskip("clingo").Control(["--warn=none"])
    rules = "\n".join(line.partition(": ")[2] for line in PROGRAM.splitlines() if not line.startswith("."))
    facts = "".join(f"edge({x}, {y})." for x, y in EDGES)
    control.add("base", [], facts + rules.replace("!", "not "))
    control.ground([("base", [])])
    rows: dict[str, list[str]] = {"reach": [], "node": [], "apart": []}

    def keep(model: object) -> None:
        for atom in model.symbols(atoms=True):  # type: ignore[attr-defined]  # clingo has no types
            if atom.name in rows:
                rows[atom.name].append("\t".join(str(arg) for arg in atom.arguments))

    control.solve(on_model=keep)
    for name, lines in rows.items():
        (folder / f"{name}.facts").write_text("".join(f"{line}\n" for line in lines))


def souffle(folder: Path) -> None:
    """As Soufflé writes outputs: files `.csv` that are tab-separated. It does not know labels of rules."""
    if shutil.which("souffle") is None:
        write_as_souffle(folder)
        return
    rules = (line if line.startswith(".") else line.partition(": ")[2] for line in PROGRAM.splitlines())
    (folder / "unlabelled.dl").write_text("\n".join(rules) + "\n")
    command = ["souffle", "-F", str(folder.parent), "-D", str(folder), str(folder / "unlabelled.dl")]
    subprocess.run(command, check=True, capture_output=True)


def write_as_souffle(folder: Path) -> None:
    """The files that Soufflé 2.4 writes for this program, computed by searches over the graph."""
    nodes = sorted({node for edge in EDGES for node in edge})
    pairs = [(x, y) for x in nodes for y in sorted(reached_from(x))]
    apart = [(x, y) for x in nodes for y in nodes if (x, y) not in pairs]
    for name, rows in {"reach": pairs, "node": [(x,) for x in nodes], "apart": apart}.items():
        (folder / f"{name}.csv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))


def reached_from(start: int) -> set[int]:
    """The nodes at the ends of paths of one edge or more."""
    found: set[int] = set()
    frontier = {start}
    while frontier:
        frontier = {y for x, y in EDGES if x in frontier} - found
        found |= frontier
    return found


Compute = Callable[[Path], None]


@pytest.fixture(params=[duckdb, clingo, souffle], ids=lambda engine: engine.__name__)
def results(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "p.dl").write_text(PROGRAM)
    (tmp_path / "edge.facts").write_text("".join(f"{x}\t{y}\n" for x, y in EDGES))
    folder = tmp_path / "results"
    folder.mkdir()
    compute: Compute = request.param
    compute(folder)
    return folder


def verdict(results: Path, code: int) -> str:
    arguments = ["verify", "--facts", results, results.parent / "p.dl", "-F", results.parent]
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def reach_file(results: Path) -> tuple[Path, str]:
    """The file of `reach` and what separates its columns."""
    file = next(path for path in results.iterdir() if path.stem == "reach")
    return file, "," if "," in file.read_text() else "\t"


def test_what_another_engine_computed_is_certified(results: Path) -> None:
    assert verdict(results, 0).startswith("certified: ")


def test_missing_fact_is_named_with_the_rule_that_derives_it(results: Path) -> None:
    file, _ = reach_file(results)
    lines = file.read_text().splitlines()
    gone = lines.pop()
    file.write_text("".join(f"{line}\n" for line in lines))
    fact = f"reach({gone.replace(',', ', ').replace(chr(9), ', ')})"
    said = verdict(results, 1)
    assert said.startswith(("not closed: r1 derives ", "not closed: r2 derives "))
    assert fact in said


def test_fact_too_many_is_named(results: Path) -> None:
    file, tab = reach_file(results)
    file.write_text(f"{file.read_text()}77{tab}77\n")
    # 77 is in no edge, so that nothing follows from the fact either.
    assert verdict(results, 1) == "unfounded: reach(77, 77) does not follow from the base facts\n"


def test_relation_without_file_is_refused_by_name(results: Path) -> None:
    reach_file(results)[0].unlink()
    result = CliRunner().invoke(
        app, ["verify", "--facts", str(results), str(results.parent / "p.dl"), "-F", str(results.parent)]
    )
    assert result.exit_code == 1
    assert "TL1087" in result.stderr
    assert "no results for `reach`" in result.stderr


def test_options_of_states_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text("p(1).\n")
    result = CliRunner().invoke(app, ["verify", "--facts", str(tmp_path), str(tmp_path / "p.dl"), "--at", "1"])
    assert result.exit_code == 1
    assert "TL4820" in result.stderr
