"""Unknown and near-miss names, arities, and programs that are checked piece by piece."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostic, ProgramError
from tidelog.program import Program
from tidelog.program.check import check_program, examine_program
from tidelog.program.messages.nearest import KnownNames
from tidelog.syntax import parse_program


def found(text: str, **given: object) -> list[Diagnostic]:
    return list(examine_program(parse_program(text), **given)[1])  # type: ignore[arg-type]  # keywords of the check


def test_undeclared_base_relation_is_normal_in_the_prolog_convention() -> None:
    assert found("path(X, Y) :- edge(X, Y).") == []


def test_undeclared_relation_is_an_error_in_the_souffle_convention() -> None:
    (finding,) = found(".decl path(x: number)\npath(x) :- pth(x).")
    assert finding.code == "TL201"
    assert "Did you mean `path`?" in finding.hint


def test_near_miss_of_a_defined_relation_is_a_warning() -> None:
    (finding,) = found("path(X, Y) :- edge(X, Y). path(X, Z) :- pth(X, Y), edge(Y, Z).")
    assert (finding.code, finding.severity) == ("TL701", "warning")
    assert "`path`" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "edge1(1). p(X) :- edge2(X).",
        "pong(X) :- ping(X).",
        "path(X, Y) :- paths(X, Y, _).",
        ".input pth\npath(X) :- pth(X).",
        "p(X) :- q(X).",
    ],
)
def test_names_that_are_no_near_miss(text: str) -> None:
    assert found(text) == []


def test_relation_that_holds_facts_already_is_no_near_miss() -> None:
    assert found("path(X) :- pth(X).", known={"pth": 1}) == []


def test_all_findings_come_at_once_in_the_order_of_the_text() -> None:
    text = "p(X) :- q(X, Y), q(X).\nr(Z) :- p(X), (!r(X) ; p(X)).\n"
    with pytest.raises(ProgramError) as raised:
        check_program(parse_program(text))
    spans = [d.span.start for d in raised.value.diagnostics if d.span is not None]
    assert spans == sorted(spans)
    assert {d.code for d in raised.value.diagnostics} == {"TL202", "TL301", "TL501", "TL702"}


def test_messages_of_the_exception_are_one_line_each() -> None:
    with pytest.raises(ProgramError) as raised:
        check_program(parse_program("p(X) :- q(Y).", "a.dl"))
    assert str(raised.value).splitlines()[0] == ("a.dl:1:3: TL301: variable `X` in the head is not bound by the body")


def test_variable_counts_as_used_inside_an_aggregate() -> None:
    assert found("p(N) :- q(X), N = count : { r(X, _) }.") == []


def test_named_variables_of_an_aggregating_rule_are_no_slip() -> None:
    assert found("deg(X, count<*>) :- edge(X, Y).") == []


def test_underscore_names_are_never_reported_as_single() -> None:
    assert found("p(X) :- edge(X, _Y).") == []


def test_empty_program_is_in_order() -> None:
    checked = check_program(Program())
    assert (checked.schema, checked.strata, checked.warnings) == ({}, (), ())


def test_groups_stay_one_stratum_without_changing_what_is_refused() -> None:
    program = parse_program("p(X) :- e(X), !q(X). q(X) :- e(X).")
    checked = check_program(program, groups=[frozenset({"p", "q"})])
    assert [s.relations for s in checked.strata] == [("p", "q")]


def test_nearest_name_among_many_is_found_without_comparing_all() -> None:
    names = KnownNames(f"relation{i}" for i in range(5_000))
    assert names.nearest("relation4x") in {"relation4", *(f"relation4{i}" for i in range(10))}
    assert list(names.near("zebra")) == []


def test_four_thousand_rules_are_checked() -> None:
    lines = []
    for i in range(1_000):
        lines.append(f"p{i}(X, Z) :- p{i * 7 % 1000}(X, Y), e{i % 300}(Y, Z).")
        lines.append(f"q{i}(X, Y) :- e{i % 300}(X, Y), Y > {i}, Z = X + Y, e{i % 299}(Z, _).")
        lines.append(f"r{i}(X, count<*>) :- p{i}(X, _), !q{i}(X, X).")
        lines.append(f"s{i}(X, Y) :- (p{i}(X, Y) ; q{i}(Y, X)), X != Y.")
    program = parse_program("\n".join(lines))
    checked = check_program(program)
    assert len(checked.program.rules) == 4_000


def _codes(text: str) -> list[str]:
    return [finding.code for finding in found(text) if finding.severity == "error"]


def test_a_timer_may_have_any_number_of_columns() -> None:
    timers = "p(@X) :- periodic(@X, _, 5). q(@X) :- periodic(@X, _, 5, 1)."
    assert _codes(timers) == ["TL601", "TL601"]
    assert _codes(timers + " periodic(@X, Y, Z) :- s(@X, Y, Z).") == ["TL202"], "a relation of that name has a width"


@pytest.mark.parametrize("text", ["hello(@Broadcast, X) :- node(@X).", "hello(@Broadcast, X) :- link(@X), node(@X)."])
def test_a_broadcast_without_links_is_refused_with_what_it_requires(text: str) -> None:
    (finding,) = found(text)
    assert finding.code == "TL301"
    assert finding.hint is not None
    assert "`link(@Node, Neighbour, ...)`" in finding.hint


def test_a_broadcast_may_use_links_that_exist_outside_the_program() -> None:
    assert found("hello(@Broadcast, X) :- node(@X).", known={"link": 3}) == []
