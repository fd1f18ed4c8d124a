"""Bodies: atoms, comparisons, groups, aggregates, paths; and what is refused."""

import pytest

from tidelog.program import (
    Aggregate,
    Alternative,
    Atom,
    Boolean,
    Call,
    Comparison,
    Conjunction,
    Const,
    Disjunction,
    Inverse,
    Label,
    Negation,
    PathAtom,
    Repeat,
    Sequence,
    Var,
    Wildcard,
)
from tidelog.syntax import parse_program, parse_rule, read_program

X, Y, A, B, C = (Label("x"), Label("y"), Label("a"), Label("b"), Label("c"))


def body(text, convention=None):
    return parse_rule(f"h(X) :- {text}.", convention=convention).body


def number(value):
    return Const(value, "number")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a+", Repeat(A, 1, None)),
        ("a*", Repeat(A, 0, None)),
        ("a?", Repeat(A, 0, 1)),
        ("a{1,3}", Repeat(A, 1, 3)),
        ("a{2}", Repeat(A, 2, 2)),
        ("a{2,}", Repeat(A, 2, None)),
        ("^a", Inverse(A)),
        ("^a+", Inverse(Repeat(A, 1, None))),
        ("(^a)+", Repeat(Inverse(A), 1, None)),
        ("a/b", Sequence((A, B))),
        ("(a/^b|c)", Alternative((Sequence((A, Inverse(B))), C))),
        ("a&b|c", Alternative((Conjunction((A, B)), C))),
        ("((a & (b/^b)) | c)", Alternative((Conjunction((A, Sequence((B, Inverse(B))))), C))),
        ("(a|b)+/c", Sequence((Repeat(Alternative((A, B)), 1, None), C))),
        ("(a)", A),
        ("a[p]+", Repeat(Label("a", "p"), 1, None)),
        ("a*[node]", Repeat(A, 0, None, "node")),
        ("a[p]?[node]", Repeat(Label("a", "p"), 0, 1, "node")),
        ("^a/(b|c){0,2}[place]", Sequence((Inverse(A), Repeat(Alternative((B, C)), 0, 2, "place")))),
        ('a["p q"]/b[-3]', Sequence((Label("a", "p q"), Label("b", -3)))),
    ],
)
def test_paths_stand_in_predicate_position(text, path):
    assert body(f"{text}(X, Y)") == (PathAtom(path, Var("X"), Var("Y")),)
    assert body(f"q(X), {text}(X, Y), r(Y)")[1] == PathAtom(path, Var("X"), Var("Y"))
    for sign in ("!", "\\+ "):
        assert body(f"q(X), {sign}{text}(X, Y), r(Y)")[1] == PathAtom(path, Var("X"), Var("Y"), negated=True)


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("X + (Y) = 3", Comparison("=", Call("+", (Var("X"), Var("Y"))), number(3))),
        ("X * (Y + 1) < 3", Comparison("<", Call("*", (Var("X"), Call("+", (Var("Y"), number(1))))), number(3))),
        ("(X + 1) * 2 = Y", Comparison("=", Call("*", (Call("+", (Var("X"), number(1))), number(2))), Var("Y"))),
        ("X / f(Y) = 1", Comparison("=", Call("/", (Var("X"), Call("f", (Var("Y"),)))), number(1))),
        ("X == Y", Comparison("=", Var("X"), Var("Y"))),
        ("X := Y", Comparison("=", Var("X"), Var("Y"))),
        ("X \\= Y", Comparison("!=", Var("X"), Var("Y"))),
        ("X <> Y", Comparison("!=", Var("X"), Var("Y"))),
        ("X =< Y", Comparison("<=", Var("X"), Var("Y"))),
        ("X < -1", Comparison("<", Var("X"), number(-1))),
        ("X<-1", Comparison("<", Var("X"), number(-1))),
        ("-X^2 = Y", Comparison("=", Call("-", (Call("^", (Var("X"), number(2))),)), Var("Y"))),
        ("X = 7 mod 2", Comparison("=", Var("X"), Call("%", (number(7), number(2))))),
        ("cat(X, Y) = Z", Comparison("=", Call("cat", (Var("X"), Var("Y"))), Var("Z"))),
        ("contains(X, Y)", Comparison("=", Call("contains", (Var("X"), Var("Y"))), number(1))),
        ("!match(X, Y)", Comparison("=", Call("match", (Var("X"), Var("Y"))), number(0))),
        ("f_inPath(P, X) = false", Comparison("=", Call("f_inPath", (Var("P"), Var("X"))), number(0))),
        ("true", Boolean(True)),
        ("false", Boolean(False)),
        ("q", Atom("q", ())),
        ("q()", Atom("q", ())),
        ("q@1", Atom("q", (number(1),), 0)),
        ("q@X(Y)", Atom("q", (Var("X"), Var("Y")), 0)),
        ("q(Y, @X)", Atom("q", (Var("Y"), Var("X")), 1)),
        ("!q@X", Negation(Atom("q", (Var("X"),), 0))),
        ("not q(X)", Negation(Atom("q", (Var("X"),)))),
        ("\\+ q(X)", Negation(Atom("q", (Var("X"),)))),
        ("count(X, Y)", Atom("count", (Var("X"), Var("Y")))),
        ("X = min(Y, 1)", Comparison("=", Var("X"), Call("min", (Var("Y"), number(1))))),
        ("X = range(1, 9, 2)", Comparison("=", Var("X"), Call("range", (number(1), number(9), number(2))))),
        ("X = [1, [a]]", Comparison("=", Var("X"), Call("list", (number(1), Call("list", (Const("a", "symbol"),)))))),
        ("X = 10u", Comparison("=", Var("X"), Const(10, "unsigned"))),
        ("X = 0b101", Comparison("=", Var("X"), number(5))),
        ("X = 'it''s'", None),
    ],
)  # fmt: skip
def test_literals(text, literal):
    if literal is None:
        assert read_program(f"h(X) :- {text}.")[1]
    else:
        assert body(text) == (literal,)


