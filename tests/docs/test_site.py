"""The site: all pages are in it, links hold, and it is built without a warning."""

from __future__ import annotations

import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
import time
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import create_autospec

import griffe
import pytest

import tidelog
from tests.docs.pages import DOCS, PAGES, RESULTS, name, read


def load(file: str) -> ModuleType:
    spec = spec_from_file_location(file, DOCS / "site" / f"{file}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SITE = load("stage")


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    SITE.stage(folder)
    return folder


def test_every_page_is_in_the_site(staged: Path) -> None:
    assert not [page for page in map(name, [*PAGES, *RESULTS.glob("*.md")]) if not (staged / "pages" / page).exists()]
    assert not [plot for plot in RESULTS.glob("*.png") if not (staged / "pages" / name(plot)).exists()]


def test_every_link_leads_to_a_page_of_the_site(staged: Path) -> None:
    for page in sorted((staged / "pages").rglob("*.md")):
        text = re.sub(r"^<div.*$|^~~~~(?s:.*?)^~~~~$", "", page.read_text("utf-8"), flags=re.MULTILINE)
        for _, link, _ in SITE.LINK.findall(SITE.FENCE.sub("", text)):
            assert re.match(r"[a-z]+:", link) or (page.parent / link).is_file(), f"{page}: {link}"


def test_navigation_has_what_the_index_lists(staged: Path) -> None:
    text = (staged / "mkdocs.yml").read_text("utf-8")
    tabs = json.loads(text.rpartition("\nnav: ")[2])
    assert [title for tab in tabs for title in tab][1:7] == [
        *("Start here", "Tutorial", "Notebooks"),
        *("Coming from another system", "Reference", "Design"),
    ]
    listed = re.findall(r"\]\((\w+/[\w/-]+\.md)\)", read(DOCS / "README.md"))
    assert len(listed) > 30
    assert not [page for page in listed if f'"docs/{page}"' not in text]


def test_the_front_page_begins_with_the_doors(staged: Path) -> None:
    page = (staged / "pages" / "README.md").read_text("utf-8")
    doors = re.findall(r"^- \[[^\]]+\]\(docs/(jobs/\w+\.md)\)", page, re.MULTILINE)
    assert len(doors) == 5
    assert page.index(doors[-1]) < page.index("\n## ")
    assert doors == re.findall(r"\]\((jobs/\w+\.md)\)", read(DOCS / "README.md"))


def test_the_reference_has_every_public_name(staged: Path) -> None:
    page = (staged / "pages" / SITE.REFERENCE).read_text("utf-8")
    told = {line.rsplit(".", 1)[1] for line in page.splitlines() if line.startswith("::: ")}
    assert set(tidelog.__all__) <= told


def exported_classes() -> list[type]:
    """The classes of the API page."""
    homes = re.findall(r"^::: ([\w.]+)\.(\w+)$", SITE.reference(), re.MULTILINE)
    found = [getattr(import_module(module), name) for module, name in homes]
    return [kind for kind in found if inspect.isclass(kind)]


def public_members(kind: type) -> dict[str, object]:
    """The members of a class that Tidelog defines for users, by name."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("tidelog")]
    return {name: base.__dict__[name] for base in reversed(ours) for name in vars(base) if not name.startswith("_")}


@cache  # reads the whole package
def sources() -> griffe.Object | griffe.Alias:
    return griffe.load("tidelog", search_paths=[str(DOCS.parent / "src")])


@pytest.mark.parametrize("kind", exported_classes(), ids=lambda kind: kind.__name__)
def test_the_reference_shows_every_public_member(kind: type) -> None:
    shown = sources()[f"{kind.__module__}.{kind.__name__}".removeprefix("tidelog.")]
    assert set(public_members(kind)) <= set(shown.all_members)
    for own_name, member in public_members(kind).items():
        if callable(member) or isinstance(member, property | classmethod):
            assert shown.all_members[own_name].docstring is not None, own_name
            assert not callable(member) or inspect.signature(member), own_name


def test_members_of_an_engine_have_signatures_where_they_are_looked_at() -> None:
    text = re.sub(r"[\s|]+", " ", pydoc.render_doc(tidelog.Engine, renderer=pydoc.plaintext))
    assert "epoch( self, source:" in text.replace("epoch(self,", "epoch( self,")
    assert "query(self, text: 'str') -> 'Rows'" in text
    mock = create_autospec(tidelog.Engine, instance=True)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        mock.epoch(comment="no such argument")


def test_a_notebook_is_a_page_with_what_it_shows(staged: Path) -> None:
    page = (staged / "pages/examples/notebooks/01_access_rights.ipynb.md").read_text("utf-8")
    assert "~~~~ tidelog\n// The roles of each user" in page
    assert "<svg" in page
    assert "`%%tidelog dry`\n\n~~~~ tidelog\nmember(eve, engineer)." in page


def test_sessions_of_docstrings_are_fenced() -> None:
    fenced = load("fence_doctests").fenced
    text = "Adds.\n\n>>> x = 1\n>>> x\n1\n\nMore.\n\n>>> y\n2\n"
    assert fenced(text) == "Adds.\n\n```pycon\n>>> x = 1\n>>> x\n1\n```\n\nMore.\n\n```pycon\n>>> y\n2\n```\n"
    assert fenced("Nothing to do.") == "Nothing to do."


def test_sessions_have_colours(staged: Path) -> None:
    coloured = SITE.INDENTED.sub(
        SITE.coloured, "Text.\n\n    >>> 1 + 1\n    2\n\n    >>> 3\n    3\n\nMore.\n\n    plain\n"
    )
    assert coloured == "Text.\n\n```pycon\n>>> 1 + 1\n2\n\n>>> 3\n3\n```\n\nMore.\n\n    plain\n"
    for page in (staged / "pages" / "docs").rglob("*.md"):
        assert not re.search(r"^\n    (?:>>> |\$ )", page.read_text("utf-8"), re.MULTILINE), page


@pytest.fixture(scope="module")
def built(staged: Path) -> Path:
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "--quiet", "build", "--strict"]
    done = subprocess.run(command, cwd=staged, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return staged / "html"


@pytest.mark.long
def test_the_search_box_works_from_a_folder(built: Path, browser: Any) -> None:
    browser.get((built / "docs" / "reference" / "server.html").as_uri())
    browser.execute_script("document.querySelector('label[for=__search]').click()")
    box = browser.find_element("css selector", "input.md-search__input")
    box.send_keys("quarantine")
    until = time.monotonic() + 60
    while not (found := browser.find_elements("css selector", ".md-search-result__item")):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert "PostgreSQL" in found[0].text


@pytest.mark.long
def test_the_site_is_built_without_a_warning(built: Path) -> None:
    found = json.loads((built / "search" / "search_index.json").read_text("utf-8"))["docs"]
    assert any("ranked support" in entry["text"].lower() for entry in found)
    api = (built / "docs" / "reference" / "api.html").read_text("utf-8")
    assert "Datalog views that are kept up to date while facts and rules change." in api
    assert "<blockquote>" not in api
    outside = [
        page
        for page in built.rglob("*.html")
        if re.search(r'(?:src|href)="https?://(?:fonts|unpkg)', page.read_text("utf-8"))
    ]
    assert not outside
    coloured = (built / "docs" / "reference" / "language.html").read_text("utf-8")
    assert '<span class="nv">X</span>' in coloured
