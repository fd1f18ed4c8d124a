"""Overlog as P2 and RapidNet wrote it is read; mistakes are reported where they are."""

import pytest

from tidelog.errors import ProgramError
from tidelog.lab.network.compile import compile_program
from tidelog.lab.network.program import Aggregate, Apply, Constant, Deletion, ProgramVariable
from tidelog.lab.network.read import read_program, read_script, read_topology
from tidelog.lab.network.ring import Id


def rule(text: str):
    return read_program(text).rules[0]


def test_labels_deletions_and_soft_tables() -> None:
    program = read_program(
        """
        #define LIFE 30 /* seconds */
        materialize(link, LIFE, 5, keys(1, 2:int32)).  // soft
        watch(link). watchmod(link, "a").
        r1 link(@X, Y) :- beacon(@X, Y).
        r2-1: delete link(@X, Y) :- gone(@X, Y).
        gone(@X, Y) :- delete link(@X, Y), Y != X.
        link("a", "b").
        """
    )
    assert program.tables[0].lifetime == 30
    assert program.tables[0].size == 5
    assert program.tables[0].keys == (0, 1)
    assert [rule.label for rule in program.rules] == ["r1", "r2-1", "rule3"]
    assert [rule.deletes for rule in program.rules] == [False, True, False]
    assert isinstance(program.rules[2].body[0], Deletion)
    assert program.facts[0].atom.place == Constant("a")


@pytest.mark.parametrize("word", ["a_MIN", "a_min", "min", "a_COUNT", "count", "a_LIST", "a_countdistinct"])
def test_aggregates_in_any_case(word: str) -> None:
    head = rule(f"p(@X, {word}<C>) :- q(@X, C).").head
    assert isinstance(head.args[1], Aggregate)


def test_location_inside_an_aggregate() -> None:
    head = rule("p(min<@B>, K) :- q(@X, B, K).").head
    assert head.place == ProgramVariable("B")


def test_operators_bind_as_in_the_programs_of_p2() -> None:
    shifted = rule("p(@X, K) :- q(@X, I, N), K := 0x1I << I + N.").body[1]
    assert shifted.value == Apply("+", (Apply("<<", (Constant(Id(1)), ProgramVariable("I"))), ProgramVariable("N")))
    joined = rule("p(@X) :- q(@X, P, N), ((P == 1) || (N in (P, 9])) && (N != X).").body[1]
    assert joined.test.function == "&&"
    chosen = rule('p(@X, E) :- q(@X, T), E := (T != null ? "a" : "b").').body[1]
    assert chosen.value.function == "?:"


def test_namespaces_qualify_names_inside_them() -> None:
    program = read_program(
        "namespace a { materialize(t, 1, infinity, keys(1)). p(@X) :- t(@X), ::sys::u(@X). } q(@X) :- p(@X)."
    )
    assert program.tables[0].relation == "a::t"
    assert program.rules[0].head.relation == "a::p"
    assert program.rules[0].body[1].relation == "sys::u"
    assert program.rules[1].head.relation == "q"


def test_sendlog_contexts_give_the_location() -> None:
    program = read_program("At S:\nr1 encrypts S says p(D, C)@D :- link(S, D, C).\nr2 q(S, W) :- W says p(S, C).")
    assert program.rules[0].head.place == ProgramVariable("D")
    assert program.rules[0].head.sayer == ProgramVariable("S")
    assert program.rules[0].head.encrypted
    assert program.rules[1].body[0].place == ProgramVariable("S")


def test_conditional_text_and_macros_from_outside() -> None:
    program = read_program("#ifdef FAST\np(a).\n#else\nq(a).\n#endif\nr(a, ME).", macros={"ME": '"me"'})
    assert [fact.atom.relation for fact in program.facts] == ["q", "r"]
    assert program.facts[1].atom.args[1] == Constant("me")


def test_scripts_have_times() -> None:
    steps = read_script("+link(a, B). at 2.5. -link(a, B). stop a.")
    assert [(step.time, step.action) for step in steps] == [(0, "+"), (2.5, "-"), (2.5, "stop")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("p(@X :- q(@X).", "TL930"),
        ("p(@X) :- q(@X) r(@X).", "TL930"),
        ("#include x", "TL930"),
        ("#ifdef A\np(a).", "TL930"),
        ("namespace a { p(@X) :- q(@X).", "TL930"),
        ("p(@X) :- q(@X) ~ 1.", "TL930"),
        ("p(@X, Y) :- e(@X).", "TL931"),
        ("p(@X) :- e(@X), Y > 1.", "TL931"),
        ("p(@X) :- e(@X), d(@X).", "TL932"),
        ("p(@X) :- e(@X), f_unknown(X) == 1.", "TL933"),
        ("materialize(t, 1, 1, keys(1)). p(@X) :- e(@X), t(@Y).", "TL934"),
        ("materialize(t, 1, 1, keys(1)). p(@X, a_MIN<Y>, a_MAX<Y>) :- t(@X, Y).", "TL935"),
        ("p(@X) :- periodic(@X, E, T).", "TL936"),
        ("p(_).", "TL937"),
    ],
)
def test_mistakes_have_codes_and_places(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as caught:
        compile_program(read_program(text))
    assert caught.value.diagnostics[0].code == code
    assert caught.value.diagnostics[0].span is not None


def test_topologies_have_no_rules() -> None:
    with pytest.raises(ProgramError) as caught:
        read_topology("p(@X) :- q(@X).")
    assert caught.value.diagnostics[0].code == "TL937"
