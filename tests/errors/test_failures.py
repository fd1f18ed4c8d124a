"""Every way in which a call fails has a code, an example or a test that ends in it, and a text that no other has."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.runner import CliRunner
from tidelog.cli import app
from tidelog.cli.base.extensions import extensions
from tidelog.cli.diagnostics_page import FAILURE_CATALOGUES, FAILURE_FAMILIES, all_failures
from tidelog.errors import TidelogError
from tidelog.errors.entry import FailureEntry

ROOT = Path(__file__).parents[2]
COMMANDS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where `tidelog` is installed
ENVIRONMENT = {**os.environ, "PATH": COMMANDS}
ENTRIES = all_failures()
CATALOGUES = (*FAILURE_CATALOGUES, *(import_module(name) for each in extensions() for name in each.failures))
CATALOGUED = {"TidelogError", *(kind for *_, kind in FAILURE_FAMILIES), *(entry.kind.__name__ for entry in ENTRIES)}
WITHOUT_CODES = {"testing"}  # the naive judge: seen by tests, and by `tidelog simulate`, which has separate codes
OUTSIDE = {"follow"}  # what talks to databases, whose errors are of several classes too
THEORY = {"lab"}  # calculus and simulator: libraries to learn from, whose errors are of several classes
SOURCES = {path: path.read_text("utf-8") for path in sorted((ROOT / "src" / "tidelog").rglob("*.py"))}
RUNNABLE = [entry for entry in ENTRIES if entry.example]


def constant_of(entry: FailureEntry[Any]) -> tuple[str, str]:
    """The package and the name by which code speaks of an entry."""
    return next(
        (module.__name__.split(".")[1], name)
        for module in CATALOGUES
        for name, value in vars(module).items()
        if value is entry
    )


def is_raised(entry: FailureEntry[Any]) -> bool:
    """Whether any code speaks of the entry, besides its catalogue."""
    package, name = constant_of(entry)
    known = re.compile(rf"from tidelog\.{package}(?:\.\w+)*? import [^)]*?\b(?:failures|{name})\b")
    return any(known.search(text) for text in users().get(name, ()))


@cache
def users() -> dict[str, list[str]]:
    """The sources that raise or mark by a name, by that name."""
    found: dict[str, list[str]] = {}
    for text in SOURCES.values():
        for name in set(re.findall(r"\b(\w+)\.(?:error|mark)\(", text)):
            found.setdefault(name, []).append(text)
    return found


TESTED = [entry for entry in ENTRIES if entry.test]


def code_of(entry: FailureEntry[Any]) -> str:
    return entry.code


def test_every_failure_has_a_code_of_its_own() -> None:
    codes = [entry.code for entry in ENTRIES]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"TL[1-8]\d{3}", code) for code in codes)


def test_every_failure_of_a_catalogue_is_listed() -> None:
    values = (value for module in CATALOGUES for value in vars(module).values())
    defined = {value.code for value in values if isinstance(value, FailureEntry)}
    assert defined == {entry.code for entry in ENTRIES}


def test_every_failure_has_title_rule_and_advice() -> None:
    assert not [entry.code for entry in ENTRIES if not entry.title]
    assert not [entry.code for entry in ENTRIES if not entry.note.endswith((".", "`"))]
    # A hint, or a message that says it.
    assert not [e.code for e in ENTRIES if not e.hint and not re.search(r"[;:.] |\{advice\}", e.template)]
    assert not [entry.code for entry in ENTRIES if bool(entry.example) == bool(entry.test)]


def test_every_failure_is_raised_somewhere() -> None:
    assert not [entry.code for entry in ENTRIES if not is_raised(entry)]


def test_no_error_is_worded_where_it_is_raised() -> None:
    found = {str(path.relative_to(ROOT)): lines for path, text in SOURCES.items() if (lines := worded_in(text))}
    assert {path for path in found if path.split("/")[2] not in WITHOUT_CODES} == set()


def worded_in(text: str) -> list[int]:
    """The lines that make an error by its class, with a separate text, where a catalogue should be used."""
    tree = ast.parse(text)
    marked = {id(arg) for node in ast.walk(tree) if _is_mark(node) for arg in node.args}  # type: ignore[attr-defined]
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in marked)
    return [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id in CATALOGUED]


def _is_mark(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "mark"


def test_the_family_of_a_code_is_the_class_of_its_error() -> None:
    for entry in ENTRIES:
        family = next(kind for prefix, _, kind in FAILURE_FAMILIES if entry.code.startswith(prefix))
        assert family in {kind.__name__ for kind in entry.kind.__mro__}, entry.code


def test_codes_of_the_theory_are_a_family_of_their_own() -> None:
    assert {constant_of(entry)[0] for entry in ENTRIES if entry.code.startswith("TL7")} - OUTSIDE == THEORY
    assert [e.code for e in ENTRIES if constant_of(e)[0] in THEORY and not e.code.startswith("TL7")] == []


@pytest.mark.parametrize("entry", RUNNABLE, ids=code_of)
def test_example_of_a_failure_ends_in_its_code(
    entry: FailureEntry[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if entry.example.startswith("$ "):
        assert f"error[{entry.code}]: " in _typed(entry.example)
    else:
        error = _raised(entry.example)
        assert (error.code, type(error)) == (entry.code, entry.kind), str(error)
        assert error.note
        assert bool(error.hint) == bool(entry.hint)


def _raised(example: str) -> TidelogError:
    with pytest.raises(TidelogError) as raised:
        exec("from pathlib import Path\nfrom tidelog import *\n" + example, {})  # our own catalogue
    return raised.value


def _typed(example: str) -> str:
    """What the last command says on standard error; those before it prepare its files."""
    *before, last = (line.removeprefix("$ ") for line in example.splitlines())
    for line in before:
        subprocess.run(line, shell=True, check=True, executable="/bin/sh", env=ENVIRONMENT)  # as above
    result = CliRunner().invoke(app, last.split()[1:])
    assert result.exit_code == 1, result.output
    return result.stderr


@pytest.mark.parametrize("entry", TESTED, ids=code_of)
def test_failure_without_an_example_is_provoked_by_the_test_it_names(entry: FailureEntry[Any]) -> None:
    file, _, name = entry.test.partition("::")
    text, functions = functions_of(ROOT / file)
    found = [function for function in functions if function.name == name]
    assert found, f"there is no {entry.test}"
    (function,) = found
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    assert entry.code in "\n".join(text.splitlines()[first - 1 : function.end_lineno])


@cache  # one file provokes many failures
def functions_of(file: Path) -> tuple[str, list[ast.FunctionDef]]:
    text = file.read_text("utf-8")
    return text, [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
