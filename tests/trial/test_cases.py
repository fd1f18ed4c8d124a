"""Cases of rules: what is read, what holds, what does not, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.errors import EngineError
from tidelog.program import Program
from tidelog.syntax import parse_program
from tidelog.trial.cases import Case
from tidelog.trial.coverage import Coverage
from tidelog.trial.golden import Golden
from tidelog.trial.mutants import is_noticed, mutants
from tidelog.trial.read import read_cases
from tidelog.trial.run import Outcome, Subject, run_case

RULES = "may(U, D) :- member(U, G), grants(G, D), !denied(U, D).  denied(U, D) :- denies(G, D), member(U, G).\n"


def cases_of(tmp_path: Path, text: str, convention: str = "prolog") -> tuple[Case, ...]:
    path = tmp_path / "some.case"
    path.write_text(f"program: p.dl\n{text}")
    return read_cases(path, lambda _: Program(convention=convention)).cases


def tried(tmp_path: Path, text: str, program: str = RULES) -> Outcome:
    (case,) = cases_of(tmp_path, text)
    return run_case(case, Subject(parse_program(program)))


def broken(tmp_path: Path, text: str, program: str = RULES) -> list[str]:
    return [f"{found.line}: {found.message}" for found in tried(tmp_path, text, program).broken]


def test_a_case_is_a_story_of_facts_changes_and_what_holds(tmp_path: Path) -> None:
    text = """case: a denial beats a grant
given: member(ann, staff). grants(staff, plan).  // by her group
then:
    contains may(ann, plan).
when:
    +denies(staff, plan).
    commit.
    + all: may(U, D) :- member(U, _), open(D).
    +open(wiki).
then:
    lacks may(ann, plan), may(bob, _).
    equals may(ann, wiki).
