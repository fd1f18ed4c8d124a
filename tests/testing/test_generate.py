"""What the random programs and changes are worth: they are legal, they repeat, and every feature occurs in them."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings

from tidelog.program import Aggregate, Atom, Call, Const, Disjunction, Negation, Var, Wildcard
from tidelog.program.check import check_program
from tidelog.syntax import parse_program, print_program
from tidelog.testing import (
    AGGREGATION,
    FEATURES,
    PLAIN,
    State,
    evaluate,
    is_acceptable,
    is_stratified,
    random_changes,
    random_program,
    states,
    strata,
    supports,
)
from tidelog.testing.generate_values import vocabulary
from tidelog.testing.occurrences import body_literals, dependencies, head_aggregates, parts, terms_of
from tidelog.testing.strategies import histories, programs

SEEDS = range(80)


def history(seed, features=FEATURES, epochs=4):
    rng = Random(seed)
    program = random_program(rng, features)
    changes = random_changes(rng, program, epochs, features)
    return program, changes, states(State.start(program), changes)


@pytest.fixture(scope="module")
def histories_by_seed():
    return [history(seed) for seed in SEEDS]


def all_terms(rule):
    for literal in body_literals(rule):
        for term in terms_of(literal):
            yield from parts(term)
    for term in rule.head.args:
        yield from parts(term)


def called(rule):
    return {term.function for term in all_terms(rule) if isinstance(term, Call)}


def traits(rule):
    """The features of one rule, by looking at it."""
    literals, terms, calls = list(body_literals(rule)), list(all_terms(rule)), called(rule)
    atoms = [literal for literal in literals if isinstance(literal, Atom)]
    negations = [literal for literal in literals if isinstance(literal, Negation)]
    predicates = Counter(atom.predicate for atom in atoms)
    yield from ("linear recursion" for atom in atoms if atom.predicate == rule.head.predicate)
    yield from ("non-linear recursion" for name, n in predicates.items() if n > 1 and name == rule.head.predicate)
    yield from ("self-join" for n in predicates.values() if n > 1)
    yield from ("constant" for atom in atoms for arg in atom.args if isinstance(arg, Const))
    yield from ("wildcard" for atom in atoms for arg in atom.args if isinstance(arg, Wildcard))
    yield from ("negation" for _ in negations)
    yield from ("negated wildcard" for n in negations for arg in n.atom.args if isinstance(arg, Wildcard))
    yield from ("disjunction" for literal in literals if isinstance(literal, Disjunction))
    yield from (f"body {term.kind}" for term in terms if isinstance(term, Aggregate) and term.body is not None)
    yield from (f"head {aggregate.kind}" for aggregate in head_aggregates(rule).values())
    yield from (f"{term.type} constant" for term in terms if isinstance(term, Const))
    yield from (f"call {name}" for name in calls)
    yield from ("comparison " + literal.op for literal in literals if hasattr(literal, "op"))
    yield from (
        "repeated variable" for atom in atoms if any(n > 1 for n in Counter(filter(is_var, atom.args)).values())
    )
    if not rule.body:
        yield "empty body"
    if not rule.head.args:
        yield "nullary head"


def is_var(term):
    return isinstance(term, Var)


EXPECTED = {
    "linear recursion", "non-linear recursion", "self-join", "constant", "wildcard", "negation", "negated wildcard",
    "disjunction", "repeated variable", "empty body", "nullary head", "float constant", "symbol constant",
    "unsigned constant", *(f"body {kind}" for kind in ("count", "sum", "min", "max", "mean")),
    *(f"head {kind}" for kind in ("count", "sum", "min", "max", "mean")),
    *(f"comparison {op}" for op in ("=", "!=", "<", "<=", ">", ">=")),
    *(f"call {name}" for name in (
        "+", "-", "*", "/", "%", "min", "max", "band", "bor", "bxor", "bnot", "land", "lor", "lnot", "range", "list",
        "cat", "strlen", "substr", "contains", "match", "to_string", "ord",
        "f_init", "f_append", "f_concat", "f_inPath", "f_member", "f_size", "f_first", "f_last")),
}  # fmt: skip


def test_every_feature_of_rules_occurs():
    found = set()
    for seed in range(250):
        for state in history(seed, epochs=2)[2]:
            found |= {trait for rule in state.program.rules for trait in traits(rule)}
    assert EXPECTED - found == set()


def test_every_kind_of_change_occurs(histories_by_seed):
    found = Counter()
    for _, changes, passed in histories_by_seed:
        for change, before, after in zip(changes, passed, passed[1:], strict=False):
            found.update(kinds_of_change(change, before, after))
    expected = {"insert", "insert present", "delete", "delete absent", "both signs", "derived fact", "add rule",
                "remove rule", "same rule twice", "rule back", "strata merged", "strata split",
                "negation in former stratum"}  # fmt: skip
    assert expected - set(found) == set()


def kinds_of_change(change, before, after):
    signs = change.signs()
    yield from ("insert" if fact not in before.facts else "insert present" for fact in change.inserts)
    yield from ("delete" if fact in before.facts else "delete absent" for fact in change.deletes)
    yield from ("both signs" for fact in set(change.inserts) & set(change.deletes) if signs[fact] == 0)
    yield from ("derived fact" for name, _ in change.inserts if name.startswith("d"))
    yield from ("remove rule" for _ in change.remove_labels)
    rules = Counter((rule.head, rule.body) for rule in after.program.rules)
    for rule in change.add_rules:
        yield "add rule"
        yield "same rule twice" if rules[rule.head, rule.body] > 1 else "new rule"
        yield "rule back" if (rule.head, rule.body) not in {(r.head, r.body) for r in before.program.rules} else "copy"
    old, new = strata(before.program.rules), strata(after.program.rules)
    yield from ("strata merged" for stratum in new if len(stratum) > 1 and not any(stratum <= s for s in old))
    yield from ("strata split" for stratum in old if len(stratum) > 1 and not any(stratum <= s for s in new))
    for rule in change.add_rules:
        negated = {predicate for predicate, strict in dependencies(rule) if strict}
        yield from ("negation in former stratum" for s in old if rule.head.predicate in s and negated & s)


def test_programs_pass_the_checks_and_survive_printing_after_every_epoch(histories_by_seed):
    for program, _, passed in histories_by_seed[:30]:
        known = {relation.name: len(relation.types) for relation in vocabulary(program)}
        for current in (program, *(state.program for state in passed)):
            check_program(current, known=known)
            assert parse_program(print_program(current)) == current


def test_programs_stay_stratified_and_labels_are_never_reused(histories_by_seed):
    for program, changes, passed in histories_by_seed:
        labels = [rule.label for rule in (*program.rules, *(rule for c in changes for rule in c.add_rules))]
        assert len(set(labels)) == len(labels)
        assert all(is_acceptable(state.program.rules) and is_stratified(state.program.rules) for state in passed)


def test_a_seed_names_a_case():
    assert history(7) == history(7)
    assert history(7) != history(8)


def test_models_are_not_empty_on_the_whole(histories_by_seed):
    sizes = [sum(map(len, passed[-1].model().values())) for _, _, passed in histories_by_seed[:40]]
    assert sum(size > 10 for size in sizes) > len(sizes) / 2


@pytest.mark.parametrize("features", [frozenset(), PLAIN, frozenset({"recursion", "negation"}), AGGREGATION])
def test_features_that_were_not_asked_for_do_not_occur(features):
    forbidden = {
        "negation": "negation",
        "disjunction": "disjunction",
        "wildcards": "wildcard",
        "ranges": "call range",
        "body_aggregates": "body sum",
        "whole_groups": "head quantile",
        "head_aggregates": "head sum",
        "minimised": "head min",
        "lists": "call f_size",
        "symbols": "call cat",
        "recursion": "linear recursion",
    }
    allowed = {trait for feature, trait in forbidden.items() if feature in features}
    allowed |= {"linear recursion"} if "minimised" in features else set()
    for seed in range(40):
        for state in history(seed, features - {"rule_changes"}, epochs=1)[2]:
            found = {trait for rule in state.program.rules for trait in traits(rule)}
            assert found & (set(forbidden.values()) - allowed) - {"head min"} == set()


def test_shuffled_bodies_have_the_same_model():
    rng = Random(1)
    for seed in range(25):
        program, _, (state, *_) = history(seed, epochs=1)
        shuffled = [
            type(rule)(rule.head, tuple(rng.sample(rule.body, k=len(rule.body))), rule.label)
            for rule in state.program.rules
        ]
        again = State(replace(program, rules=tuple(shuffled), facts=()), state.facts)
        assert again.model() == state.model()


def test_supports_say_which_facts_there_are():
    for seed in range(20):
        for state in history(seed, PLAIN, epochs=2)[2]:
            model = evaluate(state.program, state.relations())
            present = {(name, row) for name, rows in model.items() for row in rows}
            assert set(supports(state.program, state.relations())) == present


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories(PLAIN, most_epochs=2))
def test_strategy_of_histories_gives_acceptable_programs(case):
    program, changes = case
    for state in states(State.start(program), changes):
        assert is_acceptable(state.program.rules)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_strategy_of_programs_gives_programs_with_a_model(program):
    assert set(evaluate(program)) >= {rule.head.predicate for rule in program.rules}
