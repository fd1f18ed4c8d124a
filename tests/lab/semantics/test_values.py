"""Bags, facts, states: the values everything else is made of."""

import copy

import pytest

from tidelog.lab.semantics import Bag, Fact, Message, Occurrence, Update, as_sets, deletion, flatten, insertion, prepare
from tidelog.lab.semantics.fact import byte_size, note_text, order, value_text
from tidelog.lab.semantics.state import State
from tidelog.syntax import parse_program


def test_a_bag_counts_its_items():
    bag = Bag(["p", "q", "p"])
    assert bag.count("p") == 2
    assert bag.count("r") == 0
    assert "q" in bag
    assert sorted(bag) == ["p", "p", "q"]
    assert set(bag.distinct()) == {"p", "q"}
    assert repr(bag) == "{p, p, q}"


def test_bags_with_equal_counts_are_equal_and_hash_alike_whatever_their_history():
    one = Bag(["p"]).plus("q").plus("q").minus("q")
    other = Bag(["q", "p"])
    assert one == other
    assert hash(one) == hash(other)
    assert one != Bag(["p"])
    assert one != "p"
    assert Bag.of({"p": 1, "q": 1, "r": 0}) == other
    assert Bag(["p"]).union(["q"]) == other


def test_taking_what_is_not_there_is_refused():
    with pytest.raises(KeyError):
        Bag(["p"]).minus("q")


def test_a_bag_never_changes_so_copies_share_it():
    bag = Bag(["p"])
    bag.plus("q", 3)
    assert bag == Bag(["p"])
    assert copy.deepcopy(bag) is bag


def test_facts_and_updates_print_as_the_papers_write_them():
    assert str(insertion("path", "a", "b", ("a", "b"), 1)) == "+path(a,b,[a,b],1)"
    assert str(deletion("p")) == "-p"
    assert str(Occurrence(Fact("p"), (frozenset({Fact("b"), Fact("a")}), frozenset()))) == "p {a,b} {}"
    assert note_text(3) == "3"
    assert value_text(1.5) == "1.5"


def test_values_of_different_types_have_one_order():
    values = [("b",), "a", 2, ("a",), frozenset({"z"}), frozenset({"a", "b"})]
    assert sorted(values, key=order) == [2, "a", ("a",), ("b",), frozenset({"a", "b"}), frozenset({"z"})]


def test_a_message_knows_its_size_and_whether_it_crosses_a_link():
    here = Message(1, "a", "a", insertion("p", "a"))
    there = Message(2, "a", "b", Update(1, Fact("p", ("b",)), 7))
    outside = Message(3, None, "b", insertion("p", "b"))
    assert here.local
    assert outside.local
    assert not there.local
    assert there.size == byte_size([1, "p", ["b"], 7])
    assert here.size == byte_size([1, "p", ["a"]])
    assert str(there) == "+p(b) 7 at b"
    assert str(Message(4, None, "", insertion("p"))) == "+p"
    assert copy.deepcopy(here) is here


def test_a_state_puts_every_fact_at_its_node():
    network = prepare(parse_program("p(@Y,X) :- q(@X,Y)."))
    state = State.of(network, [Occurrence(Fact("q", ("a", "b"))), Occurrence(Fact("p", ("b", "a")))])
    assert state.nodes() == {"a", "b"}
    assert state.tables() == {"a": {"q": {("a", "b"): 1}}, "b": {"p": {("b", "a"): 1}}}
    assert repr(state) == "{p(b,a), q(a,b)}"
    assert copy.deepcopy(state) is state
    assert state != "state"
    emptied = state.minus("a", Occurrence(Fact("q", ("a", "b"))))
    assert emptied.nodes() == {"b"}
    assert hash(emptied.plus("a", Occurrence(Fact("q", ("a", "b"))))) == hash(state)


def test_tables_flatten_to_facts_and_to_sets():
    tables = {"a": {"q": {("a",): 2, ("b",): 0}, "r": {}}, "b": {}}
    assert flatten(tables) == {Fact("q", ("a",)): 2}
    assert as_sets(tables) == {"a": {"q": frozenset({("a",)})}}
