"""`tidelog run` on Spark: the same files and the same output, byte by byte, as the embedded run of the same program."""

from __future__ import annotations

import gzip
import importlib
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet
import pytest

import tidelog.spark
from tests.runner import CliRunner, Result
from tidelog.cli import app

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[2] / "programs"
SAMPLE = (
    "access/roles",
    "analysis/points_to",
    "graphs/components",
    "graphs/reachability",
    "parts/bill_of_materials",
    "planning/schedule",
    "rdfs/rdfs",
    "routes/shortest",
    "routes/simple_paths",
    "text/log_report",
)
NETWORK = sorted(path.stem for path in (ROOT / "network").glob("*.dl"))
REACH = "reach(X,Y) :- edge(X,Y).\nreach(X,Z) :- edge(X,Y), reach(Y,Z).\n"
SAID = "tidelog: on Spark: a Spark session is running in this process\n"
SCRIPT = "-edge(a, b).\n+edge(c, d).\ncommit.\n+ back: reach(Y, X) :- reach(X, Y).\ncommit.\n"


@pytest.fixture(autouse=True)
def on_spark(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """The session of all tests runs in this process, so that commands use it and say so (D23)."""
    monkeypatch.delenv("TIDELOG_RUNTIME", raising=False)
    return spark


def run(*args: object) -> Result:
    result = CliRunner().invoke(app, ["run", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def written(folder: Path) -> dict[str, bytes]:
    """What the files hold; packed ones differ in a byte that names the packer."""
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return {name: gzip.decompress(data) if name.endswith(".gz") else data for name, data in found.items()}


def timeless(text: str) -> str:
    """The output without times, and with the rows of an epoch's changes counted only: they are shown in any order."""
    return re.sub(r"(epoch \d+: \d+ changes?), .*|( +\+[\d,]+ -[\d,]+) .*", r"\1\2", text)


def agree(folder: Path, *args: object) -> Result:
    """Both runtimes write the same files and print the same."""
    embedded = run(*args, "-D", folder / "embedded", "--runtime", "embedded")
    on_spark = run(*args, "-D", folder / "spark")
    assert (on_spark.exit_code, on_spark.stderr) == (0, embedded.stderr + SAID)
    assert timeless(on_spark.stdout) == timeless(embedded.stdout)
    assert written(folder / "spark") == written(folder / "embedded")
    return on_spark


def most_are_long(names: Sequence[str], count: int) -> list[object]:
    """The first few as they are, the others marked long."""
    return [name if i < count else pytest.param(name, marks=pytest.mark.long) for i, name in enumerate(names)]


@pytest.mark.parametrize("name", most_are_long(SAMPLE, 1))
def test_programs_give_the_files_of_the_embedded_run(name: str, tmp_path: Path) -> None:
    folder = ROOT / name
    script = folder / "changes.txt"
    agree(tmp_path, f"{folder}.dl", "-F", folder, *(("--changes", script) if script.exists() else ()))


@pytest.mark.parametrize("name", most_are_long(NETWORK, 1))
def test_network_programs_give_the_files_of_the_embedded_run(name: str, tmp_path: Path) -> None:
    folder = ROOT / "network" / name
    program = tmp_path / f"{name}.dl"
    program.write_text(folder.with_suffix(".dl").read_text("utf-8") + (folder / "topology.dl").read_text("utf-8"))
    agree(tmp_path, program, "--changes", folder / "changes.dl")


# Files in and out


def test_wildcards_and_paths_are_read_as_by_the_embedded_run(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        '.decl edge(x: symbol, y: symbol)\n.input edge(filename="e*.csv")\n.output edge(IO=csv)\n'
        '.decl item(sku: symbol, n: number)\n.input item(filename="o.json", path="orders[*].items[*]")\n.output item\n'
    )
    (tmp_path / "e1.csv").write_text("x,y\na,b\n")
    (tmp_path / "e2.csv").write_text('y,x\n"c, d",b\n')
    (tmp_path / "o.json").write_text('{"orders": [\n{"items": [{"sku": "pen", "n": 2}, {"n": 1, "sku": "ink"}]}]}')
    agree(tmp_path, tmp_path / "p.dl", "-F", tmp_path)
    assert (tmp_path / "spark" / "edge.csv").read_text() == 'x,y\na,b\nb,"c, d"\n'
    assert (tmp_path / "spark" / "item.csv").read_text() == "ink\t1\npen\t2\n"


def test_every_kind_of_file_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        ".input plain\n.input packed\n.input commas(IO=csv)\n.input columns(IO=parquet)\n.input triple(IO=ntriples)\n"
        '.output all\n.output all(IO=csv, filename="all.commas")\n.output all(filename="all.gz", compress=true)\n'
        ".output known(IO=ntriples)\n.output paths\n.output some\n.printsize all\n"
        "all(X, Y) :- plain(X, Y).\nall(X, Y) :- packed(X, Y).\n"
        "all(X, Y) :- commas(X, Y).\nall(X, Y) :- columns(X, Y).\n"
        'known(S, "<urn:knows>", O) :- triple(S, "<urn:met>", O).\n'
        "paths(X, [X, 1, [Y, X]]) :- all(X, Y).\nsome() :- all(_, _).\n"
    )
    (tmp_path / "plain.facts").write_text("a\tb c\nß\t\n")
    (tmp_path / "packed.facts.gz").write_bytes(gzip.compress(b"a\t7\n"))
    (tmp_path / "commas.csv").write_text('x,"y, ""z"""\n')
    pyarrow.parquet.write_table(pa.table({"u": ["p"], "v": ["q"]}), tmp_path / "columns.parquet")
    (tmp_path / "triple.nt").write_text('<urn:a> <urn:met> <urn:b> .\n<urn:a> <urn:name> "Ada"@en .\n')
    result = agree(tmp_path, tmp_path / "p.dl", "-F", tmp_path)
    assert result.stdout == "all\t5\n"
    assert gzip.decompress((tmp_path / "spark" / "all.gz").read_bytes()).count(b"\n") == 5


def test_rdf_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        ".input triple(IO=ntriples)\n.input scoped(IO=ntriples, blanks=file)\n.input turtle(IO=turtle)\n"
        ".input quad(IO=nquads)\n.input trig(IO=trig)\n.output all(IO=ntriples)\n.output graphs(IO=nquads)\n"
        "all(S, P, O) :- triple(S, P, O).\nall(S, P, O) :- scoped(S, P, O).\nall(S, P, O) :- turtle(S, P, O).\n"
        "graphs(S, P, O, G) :- quad(S, P, O, G).\ngraphs(S, P, O, G) :- trig(S, P, O, G).\n"
    )
    lines = '# terms\n_:a <urn:p> "caf\\u00e9"@FR .\n_:a <urn:p> "café"@fr .\n<urn:\\u00e9> <urn:p>\t"\t\\"" .\n\n'
    (tmp_path / "triple.nt").write_text(lines)
    (tmp_path / "scoped.nt").write_text(lines)
    (tmp_path / "turtle.ttl").write_text('<urn:s> <urn:p> [ <urn:q> "caf\\u00e9"@FR, 1 ] .\n')
    (tmp_path / "quad.nq").write_text(
        '_:a <urn:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> <urn:g> .\n_:a <urn:p> _:b .\n'
    )
    (tmp_path / "trig.trig").write_text('<urn:g> { <urn:s> <urn:p> "x" } <urn:s> <urn:p> "x" .')
    agree(tmp_path, tmp_path / "p.dl", "-F", tmp_path)
    assert '_:a <urn:p> "café"@fr .\n' in (tmp_path / "spark" / "all.nt").read_text()
    assert '_:scoped.nt.a <urn:p> "café"@fr .\n' in (tmp_path / "spark" / "all.nt").read_text()
    assert (tmp_path / "spark" / "graphs.nq").read_text().count("\n") == 4
    (tmp_path / "p.dl").write_text(".input triple(IO=ntriples)\n.output t(IO=turtle)\nt(S, P, O) :- triple(S, P, O).\n")
    refused = run(tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path / "out")
    assert refused.exit_code == 1
    assert "TL1514" in refused.stderr
    (tmp_path / "triple.nt").write_text(lines + '<urn:a> <urn:p> "\\uD800" .\n')
    broken = run(tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path / "out")
    assert "triple.nt:6: not a statement" in broken.stderr


def test_json_and_tables_are_read_and_written_by_spark_alone(tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "p.dl").write_text(
        ".decl person(name: symbol, age: number)\n.input person(IO=json)\n"
        '.decl city(name: symbol, place: symbol)\n.input city(IO=table, table="cities")\n'
        '.decl at(name: symbol, place: symbol)\n.output at(IO=json)\n.output at(IO=table, table="at_home")\n'
        "at(n, p) :- person(n, a), a > 17, city(n, p).\n"
    )
    (tmp_path / "person.json").write_text('{"name": "ada", "age": 36}\n{"name": "bo", "age": 9}\n')
    spark.createDataFrame([("ada", "london"), ("bo", "oslo")], "name string, place string").createOrReplaceTempView(
        "cities"
    )
    spark.sql("drop table if exists at_home")
    result = run(tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path / "out")
    assert (result.exit_code, result.output) == (0, "tidelog: on Spark: `.input city` names a table\n")
    assert (tmp_path / "out" / "at.json").read_text() == '{"name":"ada","place":"london"}\n'
    assert [tuple(row) for row in spark.table("at_home").collect()] == [("ada", "london")]
    spark.sql("drop table at_home")
    refused = run(tmp_path / "p.dl", "-F", tmp_path, "--runtime", "embedded")
    assert refused.exit_code == 1
    assert "requires Spark" in refused.stderr


def test_relations_with_a_key_are_read_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        ".input route\n.input node\n.output best\nmaterialize(route, infinity, infinity, keys(1)).\n"
        "best(D, N) :- route(D, N), node(N).\n"
    )
    (tmp_path / "route.facts").write_text("1\t10\n2\t20\n")
    (tmp_path / "node.facts").write_text("10\n11\n20\n")
    (tmp_path / "changes.txt").write_text("+route(1, 11). commit.")
    agree(tmp_path, tmp_path / "p.dl", "-F", tmp_path, "--changes", tmp_path / "changes.txt")
    assert (tmp_path / "spark" / "best.csv").read_text() == "1\t11\n2\t20\n"


