"""Starting: what a command imports, and that one command is loaded as all of them would be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import tidelog
from tidelog.cli import app
from tidelog.cli.commands import summaries
from tidelog.lab.commands import simulate
from tidelog.lab.semantics.schedule import SCHEDULES
from tidelog.lab.semantics.traffic import ALGORITHMS

HEAVY = ("numpy", "pyarrow", "numba", "llvmlite", "pyspark", "pandas", "tidelog.kernel", "tidelog.engine")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
MAIN = f"""
import atexit, sys
def tell():
    print("imported", *(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)
atexit.register(tell)
from tidelog.cli import main
main()
"""
PROGRAM = ".decl e(x: number)\n.decl p(x: number)\ne(1).\np(x) :- e(x).\n.output p\n"


def start(*words: str, **settings: str) -> tuple[str, list[str]]:
    """The output of a command in a separate process, and what heavy modules it imported."""
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1]), "COLUMNS": "120", **settings}
    ended = subprocess.run(
        [sys.executable, "-c", MAIN, *words], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode in (0, 1), ended.stderr
    (line,) = (line for line in ended.stderr.splitlines() if line.startswith("imported"))
    return ended.stdout, line.split()[1:]


@pytest.mark.parametrize("module", ["tidelog.engine.engine", "tidelog.cli"])
def test_spark_is_not_loaded_before_it_is_needed(module: str) -> None:
    script = f"import sys, {module}; print(sorted(name for name in sys.modules if name in ('pyspark', 'py4j')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_check_imports_neither_kernel_nor_arrow_nor_spark(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(PROGRAM)
    out, imported = start("check", str(tmp_path / "p.dl"))
    assert "ok: 1 rule, 1 fact" in out
    assert imported == []
    (tmp_path / "p.dl").write_text("p(X) :- q(Y).")
    out, imported = start("check", str(tmp_path / "p.dl"))
    assert "TL301" in out
    assert imported == []


@pytest.mark.parametrize("text", [PROGRAM, "p(X) :- q(Y).", "p(x :- .", ""], ids=["fine", "unsafe", "syntax", "empty"])
def test_check_of_files_says_the_same_with_and_without_the_parser(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.dl").write_text(text)
    files = [str(tmp_path / "p.dl"), str(tmp_path / "p.dl")]
    at_once, parsed = (ended("check", *files, *more) for more in ((), ("--format", "text")))
    assert (at_once.returncode, at_once.stdout) == (parsed.returncode, parsed.stdout)
    assert (at_once.stderr, parsed.stderr) == ("", "")


def test_check_without_a_file_to_read_ends_with_its_own_code(tmp_path: Path) -> None:
    assert ended("check", str(tmp_path / "none.dl")).returncode == 1
    assert ended("check").returncode == 2


def ended(*words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1]), "COLUMNS": "120"}
    command = [sys.executable, "-m", "tidelog.cli", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "words", [("--help",), ("--version",), *((name, "--help") for name in summaries())], ids=" ".join
)
def test_help_imports_neither_kernel_nor_arrow_nor_spark(words: tuple[str, ...]) -> None:
    out, imported = start(*words)
    assert out
    assert imported == []


def test_completion_imports_neither_kernel_nor_arrow_nor_spark() -> None:
    shell = {"_TIDELOG_COMPLETE": "complete_bash"}
    out, imported = start(**shell, COMP_WORDS="tidelog ch", COMP_CWORD="1")
    assert (out.split(), imported) == (["check", "changes"], [])
    out, imported = start(**shell, COMP_WORDS="tidelog run --lim", COMP_CWORD="2")
    assert (out.split(), imported) == (["--limit-facts", "--limit-seconds", "--limit-memory"], [])


def test_a_small_run_imports_neither_compiler_nor_pandas_nor_spark(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(PROGRAM)
    start("run", str(tmp_path / "p.dl"), "-D", str(tmp_path))  # the kernel is compiled
    _, imported = start("run", str(tmp_path / "p.dl"), "-D", str(tmp_path))
    assert imported == ["numpy", "pyarrow", "tidelog.kernel", "tidelog.engine"]
    assert (tmp_path / "p.csv").read_text() == "1\n"


def test_a_small_run_loads_nothing_of_state_folders_partitions_and_help(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(PROGRAM)
    unneeded = (
        "tidelog.store.folder.durable",
        "tidelog.store.folder.history",
        "tidelog.runtime.many.coordinator",
        "tidelog.rewrite.place.place",
        "tidelog.engine.write.feeds",
        "tidelog.spark.files",
        "tidelog.why",
        "tidelog.explain.profile",
        "importlib.metadata",
        "pyarrow.fs",
        "rich.console",
    )
    script = MAIN.replace(repr(HEAVY), repr(unneeded))
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1])}
    ended = subprocess.run(
        [sys.executable, "-c", script, "run", str(tmp_path / "p.dl"), "-D", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr.splitlines()[-1].split() == ["imported"]


def test_a_first_epoch_loads_nothing_that_explains_or_computes_with_columns() -> None:
    script = (
        "import gc, sys\n"
        "from tidelog import Engine\n"
        "with Engine('p(X) :- q(X).') as db:\n"
        "    with db.epoch() as epoch:\n        epoch.insert('q', [(1,)])\n"
        "    assert list(db['p']) == [(1,)]\n"
        "unneeded = {'pyarrow.compute', 'tidelog.why', 'tidelog.explain.profile', 'rich', 'typer'}\n"
        "print(sorted(unneeded & set(sys.modules)), gc.isenabled())\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert ended.stdout == "[] True\n"


def test_arrow_knows_pandas_again_after_it_was_left_out() -> None:
    pytest.importorskip("pandas")
    script = (
        "import sys\n"
        "from tidelog.cli.base import arrow\n"
        "arrow.process_is_ours = True\n"
        "arrow.leave_pandas_out()\n"
        "import pyarrow as pa\n"
        "pa.array([1])\n"
        "assert 'pandas' not in sys.modules\n"
        "import pandas as pd\n"
        "print(pa.Table.from_pandas(pd.DataFrame({'x': [1, 2]})).to_pandas()['x'].sum())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1])}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == "3\n"


def test_summaries_are_the_first_lines_of_the_commands_help() -> None:
    assert list(COMMANDS) == list(summaries())
    for name, summary in summaries().items():
        help_ = COMMANDS[name].help or ""
        assert help_.split("\n\n")[0].replace("\n", " ").strip() == summary


def test_unknown_command_is_reported_with_the_nearest_one() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(tidelog.__file__).parents[1])}
    ended = subprocess.run(
        [sys.executable, "-m", "tidelog.cli", "chek"], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "'check'" in ended.stderr


def test_help_of_simulate_names_what_there_is() -> None:
    assert tuple(ALGORITHMS) == simulate.ALGORITHMS
    assert tuple(SCHEDULES) == simulate.SCHEDULES
