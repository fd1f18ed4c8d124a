"""Every error class is known to the tree, can be caught by its public name and crosses processes whole."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

import tidelog
from tidelog import errors
from tidelog.errors import Diagnostic, ProgramError, Source, Span, StateWarning, TidelogError

FINDING = Diagnostic("TL301", "not bound", Span(Source("a.dl", "p(X)."), 2, 3), "a note", "a hint")
ARGUMENTS = {
    "ProgramError": ([FINDING],),
    "PartitionLost": (1, "gone"),
    "NodeLost": (1, "gone"),
    "NoAnswer": (0, "call", 2.0),
}


def error_classes() -> list[type[TidelogError]]:
    for module in pkgutil.walk_packages(tidelog.__path__, "tidelog."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return sorted(_below(TidelogError), key=lambda kind: kind.__name__)


def _below(kind: type[TidelogError]) -> Iterator[type[TidelogError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__.startswith("tidelog."):
            yield from _below(child)


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_error_survives_pickling_whole(kind: type[TidelogError]) -> None:
    error = kind(*ARGUMENTS.get(kind.__name__, ("it failed",)))
    error.code, error.note, error.hint = "TL1234", "a note", "a hint"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert (str(again), again.__dict__) == (str(error), error.__dict__)
    assert (again.code, again.note, again.hint) == (error.code, error.note, error.hint)


def test_diagnostics_survive_pickling() -> None:
    again = pickle.loads(pickle.dumps(ProgramError([FINDING])))
    assert again.diagnostics == (FINDING,)
    assert (again.code, again.note, again.hint) == ("TL301", "a note", "a hint")
    assert str(again) == "a.dl:1:3: TL301: not bound"


def test_program_error_without_findings_has_no_code() -> None:
    assert ProgramError([]).code == ""


def test_warning_survives_pickling() -> None:
    assert str(pickle.loads(pickle.dumps(StateWarning("a file")))) == "a file"


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_stands_in_the_tree(kind: type[TidelogError]) -> None:
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__


def test_errors_about_spark_need_no_spark() -> None:
    code = "import tidelog, sys; tidelog.PreflightError, tidelog.NotTrueError; print('pyspark' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output == "False\n"


def test_other_words_keep_code_and_advice() -> None:
    error = errors.DataError("`four` is not a number")
    error.code, error.note, error.hint = "TL1009", "a note", "a hint"
    output = error.reworded(f"edge.facts:2: {error}")
    assert (type(output), output.code, output.note, output.hint) == (errors.DataError, "TL1009", "a note", "a hint")