def test_bad_row_is_reported_with_its_line_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(
        ".decl edge(x: number, y: number)\n.input edge\n.decl p(x: number)\n.output p\np(x) :- edge(x, _)."
    )
    (tmp_path / "edge.facts").write_text("1\t2\n3\tfour\n")
    result = run(tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path / "out")
    assert result.exit_code == 1
    assert "edge.facts:2: column 2 (`y`) of `edge`: `four` is not a number" in result.stderr
    assert not (tmp_path / "out").exists()


def test_folder_for_views_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text("n(1). p(X) :- n(X).")
    (tmp_path / "out").touch()
    for place in ("spark", "embedded"):
        result = run(tmp_path / "p.dl", "-D", tmp_path / "out", "--runtime", place)
        assert result.exit_code == 1
        assert f"error[TL1066]: cannot write {tmp_path}/out/p.csv: " in result.stderr


def test_value_that_a_file_cannot_hold_is_reported_as_by_the_embedded_run(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text('.output t(IO=ntriples)\nn("x"). t(X, X, X) :- n(X).\n')
    args = (tmp_path / "p.dl", "-D", tmp_path / "out")
    embedded, on_spark = run(*args, "--runtime", "embedded"), run(*args)
    said = on_spark.stderr.removeprefix(SAID)
    assert said in embedded.stderr
    assert said.startswith(f"error[TL1070]: {tmp_path}/out/t.nt: 'x' is not an N-Triples term; ")
    assert (on_spark.exit_code, list((tmp_path / "out").iterdir())) == (1, [])


# Options


@pytest.fixture
def reach(tmp_path: Path) -> Path:
    (tmp_path / "edge.facts").write_text("a\tb\nb\tc\n")
    (tmp_path / "changes.txt").write_text(SCRIPT)
    (tmp_path / "reach.dl").write_text(REACH)
    return tmp_path / "reach.dl"


def test_statistics_profile_and_limits(reach: Path) -> None:
    folder = reach.parent
    result = run(reach, "-F", folder, "--changes", folder / "changes.txt", "--stats", "--profile", "--partitions", 1)
    assert result.exit_code == 0, result.output
    for words in ("reach", "base", "3 epochs in", "MB", "last epoch", "all epochs", "suspended", "back"):
        assert words in result.stderr
    reach.write_text("n(0). n(Y) :- n(X), Y = X + 1.")
    limited = run(reach, "--limit-facts", 1000)
    assert limited.exit_code == 1
    assert "limit" in limited.stderr


def test_state_is_gone_on_from_and_read_at_an_epoch(reach: Path) -> None:
    folder = reach.parent
    (folder / "changes.txt").write_text("+edge(c, a). commit.")
    state = ("--state", folder / "state")
    assert run(reach, "-F", folder, *state, "-D", folder / "out").exit_code == 0
    second = run(reach, *state, "--changes", folder / "changes.txt", "-D", "-")
    assert "c\ta" in second.stdout, second.output
    assert "c\ta" not in run(reach, *state, "--at", 1).stdout  # read in this process
    again = run(reach, *state, "--runtime", "embedded")  # as many partitions as made it, in this process
    assert "c\ta" in again.stdout, again.output
    assert not list((folder / "state").glob("views/*"))  # no file of a view that was written is left
    other = run(reach, *state, "--partitions", 3)  # a separate epoch
    assert "c\ta" in other.stdout, other.output


def test_state_of_one_embedded_partition_continues_embedded_by_default(reach: Path) -> None:
    state = ("--state", reach.parent / "state")
    assert run(reach, "-F", reach.parent, *state, "--runtime", "embedded").exit_code == 0
    assert "a\tc" in run(reach, *state).stdout
    there = run(reach, *state, "--runtime", "spark", "--partitions", 2)
    assert "a\tc" in there.stdout, there.output


def test_circuit_is_refused_by_name(reach: Path) -> None:
    refused = run(reach, "--algorithm", "circuit", "--runtime", "spark")
    assert refused.exit_code == 1
    assert "--runtime embedded" in refused.stderr
    assert "a\tc" in run(reach, "-F", reach.parent, "--algorithm", "circuit").stdout  # Spark is not asked for


# From outside


def test_command_starts_and_ends_spark_by_itself_without_a_word(reach: Path) -> None:
    words = ("run", reach.name, "-F", ".", "--runtime", "spark", "--partitions", "1")
    command = [sys.executable, "-m", "tidelog.cli", *words]
    paths = os.pathsep.join((str(ROOT.parent / "src"), os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        command,
        cwd=reach.parent,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout == "---------------\nreach\n===============\na\tb\na\tc\nb\tc\n===============\n"


def test_demo_runs_on_spark(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tenth of its data, and the session of all tests."""
    examples = ROOT.parent / "examples"
    monkeypatch.syspath_prepend(str(examples / "data"))
    organisation = importlib.import_module("organisation")
    for name, size in (("PEOPLE", 2_000), ("GROUPS", 300), ("FOLDERS", 400), ("DOCUMENTS", 2_000)):
        monkeypatch.setattr(organisation, name, size)
    monkeypatch.setattr(tidelog.spark, "local_session", lambda partitions: nullcontext(spark))
    try:
        runpy.run_path(str(examples / "demo.py"))["main"]()
    finally:
        sys.modules.pop("organisation", None)
    printed = capsys.readouterr().out
    assert "2 resident partitions" in printed
    assert "on every partition" in printed
    assert printed.count("evaluating everything again takes") == 5
    assert "blame reads" in printed


@pytest.mark.long
def test_identity_graph_runs_on_spark(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tidelog.spark, "local_session", lambda partitions: nullcontext(spark))
    runpy.run_path(str(ROOT.parent / "examples" / "04_identity_graph.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "669 records belong to 300 people" in printed
    assert "erased on request: 300 people" in printed
