"""What `make dist` makes: a source package, and a wheel that works where there is neither a compiler nor Java.

`TIDELOG_DIST` names a folder with packages to look at; without it they are built here.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tidelog import __version__
from tidelog.kernel.library import PACKED, names
from tidelog.kernel.processor import instruction_sets

ROOT = Path(__file__).parents[1]
PROGRAM = (
    "reach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\nedge(1, 2). edge(2, 3).\n.output reach\n"
)
QUESTION = """
import sys
from tidelog import Engine
for options in ({}, {"threads": 3}, {"partitions": 2}):
    with Engine("reach(X, Y) :- edge(X, Y). reach(X, Z) :- edge(X, Y), reach(Y, Z).", **options) as db:
        with db.epoch() as epoch:
            epoch.insert("edge", [(1, 2), (2, 3)])
        print(sorted(db["reach"]), db.why("reach(1, 3)").root.text)
print([name for name in ("numba", "llvmlite") if name in sys.modules])
"""
ANSWER = "[(1, 2), (1, 3), (2, 3)] reach(1, 3)\n" * 3 + "[]\n"
LINES = "edge(1, 2).\nedge(2, 3).\nreach(X, Z) :- edge(X, Y), edge(Y, Z).\n?- reach(X, Y).\n"
MOST = 270e6  # bytes of files, bytecode not counted
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


@pytest.fixture(scope="module")
def wheel(packages: Path) -> Path:
    """The wheel for this platform, which every supported Python takes."""
    (found,) = packages.glob(f"tidelog-{__version__}-cp311-abi3-*.whl")
    assert found.name.endswith(f"_{platform.machine()}.whl")
    return found


def run(*command: str, cwd: Path | None = None, path: str | None = None, lines: str = "") -> str:
    """What a command prints; ``path`` is all that it finds commands in."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "JAVA_HOME", "CC")}
    if path is not None:
        environment["PATH"] = path
    done = subprocess.run(command, cwd=cwd, env=environment, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_packages_are_whole_and_checked(packages: Path, wheel: Path) -> None:
    found = sorted(path.name for path in packages.iterdir() if __version__ in path.name)
    assert found == [wheel.name, f"tidelog-{__version__}.tar.gz"]
    run(sys.executable, "-m", "twine", "check", "--strict", *(str(packages / name) for name in found))
    with tarfile.open(packages / f"tidelog-{__version__}.tar.gz") as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {"LICENSE", "CHANGELOG.md", "Makefile", "src/tidelog/py.typed", "tests/test_dist.py"} <= names
    assert not [name for name in names if "node_modules" in name or "__pycache__" in name]


@pytest.mark.long
def test_a_wheel_has_a_kernel_for_each_instruction_set_that_links_to_no_library(wheel: Path) -> None:
    sets = instruction_sets()
    with zipfile.ZipFile(wheel) as archive:
        kernels = {name: archive.read(name) for name in archive.namelist() if "/compiled/" in name}
    assert set(kernels) == {f"tidelog/kernel/{PACKED}/kernel-{name}.so" for name in names(sets)}
    for content in kernels.values():
        assert content.startswith(b"\x7fELF")
        assert not re.search(rb"GLIBC|lib[a-z]+\.so", content)


@pytest.mark.long
def test_a_wheel_works_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    bin_ = place / "bin"
    install = [str(bin_ / "pip"), "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    done = subprocess.run([*install, "--no-compile", str(wheel)], capture_output=True, text=True, check=False)
    if done.returncode and re.search(r"connection|resolve|network|timed out", done.stderr, re.IGNORECASE):
        pytest.skip(f"packages cannot be fetched: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    assert size(place) < MOST
    (tmp_path / "reach.dl").write_text(PROGRAM)
    alone = str(bin_)  # neither a compiler nor Java can be found
    python = str(bin_ / "python")
    assert run(python, "-c", "from importlib.util import find_spec; print(find_spec('numba'))") == "None\n"
    told = run(str(bin_ / "tidelog"), "run", "reach.dl", "-D", "-", cwd=tmp_path, path=alone)
    assert "1\t3" in told
    assert run(python, "-c", QUESTION, cwd=tmp_path, path=alone) == ANSWER
    assert "1 answer" in run(str(bin_ / "tidelog"), "repl", cwd=tmp_path, path=alone, lines=LINES)
    assert run(python, "-c", LEXED, cwd=tmp_path, path=alone) == "Tidelog\n"
    assert run(str(bin_ / "tidelog"), "--version", cwd=tmp_path, path=alone).strip().endswith(__version__)


def size(place: Path) -> int:
    """Bytes of the files of an environment, bytecode not counted."""
    found = (path for path in place.rglob("*") if "__pycache__" not in path.parts)
    return sum(path.stat().st_size for path in found if path.is_file() and not path.is_symlink())
