"""Pages are linked, links lead somewhere, and what pages name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PACKAGE, PAGES, ROOT

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a link may point at: headings as code hosts name them, and explicit ids."""
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    slugs = {
        re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", heading).lower()).strip().replace(" ", "-")
        for heading in headings
    }
    return slugs | set(re.findall(r'id="([^"]+)"', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(without_code(page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name}: {link}"


def test_every_page_is_linked_from_an_index() -> None:
    listed = set()
    for index in (DOCS / "README.md", DOCS / "adr" / "README.md", DOCS / "design" / "papers" / "README.md"):
        listed |= {(index.parent / link).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    missing = [page for page in DOCS.rglob("*.md") if page.resolve() not in listed and page != DOCS / "README.md"]
    assert not missing


def test_pages_name_tests_that_exist() -> None:
    for page in (DOCS / "design").glob("*.md"):
        for path in re.findall(r"`((?:tests|src|benchmarks|examples|programs)/[\w./-]+)`", page.read_text("utf-8")):
            assert (ROOT / path).exists(), f"{page.name}: {path}"


def test_overview_names_every_package() -> None:
    text = (DOCS / "design" / "overview.md").read_text("utf-8")
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert not {name for name in packages if name not in text}


def test_pages_speak_without_belittling() -> None:
    for page in PAGES:
        found = re.findall(r"\b(simply|obviously)\b", without_code(page.read_text("utf-8")), re.IGNORECASE)
        assert not [word for word in found if "short and obvious" not in word], page
