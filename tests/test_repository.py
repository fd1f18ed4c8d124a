"""What a stranger meets first: the license, the package, the instructions and the public checks say what is so."""

from __future__ import annotations

import re
import subprocess
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
from hatchling.build import build_wheel, prepare_metadata_for_build_wheel

from tests.conftest import LONG, SLOW
from tidelog.spark.session.java import OLDEST

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tidelog"
LICENSE = (ROOT / "LICENSE").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))


def test_the_root_has_no_files_but_those_a_stranger_looks_for() -> None:
    files = subprocess.run(["git", "ls-files", "--", ":(glob)*"], cwd=ROOT, capture_output=True, text=True, check=True)
    ordinary = {"CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE", "Makefile", "README.md", "pyproject.toml"}
    assert {name for name in files.stdout.split() if not name.startswith(".")} <= ordinary


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, whose kernels are compiled for it; `tests/test_dist.py` installs and tries it."""
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return zipfile.ZipFile(folder / build_wheel(str(folder)))


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    folder = tmp_path_factory.mktemp("metadata")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return message_from_bytes((folder / prepare_metadata_for_build_wheel(str(folder)) / "METADATA").read_bytes())


def requirements(metadata: Message, extra: str | None) -> set[str]:
    """The names of the packages that an install brings with an extra, or without any."""
    found = metadata.get_all("Requires-Dist", [])
    mark = f"extra == '{extra}'"
    wanted = [line for line in found if (mark in line if extra else "extra ==" not in line)]
    return {re.split(r"[<>=~!;\[ ]", line, maxsplit=1)[0] for line in wanted}


@pytest.mark.long  # compiles two kernels
def test_license_is_in_the_wheel(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
    assert wheel.read(name).decode() == LICENSE
    assert "Version 2.0, January 2004" in LICENSE
    assert "END OF TERMS AND CONDITIONS" in LICENSE


@pytest.mark.long
def test_wheel_has_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    own = {path.relative_to(PACKAGE.parent).as_posix() for path in files}
    assert "tidelog/py.typed" in own
    assert own <= set(wheel.namelist())


def test_package_says_what_it_is(metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Author"] == "The Tidelog authors"
    assert "datalog" in metadata["Keywords"].split(",")
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    assert not metadata.get_all("Project-URL", [])


def test_an_install_without_extras_brings_no_spark(metadata: Message) -> None:
    assert requirements(metadata, None).isdisjoint({"pyspark", "py4j", "pandas", "numba", "duckdb", "clingo"})
    assert requirements(metadata, "spark") == {"cryptography", "pandas", "pyspark"}


def test_extras_for_work_on_tidelog_bring_spark_and_all_brings_everything(metadata: Message) -> None:
    needs = {extra: requirements(metadata, extra) for extra in EXTRAS}
    of_users = {"compile", "spark", "connect", "editor", "notebook", "says", "serve", "mcp", "postgres", "rdf"}
    assert set(needs) == of_users | {"docs", "bench", "dev", "all"}
    assert needs["compile"] == {"numba"}
    assert needs["spark"] <= needs["dev"] & needs["bench"]
    assert needs["compile"] | needs["notebook"] | needs["docs"] <= needs["dev"]
    assert needs["all"] == needs["spark"] | needs["bench"] | needs["dev"]


def test_every_dependency_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    listed = [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]
    for dependency in listed:
        assert re.search(rf'^  "{re.escape(dependency)}", +# \w+', text, re.MULTILINE), dependency


def test_makefile_installs_every_extra_of_a_clone() -> None:
    (extras,) = re.findall(r"--editable '\.\[([a-z,]+)\]'", MAKEFILE)
    assert set(extras.split(",")) == set(EXTRAS) - {"all"}


def test_make_alone_lists_the_targets() -> None:
    done = subprocess.run(["make", "-C", str(ROOT), "--no-print-directory"], capture_output=True, text=True, check=True)
    for target in re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE):
        assert re.search(rf"^  {target} +\S", done.stdout, re.MULTILINE), target


def test_what_is_run_again_or_left_out_is_there() -> None:
    named = re.findall(r"\b(?:tests|src)/[\w/.]+", MAKEFILE)
    assert named
    assert not [name for name in (*named, *(f"tests/{name}" for name in (*LONG, *SLOW))) if not (ROOT / name).exists()]


def test_public_checks_run_the_two_commands() -> None:
    commands = re.findall(r"- run: (.*)", WORKFLOW)
    assert {"make demo", "make test", "pip install ."} <= set(commands)
    assert f'java-version: "{OLDEST}"' in WORKFLOW
    for path in re.findall(r"(?:programs|examples)/[\w/.]+", WORKFLOW):
        assert (ROOT / path).exists(), path


def test_public_checks_begin_with_the_oldest_python_and_use_what_is_announced() -> None:
    (versions,) = re.findall(r"python: \[(.*)\]", WORKFLOW)
    used = re.findall(r"[\d.]+", versions)
    assert PROJECT["requires-python"] == f">={used[0]}"
    assert all(f"Programming Language :: Python :: {version}" in PROJECT["classifiers"] for version in used)


@pytest.mark.parametrize("path", re.findall(r"`((?:src|tests|docs|benchmarks|programs)/[\w./-]+)`", CONTRIBUTING))
def test_files_that_contributing_names_exist(path: str) -> None:
    assert (ROOT / path).exists()


def test_targets_and_links_of_contributing_exist() -> None:
    targets = re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", CONTRIBUTING, re.MULTILINE)
    named = {target for pair in targets for target in pair if target}
    assert {"check", "test", "docs"} <= named
    assert all(f"\n{target}:" in MAKEFILE for target in named)
    assert all((ROOT / link).exists() for link in re.findall(r"\]\(([^)]+)\)", CONTRIBUTING))


def test_names_that_contributing_tells_to_copy_exist() -> None:
    assert "\nPASSES:" in (PACKAGE / "rewrite" / "pipeline.py").read_text("utf-8")
    assert "diagnose(" in (PACKAGE / "program" / "types" / "arity.py").read_text("utf-8")
    assert "def cut(" in (PACKAGE / "program" / "functions" / "text.py").read_text("utf-8")
    assert '"substr"' in (PACKAGE / "program" / "functions" / "table.py").read_text("utf-8")


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_issue_templates_are_short_and_have_a_head(template: Path) -> None:
    text = template.read_text("utf-8")
    assert re.match(r"---\nname: .+\nabout: .+\nlabels: .+\n---\n", text)
    assert len(text.splitlines()) <= 20


def test_the_results_of_all_parts_are_printed_last(tmp_path: Path) -> None:
    def part(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ROOT / "scripts/part", *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    assert part("good", "echo", "3 passed, 1 skipped in 2.00s (0:00:02)").returncode == 0
    assert part("bad", "sh", "-c", "echo FAILED a.py::b - no; echo 1 failed, 2 passed in 3.1s; exit 2").returncode == 2
    assert part("lost", "sh", "-c", "exit 3").returncode == 3
    results = part()
    assert (results.returncode, results.stdout.split("\n")) == (
        1,
        [
            "",
            "Results:",
            "  FAILED  bad: 1 failed, 2 passed in 3.1s (status 2)",
            "            FAILED a.py::b - no",
            "  passed  good: 3 passed, 1 skipped in 2.00s (0:00:02)",
            "  FAILED  lost: no closing line of pytest (status 3)",
            "",
        ],
    )
    assert part().returncode == 1  # results are printed once
