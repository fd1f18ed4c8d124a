"""Relations declared inline: what stands where they are read, and where they are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import CliRunner
from tidelog import Engine
from tidelog.cli import app
from tidelog.program.check import examine_program
from tidelog.program.elaborate.expand_inline import inline_rules
from tidelog.program.messages.inline_catalogue import CATALOGUE
from tidelog.syntax import parse_program, print_rule, read_program

DECLARED = """
.decl e(x: number, y: number)
.decl p(x: number, y: number)
.decl i(x: number, y: number) inline
.decl j(x: number) inline
"""


def after(text: str) -> list[str]:
    return [print_rule(rule, "souffle") for rule in inline_rules(parse_program(DECLARED + text)).rules]


def codes(text: str) -> list[str]:
    program, found = read_program(text)
    return [d.code for d in (*found, *examine_program(program)[1])]


@pytest.mark.parametrize("code", CATALOGUE)
def test_the_example_of_a_code_gets_that_code_alone(code: str) -> None:
    entry = CATALOGUE[code]
    assert set(codes(entry.example)) == {code}
    assert entry.title
    assert entry.note
    assert entry.hint


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("i(a, b) :- e(b, a). p(x, y) :- i(x, y).", ["p(x, y) :- e(y, x)."]),
        ("i(a, b) :- e(a, c), e(c, b). p(c, y) :- i(c, y).", ["p(c, y) :- e(c, c_1), e(c_1, y)."]),
        ("i(a, a) :- e(a, _). p(x, y) :- i(x, y).", ["p(x, y) :- y = x, e(x, _)."]),
        ("i(a, 3) :- e(a, a). p(x, x) :- i(x, 3).", ["p(x, x) :- e(x, x)."]),
        ("i(a, a + 1) :- e(a, a). p(x, y) :- i(x, y).", ["p(x, y) :- y = x + 1, e(x, x)."]),
        ("i(1, 2). p(x, y) :- i(x, y).", ["p(x, y) :- x = 1, y = 2."]),
        ("i(1, 2). i(a, b) :- e(b, a). p(x, y) :- i(x, y).", ["p(x, y) :- (x = 1, y = 2; e(y, x))."]),
        ("p(x, y) :- e(x, y), i(x, y).", ["p(x, y) :- e(x, y), false, x = 0, y = 0."]),
        ("p(x, y) :- e(x, y), !i(x, y).", ["p(x, y) :- e(x, y), true."]),
        ("j(a) :- a > 1, e(a, a). p(x, y) :- e(x, y), !j(x + 1).",
         ["p(x, y) :- e(x, y), (x + 1 <= 1; !e(x + 1, x + 1))."]),
        ("j(a) :- i(a, a). i(a, b) :- e(b, a). p(x, x) :- j(x).", ["p(x, x) :- e(x, x)."]),
        ("j(a) :- !i(a, a). i(a, b) :- e(b, a). p(x, y) :- e(x, y), !j(x).", ["p(x, y) :- e(x, y), e(x, x)."]),
        ("i(a, b) :- e(b, a). p(x, y) :- e(x, _), y = count : { i(x, z) }.",
         ["p(x, y) :- e(x, _), y = count : { e(z, x) }."]),
        ("i(a, b) :- e(b, c), e(c, a). p(x, y) :- e(x, _), y = max z : { i(x, z) }.",
         ["p(x, y) :- e(x, _), y = max z : { e(z, c), e(c, x) }."]),
        ("i(a, b) :- e(a, c), e(c, b). p(x, y) :- i(x, _), i(_, y).",
         ["p(x, y) :- e(x, c), e(c, b), e(a, c_1), e(c_1, y)."]),
    ],
)  # fmt: skip
def test_what_stands_in_place_of_an_inline_relation(text: str, rules: list[str]) -> None:
    assert after(text) == rules


def test_a_relation_without_end_may_be_inline() -> None:
    text = ".decl next(x: number, y: number) inline\n.decl p(x: number)\nnext(x, y) :- y = x + 1.\n"
    assert codes(text + "p(y) :- p(x), next(x, y).") == ["TL760"]  # the relation that reads it may not end
    assert codes(text + "p(y) :- p(x), next(x, y), y < 9.") == []
    assert codes(text + "p(y) :- next(_, y).") == ["TL303"]
    assert "TL301" in codes(text.replace(" inline", ""))


def test_types_of_inline_rules_are_checked_also_where_nobody_reads_them() -> None:
    assert codes('.decl p(x: number) inline\np(x) :- x = "a".') == ["TL401"]


def test_inline_in_a_component_belongs_to_its_instances() -> None:
    text = """
    .comp C<T> { .decl same(x: T, y: T) inline  same(x, y) :- x = y. .decl p(x: T)  p(x) :- q(x, y), same(x, y). }
    .decl q(x: number, y: number)
    .init c = C<number>
    """
    program = parse_program(text)
    assert codes(text) == []
    assert [print_rule(r, "souffle") for r in inline_rules(program).rules] == ["c.r2: c.p(x) :- q(x, y), x = y."]


RECORDS = """
.type P = [x: number, y: number]
.type L = [head: P, tail: L]
.decl i(p: P, q: P) inline
.decl e(p: P)
.decl n(x: number)
.decl l(l: L)
.decl out(x: number)
"""


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("i([1, 2], [3, 4]). out(x) :- i([x, _], _).", [1]),
        ("i([1, 2], [3, 4]). i([3, 4], [5, 6]). out(x) :- i(a, b), i(b, [x, _]), a != [0, 0].", [5]),
        ("i(p, q) :- e(p), e(q), p != q. e([1, 2]). e([1, 3]). out(y) :- i([x, y], [x, _]).", [2, 3]),
        ("i([x, y], [y, x]) :- n(x), n(y). n(1). n(2). out(x + y) :- i([x, y], [2, _]).", [3, 4]),
        ("i([x, y], q) :- q = [y, x], n(x), n(y). n(1). n(2). out(x) :- i(p, [x, 1]), p = [1, _].", [1, 2]),
        ("i(p, q) :- l([p, [q, nil]]). l([[1, 2], [[3, 4], nil]]). out(x) :- i([_, 2], [_, x]).", [4]),
        ("i(p, q) :- e(p), e(q). e([1, 2]). n(1). n(2). out(x) :- n(x), !i([x, 2], [1, 2]).", [2]),
        ("i(p, p) :- e(p). e([1, 2]). e([2, 2]). out(x) :- x = max y : { i([y, 2], [y, _]) }.", [2]),
    ],
)
def test_records_are_arguments_of_inline_relations(text: str, rows: list[int]) -> None:
    assert sorted(x for (x,) in Engine(RECORDS + text)["out"]) == rows


def test_a_part_that_anything_fits_is_refused_below_a_negation() -> None:
    assert "TL233" in codes(RECORDS + "i(p, q) :- e(p), e(q). out(x) :- n(x), !i([x, _], [1, 2]).")


def test_a_run_without_output_shows_the_relations_that_are_held(tmp_path: Path) -> None:
    (tmp_path / "p.dl").write_text(".decl i(x: number) inline\ni(1).\n.decl p(x: number)\np(x) :- i(x).\n")
    result = CliRunner().invoke(app, ["run", str(tmp_path / "p.dl")])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1:] == ["p", "===============", "1", "==============="]


def test_parts_of_a_record_are_bound_in_any_order() -> None:
    """A part whose partner is bound by a later part of the same equation."""
    text = "e([1, 2]). e([4, 4]). out(y) :- e([_, y]), ([k, y] = [m, m], e([m, k]) ; y = 2)."
    assert sorted(Engine(RECORDS + text)["out"]) == [(2,), (4,)]


def test_an_inline_relation_may_have_no_rules() -> None:
    db = Engine(RECORDS + "f: i([1, 2], [3, 4]) :- n(1). n(1). r: out(x) :- i(a, b), a = [x, _], b = [_, 4].")
    assert list(db["out"]) == [(1,)]
    with db.epoch() as epoch:
        epoch.remove_rule("f")
    assert list(db["out"]) == []
