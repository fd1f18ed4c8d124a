"""Choice: under changes of facts and rules every key of the candidates has one fact, which stays while it is a
candidate; then the least with free keys follows, on any number of partitions, and whether the change is looked at or
everything, or the stratum is built again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from unittest.mock import patch

import pytest

from tests.law.harness import Model, check_feed, commit, labelled
from tests.law.sabotage import rebuilding
from tidelog import Engine, EvaluationError, ProgramError
from tidelog.partition import pick
from tidelog.program import Program
from tidelog.program.choice import choices
from tidelog.program.functions import FUNCTIONS
from tidelog.syntax import parse_program, print_program
from tidelog.testing import EpochChanges, State
from tidelog.testing.invariants import violations
from tidelog.testing.naive import evaluate
from tidelog.verify import Certificate

CASES = max(2, int(os.environ.get("TIDELOG_CASES", "60")) // 20)
HEAD = ".decl e(x: number, y: number, s: symbol)\n"
ONE = """
    .decl p(x: number, s: symbol) choice-domain x
    .decl gap(x: number)
    .decl more(x: number, n: number) choice-domain n
    a1: p(x, s) :- e(x, _, s).
    a2: p(y, s) :- e(x, y, s), x > 2.
    a3: gap(x) :- e(x, _, s), !p(x, s).
    a4: more(x, y) :- gap(x), e(x, y, _).
"""
COMPOUND = """
    .decl p(s: symbol, x: number, y: number) choice-domain (y, s)
    .decl n(c: number)
    a1: p(s, x, y) :- e(x, y, s).
    a2: p(s, y, x) :- e(x, y, s), x != 1.
    a3: n(c) :- c = count : { p(_, _, _) }.
"""
SEVERAL = """
    .decl p(x: number, y: number) choice-domain x, y
    .decl free(x: number)
    a1: p(x, y) :- e(x, y, _).
    a2: p(y, x) :- e(x, y, "b").
    a3: free(x) :- e(x, _, _), !p(x, _).
"""
SHARING = """
    .decl p(x: number, y: number, s: symbol) choice-domain (x, y), (x, s), (x, y, s)
    .decl q(x: number, s: symbol)
    a1: p(x, y, s) :- e(x, y, s).
    a2: p(3, y, s) :- e(_, y, s), y > 1.
    a3: q(x, s) :- p(x, _, s).
