"""Choice: under changes of facts and rules every key of the candidates has one fact, which stays while it is a
candidate; then the least with free keys follows, on any number of partitions, and whether the change is looked at or
everything, or the stratum is built again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from unittest.mock import patch

import pytest

from tests.law.harness import Model, check_feed, commit, labelled
from tests.law.sabotage import rebuilding
from tests.law.share import share
from tidelog import Engine, EngineError, EvaluationError, ProgramError
from tidelog.partition.code import pick
from tidelog.program import Program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.graph.choice import choices
from tidelog.program.values.state import EngineState, FactState
from tidelog.syntax import parse_program, print_program
from tidelog.testing import EpochChanges, State
from tidelog.testing.invariants import violations
from tidelog.testing.naive import evaluate
from tidelog.verify import Certificate, verify
from tidelog.verify.report import NOT_CLOSED, UNFOUNDED

CASES = share(20, 3)
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


def _change(rng: Random, state: State) -> EpochChanges:
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
        change = _change(rng, state)
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
    db = Engine(
        ".type R = [a: number, b: R]\n.decl p(x: number, r: R) choice-domain x\np(1, [2, nil]). p(1, [1, nil])."
    )
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
    assert "was chosen, which has the same key" in str(
        Engine(HEAD + ONE + 'e(1, 2, "a"). e(1, 2, "b").').why_not('p(1, "b")')
    )
    assert "choose one fact for each key" in str(db.explain())


def test_what_is_asked_of_a_choice_is_chosen_among_all_candidates() -> None:
    db = Engine(HEAD + ONE.replace("choice-domain x", "magic choice-domain x") + "a5: gap(x) :- p(1, s), e(x, _, s).")
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 2, "b"), (1, 2, "c"), (2, 2, "a")])
    assert sorted(db["p"]) == [(1, "b"), (2, "a")]
    with db.epoch() as epoch:
        epoch.insert("e", [(1, 2, "a")])
    assert sorted(db.query("p(1, S)")) == [("b",)]
    assert db.verify()


@pytest.mark.parametrize(
    ("chosen", "kind"),
    [([(1, 1), (1, 2)], UNFOUNDED), ([(2, 2)], NOT_CLOSED), ([(1, 1), (2, 3)], UNFOUNDED), ([(1, 1), (2, 2)], None)],
)
def test_a_state_that_is_no_choice_is_not_certified(chosen: list[tuple[int, int]], kind: str | None) -> None:
    program = parse_program(".decl p(x: number, y: number) choice-domain x\np(1, 1). p(1, 2). p(2, 2).")
    candidates = {row: FactState(0, 1, 1, True) for row in [(1, 1), (1, 2), (2, 2)]}
    shown = {row: FactState(1, 1, 1, False) for row in chosen}
    types = dict.fromkeys(("p", "__may_p", "__pick_p/1"), ("number", "number"))
    facts = {"p": shown, "__may_p": candidates, "__pick_p/1": shown}
    assert getattr(verify(program, None, EngineState(facts, (), (), types)), "kind", None) == kind


def test_a_choice_in_a_component() -> None:
    own = ".decl b(x: number, y: number) choice-domain x\n.decl c(x: number, y: number)\nb(x, y) :- c(x, y)."
    db = Engine(f".comp C {{ {own} }}\n.init one = C\none.c(2, 5). one.c(2, 0).")
    assert list(db["one.b"]) == [(2, 0)]
    with db.epoch() as epoch:
        epoch.add_instance(".init two = C")
        epoch.insert("two.c", [(1, 7), (1, 6)])
    assert list(db["two.b"]) == [(1, 6)]
    with db.epoch() as epoch:
        epoch.remove_instance("one")
        epoch.delete("two.c", [(1, 6)])
    assert list(db["two.b"]) == [(1, 7)]
    assert db.verify()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".decl p(x: number, y: number) choice-domain x\np(1, 1). p(y, x) :- p(x, y).", "TL509"),
        (
            ".decl p(x: number, y: number) inline choice-domain x\n.decl e(x: number, y: number)\np(x, y) :- e(x, y).",
            "TL510",
        ),
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


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_choice_is_declared_by_other_keys_and_taken_back(tmp_path: object, partitions: int) -> None:
    text = ".decl e(x: number, y: number)\n.decl p(x: number, y: number){}\nr: p(x, y) :- e(x, y).\n"
    with Engine(text.format(""), path=str(tmp_path), partitions=partitions) as db:
        with db.epoch() as epoch:
            epoch.insert("e", [(1, 2), (1, 1), (2, 2)])
        for words, expected in {
            " choice-domain x": [(1, 1), (2, 2)],
            " choice-domain y": [(1, 1), (1, 2)],
            "": [(1, 1), (1, 2), (2, 2)],
        }.items():
            with db.epoch_to(text.format(words))[0]:
                pass
            assert sorted(db["p"]) == expected
            assert db.verify()
            assert not violations(db.state(), FUNCTIONS)


@pytest.mark.parametrize("word", ["choice-domain x", "eqrel"])
@pytest.mark.parametrize("given", ["p(1, 2). p(1, 3).", ""])
def test_a_choice_is_not_declared_over_asserted_facts(tmp_path: object, given: str, word: str) -> None:
    texts = [f".decl p(x: number, y: number) {each}\n{given}" for each in ("", word)]
    for place, (one, other) in enumerate((texts, texts[::-1])):
        with Engine(one, path=f"{tmp_path}/{place}") as db:
            with db.epoch() as epoch:
                epoch.insert("p", [(4, 4), (4, 5)])
            before = sorted(db["p"])
            with pytest.raises(EngineError) as caught, db.epoch_to(other)[0]:
                pass
            assert caught.value.code == "TL4081"
            assert sorted(db["p"]) == before
