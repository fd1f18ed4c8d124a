"""Declarations, types, input and output, NDlog's materialize, labels; Soufflé's features that are refused."""

import pytest

from tidelog.program import Atom, Column, Const, Declaration, Directive, Materialize, Rule, TypeDeclaration, Var
from tidelog.syntax import parse_program, parse_rule, print_program, print_rule, read_program


def codes(text):
    return [found.code for found in read_program(text)[1]]


def test_declarations_and_their_qualifiers():
    program = parse_program(".decl a, b(x: number, y:symbol) input btree\n.decl c()\nc() :- a(_, _).")
    columns = (Column("x", "number"), Column("y", "symbol"))
    assert program.declarations == (Declaration("a", columns), Declaration("b", columns), Declaration("c", ()))
    assert program.directives == (Directive("input", "a"), Directive("input", "b"))
    assert len(program.rules) == 1


def test_a_clause_may_follow_a_declaration_with_its_label():
    program = parse_program(".decl a(x: number)\n   r1 a(x) :- a(x).")
    assert [rule.label for rule in program.rules] == ["r1"]


def test_types():
    text = ".type A = number\n.type B <: symbol\n.type C = A | B\n.type D\n.number_type E\n.symbol_type F"
    assert parse_program(text).types == (
        TypeDeclaration("A", ("number",), False),
        TypeDeclaration("B", ("symbol",), True),
        TypeDeclaration("C", ("A", "B"), False),
        TypeDeclaration("D", ("symbol",), True),
        TypeDeclaration("E", ("number",), True),
        TypeDeclaration("F", ("symbol",), True),
    )


def test_input_and_output():
    text = '.input a(IO=file, filename="x.csv", delimiter="\\t")\n.output b, c\n.printsize d()\n.output e, f(n=-1), g'
    params = (("IO", "file"), ("filename", "x.csv"), ("delimiter", "\t"))
    assert parse_program(text).directives == (
        Directive("input", "a", params),
        Directive("output", "b"),
        Directive("output", "c"),
        Directive("printsize", "d"),
        Directive("output", "e", (("n", "-1"),)),
        Directive("output", "f", (("n", "-1"),)),
        Directive("output", "g"),
    )


def test_pragma_is_ignored():
    program = parse_program('.pragma "legacy" "on"\n.decl p(x: number)\np(x) :- p(x), p(x).\np(1).')
    assert (len(program.rules), len(program.facts)) == (1, 1)


def test_plan_belongs_to_the_rule_before_it():
    text = ".decl p(x: number)\np(x) :- p(x), p(x).\n.plan 1:(1,2), 0:(2,1)\np(x) :- p(x).\np(1)."
    first, second = parse_program(text).rules
    assert first.plans == ((0, (2, 1)), (1, (1, 2)))
    assert second.plans == ()


def test_plan_of_a_clause_with_several_heads_belongs_to_all_of_its_rules():
    assert [rule.plans for rule in parse_program("p(X), q(X) :- a(X), b(X). .plan 0:(2, 1)").rules] == [
        ((0, (2, 1)),)
    ] * 2


def test_plan_is_printed_after_its_rule_and_read_again():
    program = parse_program("r1: p(X) :- a(X), !c(X), b(X).\n.plan 0:(2, 1).\np(1).")
    text = print_program(program)
    assert "r1: p(X) :- a(X), !c(X), b(X). .plan 0:(2, 1)\n" in text
    assert parse_program(text) == program
    assert parse_rule(print_rule(program.rules[0])) == program.rules[0]


@pytest.mark.parametrize("text", [".plan 0:(1)\np(1).", "p(1). .plan 0:(1)", "p(X) :- q(X). .plan 0:(1)\n.plan 0:(1)"])
def test_plan_without_a_rule_is_an_error(text):
    assert codes(text) == ["TL126"]


@pytest.mark.parametrize("order", ["()", "(1)", "(1, 1)", "(0, 1)", "(1, 2, 3)", "(1, 3)"])
def test_plan_that_is_no_order_of_the_atoms_is_an_error(order):
    assert codes(f"p(X) :- a(X), !c(X), X < 3, b(X). .plan 0:{order}") == ["TL127"]


def test_plan_may_order_the_atoms_of_any_branch():
    text = "p(X) :- a(X), (b(X) ; c(X), d(X)). .plan 0:"
    assert codes(text + "(2, 1)") == codes(text + "(3, 1, 2)") == []
    assert codes(text + "(1, 2, 3, 4)") == ["TL127"]


def test_materialize():
    text = "materialize(link, infinity, 10, keys(1,2)).materialize(p, 5, infinity)."
    assert parse_program(text).keys == (
        Materialize("link", None, 10, (1, 2)),
        Materialize("p", 5, None, ()),
    )


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("r1 p(X) :- q(X).", "r1"),
        ("r1: p(X) :- q(X).", "r1"),
        ("r2-1: p(X) :- q(X).", "r2-1"),
        ("r2-1 p(X) :- q(X).", "r2-1"),
        ("r3/1: p(X) :- q(X).", "r3/1"),
        ('"my rule": p(X) :- q(X).', "my rule"),
        ("p(X) :- q(X).", None),
    ],
)
def test_labels(text, label):
    rule = Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"),)),), label)
    assert parse_program(text).rules == (rule,)


def test_several_heads_are_several_rules():
    program = parse_program("r1 a(X), b(X) :- c(X). a(1), b(2).")
    assert [(rule.head.predicate, rule.label) for rule in program.rules] == [("a", "r1-1"), ("b", "r1-2")]
    assert [fact.atom.predicate for fact in program.facts] == ["a", "b"]


def test_facts_of_ndlog():
    program = parse_program("q@3 :-.p.p :- q.r1 s(1).link(@a, B, 1).")
    three, one = Const(3, "number"), Const(1, "number")
    link = Atom("link", (Const("a", "symbol"), Const("B", "symbol"), one), 0)
    assert [fact.atom for fact in program.facts] == [Atom("q", (three,), 0), Atom("p", ()), link]
    assert program.rules == (Rule(Atom("p", ()), (Atom("q", ()),)), Rule(Atom("s", (one,)), (), "r1"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".decl p(x: number)\np(x) :- x = @@f y, 0 : { p(y) }.\np(1).", "TL153"),
        (".decl e(x: number, y: symbol) eqrel\np(1).", "TL154"),
        (".decl e(x: number, y: number) choice-domain (x, y), z\np(1).", "TL155"),
        (".decl p(x: number)\n.decl q(x: number)\np(x) <= q(y) :- x < y.\np(1).", "TL156"),
        (".limitsize a(n=1)\np(1).", "TL158"),
        (".decl p(x: number)\np($) :- p(_).\np(1).", "TL158"),
        (".decl d = debug_delta(p)\np(1).", "TL158"),
        (".decl p(x: number)\np(recursive_iteration_cnt()) :- p(_).\np(1).", "TL158"),
        (".lattice L<> { Bottom -> 1 }\np(1).", "TL160"),
        (".decl q(x: number) compressed\np(1).", "TL161"),
    ],
)
def test_what_is_refused_is_named_and_the_rest_is_read(text, code):
    program, found = read_program(text)
    assert [d.code for d in found] == [code]
    assert [fact.atom.predicate for fact in program.facts] == ["p"]
