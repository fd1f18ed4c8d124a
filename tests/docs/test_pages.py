"""Pages are linked, links lead somewhere, and what pages name exists: files, modules, tests, targets, variables."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PACKAGE, PAGES, ROOT, name, read, without_code

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
INDEXES = (DOCS / "README.md", DOCS / "adr" / "README.md", DOCS / "design" / "papers" / "README.md")
PLACES = ("", "src/tidelog", "tests", "benchmarks", "examples")


def anchors(page: Path) -> set[str]:
    """What a link may point at: headings as code hosts name them, and explicit ids."""
    headings = re.findall(r"^#+ +(.*)$", read(page), re.MULTILINE)
    slugs = {
        re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", heading).lower()).strip().replace(" ", "-")
        for heading in headings
    }
    return slugs | set(re.findall(r'id="([^"]+)"', read(page)))


def spans(page: Path) -> list[str]:
    """What stands in backquotes in the prose of a page."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", read(page), flags=re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(without_code(read(page))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_every_page_is_linked_from_an_index() -> None:
    listed = {(index.parent / link).resolve() for index in INDEXES for link in LINK.findall(read(index))}
    assert not [page for page in DOCS.rglob("*.md") if page.resolve() not in listed and page != DOCS / "README.md"]


@cache
def file_names() -> set[str]:
    return {path.name for place in PLACES[1:] for path in (ROOT / place).rglob("*.py")}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_and_folders_that_a_page_names_exist(page: Path) -> None:
    for span in spans(page):
        if re.fullmatch(r"(tests|src|benchmarks|examples|programs|docs|proofs)/[\w./-]*", span):
            assert (ROOT / span).exists(), span
        elif re.fullmatch(r"\w+\.py", span):
            assert span in file_names(), span
        elif re.fullmatch(r"[\w/]+/\w+\.py", span):
            assert any((ROOT / place / span).exists() for place in PLACES), span


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_names_of_the_package_that_a_page_uses_exist(page: Path) -> None:
    for path in re.findall(r"(?<!spark\.)\btidelog(?:\.[A-Za-z_]\w*)+", read(page)):
        # a file of state folders, a group of entry points, a property of tables
        if path not in ("tidelog.json", "tidelog.extensions", "tidelog.epoch"):
            assert resolves(path.split(".")), path


def resolves(parts: list[str]) -> bool:
    """Whether a dotted name is a module, or something in one."""
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


@cache
def sources(folder: str) -> str:
    return "\n".join(path.read_text("utf-8") for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tests_and_variables_that_a_page_names_exist(page: Path) -> None:
    for beginning, test in re.findall(r"(names beginning with )?(?:`|::)(test_\w+)(?:`|$)", read(page), re.MULTILINE):
        assert f"def {test}{'' if beginning else '('}" in sources("tests"), test
    for variable in re.findall(r"\bTIDELOG_\w+", read(page)):
        assert f'"{variable}"' in sources("src") + sources("tests"), variable


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_targets_and_modules_to_run_that_a_page_names_exist(page: Path) -> None:
    makefile = read(ROOT / "Makefile")
    for target in re.findall(r"(?:`|^ *|TIDELOG_RUNTIME=embedded )make ([a-z][a-z-]*)", read(page), re.MULTILINE):
        assert f"\n{target}:" in makefile, target
    for module in re.findall(r"python -m ([\w.]+)", read(page)):
        path = module.replace(".", "/")
        files = (f"{path}.py", f"src/{path}.py", f"{path}/__main__.py", f"src/{path}/__main__.py")
        assert any((ROOT / file).exists() for file in files), module


def test_overview_names_every_package() -> None:
    text = read(DOCS / "design" / "overview.md")
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert not {package for package in packages if package not in text}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_page_speaks_without_belittling(page: Path) -> None:
    assert not re.findall(r"\b(simply|obviously)\b", without_code(read(page)), re.IGNORECASE)
