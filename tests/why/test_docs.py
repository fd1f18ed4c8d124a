"""The tutorial and the Python reference run as they are printed, and the reference names all there is."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

import tidelog
from tidelog.engine.epoch import Epoch
from tidelog.engine.view import ChangeSet, Table
from tidelog.partition.limits import Limits

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "tutorial" / "why.md", DOCS / "reference" / "python.md", DOCS / "tutorial" / "paths.md"]
FOR_THE_ENGINE = {"commit", "preview", "read_rule", "no_change", "check_relation_name", "takes_frames"}
FOR_THE_ENGINE |= {"added", "removed", "facts", "frames"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_runs_as_printed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 14
    assert result.failed == 0


@pytest.mark.parametrize("kind", [tidelog.Engine, Epoch, Table, ChangeSet, Limits])
def test_reference_names_every_public_member(kind: type) -> None:
    text = PAGES[1].read_text(encoding="utf-8")
    names = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")} - FOR_THE_ENGINE
    assert not {name for name in names if re.search(rf"`(?:\w+\.)?{name}\b|\.{name}\b", text) is None}


def test_reference_names_everything_that_is_exported() -> None:
    text = PAGES[1].read_text(encoding="utf-8")
    assert not {name for name in tidelog.__all__ if name not in text}
