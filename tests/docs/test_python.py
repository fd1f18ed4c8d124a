"""The Python reference names everything that is public."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import tidelog
import tidelog.lab.dbsp
from tests.docs.pages import DOCS, PAGES, read
from tests.docs.pages import name as page_name
from tidelog.engine.read.view import ChangeSet, Table, View
from tidelog.engine.write.epoch import Epoch
from tidelog.partition.base.limits import Limits

PAGE = "\n".join(read(page) for page in sorted((DOCS / "reference").glob("python*.md")))
KINDS = (tidelog.Engine, Epoch, View, Table, ChangeSet, Limits)
NAMES = {name for kind in KINDS for name in dir(kind)}
FOR_THE_ENGINE = {
    "is_ordered",
    "read_rule",
    "report",
    "no_change",
    "check_relation_name",
    "takes_arrivals",
    "write",
    "added",
    "removed",
    "facts",
    "frames",
}


OWNERS = {
    **{name: [call for kind in KINDS if callable(call := getattr(kind, name, None))] for name in NAMES},
    **{name: [getattr(tidelog, name)] for name in tidelog.__all__},
}


@pytest.mark.parametrize("name", tidelog.__all__)
def test_every_exported_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE)


@pytest.mark.parametrize("kind", KINDS)
def test_every_public_member_is_documented(kind: type) -> None:
    names = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")} - FOR_THE_ENGINE
    assert not {name for name in names if re.search(rf"`(?:\w+\.)?{name}\b|\.{name}\b", PAGE) is None}


@pytest.mark.parametrize("package", [tidelog, tidelog.lab.dbsp], ids=lambda package: package.__name__)
def test_exported_names_exist_and_are_sorted(package: ModuleType) -> None:
    names = package.__all__
    assert all(hasattr(package, name) for name in names)
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))


def documented() -> list[tuple[str, str]]:
    """Names and parameters of all calls that the reference writes out."""
    calls = re.findall(r"`(\w+)\(([^`]*)\)`", PAGE)
    return [(name, " ".join(given.split())) for name, given in calls if OWNERS.get(name)]


@pytest.mark.parametrize(("name", "given"), documented())
def test_parameters_and_defaults_are_as_documented(name: str, given: str) -> None:
    assert any(fits(owner, given) for owner in OWNERS[name]), f"{name}({given})"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_arguments_of_engines_on_pages_exist(page: Path) -> None:
    given = {word for call in re.findall(r"\bEngine\(([^()]*)\)", read(page)) for word in re.findall(r"\b(\w+)=", call)}
    assert given <= set(inspect.signature(tidelog.Engine).parameters)


def fits(call: Callable[..., object], given: str) -> bool:
    """Whether a call has these parameters, in this order, with these defaults; `...` stands for any."""
    told = inspect.signature(eval(f"lambda {given}: None")).parameters
    real = {name: each for name, each in inspect.signature(call).parameters.items() if name != "self"}
    if [name for name in real if name in told] != list(told):
        return False
    return all(each.default in (..., real[name].default) for name, each in told.items())