"""
SHAPES = {"one": ONE, "compound": COMPOUND, "several": SEVERAL, "sharing": SHARING}


def after(state: State, before: Model) -> Model:
    """What must be there now: choices are made one relation after the other, each from all that its rules give."""
    program, facts = replace(state.program, facts=()), dict(state.relations())
    for name, declared in choices(state.program).items():
        candidates = evaluate(_without(program, [name]), facts).get(name, frozenset())
        facts[name] = frozenset(_chosen(candidates, before.get(name, frozenset()), declared.domains))
        rules = tuple(rule for rule in program.rules if rule.head.predicate != name)
        program = replace(_without(program, [name]), rules=rules)
    return evaluate(program, facts)


def _without(program: Program, names: Sequence[str]) -> Program:
    declared = tuple(replace(d, domains=()) if d.relation in names else d for d in program.declarations)
    return replace(program, declarations=declared)


def _chosen(candidates: frozenset, before: frozenset, domains: tuple) -> Iterator[tuple]:
    taken: list[tuple] = []
    for row in [*sorted(before & candidates), *sorted(candidates)]:
        if all(tuple(row[i] for i in d) != tuple(other[i] for i in d) for d in domains for other in taken):
            taken.append(row)
            yield row


def _change(rng: Random, state: State, given: tuple[str, int]) -> EpochChanges:
    rows = [(rng.randrange(5), rng.randrange(5), rng.choice("abc")) for _ in range(rng.choice([1, 1, 4]))]
    inserts = {("e", row) for row in rows}
    present = sorted((fact for fact in state.facts), key=str)
    gone = set(rng.sample(present, k=min(len(present), rng.choice([0, 1, 2, 5])))) - inserts
    return EpochChanges(tuple(sorted(inserts)), tuple(sorted(gone)))


def history(seed: int, shape: str, partitions: int, threads: int = 1) -> list[Model]:
    """The law on one random history; what there was after each epoch."""
    rng, parsed = Random(f"{seed} {shape}"), parse_program(HEAD + SHAPES[shape])
    texts = {rule.label: rule for rule in parsed.rules}
    db, state, away = Engine(parsed, partitions=partitions, threads=threads), State.start(labelled(parsed)), None
    told = [after(state, {})]
    for _ in range(14):
        change = _change(rng, state, ("p", 2))
        if rng.random() < 0.3 and away is None:
            away = rng.choice(["a1", "a2"])
            change = replace(change, remove_labels=(away,))
        elif away is not None and rng.random() < 0.5:
            change, away = replace(change, add_rules=(texts[away],)), None
        state = state.after(change)
        epoch = commit(db, change, parsed.convention)
        expected = after(state, told[-1])
        for name, rows in expected.items():
            assert frozenset(db[name]) == rows, (name, set(db[name]), rows)
        assert not violations(db.state(), FUNCTIONS)
        check_feed(epoch, told[-1], expected)
        told.append(expected)
        assert isinstance(db.verify(), Certificate)
    return told


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(CASES))
def test_what_is_chosen_stays_and_the_least_follows(seed: int, shape: str, partitions: int) -> None:
    history(seed, shape, partitions)


@pytest.mark.parametrize("shape", SHAPES)
def test_to_look_at_everything_gives_the_same_choice(shape: str) -> None:
    with patch.object(pick, "MANY", -1):
        assert history(0, shape, 1) == history(0, shape, 3)


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_stratum_that_is_built_again_keeps_what_was_chosen(shape: str, partitions: int) -> None:
    with rebuilding(Random(shape)) as tipped:
        for seed in range(CASES):
            history(seed, shape, partitions)
    assert tipped


def test_threads_do_not_change_the_choice() -> None:
    assert history(1, "sharing", 1, threads=2) == history(1, "sharing", 1)


def test_asserted_facts_are_candidates() -> None:
    for partitions in (1, 3):
        db = Engine(".decl p(x: number, y: number) choice-domain x\np(1, 5). p(1, 3). p(2, 2).", partitions=partitions)
        assert sorted(db["p"]) == [(1, 3), (2, 2)]
        with db.epoch() as epoch:
            epoch.insert("p", [(1, 1), (3, 3)])
            epoch.delete("p", [(2, 2)])
        assert sorted(db["p"]) == [(1, 3), (3, 3)]
        with db.epoch() as epoch:
            epoch.delete("p", [(1, 3)])
        assert sorted(db["p"]) == [(1, 1), (3, 3)]
        assert sorted(db.asserted("p")) == [(1, 1), (1, 5), (3, 3)]
        assert "a choice, not the model, of p" in str(db.verify())


def test_of_values_of_any_type_the_least_is_chosen() -> None:
    rows = [(1, 2.5, 2**63 + 1, "b"), (1, -1.5, 7, "a"), (1, -1.5, 2**63 + 1, "a"), (1, -1.5, 7, "A")]
    db = Engine(".decl p(x: number, f: float, u: unsigned, s: symbol) choice-domain x")
    for row in sorted(rows, key=lambda row: row[1:]):
        with db.epoch() as epoch:
            epoch.insert("p", rows)
        assert sorted(db["p"]) == [row]
        with db.epoch() as epoch:
            epoch.delete("p", [row])
        rows.remove(row)
    assert not list(db["p"])


def test_records_and_lists_can_be_chosen() -> None:
    db = Engine(".type R = [a: number, b: R]\n.decl p(x: number, r: R) choice-domain x\np(1, [2, nil]). p(1, [1, nil]).")
    (kept,) = db["p"]
    with db.epoch() as epoch:
        epoch.insert("p", [(1, (0, None))])
    assert list(db["p"]) == [kept]


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_choice_is_kept_in_a_state_folder(tmp_path: object, partitions: int) -> None:
    parsed = parse_program(HEAD + SEVERAL)
    assert parse_program(print_program(parsed)) == parsed
    with Engine(parsed, path=str(tmp_path), partitions=partitions) as db:
        for row in [(4, 4, "a"), (1, 4, "a"), (1, 3, "a"), (1, 1, "a")]:
            with db.epoch() as epoch:
                epoch.insert("e", [row])
        held = sorted(db["p"])
    assert held == [(1, 3), (4, 4)]
    with Engine(path=str(tmp_path), partitions=partitions) as db:
        assert sorted(db["p"]) == held
        with db.epoch() as epoch:
            epoch.insert("e", [(0, 3, "a"), (3, 0, "a")])
        assert sorted(db["p"]) == [(1, 3), (3, 0), (4, 4)]
        with db.epoch() as epoch:
            epoch.delete("e", [(1, 3, "a")])
        assert sorted(db["p"]) == [(0, 3), (1, 1), (3, 0), (4, 4)]
        assert db.verify()
    with Engine(path=str(tmp_path), at=5) as db:
        assert sorted(db["p"]) == held


def test_an_epoch_that_fails_leaves_the_choice() -> None:
    db = Engine(HEAD + ONE + "bad(y / x) :- p(x, _), e(_, y, _).\n.decl bad(x: number)")
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 1, "b")])
    with pytest.raises(EvaluationError), db.epoch() as epoch:
        epoch.insert("e", [(0, 1, "a"), (1, 1, "a")])
        epoch.delete("e", [(1, 1, "b")])
    assert sorted(db["p"]) == [(1, "b")]
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 2, "a")])
    assert sorted(db["p"]) == [(1, "b")]


def test_why_a_fact_was_chosen_ends_at_what_is_asserted() -> None:
    db = Engine(HEAD + ONE + 'e(1, 2, "a").')
    told = str(db.why('p(1, "a")'))
    assert 'e(1, 2, "a")  asserted' in told
    assert "__" not in told
    assert "__" not in str(db.why_not('p(1, "b")'))
    assert "choose one fact for each key" in str(db.explain())


def test_a_choice_in_a_component() -> None:
    db = Engine(
        ".comp C { .decl b(x: number, y: number) choice-domain x\n .decl c(x: number, y: number)\n b(x, y) :- c(x, y). }"
        "\n.init one = C\none.c(2, 5). one.c(2, 0)."
    )
    assert list(db["one.b"]) == [(2, 0)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".decl p(x: number, y: number) choice-domain x\np(1, 1). p(y, x) :- p(x, y).", "TL509"),
        (".decl p(x: number, y: number) inline choice-domain x\n.decl e(x: number, y: number)\np(x, y) :- e(x, y).", "TL510"),
        (".decl p(x: number, y: number) eqrel choice-domain x\np(1, 1).", "TL510"),
        (".decl p(x: number, y: number) choice-domain x\np(1, 1). p(x, a) <= p(x, b) :- b < a.", "TL510"),
        (".decl p(x: number, y: number) choice-domain z\np(1, 1).", "TL155"),
    ],
)
def test_choices_that_have_no_meaning_are_refused(text: str, code: str) -> None:
    with pytest.raises(ProgramError) as caught:
        Engine(text)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_a_key_of_all_columns_leaves_nothing_out() -> None:
    db = Engine(".decl p(x: number, y: number) choice-domain (x, y)\np(1, 1). p(1, 2). p(y, x) :- p(x, y).")
    assert len(db["p"]) == 3
    assert "choice" not in str(db.verify())


def test_a_choice_may_be_declared_and_taken_back() -> None:
    plain = ".decl e(x: number, y: number)\n.decl p(x: number, y: number)\nr: p(x, y) :- e(x, y).\n"
    db = Engine(plain)
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 2), (1, 1)])
    assert len(db["p"]) == 2
