"""The Python reference names everything that is public."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

import tidelog
import tidelog.dbsp
from tests.docs.pages import DOCS, read
from tidelog.epoch import Epoch
from tidelog.partition.machine import Limits
from tidelog.view import ChangeSet, Table, View

PAGE = read(DOCS / "reference" / "python.md")
FOR_THE_ENGINE = {
    "read_rule",
    "no_change",
    "check_relation_name",
    "takes_frames",
    "added",
    "removed",
    "facts",
    "frames",
}


@pytest.mark.parametrize("name", tidelog.__all__)
def test_every_exported_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE)


@pytest.mark.parametrize("kind", [tidelog.Engine, Epoch, View, Table, ChangeSet, Limits])
def test_every_public_member_is_documented(kind: type) -> None:
    names = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")} - FOR_THE_ENGINE
    assert not {name for name in names if re.search(rf"`(?:\w+\.)?{name}\b|\.{name}\b", PAGE) is None}


@pytest.mark.parametrize("package", [tidelog, tidelog.dbsp], ids=lambda package: package.__name__)
def test_exported_names_exist_and_are_sorted(package: ModuleType) -> None:
    names = package.__all__
    assert all(hasattr(package, name) for name in names)
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))
