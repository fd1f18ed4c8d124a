"""What `make dist` makes: a source package and a wheel that work where there is neither a compiler nor Java.

`TIDELOG_DIST` names a folder with packages to look at; without it they are built here.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from tidelog import __version__

ROOT = Path(__file__).parents[1]
PROGRAM = (
    "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\nedge(1, 2). edge(2, 3).\n.output reach\n"
)
QUESTION = """
from tidelog import Engine
db = Engine("reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z).")
with db.epoch() as epoch:
    epoch.insert("edge", [(1, 2), (2, 3)])
print(sorted(db["reach"]), db.why("reach(1, 3)").root.text)
"""
LEXED = "from pygments.lexers import get_lexer_by_name; print(get_lexer_by_name('tidelog').name)"


def test_changelog_and_package_have_one_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    versions = re.findall(r"^## (\d+\.\d+\.\d+), (not yet released|\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert len(versions) == len(re.findall(r"^## ", text, re.MULTILINE)), "a heading is a version and a date"
    assert versions[0][0] == __version__
    assert [version for version, date in versions if date == "not yet released"] in ([], [__version__])
    ordered = sorted((tuple(map(int, version.split("."))) for version, _ in versions), reverse=True)
    assert [".".join(map(str, each)) for each in ordered] == [version for version, _ in versions]


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = os.environ.get("TIDELOG_DIST")
    if given:
        return (ROOT / given).resolve()
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    return folder


def run(*command: str, cwd: Path | None = None, path: str | None = None) -> str:
    """What a command prints; ``path`` is all that it finds commands in."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "JAVA_HOME", "CC")}
    if path is not None:
        environment["PATH"] = path
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_packages_are_whole_and_checked(packages: Path) -> None:
    found = sorted(path.name for path in packages.iterdir() if __version__ in path.name)
    assert found == [f"tidelog-{__version__}-py3-none-any.whl", f"tidelog-{__version__}.tar.gz"]
    run(sys.executable, "-m", "twine", "check", "--strict", *(str(packages / name) for name in found))
    with tarfile.open(packages / f"tidelog-{__version__}.tar.gz") as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {"LICENSE", "CHANGELOG.md", "Makefile", "src/tidelog/py.typed", "tests/test_dist.py"} <= names
    assert not [name for name in names if "node_modules" in name or "__pycache__" in name]


@pytest.mark.long
def test_a_wheel_works_in_an_empty_environment(packages: Path, tmp_path: Path) -> None:
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    bin_ = place / "bin"
    wheel = packages / f"tidelog-{__version__}-py3-none-any.whl"
    install = [str(bin_ / "pip"), "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    done = subprocess.run([*install, str(wheel)], capture_output=True, text=True, check=False)
    if done.returncode and re.search(r"connection|resolve|network|timed out", done.stderr, re.IGNORECASE):
        pytest.skip(f"packages cannot be fetched: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    (tmp_path / "reach.dl").write_text(PROGRAM)
    alone = str(bin_)  # neither a compiler nor Java can be found
    told = run(str(bin_ / "tidelog"), "run", "reach.dl", "-D", "-", cwd=tmp_path, path=alone)
    assert "1\t3" in told
    python = str(bin_ / "python")
    assert run(python, "-c", QUESTION, cwd=tmp_path, path=alone) == "[(1, 2), (1, 3), (2, 3)] reach(1, 3)\n"
    assert run(python, "-c", LEXED, cwd=tmp_path, path=alone) == "Tidelog\n"
    assert run(str(bin_ / "tidelog"), "--version", cwd=tmp_path, path=alone).strip().endswith(__version__)
