"""Every run of the linear-logic reading is a run of the transition system, and the other way round.

The small programs are enumerated, not sampled, over one base and two derived relations with bodies of up to two atoms:
those without recursion along every schedule of single commands to its end, recursive ones for the first commands. At
each configuration met on the way both sides must offer the same moves; by induction on length the runs are then the
same.
What it cannot notice: a difference that shows only with three rules or more than three updates under way.
"""

from itertools import chain, combinations_with_replacement, product

import pytest

from tidelog.errors import EngineError
from tidelog.lab.semantics.bag import Bag
from tidelog.lab.semantics.configuration import Configuration, Semantics, holding
from tidelog.lab.semantics.executions import synchronous_trace
from tidelog.lab.semantics.fact import Fact, Update, deletion, insertion
from tidelog.lab.semantics.linear import (
    logical_moves,
    outcomes,
    query,
    sequent,
    to_configuration,
    to_contexts,
    transition_moves,
)
from tidelog.lab.semantics.network import prepare
from tidelog.lab.semantics.trace import check
from tidelog.program import Aggregate, Atom, Call, Comparison, Program, Rule, Var
from tidelog.program import Fact as AstFact

BASE, DERIVED = ("a",), ("p", "q")
RELATIONS = BASE + DERIVED
BODIES = [*product(RELATIONS), *product(RELATIONS, repeat=2)]
UPDATES = [
    [insertion("a")],
    [deletion("a")],
    [insertion("a"), deletion("a")],
    [insertion("a"), insertion("p")],
    [insertion("a"), deletion("p")],
]
VIEW = {Fact("a"): 1, Fact("p"): 2, Fact("q"): 1}


def rule(head: str, body: tuple[str, ...]) -> Rule:
    return Rule(Atom(head, ()), tuple(Atom(name, ()) for name in body))


RULES = [rule(head, body) for head in DERIVED for body in BODIES]
PAIRS = list(combinations_with_replacement(RULES, 2))


def semantics_of(*rules: Rule) -> Semantics:
    """The facts only make all relations known; `holding` starts without them."""
    return Semantics(prepare(Program(rules, tuple(AstFact(Atom(name, ())) for name in RELATIONS))))


def agreed_moves(semantics: Semantics, configuration: Configuration) -> set[Configuration]:
    moves = transition_moves(semantics, configuration)
    assert moves == logical_moves(semantics, configuration), str(configuration)
    return {after for _, after in moves}


def reached(semantics: Semantics, start: Configuration, depth: int) -> set[Configuration]:
    """All configurations within that many commands, checked on the way; none is looked at twice."""
    level, seen = {start}, {start}
    for _ in range(depth):
        if not level:
            break
        level = set(chain.from_iterable(agreed_moves(semantics, at) for at in level)) - seen
        seen |= level
    return seen


@pytest.mark.long
@pytest.mark.parametrize("updates", UPDATES, ids=lambda us: " ".join(map(str, us)))
def test_all_programs_of_two_rules_move_alike_for_one_iteration(updates: list[Update]) -> None:
    for rules in PAIRS:
        semantics = semantics_of(*rules)
        reached(semantics, holding(semantics, VIEW).sent(semantics.network, updates), depth=3)


def without_recursion(rules: tuple[Rule, ...]) -> bool:
    reads = {(rule.head.predicate, atom.predicate) for rule in rules for atom in rule.body}  # type: ignore[union-attr]  # atoms
    return not any((name, name) in reads for name in DERIVED) and not {("p", "q"), ("q", "p")} <= reads


@pytest.mark.long
@pytest.mark.parametrize("case", ["+a", "-a", "+a -a"])
def test_all_programs_of_two_rules_without_recursion_move_alike_along_every_schedule(case: str) -> None:
    programs = [rules for rules in PAIRS if without_recursion(rules)]
    assert len(programs) == 62
    for rules in programs:
        semantics = semantics_of(*rules)
        start = Configuration().sent(semantics.network, [insertion("a")] if "+" in case else [])
        if case == "-a":
            start = check(synchronous_trace(semantics, Configuration().sent(semantics.network, [insertion("a")])))
        if "-" in case:
            start = start.sent(semantics.network, [deletion("a")])
        assert any(configuration.final for configuration in reached(semantics, start, depth=200))