@pytest.mark.parametrize(
    ("text", "aggregate"),
    [
        ("count : { q(x, _) }", Aggregate("count", None, (Atom("q", (Var("x"), Wildcard())),))),
        ("min d : q(x, d)", Aggregate("min", Var("d"), (Atom("q", (Var("x"), Var("d"))),))),
        ("min(d) : { q(d) }", Aggregate("min", Var("d"), (Atom("q", (Var("d"),)),))),
        ("avg d : { q(d) }", Aggregate("mean", Var("d"), (Atom("q", (Var("d"),)),))),
        ("sum d * 2 : { q(d) }", Aggregate("sum", Call("*", (Var("d"), number(2))), (Atom("q", (Var("d"),)),))),
    ],
)
def test_body_aggregates(text, aggregate):
    assert body(f"n = {text}", "souffle") == (Comparison("=", Var("n"), aggregate),)


@pytest.mark.parametrize(
    ("text", "aggregate"),
    [
        ("min<C>", Aggregate("min", Var("C"), None)),
        ("count<*>", Aggregate("count", None, None)),
        ("a_MIN<C>", Aggregate("min", Var("C"), None)),
        ("a_min<C>", Aggregate("min", Var("C"), None)),
        ("a_Count<*>", Aggregate("count", None, None)),
        ("a_COUNT<*>", Aggregate("count", None, None)),
        ("a_AVG<C>", Aggregate("mean", Var("C"), None)),
        ("a_LIST<C>", Aggregate("collect", Var("C"), None)),
        ("avg<C>", Aggregate("mean", Var("C"), None)),
        ("sum<C * 2>", Aggregate("sum", Call("*", (Var("C"), number(2))), None)),
    ],
)
def test_head_aggregates(text, aggregate):
    assert parse_rule(f"best(X, {text}) :- q(X, C).").head.args[1] == aggregate


def test_disjunction_binds_looser_than_conjunction():
    (choice,) = body("a, b; c")
    assert choice == Disjunction(((Atom("a", ()), Atom("b", ())), (Atom("c", ()),)))
    assert body("(a, b; c)") == (choice,)
    assert body("(a, b), c") == (Atom("a", ()), Atom("b", ()), Atom("c", ()))
    assert body("(X < 1; X > 2), a")[0] == Disjunction(
        ((Comparison("<", Var("X"), number(1)),), (Comparison(">", Var("X"), number(2)),))
    )


