"""Reading whole programs: all mistakes at once, conventions, files, speed."""

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Const, Program, Var
from tidelog.syntax import (
    parse_atom,
    parse_fact,
    parse_file,
    parse_ground_atom,
    parse_program,
    parse_query,
    parse_rule,
    parse_rules,
    read_file,
    read_program,
)


def found_in(text, **options):
    return [(d.code, d.span.text) for d in read_program(text, **options)[1]]


def test_all_mistakes_of_a_program_are_told_at_once():
    text = "p(1.\nq(X) <- r(X).\nr(X) :- s(X)).\n.declare t(x: number)\nu(X) :- v(X),, w(X).\nok(1)."
    program, found = read_program(text)
    assert [d.code for d in found] == ["TL103", "TL102", "TL113", "TL111", "TL100"]
    assert [fact.atom.predicate for fact in program.facts] == ["ok"]


def test_a_missing_period_is_told_where_it_is_missing_and_the_next_clause_is_read():
    program, found = read_program("p(1)\nq(2).")
    assert [(d.code, d.span.line) for d in found] == [("TL101", 1)]
    assert [fact.atom.predicate for fact in program.facts] == ["q"]


@pytest.mark.parametrize("arrow", ["<-", "->", "=>", ":", "=", ":=", "if", "-:", "|-", "::"])
def test_a_misspelt_arrow_is_named(arrow):
    assert found_in(f"p(X) {arrow} q(X).") == [("TL102", arrow)]


def test_the_bracket_that_is_never_closed_is_shown():
    (diagnostic,) = read_program("p(X) :- q(f(X).")[1]
    assert diagnostic.code == "TL103"
    assert [(text, span.start) for text, span in diagnostic.related] == [("opened here", 9)]


def test_the_nearest_directive_is_proposed():
    assert read_program(".declare p(x: number)")[1][0].hint == "Did you mean `.decl`?"


def test_text_that_is_not_utf8_is_underlined():
    program, found = read_program(b'p("\xff"). q(1).')
    assert [d.code for d in found] == ["TL107"]
    assert len(program.facts) == 2


def test_a_byte_order_mark_is_no_mistake():
    assert parse_program(b"\xef\xbb\xbfp(1).").facts


def test_an_error_carries_all_diagnostics_in_order_of_position():
    with pytest.raises(ProgramError) as raised:
        parse_program("p(§1. q(2.", "a.dl")
    assert [d.code for d in raised.value.diagnostics] == ["TL106", "TL103"]
    assert str(raised.value).startswith("a.dl:1:3: TL106")


@pytest.mark.parametrize(
    ("text", "convention"),
    [
        ("p(X) :- q(X).", "prolog"),
        (".decl p(x: number) p(x) :- q(x).", "souffle"),
        ('% .decl p(x: number)\np("\\n.decl q").', "prolog"),
        ("// .decl p(x: number)\n/* .decl q() */ p(1).", "prolog"),
        (".convention souffle\np(x) :- q(x).", "souffle"),
        (".decl p(x: number)\n.convention prolog\np(X) :- q(X, a).", "prolog"),
    ],
)
def test_the_convention_follows_from_the_text(text, convention):
    assert parse_program(text).convention == convention


def test_a_convention_given_goes_before_declarations_and_a_line_in_the_text_before_both():
    assert parse_program(".decl p(x: number)", convention="prolog").convention == "prolog"
    assert parse_program(".convention souffle", convention="prolog").convention == "souffle"


def test_bare_identifiers_follow_the_convention_in_rules_and_are_symbols_in_facts():
    text = "p(x, Y) :- q(x, Y). q(a, B)."
    prolog, souffle = parse_program(text), parse_program(text, convention="souffle")
    assert prolog.rules[0].head.args == (Const("x", "symbol"), Var("Y"))
    assert souffle.rules[0].head.args == (Var("x"), Var("Y"))
    assert prolog.facts == souffle.facts
    assert prolog.facts[0].atom.args == (Const("a", "symbol"), Const("B", "symbol"))


def test_a_capital_in_a_fact_is_a_warning():
    (warning,) = read_program("likes(X, pizza).")[1]
    assert (warning.code, warning.severity) == ("TL123", "warning")
    assert parse_program("likes(X, pizza).").facts


def test_fragments_need_no_period():
    assert parse_rule("p(X) :- q(X)") == parse_rule("p(X) :- q(X).")
    assert parse_query("reach(0, X)").args == (Const(0, "number"), Var("X"))
    assert parse_query("reach(0, x)", "souffle").args == (Const(0, "number"), Var("x"))
    assert parse_atom("p").args == ()
    assert parse_fact("likes(Ann, [x, 1])").atom.predicate == "likes"


def test_facts_among_rules_are_rules_without_a_body():
    assert [len(rule.body) for rule in parse_rules("p(1). p(X) :- q(X).")] == [0, 1]
    assert parse_rule("p(1)").body == ()


