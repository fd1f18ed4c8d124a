"""A sandbox: what a program names outside of its folders is neither read, written nor shown."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.runner import CliRunner
from tidelog.cli.base.application import app

SECRET = "root:x:0:0"
DECLARED = ".decl edge(a: symbol)\n.decl p(a: symbol)\np(a) :- edge(a).\n"


def told(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output + result.stderr


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "edge.facts").write_text(f"{SECRET}\n")
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "edge.facts").write_text("a\n")
    (folder / "link.facts").symlink_to(tmp_path / "outside" / "edge.facts")
    (folder / "linked").symlink_to(tmp_path / "outside")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('.input edge(filename="../outside/edge.facts")', "TL4880"),
        ('.input edge(filename="link.facts")', "TL4880"),
        ('.input edge(filename="linked/edge.facts")', "TL4880"),
        ('.input edge(filename="../outside/none.facts")', "TL4880"),
        ('.input edge(filename="../outside/*.facts")', "TL4880"),
        ('.input edge(filename="linked/*")', "TL4880"),
        ('.input edge(filename="l*.facts")', "TL4880"),
        ('.output p(filename="../outside/p.csv")', "TL4880"),
        ('.output p(filename="linked/p.csv")', "TL4880"),
        ('#include "../outside/edge.facts"', "TL180"),
        ('#include "linked/edge.facts"', "TL180"),
        ('.include "../outside/none.dl"', "TL180"),
    ],
)
def test_what_lies_outside_is_refused_without_a_word_of_it(inside: Path, text: str, code: str) -> None:
    (inside / "p.dl").write_text(DECLARED + text + "\n")
    words = ("run", "p.dl", "--runtime", "embedded", "-D", ".")
    status, output = told(*words, "--sandbox")
    assert status == 1
    assert f"error[{code}]" in output
    assert SECRET not in output
    assert not (inside.parent / "outside" / "p.csv").exists()
    status, output = told("explain", "p.dl", "-F", ".", "--sandbox")
    assert SECRET not in output


def test_a_folder_more_is_allowed(inside: Path) -> None:
    (inside / "p.dl").write_text(DECLARED + '.input edge(filename="../outside/edge.facts")\n.output p\n')
    status, output = told("run", "p.dl", "--runtime", "embedded", "-D", "-", "--allow", "../outside")
    assert (status, SECRET in output) == (0, True)
    status, output = told("query", "p.dl", "p(X)", "--allow", "linked")
    assert (status, SECRET in output) == (0, True)
    status, output = told("run", "p.dl", "--runtime", "embedded", "-D", "-", "--allow", ".")
    assert (status, SECRET in output) == (1, False)


def test_files_beside_the_program_of_facts_and_of_outputs_are_inside(inside: Path) -> None:
    (inside / "more.dl").write_text("p(a) :- edge(b), a = cat(b, b).\n")
    (inside / "p.dl").write_text('#include "more.dl"\n' + DECLARED + ".input edge\n.output p\n")
    status, output = told("run", "inside/p.dl", "-F", "inside", "-D", "new", "--runtime", "embedded", "--sandbox")
    assert status == 1  # there is no such program here
    status, output = told("run", "p.dl", "-D", "../new", "--runtime", "embedded", "--sandbox")
    assert (status, (inside / "../new/p.csv").read_text()) == (0, "a\naa\n"), output


def test_a_foreign_file_is_not_shown_by_check(inside: Path) -> None:
    (inside / "p.dl").write_text('#include "../outside/edge.facts"\n')
    status, output = told("check", "p.dl", "--sandbox")
    assert (status, SECRET in output) == (1, False)
    status, output = told("why", "p.dl", "p(1)", "--sandbox")
    assert SECRET not in output


def test_a_folder_of_files_is_looked_into(inside: Path) -> None:
    (inside / "rows.parquet").mkdir()
    pq.write_table(pa.table({"x": [SECRET]}), inside / "../outside/x.parquet")
    (inside / "rows.parquet/part-0.parquet").symlink_to(inside / "../outside/x.parquet")
    (inside / "p.dl").write_text(DECLARED + '.input edge(filename="rows.parquet", IO=parquet)\n.output p\n')
    status, output = told("run", "p.dl", "--runtime", "embedded", "-D", "-", "--sandbox")
    assert (status, SECRET in output) == (1, False)
    status, output = told("run", "p.dl", "--runtime", "embedded", "-D", "-")
    assert (status, SECRET in output) == (0, True)