when: - all.
then: empty may.
"""
    assert broken(tmp_path, text) == []
    (case,) = cases_of(tmp_path, text)
    assert (case.name, len(case.given), [len(step.epochs) for step in case.steps]) == (
        "a denial beats a grant",
        2,
        [0, 2, 1],
    )


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("contains may(ann, plan), may(bob, plan).", "4: may(bob, plan) is missing"),
        ("lacks may(_, plan).", "4: may(ann, plan) should not be present"),
        ("equals may(bob, plan).", "4: may(bob, plan) missing; may(ann, plan) should not be present"),
        ("empty may.", "4: may is not empty: may(ann, plan)"),
        ("refused.", "4: no epoch was refused"),
        ("contains may(ann,\n       wiki).", "4: may(ann, wiki) is missing"),
    ],
)
def test_what_does_not_hold_is_told_with_its_line(tmp_path: Path, then: str, told: str) -> None:
    text = f"case: a\ngiven: member(ann, g). grants(g, plan).\nthen: {then}\n"
    assert broken(tmp_path, text) == [told]


def test_an_epoch_may_be_refused_by_code_or_by_name(tmp_path: Path) -> None:
    program = "half(X, Y) :- n(X), Y = 10 / X.\n"
    code = "TL2002"
    for by in ("refused.", f"refused by {code}.", f'refused by "{code}".'):
        text = f"case: a\nwhen: +n(0).\nthen: {by}\nempty half.\nwhen: +n(5).\nthen: equals half(5, 2).\n"
        assert broken(tmp_path, text, program) == []
    told = broken(tmp_path, "case: a\nwhen: +n(0).\nthen: refused by TL9999.\n", program)
    assert len(told) == 1
    assert told[0].startswith("4: the epoch was refused for another reason: ")


def test_a_constraint_refuses_by_its_name_and_is_covered_then(tmp_path: Path) -> None:
    program = "reads(U, D) :- owns(U, D).  safe: :- reads(U, D), secret(D), !cleared(U).  calm: :- loud(_).\n"
    text = "case: a\ngiven: secret(plan).\nwhen: +owns(bob, plan).\nthen:\n refused by safe.\n empty reads.\n"
    outcome = tried(tmp_path, text, program)
    assert outcome.passed, outcome.broken
    coverage = Coverage()
    for seen, rows in outcome.seen:
        coverage.see("p.dl", seen, rows)
        coverage.see_constraints("p.dl", seen, outcome.refusals)
    assert [(rule.kind, rule.label) for rule in coverage.unused if rule.kind == "constraint"] == [
        ("constraint", "calm")
    ]
    found = broken(tmp_path, text.replace("by safe", "by calm"), program)
    assert [told[:46] for told in found] == ["6: the epoch was refused for another reason: t"]


def test_a_refusal_that_nobody_expects_fails_the_case(tmp_path: Path) -> None:
    told = broken(tmp_path, "case: a\nwhen: +n(0).\nthen: empty half.\n", "half(X, Y) :- n(X), Y = 10 / X.\n")
    assert len(told) == 1
    assert told[0].startswith("4: an epoch was refused: rule r1: division by zero")


def test_a_relation_that_nobody_knows_fails_the_case(tmp_path: Path) -> None:
    told = broken(tmp_path, "case: a\ngiven: membre(ann, g).\nwhen: +mmber(a, b).\nthen: empty may.\n")
    assert told == ["2: the program has no relation `membre`", "2: the program has no relation `mmber`"]


def test_bare_names_are_symbols_in_both_conventions(tmp_path: Path) -> None:
    program = parse_program(".decl p(x: symbol)\n.decl q(x: symbol)\np(x) :- q(x).\n")
    (case,) = cases_of(tmp_path, "case: a\ngiven: q(ann).\nthen: equals p(ann).\nthen: lacks p(bob).\n", "souffle")
    assert run_case(case, Subject(program)).passed


def test_a_function_of_the_user_is_called(tmp_path: Path) -> None:
    from tidelog import user_function

    twice = user_function("twice", ("number",), "number")(lambda x: 2 * x)
    (case,) = cases_of(tmp_path, "case: a\ngiven: n(3).\nthen: equals p(6).\n")
    assert run_case(case, Subject(parse_program("p(Y) :- n(X), Y = twice(X)."), functions=(twice,))).passed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("case: a\n", "some.case:1: expected a line that names the program"),
        ("hello\nprogram: p.dl\n", "some.case:1: a case file starts with `program:`"),
        ("program: p.dl\ngiven: p(1).\n", "some.case:2: `given:` must come after the first `case:`"),
        ("program: p.dl\ncase: a\ngiven: p(1).\np(X) :- q(X).\n", "some.case:3: `given:` contains facts"),
        ("program: p.dl\ncase: a\ngiven: p(1.\n", "some.case:3: TL1"),
        ("program: p.dl\ncase: a\nwhen:\n  p(1).\n", "some.case:4: TL140"),
        ("program: p.dl\ncase: a\nthen:\n  has p(1).\n", "some.case:4: `has` is not one of contains"),
        ("program: p.dl\ncase: a\nthen:\n  equals p(1), q(1).\n", "some.case:4: `equals` lists the facts of one"),
        ("program: p.dl\ncase: a\nthen:\n  lacks p(1), !q(1).\n", "some.case:4: `lacks` must be followed by facts"),
        ("program: p.dl\ncase: a\nthen:\n  golden p(1).\n", "some.case:4: `golden` must be followed by the name"),
        ("program: p.dl\ncase: a\nthen:\n  refused for fun.\n", "some.case:4: expected `refused`"),
        ("program: p.dl\ncase: a\nthen: empty p.\ngiven: q(1).\n", "some.case:4: `given:` must come before"),
        ("program:\n", "some.case:1: `program:` does not name a file"),
    ],
)
def test_a_file_that_is_not_understood_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "some.case"
    path.write_text(text)
    with pytest.raises(EngineError) as refused:
        read_cases(path)
    assert refused.value.code == "TL4911"
    assert str(refused.value).startswith(f"{tmp_path}/{told}")


def test_golden_views_are_compared_and_accepted(tmp_path: Path) -> None:
    text = "case: Who may\ngiven: member(ann, g). grants(g, plan). grants(g, wiki).\nthen: golden may.\n"
    (case,) = cases_of(tmp_path, text)
    golden, subject = Golden(tmp_path / "some.case"), Subject(parse_program(RULES))
    (failure,) = run_case(case, subject, golden).broken
    assert "has no golden file yet" in failure.message
    accepted = run_case(case, subject, Golden(tmp_path / "some.case", accept=True)).accepted
    assert accepted == [str(tmp_path / "golden" / "some" / "who-may" / "may.txt")]
    assert run_case(case, subject, golden).passed
    other = Subject(parse_program(RULES.replace("!denied(U, D)", 'D != "wiki"') + "may(bob, plan)."))
    (failure,) = run_case(case, other, golden).broken
    assert failure.message.splitlines()[1:] == ["    - may(ann, wiki)", "    + may(bob, plan)"]


def coverage_of(tmp_path: Path, text: str, program: str = RULES) -> Coverage:
    coverage = Coverage()
    for case in cases_of(tmp_path, text):
        for seen, rows in run_case(case, Subject(parse_program(program))).seen:
            coverage.see("p.dl", seen, rows)
    return coverage


def test_coverage_names_rules_that_no_case_uses(tmp_path: Path) -> None:
    text = "case: a\ngiven: member(ann, g). grants(g, plan). grants(h, wiki).\nthen: contains may(ann, plan).\n"
    coverage = coverage_of(tmp_path, text, "denial: " + RULES.split("  ")[1] + RULES.split("  ")[0])
    assert [rule.label for rule in coverage.unused] == ["denial"]
    assert coverage.to_json()["used"] == 1


def test_coverage_names_premises_that_never_failed(tmp_path: Path) -> None:
    text = "case: a\ngiven: member(ann, g). grants(g, plan). grants(h, wiki).\nthen: contains may(ann, plan).\n"
    told = coverage_of(tmp_path, text, "r: may(U, D) :- member(U, G), grants(G, D), !denied(U, D).").to_json()
    assert told["never_failed"] == {"r": ["grants(G, D)", "!denied(U, D)"]}
    more = (
        text + "case: b\ngiven: member(ann, k). member(bob, g). grants(g, plan). denied(bob, plan).\nthen: empty may.\n"
    )
    told = coverage_of(tmp_path, more, "r: may(U, D) :- member(U, G), grants(G, D), !denied(U, D).").to_json()
    assert told["never_failed"] == {}


def test_coverage_sees_rules_with_aggregates_disjunctions_and_inline_relations(tmp_path: Path) -> None:
    program = (
        ".decl n(x: number)\n.decl m(x: number)\n.decl i(x: number) inline\n.decl p(x: number)\n.decl q(x: number)\n"
        "i(x) :- n(x), x > 1.\np(x) :- i(x).\nq(c) :- c = count : { n(_) }, (c > 1 ; m(c)).\n"
    )
    text = "case: a\ngiven: n(1). n(2).\nthen: equals p(2).\n then: equals q(2).\n".replace("\n then", "\nthen")
    coverage = Coverage()
    (case,) = cases_of(tmp_path, text, "souffle")
    outcome = run_case(case, Subject(parse_program(program)))
    assert outcome.passed, outcome.broken
    for seen, rows in outcome.seen:
        coverage.see("p.dl", seen, rows)
    assert coverage.unused == []


def test_mutants_that_no_case_notices(tmp_path: Path) -> None:
    program = parse_program("r: p(X) :- q(X, Y), !s(X), Y < 10, X != 3.\n")
    subject = Subject(program)
    told = {mutant.change for mutant in mutants(program)}
    assert told == {
        "the rule is removed",
        "`!s(X)` is removed",
        "`!s(X)` is no longer negated",
        "`Y < 10` is removed",
        "`Y < 10` has `<=` instead of `<`",
        "`Y < 10` has `11` instead of `10`",
        "`X != 3` is removed",
        "`X != 3` has `=` instead of `!=`",
        "`X != 3` has `4` instead of `3`",
    }
    cases = cases_of(tmp_path, "case: a\ngiven: q(1, 9). q(2, 12). q(3, 1).\nthen: equals p(1).\n")
    missed = {mutant.change for mutant in mutants(program) if not is_noticed(mutant, cases, subject, None)}
    assert missed == {"`!s(X)` is removed", "`Y < 10` has `<=` instead of `<`", "`Y < 10` has `11` instead of `10`"}
    better = "case: a\ngiven: q(1, 9). q(2, 10). q(3, 1). q(5, 1). s(5).\nthen: equals p(1).\n"
    cases = cases_of(tmp_path, better)
    assert all(is_noticed(mutant, cases, subject, None) for mutant in mutants(program))


DUE = """.decl share(u: symbol, d: date, b: boolean)
.decl due(u: symbol, d: date)
due(u, d) :- share(u, d, true), d > "2026-06-01".
"""


@pytest.mark.parametrize("fact", ['"2027-01-01"', 'date("2027-01-01")'])
def test_a_case_reads_dates_and_booleans_as_rules_do(tmp_path: Path, fact: str) -> None:
    text = f"""case: due
given: share("a", {fact}, true). share("b", {fact}, false).
then: equals due("a", {fact}).
when: -share("a", {fact}, true). +share("c", "2028-01-01", 1).
then:
    equals due("c", date("2028-01-01")).
    lacks due("a", _).
"""
    assert broken(tmp_path, text, DUE) == []


def test_a_number_for_a_date_breaks_a_case(tmp_path: Path) -> None:
    told = broken(tmp_path, 'case: due\ngiven: share("a", 2027-01-01, true).\nthen: empty due.\n', DUE)
    assert ["2025 is not a value of type date" in line for line in told] == [True]
