"""Every Python session of every page gives what the page says; `test_spark_page.py` has those that need Spark.

Run again by `make test` with two partitions in one process, since a page must not depend on how many there are.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT, name, read, session_text

ON_SPARK = (DOCS / "tutorial" / "spark.md", DOCS / "jobs" / "spark.md")
SESSIONS = [page for page in PAGES if ">>> " in read(page) and page not in ON_SPARK]
LEARNT = [DOCS / "tutorial" / f"{stem}.md" for stem in ("start", "circuits", "why", "paths")]


@pytest.mark.parametrize("page", SESSIONS, ids=name)
def test_page_runs_as_printed(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if page == ROOT / "README.md":  # its readers save the program
        Path("rights.dl").write_text(re.findall(r"```prolog\n(.*?)```", read(page), re.DOTALL)[0])
    session = doctest.DocTestParser().get_doctest(session_text(page), {}, page.name, str(page), 0)
    results = doctest.DocTestRunner().run(session)
    assert results.attempted == len(session.examples) > 0
    assert results.failed == 0


def test_pages_to_learn_from_have_sessions() -> None:
    assert not [page for page in LEARNT if page not in SESSIONS]
    assert not [page for page in (DOCS / "design" / "papers").glob("[!R]*.md") if page not in SESSIONS]


def test_the_drawing_on_a_page_is_what_its_session_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / "tutorial" / "why.md"
    doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(session_text(page), {}, page.name, str(page), 0))
    assert Path("proof.svg").read_text() == (DOCS / "images" / "proof.svg").read_text()
