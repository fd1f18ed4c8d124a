"""An install without the extra `spark` is complete but for Spark, which says in one line what to install.

What these tests can notice: a module of the embedded engine or of the command line that needs pyspark, py4j or pandas.
What they cannot: a package that `pyproject.toml` forgets; that takes an install, as in `.github/workflows/ci.yml`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOK = """
import sys
from importlib.machinery import PathFinder

class Hiding(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hidden = name.partition(".")[0] in ("pyspark", "py4j", "pandas")
        return None if hidden else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Hiding
"""
PROGRAM = "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n"
NEEDS_SPARK = (
    "Spark needs pyspark and pandas: pip install 'tidelog[spark]' "
    "(or run without Spark: `tidelog run --runtime embedded`)"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A place to run in: a program, its facts, and the hook that every Python process of it begins with."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    (tmp_path / "reach.dl").write_text(PROGRAM)
    (tmp_path / "edge.facts").write_text("1\t2\n2\t3\n")
    return tmp_path


def script(folder: Path, code: str, given: str = "", *, hook: bool = True) -> str:
    """What a Python process prints."""
    places = [*([str(folder / "hook")] if hook else []), str(ROOT / "src")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TIDELOG_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**kept, "PYTHONPATH": os.pathsep.join(places)},
        input=given,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


MODULES = """
import importlib, pkgutil, tidelog
for module in pkgutil.walk_packages(tidelog.__path__, "tidelog."):
    if not module.name.endswith(".__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError:
            print(module.name)
"""


def test_only_rows_of_spark_need_spark_to_be_imported(folder: Path) -> None:
    failed = script(folder, MODULES).split()
    assert "tidelog.spark.rows.decode" in failed  # the hook is at work
    # One extends a class of PySpark's, another quotes its errors.
    needing = ("tidelog.spark.rows.", "tidelog.spark.data_source", "tidelog.spark.iceberg")
    assert not [name for name in failed if not name.startswith(needing)]


def test_nothing_loads_pyspark_before_spark_is_asked_for(folder: Path) -> None:
    code = (
        "import sys, tidelog.cli\ntidelog.Engine('p(1).')['p'].to_arrow()\nprint({'pyspark', 'py4j'} & {*sys.modules})"
    )
    assert script(folder, code, hook=False) == "set()\n"


SESSION = f"""
from tidelog import Engine

with Engine({PROGRAM!r}, path="state") as db:
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3)])
    with db.epoch() as e:
        e.delete("edge", [(1, 2)])
        e.add_rule("near(X) :- reach(2, X).")
    print(e.changes)
    print(sorted(db.query("reach(X, 3)")), db["near"].to_numpy().tolist(), db["near"].to_arrow().num_rows)
    print(db.why("near(3)"))
    print("stratum 1" in str(db.explain()), bool(db.verify()))
    db.write_feed("reach", folder="feed")
with Engine(path="state", partitions=1) as db:
    print(db.epoch_number, sorted(db["reach"]))
with Engine({PROGRAM!r}, partitions=2) as db:
    with db.epoch() as e:
        e.insert("edge", [(1, 2), (2, 3)])
    print(sorted(db["reach"]), bool(db.verify()))
"""

TOLD = """\
edge: +0 -1, near: +1 -0, reach: +0 -2
[(2,)] [[3]] 1
near(3)  by r3
└─ reach(2, 3)  by r1
   └─ edge(2, 3)  asserted

r1: reach(X, Y) :- edge(X, Y).
r3: near(X) :- reach(2, X).
True True
3 [(2, 3)]
[(1, 2), (1, 3), (2, 3)] True
"""


def test_embedded_engine_is_complete(folder: Path) -> None:
    assert script(folder, SESSION) == TOLD


COMMANDS = """
import sys
from typer.testing import CliRunner
from tidelog.cli import app

for line in sys.stdin.read().splitlines():
    done = CliRunner().invoke(app, line.split())
    print(done.exit_code, *done.stderr.splitlines()[:1], sep="|")
"""
EMBEDDED = """\
check reach.dl
run reach.dl --runtime embedded -D out --state state
run reach.dl --runtime embedded -D out --partitions 2
explain reach.dl --partitions 2
why reach.dl reach(1,3)
log state
changes state reach
verify state
export state copy
"""
ON_SPARK = """\
run reach.dl --runtime spark
verify state --runtime spark
"""


def test_commands_run_and_on_spark_they_say_in_one_line_what_to_install(folder: Path) -> None:
    told = script(folder, COMMANDS, EMBEDDED + ON_SPARK).splitlines()
    expected = "1|error[TL6022]: " + NEEDS_SPARK
    assert told == ["0"] * len(EMBEDDED.splitlines()) + [expected] * len(ON_SPARK.splitlines())
    assert (folder / "out" / "reach.csv").read_text() == "1\t2\n1\t3\n2\t3\n"


CALLS = """
import sys, tidelog, tidelog.spark

db = tidelog.Engine()
with db.epoch() as e:
    e.insert("p", [(1,)])
for line in sys.stdin.read().splitlines():
    try:
        exec(line)
    except tidelog.TidelogError as error:
        print(error)
"""
FOR_SPARK = """\
db["p"].to_spark()
e.changes["p"].to_spark()
db.write_feed("p", table="t")
tidelog.spark.open_session(2)
"""


def test_calls_say_in_one_line_what_to_install(folder: Path) -> None:
    *told, last = script(folder, CALLS, FOR_SPARK + 'db["p"].to_pandas()\n').splitlines()
    assert told == [NEEDS_SPARK] * len(FOR_SPARK.splitlines())
    assert (
        last == "`to_pandas` needs pandas; install it with `pip install 'tidelog[spark]'` or `pip install pandas`"
    )  # TL4003
