"""Change scripts."""

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Atom, Const
from tidelog.syntax import parse_changes, parse_changes_file, read_changes
from tidelog.syntax.changes import FactChange, RuleAdded, RuleRemoved


def test_commit_ends_an_epoch_and_the_rest_is_one_too():
    epochs = parse_changes("+edge(1, 2).\n-edge(2, 3).\ncommit.\ncommit.\n+edge(3, 4).")
    assert [len(epoch) for epoch in epochs] == [2, 0, 1]
    assert [change.sign for change in epochs[0]] == [1, -1]


def test_bare_identifiers_in_facts_are_symbols_under_either_convention():
    for convention in ("prolog", "souffle"):
        ((change,),) = parse_changes("+likes(Ann, bob).", convention=convention)
        assert change.atom.args == (Const("Ann", "symbol"), Const("bob", "symbol"))


def test_rules_come_with_or_without_a_label_and_go_by_it():
    ((one, two, three),) = parse_changes("+ r5: p(X) :- q(X).\n+ p(X) :- r(X).\n- r5.")
    assert isinstance(one, RuleAdded)
    assert (one.rule.label, two.rule.label) == ("r5", None)
    assert three == RuleRemoved("r5")


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("- r3.", RuleRemoved("r3")),
        ("-r3.", RuleRemoved("r3")),
        ("- r2-1.", RuleRemoved("r2-1")),
        ('- "my rule".', RuleRemoved("my rule")),
        ("- p().", FactChange(Atom("p", ()), -1)),
        ("- p(1).", FactChange(Atom("p", (Const(1, "number"),)), -1)),
        ("-q@3.", FactChange(Atom("q", (Const(3, "number"),), 0), -1)),
        ("-q@3 :-.", FactChange(Atom("q", (Const(3, "number"),), 0), -1)),
        ("+p.", FactChange(Atom("p", ()), 1)),
    ],
)
def test_labels_and_facts_are_told_apart(text, change):
    assert parse_changes(text) == ((change,),)


def test_all_mistakes_of_a_script_are_told_at_once():
    epochs, found = read_changes("p(1).\n+p(_).\n- p(X) :- q(X).\n+p(2)\n+p(3).\n- r1: p(X).")
    assert [d.code for d in found] == ["TL140", "TL142", "TL141", "TL101", "TL141"]
    assert len(epochs[0]) == 1


def test_a_script_that_is_not_there_is_a_diagnostic(tmp_path):
    with pytest.raises(ProgramError) as raised:
        parse_changes_file(tmp_path / "none")
    assert raised.value.diagnostics[0].code == "TL122"
    (tmp_path / "some").write_text("+p(1).")
    assert parse_changes_file(tmp_path / "some") == parse_changes("+p(1).")
