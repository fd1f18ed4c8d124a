"""A program is checked once: when it comes, and once per epoch that changes rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tests.walk import RULES, traced
from tidelog import Engine
from tidelog.cli import app

DECLARED = """
.decl edge(x: number, y: number)
.input edge
.decl reach(x: number, y: number)
.output reach
reach(x, y) :- edge(x, y).
reach(x, z) :- edge(x, y), reach(y, z).
"""


@pytest.mark.parametrize("text", [RULES, DECLARED, RULES + ' edge(5, 6). name(5, "five").'])
@pytest.mark.parametrize("kept", [False, True])
def test_run_checks_its_program_once(text: str, kept: bool, tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(text, "utf-8")
    (tmp_path / "edge.facts").write_text("1\t2\n2\t3\n", "utf-8")
    words = ["run", str(tmp_path / "p.dl"), "-F", str(tmp_path), "-D", str(tmp_path), "--runtime", "embedded"]
    with traced() as walk:
        ended = CliRunner().invoke(app, [*words, *(["--state", str(tmp_path / "state")] if kept else [])])
    assert ended.exit_code == 0, ended.output
    assert walk.checks == 1


@pytest.mark.parametrize(
    "text",
    [
        RULES,
        RULES + " edge(1, 2).",
        DECLARED,
        ".decl p(x: number, y: number) choice-domain x p(1, 2).",
        "low(X, min<C>) :- cost(X, C). low(Y, min<C>) :- low(X, C), edge(X, Y). cost(1, 2.5).",
    ],
)
def test_an_engine_checks_its_program_once(text: str) -> None:
    with traced() as walk:
        Engine(text).close()
    assert walk.checks == 1


@pytest.mark.parametrize(
    "rule",
    [
        "back(Y, X) :- reach(X, Y).",
        "more(X, C + 1) :- edge(X, C), !reach(C, X).",
        "far(X, Z) :- edge(X, Y), fresh(Y, Z).",  # a relation that is new, and without types
        "reach(X, Y) :- back(Y, X). back(Y, X) :- reach(X, Y).",
        "low(X, min<Y>) :- edge(X, Y). low(Y, min<C>) :- low(X, C), edge(X, Y).",  # recursion through min
        "n(X, C) :- edge(X, _), C = count : { reach(X, _) }.",
    ],
)
def test_an_epoch_that_changes_rules_checks_them_once(rule: str) -> None:
    db = Engine(RULES + " edge(1, 2). edge(2, 3).")
    with traced() as walk, db.epoch() as e:
        for text in rule.split(". "):
            e.add_rule(text.rstrip(".") + ".")
        e.insert("edge", [(3, 4)])
    assert walk.checks == 1
    with traced() as walk, db.epoch() as e:
        e.remove_rule(list(db.rules)[-1])
    assert walk.checks == 0


def test_rows_and_questions_check_no_program() -> None:
    db = Engine(RULES)
    with traced() as walk:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])  # which have types that were open
        assert sorted(db.query("reach(1, X), edge(X, Y)")) == [(2, 3)]
    assert walk.checks == 0


def test_a_rule_with_the_first_rows_of_its_relation_is_checked_once() -> None:
    db = Engine(RULES)
    with traced() as walk, db.epoch() as e:
        e.add_rule("seen(X, Z) :- visit(X, Y), reach(Y, Z), X > 1.")
        e.insert("visit", [(2, 1), (3, 2)])
    assert walk.checks == 1


def test_a_state_folder_is_resumed_with_one_check(tmp_path: Path) -> None:
    with Engine(RULES, path=tmp_path) as db:
        with db.epoch() as e:
            e.insert("edge", [(1, 2), (2, 3)])
        with db.epoch() as e:
            e.add_rule("seen(X, N) :- visit(X, N), reach(X, _).")
            e.insert("visit", [(1, "one")])
    with traced() as walk:
        resumed = Engine(path=tmp_path)
    assert walk.checks == 1
    assert sorted(resumed["seen"]) == [(1, "one")]
    resumed.close()
