"""What the expansion of paths promises beyond the cases of `expand_paths.dl`: names, sharing, words."""

from __future__ import annotations

import pytest

from tidelog.program import Alternative, Conjunction, Const, Inverse, Label, Repeat, Sequence, Wildcard
from tidelog.program.values.path import domains, empty_at, forward, is_closure, labels, reversed_path
from tidelog.program.values.path_text import path_text
from tidelog.rewrite import label_rules, to_core, to_core_rule
from tidelog.rewrite.paths.automaton import MOST_STEPS, to_automaton
from tidelog.rewrite.paths.forms import shorten, tidy
from tidelog.rewrite.paths.names import paths_in_words, walk_in_words
from tidelog.rewrite.paths.seeds import literal_text, term_text
from tidelog.syntax import parse_program, parse_rule

A, B = Label("a"), Label("b")


def path(text: str):
    (literal,) = parse_rule(f"h(X) :- {text}(X, Y).").body
    return literal.path


def test_rules_of_walks_are_equal_whoever_needs_them() -> None:
    texts = """p(X) :- q(X, Z), Z > 2, e+(X, Y), r(Y). s(B) :- q(A, C), C > 2, e+(A, B).
               t(X, Y) :- e+(X, Y). u(A) :- e+(_, A), e+(A, A)."""
    shared: dict[str, object] = {}
    for rule in label_rules(parse_program(texts).rules):
        for made in to_core_rule(rule):
            if made.label.startswith("__"):
                assert shared.setdefault(made.label, made) == made


def test_core_rules_do_not_depend_on_the_label() -> None:
    one, other = parse_program("x: p(Y) :- s(X), e+(X, Y). y: p(Y) :- s(X), e+(X, Y).").rules
    assert [r.head for r in to_core_rule(one)] == [r.head for r in to_core_rule(other)]


@pytest.mark.parametrize(
    "text", ["a", "^a", "(a/b)+", "a{2,5}/b?", "(a|^b)*[n]", "a[p] & (b/^b){0,2}", "(a & b?)+|^(c/d)"]
)
def test_turning_a_path_twice_gives_the_path(text: str) -> None:
    given = tidy(path(f"({text})"))
    assert tidy(reversed_path(reversed_path(given))) == given
    assert tidy(given) == given
    assert empty_at(reversed_path(given)) == empty_at(given)


def test_parts_of_a_path_are_found_in_order() -> None:
    given = path("(a*[n] & ^(b[x]/c{2,}))")
    assert [label.relation for label in labels(given)] == ["a", "b", "c"]
    assert [repeat.domain for repeat in domains(given)] == ["n"]
    assert is_closure(given)
    assert not is_closure(path("(a/b){0,4}"))


@pytest.mark.parametrize(
    ("text", "states"), [("a+", 1), ("(a|b|^c)*", 1), ("(a/b)+", 2), ("a/b/c", 3), ("a{1,3}", 3), ("(a/c|b/c)", 2)]
)
def test_steps_that_go_on_alike_are_one_state(text: str, states: int) -> None:
    automaton = to_automaton(tidy(path(f"({text})")))
    # The two `c` of the last case end alike, and so do the steps before each of them only if it is the same `c`.
    assert len(automaton.moves) in (states, states + 1)


def test_the_number_of_steps_is_limited() -> None:
    assert len(to_automaton(Repeat(A, MOST_STEPS, MOST_STEPS)).steps) == MOST_STEPS


def test_forward_leaves_inverses_at_labels_only() -> None:
    given = Inverse(Alternative((Sequence((A, B)), Conjunction((A, Inverse(B))), Repeat(A, 0, 2, "n"))))
    assert path_text(forward(given)) == "^b/^a|^a & b|(^a){0,2}[n]"
    assert forward(Conjunction((A, Alternative((A, B))))) == Conjunction((A, Alternative((A, B))))


def test_shortened_paths_keep_what_only_a_domain_may_skip() -> None:
    assert path_text(shorten(path("(a?[n]/b)"))) == "a?[n]/b"
    assert path_text(shorten(path("(a*/b{2,}/c+)"))) == "b/b/c+"


def test_walks_are_told_in_words() -> None:
    assert paths_in_words("__seed___reach_a+ from q(X), !r(X)") == "start nodes nodes reached by a+ from q(X), !r(X)"
    assert paths_in_words("edge") is None
    assert walk_in_words("__only_edge/1", ["1"]) is None
    assert walk_in_words("__path_a|b not empty", ["1", "2"]) == "(a|b)(1, 2)"
    assert walk_in_words("__reach_(a/b)+ from anywhere", ["2"]) == "(a/b)+(_, 2)"
    assert walk_in_words("__reach_a+ from __reach_b+ from s", ["2"]) == "a+ from nodes reached by b+ from s to 2"
    assert walk_in_words("__nodes_a|b", ["2"]) == "2 is a node of a|b"


def test_texts_of_seeds_tell_terms_apart() -> None:
    assert [term_text(t) for t in (Wildcard(), Const("1", "symbol"), Const(1, "number"), Const(1, "unsigned"))] == [
        "_", "'1'", "1", "1 unsigned",
    ]  # fmt: skip
    (negation, comparison) = parse_rule("h(X) :- !q(X, _), X < X + 1.").body
    assert (literal_text(negation), literal_text(comparison)) == ("!q(X, _)", "X < +(X, 1)")


def test_head_aggregates_and_branches_walk_too() -> None:
    text = "p(X, min<Y>) :- (a+(X, Y) ; b{2}(X, Y)), f(X + 1)."
    heads = {rule.head.predicate for rule in to_core(parse_program(text).rules)}
    assert heads >= {"p", "__val_p/min2"}
