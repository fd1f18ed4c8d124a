"""Every error of Tidelog crosses processes with its text, code and attributes."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import tidelog
from tidelog.engine.engine import Engine
from tidelog.errors import ProgramError, TidelogError
from tidelog.syntax import parse_program

WRONG = "p(X) :- q(Y), r(X.\nq(1, 2). q(3)."


def kinds(kind: type[TidelogError]) -> list[type[TidelogError]]:
    return [kind, *(inner for child in kind.__subclasses__() for inner in kinds(child))]


def all_kinds() -> list[type[TidelogError]]:
    for module in pkgutil.walk_packages(tidelog.__path__, "tidelog."):
        if module.name.rpartition(".")[2] in ("errors", "request"):
            importlib.import_module(module.name)
    return kinds(TidelogError)


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.__name__)
def test_every_kind_of_error_survives_pickling(kind: type[TidelogError]) -> None:
    error = kind.__new__(kind)
    error.args, error.code, error.note = (1, "why", 2.0), "TL9999", "the rule"
    error.__dict__.update(number=1, reason="why", diagnostics=())
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is kind
        assert (other.args, other.__dict__, str(other)) == (error.args, error.__dict__, str(error))


def test_a_program_error_survives_pickling() -> None:
    with pytest.raises(ProgramError) as raised:
        parse_program(WRONG)
    other = pickle.loads(pickle.dumps(raised.value))
    assert (str(other), other.diagnostics, other.code) == (str(raised.value), raised.value.diagnostics, "TL103")
    worded = pickle.loads(pickle.dumps(raised.value.reworded("in a.dl")))
    assert (str(worded), len(worded.diagnostics)) == ("in a.dl", len(other.diagnostics))


def test_a_program_error_leaves_a_process_pool() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, pytest.raises(ProgramError, match="TL103"):
        pool.submit(Engine, WRONG).result()
