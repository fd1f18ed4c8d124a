"""`tidelog run`: every program of `programs/`, files in and out, change scripts, options, and how it ends."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.runner import CliRunner
from tidelog import Engine
from tidelog.cli import app
from tidelog.cli.base.progress import progress
from tidelog.cli.session.engine_session import EngineSession
from tidelog.partition.base.limits import Limits
from tidelog.syntax import parse_changes_file, parse_file
from tidelog.testing.programs import find_programs, load_program

ROOT = Path(__file__).parents[2] / "programs"
PROGRAMS = {f"{path.parent.name}/{path.stem}": path for path in find_programs(ROOT)}
NETWORK = {path.stem: path for path in sorted((ROOT / "network").glob("*.dl"))}
REACH = "reach(X,Y) :- edge(X,Y).\nreach(X,Z) :- edge(X,Y), reach(Y,Z).\n"


def run(*args, **more):
    return CliRunner().invoke(app, ["run", *map(str, args)], **more)


@pytest.fixture
def reach(tmp_path):
    """A program with two edges beside it."""
    (tmp_path / "reach.dl").write_text(REACH)
    (tmp_path / "edge.facts").write_text("a\tb\nb\tc\n")
    return tmp_path / "reach.dl"


def written(folder):
    return {path.stem: sorted(path.read_text("utf-8").replace(", ", ",").splitlines()) for path in folder.iterdir()}


# Whole programs


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_programs_run_from_the_command_line(name, tmp_path):
    path = PROGRAMS[name]
    folder = path.with_suffix("")
    result = run(path, "-F", folder, "-D", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "out") == written(folder / "expected")


@pytest.mark.parametrize("name", sorted(n for n, p in PROGRAMS.items() if (p.with_suffix("") / "changes.txt").exists()))
def test_programs_follow_their_change_scripts(name, tmp_path):
    path = PROGRAMS[name]
    folder = path.with_suffix("")
    result = run(path, "-F", folder, "-D", tmp_path / "out", "--changes", folder / "changes.txt")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "out") == written(folder / "expected_after")
    report = [line for line in result.output.splitlines() if line.startswith("epoch ")]
    assert len(report) == len(load_program(path).epochs)


@pytest.mark.parametrize("name", sorted(NETWORK))
def test_network_programs_run_with_their_topology(name, tmp_path):
    folder = NETWORK[name].with_suffix("")
    program = tmp_path / f"{name}.dl"
    program.write_text(NETWORK[name].read_text("utf-8") + (folder / "topology.dl").read_text("utf-8"), "utf-8")
    for expected, more in (("expected", ()), ("expected_after", ("--changes", folder / "changes.dl"))):
        result = run(program, "-D", tmp_path / expected, *more)
        assert result.exit_code == 0, result.output
        found = written(tmp_path / expected)
        wanted = written(folder / expected)
        assert {relation: found[relation] for relation in wanted} == wanted


# Files in and out


def test_program_without_directives_reads_what_bears_its_names_and_prints_its_views(reach):
    result = run(reach, "-F", reach.parent)
    assert result.exit_code == 0
    assert result.stdout == "---------------\nreach\n===============\na\tb\na\tc\nb\tc\n===============\n"


def test_without_flags_files_come_from_here_and_go_here_as_in_souffle(reach, monkeypatch):
    monkeypatch.chdir(reach.parent)
    reach.write_text(".input edge\n.output reach\n" + REACH)
    assert run("reach.dl").exit_code == 0
    assert Path("reach.csv").read_text() == "a\tb\na\tc\nb\tc\n"


def test_program_may_come_from_standard_input(reach):
    result = run("-", "-F", reach.parent, input=REACH)
    assert "a\tc\n" in result.stdout


@pytest.mark.parametrize("name", ["edge.csv", "edge.tsv", "edge.facts.gz", "edge.parquet"])
def test_every_kind_of_file_is_found_by_its_name(reach, name, tmp_path):
    import gzip

    import pyarrow as pa
    import pyarrow.parquet

    (reach.parent / "edge.facts").unlink()
    path = reach.parent / name
    text = "a\tb\nb\tc\n"
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    elif name.endswith(".parquet"):
        pyarrow.parquet.write_table(pa.table({"x": ["a", "b"], "y": ["b", "c"]}), path)
    else:
        path.write_text("a,b\nb,c\na,b\n" if name.endswith("csv") else text)
    assert "a\tc\n" in run(reach, "-F", reach.parent).stdout


def test_parameters_of_directives_choose_name_delimiter_header_and_kind(reach, tmp_path):
    (reach.parent / "links.txt").write_text("y;x\nb;a\nc;b\n")
    reach.write_text(
        ".decl edge(x: symbol, y: symbol)\n.decl reach(x: symbol, y: symbol)\n"
        '.input edge(IO=file, filename="links.txt", delimiter=";", headers=true)\n'
        '.output reach(IO=csv, filename="r.csv")\n.output edge(IO=parquet)\n.printsize reach\n'
        "reach(x, y) :- edge(x, y).\nreach(x, z) :- edge(x, y), reach(y, z).\n"
    )
    result = run(reach, "-F", reach.parent, "-D", tmp_path / "out")
    assert result.stdout == "reach\t3\n", result.output
    assert (tmp_path / "out" / "r.csv").read_text() == "x,y\na,b\na,c\nb,c\n"
    assert (tmp_path / "out" / "edge.parquet").exists()


def test_triples_are_read_and_written(tmp_path):
    (tmp_path / "p.dl").write_text(
        ".input triple(IO=ntriples)\n.output known(IO=ntriples)\n"
        'known(S, "<urn:knows>", O) :- triple(S, "<urn:met>", O).\n'
    )
    (tmp_path / "triple.nt").write_text('<urn:a> <urn:met> <urn:b> .\n<urn:a> <urn:name> "Ada"@en .\n')
    result = run(tmp_path / "p.dl", "-F", tmp_path, "-D", tmp_path)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "known.nt").read_text() == "<urn:a> <urn:knows> <urn:b> .\n"


def test_a_symbol_in_one_column_makes_joined_columns_symbols(tmp_path):
    (tmp_path / "p.dl").write_text("both(X) :- p(X), q(X).")
    (tmp_path / "p.facts").write_text("1\n2\n")
    (tmp_path / "q.facts").write_text("1\nx\n")
    assert "1\n" in run(tmp_path / "p.dl", "-F", tmp_path).stdout


def test_nullary_relations_are_written_as_souffle_does(tmp_path):
    (tmp_path / "p.dl").write_text("yes() :- p(_). no() :- p(3). p(1).")
    assert run(tmp_path / "p.dl", "-D", tmp_path / "out").exit_code == 0
    assert written(tmp_path / "out") == {"yes": ["()"], "no": []}


# What goes wrong


def failed(*args):
    result = run(*args)
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.stderr


def test_missing_file_is_named_with_what_is_there(reach):
    reach.write_text(".input edges\np(X) :- edges(X, _).")
    report = failed(reach, "-F", reach.parent)
    assert "no facts for `edges`" in report
    assert "edges.facts" in report
    assert "edge.facts" in report
    assert "there is no folder" in failed(reach, "-F", reach.parent / "nowhere")


def test_bad_row_is_named_and_nothing_is_written(reach, tmp_path):
    reach.write_text(
        ".decl edge(x: number, y: number)\n.input edge\n.decl p(x: number)\n.output p\np(x) :- edge(x, _)."
    )
    (reach.parent / "edge.facts").write_text("1\t2\n3\tfour\n")
    report = failed(reach, "-F", reach.parent, "-D", tmp_path / "out")
    assert "edge.facts:2: column 2 (`y`) of `edge`: `four` is not a number" in report
    assert not (tmp_path / "out").exists()


def test_mistakes_in_the_program_are_rendered(reach):
    reach.write_text("p(X) :- q(Y).")
    report = failed(reach)
    assert "error[TL301]" in report
    assert "^" in report


@pytest.mark.parametrize(
    ("directive", "code"),
    [
        (".input edge(IO=sqlite)", "TL921"),
        (".input edge(seperator=x)", "TL920"),
        (".input edge(headers=maybe)", "TL922"),
    ],
)
def test_directives_that_cannot_be_done_are_underlined(reach, directive, code):
    reach.write_text(directive + "\n" + REACH)
    report = failed(reach, "-F", reach.parent)
    assert code in report
    assert "reach.dl:1:1" in report


def test_program_that_is_not_there_is_an_error():
    assert "nowhere.dl" in failed("nowhere.dl")


def test_limits_end_an_epoch(tmp_path):
    (tmp_path / "p.dl").write_text("n(0). n(Y) :- n(X), Y = X + 1.")
    report = failed(tmp_path / "p.dl", "--limit-facts", "1000")
    assert "its limit is 1,000; nothing was changed" in report
    assert "  rule    r1: n(Y) :- n(X), Y = X + 1.\n  plan    on n(X)\n  so far  this rule visited 0 rows and" in report
    assert "limit" in failed(tmp_path / "p.dl", "--limit-seconds", "0.05")
    assert "limit" in failed(tmp_path / "p.dl", "--limit-memory", "1MB")


def test_without_java_the_error_says_what_to_install_and_that_embedded_needs_none(reach, monkeypatch, tmp_path):
    monkeypatch.delenv("TIDELOG_RUNTIME")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    report, note = failed(reach, "-F", reach.parent, "--runtime", "spark").splitlines()
    assert report.startswith("error[TL6004]: ")
    assert "install Java 17" in report
    assert "--runtime embedded" in report
    assert note.startswith("  = note: Spark needs Java 17 or later")
    assert run(reach, "-F", reach.parent, "--runtime", "embedded").exit_code == 0


def test_spark_is_not_started_for_a_program_or_files_in_error(reach, monkeypatch, tmp_path):
    monkeypatch.setenv("TIDELOG_RUNTIME", "spark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    reach.write_text(".input links\np(X) :- links(X).")
    assert "no facts for `links`" in failed(reach, "-F", reach.parent)
    reach.write_text("p(X) :- q(Y).")
    assert "TL301" in failed(reach)


@pytest.mark.parametrize("partitions", [1, 3])
def test_partitions_may_be_several_in_this_process(reach, script, partitions):
    result = run(reach, "-F", reach.parent, "--changes", script, "--partitions", partitions, "--stats", "--profile")
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith("b\tc\nb\td\nc\td\n===============\n")


def test_copies_that_several_partitions_keep_are_profiled_in_words(tmp_path):
    (tmp_path / "p.dl").write_text("reach(@S,D) :- link(@S,D). reach(@S,D) :- link(@S,Z), reach(@Z,D). link(1,2).")
    result = run(tmp_path / "p.dl", "--partitions", 2, "--profile")
    assert "copy of link by column 2" in result.stderr
    assert "__" not in result.stderr


@pytest.mark.parametrize("kind", ["table"])
def test_what_only_spark_writes_is_refused_before_anything_is_written(reach, kind, tmp_path):
    reach.write_text(f".input edge\n.output edge\n.output reach(IO={kind})\n{REACH}")
    assert "requires Spark; run with `--runtime spark`" in failed(reach, "-F", reach.parent, "-D", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "a\tc" in run(reach, "-F", reach.parent, "-D", "-").stdout


def test_options_that_do_not_go_together_are_refused(reach):
    assert "--master requires Spark" in failed(reach, "--master", "local[4]")
    assert "--conf requires Spark" in failed(reach, "--conf", "spark.executor.cores=1")
    assert "one partition" in failed(reach, "--algorithm", "circuit", "--partitions", "2")
    assert "one partition" in failed(reach, "--algorithm", "circuit", "--runtime", "spark")


def test_master_that_is_not_known_is_reported(reach):
    report = failed(reach, "--runtime", "spark", "--master", "spark://nowhere.invalid:7077")
    assert "error[TL4813]: --master spark://nowhere.invalid:7077: unknown host nowhere.invalid (" in report


def test_wrong_use_of_the_command_line_is_code_2(reach):
    assert run(reach, "--limit-memory", "lots").exit_code == 2
    assert run(reach, "--runtime", "cloud").exit_code == 2
    assert run(reach, "--partitions", "0").exit_code == 2
    assert run(reach, "--runtime", "spark", "--conf", "cores").exit_code == 2


# Changes


@pytest.fixture
def script(reach):
    path = reach.parent / "changes.txt"
    path.write_text(
        "-edge(a, b).\n+edge(c, d).\ncommit.\n+ back: reach(Y, X) :- reach(X, Y).\ncommit.\n- back.\ncommit.\n"
    )
    return path


@pytest.mark.parametrize("algorithm", ["engine", "circuit"])
def test_script_tells_what_each_epoch_changed(reach, script, algorithm):
    result = run(reach, "-F", reach.parent, "--changes", script, "--algorithm", algorithm)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("epoch 2: 2 changes, ")
    assert lines[1].startswith("  reach  +2 -2  ")
    assert lines[2].startswith("epoch 3: 1 change, ")
    assert lines[3].startswith("  reach  +5 -0  ")
    assert lines[5].startswith("  reach  +0 -5  ")
    assert result.stdout.endswith("b\tc\nb\td\nc\td\n===============\n")


def test_failing_epoch_is_placed_in_the_script(reach, script):
    script.write_text("+edge(a, e).\ncommit.\n\n- nosuch.\ncommit.\n")
    report = failed(reach, "-F", reach.parent, "--changes", script)
    assert "changes.txt:4: epoch 2 of the script was not committed: no rule has the label `nosuch`" in report


def test_error_in_the_script_keeps_its_code(reach, script):
    script.write_text("+edge(a, 5).\ncommit.\n")
    report = failed(reach, "-F", reach.parent, "--changes", script)
    assert "error[TL1002]: " in report
    assert "changes.txt:1: epoch 1 of the script was not committed: edge, column 2: 5 in row 1 is not a value" in report


def test_mistake_in_the_script_stops_before_anything_runs(reach, script):
    script.write_text("+edge(a, .\n")
    assert "changes.txt:1" in failed(reach, "-F", reach.parent, "--changes", script)
    assert "nothere.txt" in failed(reach, "--changes", reach.parent / "nothere.txt")


def test_circuit_refuses_what_it_cannot_run(reach):
    reach.write_text("p(X) :- q(X), X < 3.")
    assert "TL801" in failed(reach, "--algorithm", "circuit")


@pytest.mark.parametrize("name", ["hops", "reachability"])
def test_circuit_gives_the_same_files(name, tmp_path):
    folder = NETWORK[name].with_suffix("")
    program = tmp_path / "p.dl"
    program.write_text(NETWORK[name].read_text("utf-8") + (folder / "topology.dl").read_text("utf-8"), "utf-8")
    result = run(program, "-D", tmp_path / "out", "--changes", folder / "changes.dl", "--algorithm", "circuit")
    assert result.exit_code == 0, result.output
    assert written(tmp_path / "out") == written(folder / "expected_after")


def test_instances_of_components_come_and_go_by_a_script(tmp_path):
    component = ".comp C<T> { .decl p(x: T) .decl q(x: T) q(x) :- p(x), !stop(). }\n.decl stop()\n"
    (tmp_path / "p.dl").write_text(component + ".init a = C<number>\n.output a.q\na.p(1).\n")
    script = tmp_path / "changes.txt"
    script.write_text("+ .init b = C<symbol>.\n+b.p(x).\ncommit.\n+stop().\ncommit.\n- .init b.\n-stop().\n")
    result = run(tmp_path / "p.dl", "--changes", script, "-D", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "a.q.csv").read_text() == "1\n"
    assert "b.q" in result.output
    assert [len(epoch) for epoch in parse_changes_file(script, convention="souffle")] == [2, 1, 2]


def test_circuit_keeps_no_keys(reach):
    reach.write_text("materialize(edge, infinity, infinity, keys(1)).\n" + REACH)
    assert "does not support keys" in failed(reach, "--algorithm", "circuit")


def test_statistics_and_profile_go_to_standard_error(reach, script):
    result = run(reach, "-F", reach.parent, "--changes", script, "--stats", "--profile", "-D", "-")
    assert "supports" not in result.stdout
    for words in ("reach", "base", "4 epochs in", "MB", "last epoch", "all epochs", "suspended", "back"):
        assert words in result.stderr


def test_session_and_plain_engine_agree_on_change_scripts():
    path = PROGRAMS["routes/shortest"]
    program = parse_file(path)
    folder = path.with_suffix("")
    case = load_program(path)
    session = EngineSession(program, Limits())
    facts = case.start.relations()
    session.load([(name, list(rows)) for name, rows in facts.items()])
    with Engine(program) as db:
        with db.epoch() as epoch:
            for name, rows in facts.items():
                epoch.insert(name, list(rows))
        for changes, report in zip(parse_changes_file(folder / "changes.txt"), case.epochs, strict=True):
            session.apply(changes)
            with db.epoch() as epoch:
                for name, row in report.inserts:
                    epoch.insert(name, [row])
                for name, row in report.deletes:
                    epoch.delete(name, [row])
            for name in case.expected:
                assert session.table(name, lists_as_text=True).num_rows == len(db[name])


# Progress


@pytest.mark.long
def test_progress_shows_in_a_terminal_only_and_only_for_long_work():
    terminal, pipe = (Console(file=io.StringIO(), force_terminal=force, width=80) for force in (True, False))
    for to in (terminal, pipe):
        with progress("evaluating", lambda: 1234, to):
            pass
        assert to.file.getvalue() == ""
        with progress("evaluating", lambda: 1234, to):
            time.sleep(1.0)
    assert "evaluating: 1,234 facts" in terminal.file.getvalue()
    assert pipe.file.getvalue() == ""


# How it ends


def start(*args, **more):
    command = [sys.executable, "-m", "tidelog.cli", "run", *map(str, args)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"COLUMNS": "80"}, **more
    )


@pytest.mark.long
def test_interrupt_ends_with_130_and_a_line(tmp_path):
    (tmp_path / "p.dl").write_text("m(X) :- n(X).")
    (tmp_path / "c.txt").write_text("+n(0). commit. + n(Y) :- n(X), Y = X + 1. commit.")
    with start(tmp_path / "p.dl", "--changes", tmp_path / "c.txt", "--limit-seconds", "60") as process:
        assert process.stdout.readline().startswith(b"epoch 2")
        process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, report = process.communicate(timeout=60)
    assert process.returncode == 130, report
    assert (
        b"interrupted; no further changes were made\n  rule    r2: n(Y) :- n(X), Y = X + 1.\n  plan    on n(X)\n"
        in report
    )
    assert b"Traceback" not in report


@pytest.mark.long
def test_reader_that_goes_away_ends_it_quietly(tmp_path):
    (tmp_path / "p.dl").write_text("n(0). n(Y) :- n(X), Y = X + 1, Y < 200000.")
    with start(tmp_path / "p.dl") as process:
        assert process.stdout.readline() == b"---------------\n"
        process.stdout.close()
        report = process.stderr.read()
        assert process.wait(60) == 0
    assert b"Traceback" not in report
    assert b"rror" not in report


def test_output_of_a_souffle_program_has_floats_as_souffle_writes_them(tmp_path):
    program = tmp_path / "f.dl"
    program.write_text(
        ".decl f(x: float, y: symbol)\n.decl g(x: float)\n.decl h(x: float)\n"
        'f(1.0, "one"). f(0.1, "tenth"). f(-2.5e30, "much"). f(1e100, "more"). f(123456789.0, "whole").\n'
        'f(0.5, "half"). f(2.0 ^ 70.0, "power").\n'
        "g(x) :- f(x, _).\nh(x) :- f(x, _), x < 1.0.\n.output f\n.output g(IO=csv)\n.output h(IO=stdout)\n"
    )
    result = run(program, "-D", tmp_path / "out")
    assert result.exit_code == 0, result.output
    lines = dict(reversed(line.split("\t")) for line in (tmp_path / "out" / "f.csv").read_text().splitlines())
    assert lines == {
        "one": "1",
        "tenth": "0.10000000000000001",
        "much": "-2.4999999999999999e+30",
        "more": "1e+100",
        "whole": "123456789",
        "half": "0.5",
        "power": "1.1805916207174113e+21",
    }
    assert (tmp_path / "out" / "g.csv").read_text().splitlines()[:3] == [
        "x",
        "-2.4999999999999999e+30",
        "0.10000000000000001",
    ]
    assert "0.5\n" in result.stdout
    assert "0.10000000000000001\n" in result.stdout
    back = tmp_path / "back.dl"
    back.write_text(
        '.decl f(x: float, y: symbol)\n.decl n(x: number)\n.input f(filename="f.csv")\n'
        "n(y) :- y = count : { f(x, _), x = 0.1 }.\n"
    )
    report = run(back, "-F", tmp_path / "out")
    assert "===\n1\n===" in report.stdout, report.output


def test_output_of_a_prolog_program_keeps_floats_as_they_are_written(tmp_path):
    program = tmp_path / "f.dl"
    program.write_text("f(1.0). f(0.1). g(X) :- f(X).\n")
    assert "0.1\n1.0\n" in run(program).stdout


def test_memory_that_runs_out_is_reported(reach, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("tidelog.cli.act.run_program.read_inputs", full)
    assert "error[TL3082]: not enough memory; nothing more was changed" in failed(reach)


def test_many_warnings_of_one_kind_become_one_line(tmp_path):
    program = tmp_path / "p.dl"
    program.write_text("q(1, 2).\n" + "".join(f"p{i}(X) :- q(X, Unused).\n" for i in range(6)))
    printed = run(program).stderr
    assert printed.count("warning[TL702]") == 3
    assert f"3 more of warning TL702; `tidelog check {program}` prints all of them" in printed
