"""The pipeline as a whole: names, types of zeros, the form of core rules."""

from __future__ import annotations

import pytest

import tidelog.rewrite
from tidelog.errors import EngineError, ProgramError
from tidelog.program import (
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Negation,
    Rule,
    Var,
    Wildcard,
)
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.types.assign import infer_types
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.rewrite import is_core, label_rules, localise, to_core, to_core_rule, to_delta_rules
from tidelog.rewrite.drop_booleans import drop_booleans
from tidelog.rewrite.rewrite_catalogue import CATALOGUE
from tidelog.syntax import parse_program

X, Y = Var("X"), Var("Y")
HEAD = Atom("p", (X,))
RANGE = Call("range", (Const(0, "number"), X))
COUNT = Aggregate("count", None, None)


def test_exported_names_are_sorted_and_there() -> None:
    assert sorted(tidelog.rewrite.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)) == list(
        tidelog.rewrite.__all__
    )
    assert all(hasattr(tidelog.rewrite, name) for name in tidelog.rewrite.__all__)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(Atom("p", (Call("+", (X, Y)), Const(1, "number"))), (Atom("q", (X, Y, Wildcard())),)),
        Rule(HEAD, (Comparison("=", X, RANGE), Negation(Atom("q", (X,))), Comparison("<", X, Call("-", (X,))))),
        Rule(Atom("p", (X, COUNT)), (Atom("q", (X, Y)),)),
        Rule(Atom("p", (Aggregate("min", Y, None),)), (Atom("q", (X, Y)),)),
        Rule(Atom("p", ())),
    ],
)
def test_core_forms_are_accepted(rule: Rule) -> None:
    assert is_core(rule)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(Atom("p", (Wildcard(),)), (Atom("q", (X,)),)),
        Rule(Atom("p", (RANGE,)), (Atom("q", (X,)),)),
        Rule(HEAD, (Atom("q", (Call("+", (X, Y)),)),)),
        Rule(HEAD, (Negation(Atom("q", (Wildcard(),))),)),
        Rule(HEAD, (Comparison("=", RANGE, X),)),
        Rule(HEAD, (Comparison("<", X, RANGE),)),
        Rule(HEAD, (Comparison("=", X, Call("range", (RANGE, X))),)),
        Rule(HEAD, (Comparison("=", X, Aggregate("count", None, ())),)),
        Rule(HEAD, (Boolean(True),)),
        Rule(HEAD, (Disjunction(((Atom("q", (X,)),),)),)),
        Rule(Atom("p", (X, COUNT)), (Atom("q", (X, X)),)),
        Rule(Atom("p", (X, COUNT)), (Atom("q", (Y,)),)),
        Rule(Atom("p", (X, X, COUNT)), (Atom("q", (X, Y)),)),
        Rule(Atom("p", (COUNT, COUNT)), (Atom("q", (X, Y)),)),
        Rule(Atom("p", (Const(1, "number"), COUNT)), (Atom("q", (X, Y)),)),
        Rule(Atom("p", (X, COUNT)), (Atom("q", (X, Y)), Atom("q", (X, Y)))),
        Rule(Atom("p", (X, Aggregate("count", None, ()))), (Atom("q", (X, Y)),)),
    ],
)
def test_other_forms_are_not_core(rule: Rule) -> None:
    assert not is_core(rule)


@pytest.mark.parametrize(
    "text",
    [
        "p(X, C) :- q(X), C = count : { r(X) }.",
        "p(X, count<*>) :- q(X).",
        "p(@X) :- q(@X), r(@Y), Y = X + 1.",
    ],
)
def test_rule_without_label_is_refused_where_names_depend_on_it(text: str) -> None:
    (rule,) = parse_program(text).rules
    with pytest.raises(EngineError, match="label"):
        [made for core in to_core_rule(rule) for made in localise(core)]
    with pytest.raises(EngineError, match="label"):
        localise(rule) if "@" in text else to_core_rule(rule)


def test_path_expressions_stay_when_booleans_go() -> None:
    with_true, without = parse_program("p(X, Y) :- edge+(X, Y), true. p(X, Y) :- edge+(X, Y).").rules
    assert drop_booleans(with_true) == (without,)


def test_labels_are_never_given_twice() -> None:
    used: set[str] = set()
    first = label_rules(parse_program("p(X) :- q(X).").rules, used)
    second = label_rules(parse_program("p(X) :- q(X). r2: p(X) :- r(X). p(X) :- s(X).").rules, used)
    assert [rule.label for rule in (*first, *second)] == ["r1", "r3", "r2", "r4"]


def test_names_of_different_labels_do_not_meet() -> None:
    text = """r1: p(C) :- C = count : { q(X) }. r1_1: p(count<*>) :- q(X). r1_0: p(C) :- C = max X : { q(X) }.
              a-1: p(C) :- C = max X : { q(X) }. a_1: p(C) :- C = max X : { q(X) }."""
    owners: dict[str, set[str]] = {}
    for rule in to_core(parse_program(text).rules):
        for atom in (rule.head, *atoms(rule_literals(rule))):
            if atom.predicate.startswith("__"):
                owners.setdefault(atom.predicate, set()).add(str(rule.root.label))
    assert all(len(labels) == 1 for labels in owners.values())


def test_zero_of_a_float_sum_becomes_a_float() -> None:
    text = ".decl q(x: number, y: float) p(x, to_string(s)) :- n(x), s = sum y : { q(x, y) }."
    program = parse_program(text)
    core = to_core(program.rules)
    arity = {atom.predicate: len(atom.args) for rule in core for atom in (rule.head, *atoms(rule_literals(rule)))}
    typed = type(program)(core, declarations=program.declarations)
    typing = infer_types(typed, arity, TypeNames(()), FUNCTIONS, {})
    assert not typing.findings
    zeros = [rule.head.args[1] for rule in typing.program.rules if rule.head.args[1:] and "some" in str(rule.body)]
    assert zeros == [Const(0.0, "float")]


def test_shared_rules_are_equal_whoever_asks_for_them() -> None:
    rules = label_rules(parse_program("p(X, min<C>) :- a(X, C), !z(X, _). p(Y, min<D>) :- b(D, Y), !z(Y, _).").rules)
    shared = [{r.label: r for r in to_core_rule(rule) if r.label != rule.label} for rule in rules]
    assert set(shared[0]) == {"p/min2", "z/only/1"}
    assert shared[0] == shared[1]


def test_delta_rule_tells_what_it_reads() -> None:
    (rule,) = parse_program("p(X) :- q(X, Y), Y > 2, !r(X), s(Y).").rules
    delta = to_delta_rules(rule)[1]
    assert (delta.fires, delta.sign) == (rule.body[2], -1)
    assert (delta.new, delta.old, delta.tests) == (rule.body[:1], rule.body[3:], rule.body[1:2])


def test_delta_rules_of_a_disjunction_are_refused() -> None:
    (rule,) = parse_program("p(X) :- (q(X) ; r(X)).").rules
    with pytest.raises(EngineError, match="core"):
        to_delta_rules(rule)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_code_has_an_example_that_gets_it(code: str) -> None:
    with pytest.raises(ProgramError) as refused:
        [localise(rule) for rule in to_core(parse_program(CATALOGUE[code].example).rules)]
    (finding,) = refused.value.diagnostics
    assert (finding.code, finding.span is not None) == (code, True)
