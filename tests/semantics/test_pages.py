"""The examples in the design pages are run as they stand."""

import doctest
from pathlib import Path

import pytest

DESIGN = Path(__file__).parents[2] / "docs" / "design"
PAGES = sorted([*(DESIGN / "papers").glob("*.md"), DESIGN / "semantics.md"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_example_of_the_page_gives_what_the_page_says(page):
    # A closing fence right after an output line would be read as output.
    text = "\n".join("" if line.startswith("```") else line for line in page.read_text().splitlines())
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    results = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL).run(example)
    assert results.failed == 0


def test_every_page_of_the_papers_is_listed():
    listed = (DESIGN / "papers" / "README.md").read_text()
    assert [page.name for page in PAGES if page.parent.name == "papers" and f"]({page.name})" not in listed] == [
        "README.md"
    ]
