"""Reach: an epoch visits what it reaches, lower strata first, each once; what it learnt can be taken back."""

from __future__ import annotations

from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.plan.plan_rule import RulePlanner
from tidelog.program import Rule
from tidelog.program.values.scope import atoms
from tidelog.runtime.base.reach import Agenda, Readers, with_losses, within_reach
from tidelog.syntax import parse_program

CHAIN = "b(X) :- a(X).  c(X) :- b(X), !d(X).  e(X) :- c(X), c(X)."


def code_of(rule: Rule) -> RuleCode:
    return RuleCode(rule, 0, RulePlanner(rule, {}, {}))


def readers_of(text: str) -> Readers:
    readers = Readers()
    for rule in parse_program(text).rules:
        readers.add(code_of(rule))
    return readers


def strata_of(*names: str) -> dict[str, Stratum]:
    return {name: Stratum(frozenset((name,)), order=order) for order, name in enumerate(names)}


def test_readers_are_the_heads_of_rules_that_read_a_relation_negated_or_not() -> None:
    readers = readers_of(CHAIN)
    assert [set(readers.of(name)) for name in "abcde"] == [{"b"}, {"c"}, {"e"}, {"c"}, set()]


def test_an_epoch_that_is_undone_has_added_no_reader() -> None:
    readers = readers_of("b(X) :- a(X).")
    readers.commit()
    for rule in parse_program("b(X) :- a(X).  c(X) :- a(X).").rules:
        readers.add(code_of(rule))
    readers.undo()
    assert set(readers.of("a")) == {"b"}


def test_an_agenda_gives_lower_strata_first_and_each_once() -> None:
    strata = strata_of("a", "b", "c", "d", "e")
    agenda = Agenda(strata)
    agenda.add(["e", "c", "unknown"])
    seen = []
    for stratum in agenda:
        (name,) = stratum.relations
        seen.append(name)
        if name == "c":
            agenda.add(["d", "c", "e"])
    assert seen == ["c", "d", "e"]


def test_within_reach_is_what_reads_a_change_directly_or_not() -> None:
    strata = strata_of("a", "d", "b", "c", "e")
    found = within_reach(strata, readers_of(CHAIN), ["a"])
    assert found == [strata[name] for name in "abce"]
    assert within_reach(strata, readers_of(CHAIN), ["d"]) == [strata[name] for name in "dce"]


def losing(text: str, deleted: str = "") -> str:
    """The relations that may lose supports, when all relations of a program are reached."""
    rules = parse_program(text).rules
    heads = [rule.head.predicate for rule in rules]
    strata = strata_of(*sorted({a.predicate for rule in rules for a in atoms(rule.body)} - {*heads}), *heads)
    for rule in rules:
        strata[rule.head.predicate].rules[str(rule)] = code_of(rule)
    return "".join(min(stratum.relations) for stratum, loses in with_losses(strata.values(), deleted) if loses)


def test_losses_follow_deleted_facts_and_negated_relations_that_change() -> None:
    assert losing(CHAIN) == "ce"
    assert losing(CHAIN, "a") == "abce"
    assert losing("c(X) :- a(X). d(X) :- c(X), b(X).") == ""
    assert losing("c(X) :- a(X). d(X) :- c(X), b(X).", "b") == "bd"
