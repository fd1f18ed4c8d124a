"""Printing: what is printed reads back as the same value."""

import pytest
from hypothesis import given, settings

from tidelog.program import Atom, Call, Const, Label, Program, Rule, Var, Wildcard
from tidelog.syntax import (
    parse_changes,
    parse_program,
    parse_rule,
    print_changes,
    print_path,
    print_program,
    print_rule,
    print_term,
)
from tidelog.syntax.changes import FactChange, RuleAdded, RuleRemoved

from .strategies import Maker, programs

LAW = settings(max_examples=250, deadline=None)


@LAW
@given(programs())
def test_a_printed_program_reads_back_as_itself(program):
    assert parse_program(print_program(program)) == program


@settings(max_examples=50, deadline=None)
@given(programs())
def test_a_printed_rule_reads_back_as_itself(program):
    for rule in program.rules:
        assert parse_rule(print_rule(rule, program.convention), convention=program.convention) == rule


def test_a_printed_change_script_reads_back_as_itself():
    for seed in range(100):
        maker = Maker(seed)
        facts = tuple(FactChange(maker.atom(maker.ground), maker.rng.choice([1, -1])) for _ in range(3))
        rules = (RuleAdded(maker.rule()), RuleRemoved(maker.label()))
        epochs = (facts, (), rules)
        text = print_changes(epochs, maker.convention)
        assert parse_changes(text, convention=maker.convention) == epochs


def test_the_convention_line_is_printed_only_where_the_text_would_not_tell():
    assert print_program(Program(convention="souffle")) == ".convention souffle\n"
    assert print_program(Program()) == ""
    declared = parse_program(".convention prolog .decl p(x: number)")
    assert print_program(declared).startswith(".convention prolog\n.decl p(x: number)\n")


def test_without_a_convention_symbols_are_quoted():
    rule = Rule(Atom("p", (Const("a", "symbol"), Var("X"))), (Atom("q", (Var("X"),)),))
    assert print_rule(rule) == 'p("a", X) :- q(X).'
    assert print_rule(rule, "prolog") == "p(a, X) :- q(X)."


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (Call("-", (Const(5, "number"),)), "-(5)"),
        (Const(-5, "number"), "-5"),
        (Call("^", (Const(-2, "number"), Const(2, "number"))), "(-2) ^ 2"),
        (Call("-", (Call("-", (Var("A"), Var("B"))), Var("C"))), "A - B - C"),
        (Call("-", (Var("A"), Call("-", (Var("B"), Var("C"))))), "A - (B - C)"),
        (Call("list", (Const(1, "number"), Wildcard())), "[1, _]"),
        (Const(float("nan"), "float"), "1.5NaN"),
        (Const((1, "a", (2.0,)), "list"), '[1, "a", [2.0]]'),
    ],
)
def test_terms_are_printed_with_the_brackets_they_need(term, text):
    assert print_term(term) == text


def test_a_path_of_one_relation_keeps_its_brackets():
    assert print_path(Label("a")) == "(a)"