def test_a_test_that_the_program_defines_is_a_relation():
    program = parse_program("match(1, 2). p(X) :- match(X, Y).")
    assert program.rules[0].body == (Atom("match", (Var("X"), Var("Y"))),)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("h(X) :- q(X), (a/b)(X).", "TL120"),
        ("h(X) :- !(a/b)(X).", "TL120"),
        ("h(X) :- q(X), !X + (Y) = 1.", "TL116"),
        ("h(X) :- a{1,}[node](X, Y).", "TL125"),
        ("a+(X, Y) :- q(X, Y).", "TL120"),
        ("(a/b)(X, Y) :- q(X, Y).", "TL120"),
        ("h(X) :- a{1,(X, Y).", "TL100"),
        ("h(X) :- q(X), X.", "TL112"),
        ("h(X) :- q(X), X + 1.", "TL119"),
        ("h(X) :- q(X), f(X) + 1.", "TL119"),
        ("h(X) :- !X = 1.", "TL116"),
        ("h(X) :- q(@X, @Y).", "TL115"),
        ("h(X) :- q@X(@Y).", "TL115"),
        ("h(X) :- q(f(@X)).", "TL115"),
        ("h(X) :- X = min<Y>.", "TL114"),
        ("h(X) :- X = [H|T].", "TL100"),
        ("h(X) :- .decl p(x: number)", "TL100"),
        ("h(X) :- q(X) .decl p(x: number)", "TL101"),
        ("h(X) :- X is 3.", "TL100"),
        ("h(X) :- q(X),.", "TL100"),
        ("h(X) :- q(X) r(X).", "TL100"),
        ("h(X) :- X = 18446744073709551616u.", "TL108"),
        ("h(X) :- X = 1e999.", "TL108"),
        ('h(X) :- X = "\\ud800".', "TL109"),
    ],
)
def test_mistakes_have_their_own_codes(text, code):
    found = read_program(text, convention="prolog")[1]
    assert [d.code for d in found][:1] == [code]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("p(X) :- q(X), !(r(X) ; s(X)).", "p(X) :- q(X), !r(X), !s(X)."),
        ("p(X) :- q(X), !(r(X), s(X)).", "p(X) :- q(X), (!r(X) ; !s(X))."),
        ("p(X) :- q(X), !(X = 1).", "p(X) :- q(X), X != 1."),
        ("p(X) :- q(X), !(!r(X) ; X < 2, true).", "p(X) :- q(X), r(X), (X >= 2 ; false)."),
        ("p(X) :- q(X), !((r(X) ; s(X)), t(X)).", "p(X) :- q(X), (!r(X), !s(X) ; !t(X))."),
        ("p(X) :- q(X), !(r(X, _)).", "p(X) :- q(X), !r(X, _)."),
        ("p(X) :- q(X), !(e+(X, X), r(X)).", "p(X) :- q(X), (!e+(X, X) ; !r(X))."),
        ("p(X) :- q(X), !(e|f)(X, X).", "p(X) :- q(X), !(e|f)(X, X)."),
        ("p(X) :- q(X), !(contains(X, X)).", "p(X) :- q(X), contains(X, X) != 1."),
        ("p(X) :- !!q(X).", "p(X) :- q(X)."),
        ("p(X) :- q(X), !!(r(X) ; s(X)).", "p(X) :- q(X), (r(X) ; s(X))."),
        (".convention souffle\np(x) :- q(x), !x = 1.", ".convention souffle\np(x) :- q(x), x != 1."),
        (".convention souffle\np(x) :- q(x), !1 < x + 1.", ".convention souffle\np(x) :- q(x), 1 >= x + 1."),
        (".convention souffle\np(x) :- q(x), !min(x, 1) = x.", ".convention souffle\np(x) :- q(x), min(x, 1) != x."),
        (".convention souffle\np(x) :- q(x), !false, !q(x).", ".convention souffle\np(x) :- q(x), true, !q(x)."),
    ],
)
def test_a_negated_group_is_the_negation_of_its_literals(text, same):
    assert parse_program(text) == parse_program(same)
