"""Measured figures on pages are those of the results pages.

1. A paragraph that links a page of `benchmarks/results` names no number that is not on such a page that it links. A
   small number is on any page by chance, so it must stand there in one line with another number of the paragraph.
2. Elsewhere no page names a measured time or ratio, but for what was tried once and is not in the code any more.
3. The targets that the page about benchmarks names are those that the results are held against.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, RESULTS, name, read, without_blocks, without_code

BENCHMARKS = DOCS / "design" / "benchmarks.md"
NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w])")
MEASURED = re.compile(r"(?<![\w.,-])\d[\d,.]* ?(?:x|µs|ns|ms|s|seconds|milliseconds|MiB|GiB)\b")
LINKED = re.compile(r"\]\([./]*benchmarks/results/(\w+\.md)\)")
TRIED_ONCE = {
    ("docs/design/paths.md", "What was tried and left out"),
    ("docs/design/events.md", "What was tried"),  # seconds of virtual time
}


def paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", without_blocks(text))


def numbers(text: str) -> set[str]:
    """The numbers of a text, those in code and in addresses left out."""
    return {found.rstrip(".,") for found in NUMBER.findall(re.sub(r"\]\([^)]*\)", "]", without_code(text)))}


def unfounded(paragraph: str) -> set[str]:
    """Numbers of a paragraph that no results page has to which it links, in a line with another of them."""
    pages, quoted = [RESULTS / found for found in LINKED.findall(paragraph)], numbers(paragraph)
    lines = [set(re.findall(r"\d[\d,.]*\d|\d", line)) for page in pages for line in read(page).splitlines()]
    known = {number for line in lines for number in line & quoted if len(line & quoted) > 1 or len(quoted) == 1}
    return quoted - known if pages else set()


def sections(text: str) -> list[tuple[str, str]]:
    """Headings with the text below them."""
    parts = re.split(r"^#+ +(.*)$", without_code(without_blocks(text)), flags=re.MULTILINE)
    return list(zip(["", *parts[1::2]], parts[::2], strict=True))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_figures_beside_a_link_to_results_stand_there(page: Path) -> None:
    assert not [found for paragraph in paragraphs(read(page)) for found in unfounded(paragraph)]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page not in (BENCHMARKS, DOCS / "reference" / "diagnostics.md")], ids=name
)
def test_no_other_figure_was_measured(page: Path) -> None:
    for heading, text in sections(read(page)):
        if (name(page), heading) not in TRIED_ONCE:
            loose = [part for part in paragraphs(text) if not LINKED.search(part)]
            assert not [found for part in loose for found in MEASURED.findall(part)], heading


def test_what_was_tried_once_still_has_its_figures() -> None:
    for page, heading in TRIED_ONCE:
        assert MEASURED.search(dict(sections(read(DOCS.parent / page)))[heading])


def test_targets_are_those_of_the_results() -> None:
    targets = re.findall(r"at most\s+([\d.]*\d)", read(BENCHMARKS), re.IGNORECASE)
    held = re.findall(r"at most ([\d.]*\d)", read(RESULTS / "engine.md"))
    assert len(targets) > 5
    assert not set(targets) - set(held)


def test_a_figure_that_the_results_lack_is_noticed() -> None:
    link = "([results](../../benchmarks/results/engine.md))"
    assert unfounded(f"It takes 123.456 ms, `edge+(7, X)` aside {link}.") == {"123.456"}
    assert MEASURED.findall("It takes 123.456 ms, or 2 x as long.") == ["123.456 ms", "2 x"]
