"""Stone 20: what notebooks show of an engine, of changes, proofs, explanations and profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tidelog import Engine
from tidelog.why.proof import Proof
from tidelog.why.tree import Condition, FactNode

PROGRAM = """
base: reach(X, Y) :- edge(X, Y).
step: reach(X, Z) :- edge(X, Y), reach(Y, Z).
far(X, count<Y>) :- reach(X, Y), X != Y.
alone(X) :- node(X), !reach(X, _).
"""
EVIL = "<script>alert(1)</script>&"


class Checked(HTMLParser):
    """HTML whose elements are all closed in order; collects its text and counts its elements."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.counts: dict[str, int] = {}
        self.words: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def shown(thing: Any) -> Checked:
    """What a notebook gets, as it asks for it."""
    found = Checked(thing._repr_html_())
    assert "script" not in found.counts
    assert "style" not in found.counts
    return found


@pytest.fixture
def db() -> Iterator[Engine]:
    with Engine(PROGRAM) as db:
        with db.epoch() as e:
            e.insert("edge", [(i, i + 1) for i in range(6)])
            e.insert("node", [(0,), (99,)])
        yield db


def test_notebook_shows_an_engine(db: Engine) -> None:
    page = shown(db)
    assert "Engine, epoch 2: 5 relations, 4 rules" in page.text
    assert "reach X: number, Y: number view 21" in page.text
    assert "edge c1: number, c2: number base 6" in page.text
    assert "step: reach(X, Z) :- edge(X, Y), reach(Y, Z)." in page.text
    db.close()
    assert shown(db).text == "Engine, closed"
    assert "0 relations" in shown(Engine()).text


def test_notebook_shows_changes(db: Engine) -> None:
    with db.epoch() as e:
        e.delete("edge", [(2, 3)])
        e.insert("edge", [(6, 7)])
    page = shown(e.changes)
    assert page.counts["details"] == len(e.changes) == 3
    assert "edge +1 −1" in page.text
    assert "... 2 more" in page.text
    with db.epoch() as e:
        pass
    assert shown(e.changes).text == "no change"


def test_notebook_shows_a_proof_as_a_tree_that_folds(db: Engine) -> None:
    proof = db.why("reach(0, 3)")
    page = shown(proof)
    assert page.counts["details"] == 3  # a fold for each fact that rests on others
    assert proof._repr_html_().count("<details open>") == 3
    assert "reach(0, 3) by step" in page.text
    assert "edge(2, 3) asserted" in page.text
    for line in str(proof).splitlines():
        for part in re.split(r"  +", line.strip("│├└─ ")):
            assert part in page.text
    counted = shown(db.why("far(0, 6)"))
    assert "over 6 rows" in counted.text
    assert "no reach(99, _)" in shown(db.why("alone(99)")).text


def test_notebook_shows_the_first_levels_of_a_large_proof(db: Engine) -> None:
    with db.epoch() as e:
        e.insert("edge", [(i, i + 1) for i in range(6, 60)])
    page = db.why("reach(0, 60)")._repr_html_()
    assert page.count("<details") > 50
    assert page.count("<details open>") == 3


def test_notebook_shows_a_proof_of_any_depth() -> None:
    node = FactNode("p", (0,), "p(0)", "asserted")
    for i in range(1, 5000):
        node = FactNode("p", (i,), f"p({i})", "derived", "r1", (node, Condition("1 < 2")))
    assert shown(Proof(node, {"r1": "r1: p(X) :- q(X)."})).counts["details"] == 4999


def test_notebook_shows_why_a_fact_is_absent(db: Engine) -> None:
    page = shown(db.why_not("reach(3, 1)"))
    assert "reach(3, 1) is not true" in page.text
    assert page.counts["details"] == 2
    assert "fails edge(3, 1) no such fact" in page.text


@pytest.mark.parametrize("analyze", [False, True])
def test_notebook_shows_an_explanation(db: Engine, analyze: bool) -> None:
    page = shown(db.explain(analyze=analyze, partitions=2))
    assert "stratum 1, recursive: reach" in page.text
    assert "on reach(Y, Z)" in page.text
    assert "placement on 2 partitions" in page.text
    assert ("facts that changed" in page.text) == analyze


def test_notebook_shows_a_profile(db: Engine) -> None:
    page = shown(db.profile())
    assert "last epoch:" in page.text
    assert "all epochs (2):" in page.text
    assert re.search(r"step - \d+ \d+", page.text)


def test_notebook_takes_facts_and_rules_for_text() -> None:
    with Engine(f'p(X, "{EVIL}") :- q(X).') as db:
        with db.epoch() as e:
            e.insert("q", [(EVIL,)])
        for thing in (db, e.changes, db.why(("p", (EVIL, EVIL))), db.explain(), db.profile()):
            assert "alert(1)" not in thing._repr_html_() or "<script>" not in thing._repr_html_()
        assert "<script>alert(1)</script>&" in shown(e.changes).text


@pytest.mark.long
def test_notebook_folds_in_a_browser(db: Engine, tmp_path: Path, browser: Any) -> None:
    (tmp_path / "proof.html").write_text(f"<!doctype html><meta charset=utf-8>{db.why('reach(0, 3)')._repr_html_()}")
    browser.get((tmp_path / "proof.html").as_uri())
    leaf = browser.find_element("xpath", "//code[text()='edge(2, 3)']")
    assert leaf.is_displayed()
    browser.find_elements("css selector", "summary")[1].click()
    assert not leaf.is_displayed()