@pytest.mark.parametrize("body", [*BODIES, ("a", "a", "a"), ("a", "p", "a")], ids="_".join)
def test_all_programs_of_one_rule_move_alike_along_every_schedule(body: tuple[str, ...]) -> None:
    semantics = semantics_of(rule("q", body))
    for updates in ([insertion("a")], [insertion("a"), insertion("p"), deletion("a")]):
        start = Configuration().sent(semantics.network, updates)
        final = [c for c in reached(semantics, start, depth=8 if "q" in body else 30) if c.final]
        assert "q" in body or final


def located_join() -> Program:
    """h(@X,Y) :- e(@X,Z), e(@X,W), Y = Z + W, Z < W."""
    x, y, z, w = map(Var, "XYZW")
    guards = (Comparison("=", y, Call("+", (z, w))), Comparison("<", z, w))
    return Program((Rule(Atom("h", (x, y), 0), (Atom("e", (x, z), 0), Atom("e", (x, w), 0), *guards)),))


def test_programs_with_variables_guards_and_locations_move_alike() -> None:
    semantics = Semantics(prepare(located_join()))
    updates = [insertion("e", 1, 2), insertion("e", 1, 3), insertion("e", 2, 3), deletion("e", 1, 2)]
    seen = reached(semantics, Configuration().sent(semantics.network, updates), depth=6)
    assert any(update.fact == Fact("h", (1, 5)) for c in seen for update in c.waiting())


def test_loops_give_the_same_outcomes_in_every_order() -> None:
    semantics = Semantics(prepare(located_join()))
    facts = {Fact("e", (1, 2)): 1, Fact("e", (1, 3)): 1, Fact("h", (1, 5)): 1}
    for after in reached(semantics, holding(semantics, facts).sent(semantics.network, [insertion("e", 1, 4)]), depth=1):
        assert logical_moves(semantics, after) == logical_moves(semantics, after, every_order=True)


def test_sequents_and_configurations_translate_into_each_other() -> None:
    semantics = semantics_of(rule("q", ("a", "p")))
    start = holding(semantics, VIEW).sent(semantics.network, [insertion("a"), deletion("a")])
    for configuration in reached(semantics, start, depth=5):
        assert to_configuration(semantics, to_contexts(semantics, configuration)) == configuration


def test_deletion_is_committed_only_after_the_insertion_it_takes_back() -> None:
    semantics = semantics_of(rule("q", ("p",)))
    updates = Bag([insertion("a"), deletion("a")])
    both_fired = Configuration(fired=updates)
    ((name, after),) = logical_moves(semantics, both_fired)
    assert (name, after.fired) == ("commit", Bag([deletion("a")]))


def test_query_proves_a_fact_only_when_nothing_is_pending() -> None:
    network = semantics_of(rule("q", ("a",))).network
    pending = sequent(network, [Fact("a")], [insertion("p")], asked=Fact("a"))
    quiet = sequent(network, [Fact("a")], [], asked=Fact("a"))
    assert not outcomes(query(), pending)
    assert [outcome.proved for outcome in outcomes(query(), quiet)] == [True]
    assert not outcomes(query(), sequent(network, [], [], asked=Fact("a")))


def test_aggregates_are_refused() -> None:
    x, y = Var("X"), Var("Y")
    least = Rule(Atom("h", (x, Aggregate("min", y, None)), 0), (Atom("e", (x, y), 0),))
    with pytest.raises(EngineError, match="does not support aggregates") as refused:
        sequent(prepare(Program((least,))), [], [])
    assert refused.value.code == "TL7403"