@pytest.mark.parametrize(
    ("parse", "text", "code"),
    [
        (parse_rule, "p(X) :- q(X). r(1).", "TL100"),
        (parse_rule, "p(X), r(X) :- q(X).", "TL100"),
        (parse_rule, "", "TL100"),
        (parse_query, "p(X), q(X)", "TL100"),
        (parse_ground_atom, "p(_)", "TL124"),
        (parse_ground_atom, "p(count : { q(X) })", "TL124"),
    ],
)
def test_fragments_that_say_more_or_less_are_refused(parse, text, code):
    with pytest.raises(ProgramError) as raised:
        parse(text)
    assert [d.code for d in raised.value.diagnostics] == [code]


def test_files_are_read_with_the_files_they_include(tmp_path):
    (tmp_path / "main.dl").write_text('#include "edges.dl"\nreach(x, y) :- edge(x, y).')
    (tmp_path / "edges.dl").write_text(".decl edge(x: number, y: number)\nedge(1, 2).")
    program = parse_file(tmp_path / "main.dl")
    assert (program.convention, len(program.rules), len(program.facts)) == ("souffle", 1, 1)
    assert program.facts[0].span.source.name == str(tmp_path / "edges.dl")


def test_a_file_that_is_not_there_is_a_diagnostic(tmp_path):
    assert [d.code for d in read_file(tmp_path / "none.dl")[1]] == ["TL122"]
    with pytest.raises(ProgramError):
        parse_file(tmp_path)


def test_nodes_know_where_they_stand():
    rule = parse_program("  p(X) :- q(X, Y + 1), !r(Y).").rules[0]
    assert rule.span.text == "p(X) :- q(X, Y + 1), !r(Y)."
    assert [literal.span.text for literal in rule.body] == ["q(X, Y + 1)", "!r(Y)"]
    assert rule.body[0].args[1].span.text == "Y + 1"


def test_ten_thousand_rules_are_read():
    rule = "p{0}(X, Z) :- edge(X, Y, A), p{1}(Y, Z), !blocked(X), A + 1 < {0}.\n"
    text = "".join(rule.format(i, i + 1) for i in range(10_000))
    assert len(parse_program(text).rules) == 10_000


def test_warnings_are_told_once_and_never_stop_the_reading():
    program, found = read_program("".join(f"edge(A, N{i}).\n" for i in range(1000)))
    assert len(program.facts) == 1000
    assert len(found) == 20


def test_an_unclosed_string_is_one_error():
    program, found = read_program('.decl p(x: symbol, y: number)\np("abc, 1).\np("x", 2).')
    assert [d.code for d in found] == ["TL104"]
    assert len(program.facts) == 1
    assert program.unread == {"p"}
    assert [d.code for d in read_program("p(1) :- q(2), /* open")[1]] == ["TL105"]
    assert len(read_program("p(1). /* open")[0].facts) == 1


@pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"\x7fELF\x02\x01\x01" + bytes(900), b"\x89PNG\r\n\x1a\n\x00"])
def test_a_binary_file_is_one_error(data):
    program, found = read_program(data, "a.out")
    assert [(d.code, d.message) for d in found] == [("TL131", "`a.out` is not a text file")]
    assert program == Program()


def test_a_text_in_another_encoding_is_one_error():
    _, found = read_program('p("fünf"). q("zwölf"). r("drei").'.encode("latin-1"))
    assert [(d.code, d.span.column) for d in found] == [("TL107", 5)]


def test_what_is_refused_is_refused_once():
    _, found = read_program(".decl p(x: number)\np($).\np($).\np($).\np($).\np($).\n")
    assert [d.code for d in found] == ["TL158"]
    assert [span.line for _, span in found[0].related] == [3, 4, 5]


def test_keys_of_rapidnet_may_say_how_a_column_is_compared():
    program = parse_program("materialize(path, infinity, infinity, keys(1, 4:list, 2:int32)).")
    assert program.keys[0].keys == (1, 4, 2)
    _, found = read_program("materialize(path, infinity, infinity, keys(4:stack)).")
    assert [d.code for d in found] == ["TL118"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("d1 delete link(@S, D) :- dead(@S, D).", "TL175"),
        ("d1 gone(@S, D) :- delete link(@S, D).", "TL175"),
        ("l1 found(@N, K) :- lookup(@N, K), node(@N, A), succ(@N, B), K in (A, B].", "TL176"),
    ],
)
def test_forms_of_p2_that_are_not_part_of_the_language_are_refused_by_name(text, code):
    _, found = read_program(text)
    assert [d.code for d in found] == [code]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("n(count(*)) :- p(X).", "`count<*>`"),
        ("n(X) :- p(X) && q(X).", "by commas"),
        ("n(X) :- p(X) and q(X).", "by commas"),
        ("n(X) :- p(X) or q(X).", "`(p(X) ; q(X))`"),
        ("n(X) :- p(X) || q(X).", "`(p(X) ; q(X))`"),
        ("n(X) :- p([X|T]).", "`f_first(L)`"),
    ],
)
def test_habits_of_other_languages_get_a_hint(text, hint):
    assert hint in read_program(text)[1][0].hint
