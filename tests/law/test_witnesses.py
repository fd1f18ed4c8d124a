"""Best values with witnesses (NDlog's best path): under random changes of links and rules, on one and on three
partitions, every group shows its best row as the naive evaluator has it, ties by the least witness.

What these tests cannot notice: which of several equal proofs a witness stands on."""

from __future__ import annotations

from random import Random

import pytest

from tests.law.harness import check, check_feed, commit, labelled, story
from tests.law.share import share
from tidelog import EvaluationError, ProgramError
from tidelog.engine.engine import Engine
from tidelog.syntax import parse_program
from tidelog.testing import EpochChanges, State
from tidelog.verify import Certificate

CASES = share(80, 2)
KEYS = "materialize(link, infinity, infinity, keys(1, 2)). materialize(best, infinity, infinity, keys(1, 2)).\n"
BEST_PATH = (
    KEYS
    + """
    r1 path(@S, D, C, P) :- link(@S, D, C), P = f_init(S, D).
    r2 path(@S, D, C, P) :- link(@S, Z, C1), best(@Z, D, C2, P2), C = C1 + C2, f_inPath(P2, S) = false,
                            P = f_concat(S, P2).
    r3 best(@S, D, a_MIN<C>, P) :- path(@S, D, C, P).
"""
)
LOOKED_UP = (
    KEYS
    + """
    materialize(cost, infinity, infinity, keys(1, 2)).
    r1 path(@S, D, C, P) :- link(@S, D, C), P = f_init(S, D).
    r2 path(@S, D, C, P) :- link(@S, Z, C1), best(@Z, D, C2, P2), C = C1 + C2, f_member(P2, S) == 0,
                            P = f_concat(S, P2).
    r3 cost(@S, D, a_MIN<C>) :- path(@S, D, C, P).
    r4 best(@S, D, C, P) :- cost(@S, D, C), path(@S, D, C, P).
"""
)
APPENDED = (
    KEYS
    + """
    r1 best(@S, D, min<C>, P) :- link(@S, D, C), P = [S, D].
    r2 best(@S, D, min<C>, P) :- best(@S, Z, C1, P1), link(@Z, D, C2), C = C1 + C2, P = f_append(P1, D).
"""
)
NEXT_HOP = (
    KEYS
    + """
    r1 route(@S, D, D, C) :- link(@S, D, W), C = W + 1.
    r2 route(@S, D, Z, C) :- link(@S, Z, W), best(@Z, D, _, C2), C = W + 1 + C2.
    r3 best(@S, D, Z, a_MIN<C>) :- route(@S, D, Z, C).
"""
)
SPLIT_HORIZON = (
    KEYS
    + """
    r1 route(@S, D, D, C) :- link(@S, D, W), C = W + 1.
    r2 route(@S, D, Z, C) :- link(@S, Z, W), best(@Z, D, N, C2), N != S, C = W + 1 + C2.
    r3 best(@S, D, Z, a_MIN<C>) :- route(@S, D, Z, C).
"""
)
WIDEST = (
    KEYS
    + """
    r1 best(@S, D, max<C>, P) :- link(@S, D, C), P = f_init(S, D).
    r2 best(@S, D, max<C>, P) :- link(@S, Z, C1), best(@Z, D, C2, P2), C = min(C1, C2), f_inPath(P2, S) = false,
                                 P = f_concat(S, P2).
"""
)
PLAIN = (
    KEYS
    + """
    r1 best(S, D, min<C>, P) :- link(S, D, C), P = [S, D].
    r2 best(S, D, min<C>, P) :- link(S, Z, C1), best(Z, D, C2, Q), C = C1 + C2, P = f_concat(S, Q).
    r3 hops(S, D, N) :- best(S, D, _, P), N = f_size(P).
    r4 near(S, min<C>, D) :- best(S, D, C, _).
    materialize(near, infinity, infinity, keys(1)).
"""
)
TEXTS = (
    KEYS
    + """
    r1 best(S, D, W, max<C>) :- link(S, D, N), C = 0 - N, W = cat("n", to_string(N)).
    r2 best(S, D, W, max<C>) :- link(S, Z, N), best(Z, D, V, C2), C = C2 - N - 1, W = cat(V, to_string(N)).
"""
)
SHAPES = {
    "best path": BEST_PATH,
    "looked up": LOOKED_UP,
    "appended": APPENDED,
    "next hop": NEXT_HOP,
    "split horizon": SPLIT_HORIZON,
    "widest": WIDEST,
    "plain": PLAIN,
    "texts": TEXTS,
}


def link_changes(rng: Random, state: State, nodes: int) -> EpochChanges:
    """Links that come, go and change their cost; a key is given once in an epoch."""
    inserts: dict[tuple[int, int], int] = {}
    for _ in range(rng.choice([1, 1, 2, 3, 12])):
        inserts[rng.randrange(nodes), rng.randrange(nodes)] = rng.choice([0, 1, 1, 2, 5])
    present = sorted(row for name, row in state.facts if name == "link")
    gone = set(rng.sample(present, k=min(len(present), rng.choice([0, 1, 1, 2, 4]))))
    replaced = {row for row in present if row[:2] in inserts and (*row[:2], inserts[row[:2]]) != row}
    come = {(*key, cost) for key, cost in inserts.items()}
    gone -= come
    return EpochChanges(
        tuple(("link", row) for row in sorted(come)), tuple(("link", row) for row in sorted(gone | replaced))
    )


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(CASES))
def test_every_group_shows_its_best_row_with_its_witness(seed: int, shape: str, partitions: int) -> None:
    rng, parsed = Random(f"{seed} {shape}"), parse_program(SHAPES[shape])
    texts = {rule.label: rule for rule in parsed.rules}
    db, state = Engine(SHAPES[shape], partitions=partitions), State.start(labelled(parsed))
    before, away = check(db, state), None
    for _ in range(12):
        change = link_changes(rng, state, nodes=5)
        if rng.random() < 0.2 and away is None:
            away = rng.choice(["r1", "r2"])
            change = EpochChanges(remove_labels=(away,))
        elif away is not None:
            change, away = EpochChanges(add_rules=(texts[away],)), None
        state = state.after(change)
        epoch = commit(db, change, parsed.convention)
        after = check(db, state)
        check_feed(epoch, before, after)
        before = after
    assert isinstance(db.verify(), Certificate)


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("seed", range(CASES))
def test_best_rows_that_are_looked_up_are_those_of_the_rule_with_witnesses(seed: int, partitions: int) -> None:
    rng, texts = Random(f"{seed} looked up"), {rule.label: rule for rule in parse_program(LOOKED_UP).rules}
    looked_up, chosen = State.start(labelled(parse_program(LOOKED_UP))), State.start(labelled(parse_program(BEST_PATH)))
    db, away = Engine(LOOKED_UP, partitions=partitions), None
    for _ in range(8):
        change = link_changes(rng, looked_up, nodes=5)
        if away is None and rng.random() < 0.4:
            away = rng.choice(["r3", "r4"])
            change = EpochChanges(change.inserts, change.deletes, remove_labels=(away,))
        elif away is not None:
            change, away = EpochChanges(change.inserts, change.deletes, add_rules=(texts[away],)), None
        looked_up = looked_up.after(change)
        chosen = chosen.after(EpochChanges(change.inserts, change.deletes))
        commit(db, change, "prolog")
        check(db, looked_up)
        best = set(db["best"])
        if away is None:
            wanted = chosen.model()["best"]
            assert best == wanted
            assert set(db["cost"]) == {row[:3] for row in wanted}
        else:
            assert not best


def link(db: Engine, rows: list[tuple[str, str, int]]) -> None:
    with db.epoch() as epoch:
        epoch.insert("link", rows)


def add(db: Engine, rule: str) -> None:
    with db.epoch() as epoch:
        epoch.add_rule(rule)


def test_the_path_that_is_lost_is_replaced_by_the_next_best() -> None:
    told = story(
        BEST_PATH,
        "+link(a, b, 1). +link(b, c, 1). +link(a, c, 3).",
        "-link(b, c, 1).",
        "+link(b, c, 1).",
        "-link(a, b, 1).",
    )
    assert [sorted(epoch.changes["best"].deleted) for epoch, _ in told[1:]] == [
        [("a", "c", 2, ("a", "b", "c")), ("b", "c", 1, ("b", "c"))],
        [("a", "c", 3, ("a", "c"))],
        [("a", "b", 1, ("a", "b")), ("a", "c", 2, ("a", "b", "c"))],
    ]


def test_among_equal_costs_the_shorter_and_then_the_lesser_path_is_shown() -> None:
    told = story(
        BEST_PATH,
        "+link(s, z, 1). +link(z, d, 1). +link(s, b, 1). +link(b, d, 1).",
        "+link(s, d, 2).",
        "-link(s, d, 2). -link(s, b, 1).",
    )
    found = [next(row[3] for row in db["best"] if row[:2] == ("s", "d")) for _, db in told[-1:]]
    assert found == [("s", "z", "d")]
    shown = [[row[3] for row in epoch.changes["best"].inserted if row[:2] == ("s", "d")] for epoch, _ in told]
    assert shown == [[("s", "b", "d")], [("s", "d")], [("s", "z", "d")]]


def test_a_better_path_that_fails_a_test_takes_away_what_a_worse_one_gave() -> None:
    # The best path of b to d goes through a once a's link is cheap: a may not use it then, and shows its own.
    story(
        BEST_PATH,
        "+link(b, d, 9). +link(a, b, 1). +link(b, a, 1). +link(a, d, 20).",
        "+link(a, c, 1). +link(c, d, 1).",
        "-link(c, d, 1).",
    )


def test_steps_below_zero_are_refused_and_leave_no_trace() -> None:
    db = Engine(BEST_PATH)
    with db.epoch() as epoch:
        epoch.insert("link", [("a", "b", 1), ("b", "c", 0)])
    with pytest.raises(EvaluationError, match="adds -1 to the value it reads, which must be at least zero") as found:
        link(db, [("c", "a", -1)])
    assert found.value.code == "TL2207"
    assert sorted(db["link"]) == [("a", "b", 1), ("b", "c", 0)]


def test_a_next_hop_needs_steps_above_zero() -> None:
    program = NEXT_HOP.replace("W + 1", "W")
    db = Engine(program)
    link(db, [("a", "b", 1)])
    with pytest.raises(EvaluationError, match="above zero"):
        link(db, [("b", "c", 0)])


def test_the_rule_that_recurs_takes_its_order_with_it() -> None:
    db = Engine(BEST_PATH)
    with db.epoch() as epoch:
        epoch.remove_rule("r2")
    link(db, [("a", "b", -1)])
    assert sorted(db["best"]) == [("a", "b", -1, ("a", "b"))]
    with pytest.raises(EvaluationError, match="must be at least zero"):
        add(db, "r4: path(@S, D, C, P) :- link(@S, Z, C1), best(@Z, D, C2, P2), C = C1 + C2, P = f_concat(S, P2).")


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("best(S, D, min<C>, P) :- link(S, Z, W), best(Z, D, C2, P2), C = C2, P = [Z].", "nothing in this cycle"),
        ("best(S, D, min<C>, P) :- link(S, Z, W), best(Z, D, C2, P2), C = C2 - 1, P = [Z].", "is not worse than"),
    ],
)
def test_recursion_that_makes_nothing_worse_is_refused(rule: str, reason: str) -> None:
    with pytest.raises(ProgramError, match=reason):
        Engine(KEYS + "best(S, D, min<C>, P) :- link(S, D, C), P = [S, D]. " + rule)


def test_a_list_beside_a_located_best_value_asks_for_a_key() -> None:
    program = BEST_PATH.replace("materialize(best, infinity, infinity, keys(1, 2)).", "")
    with pytest.raises(ProgramError, match="`best` needs a key: `P` is a list next to a min or max") as found:
        Engine(program)
    assert found.value.diagnostics[0].code == "TL506"


def test_keys_are_per_node() -> None:
    program = BEST_PATH.replace("keys(1, 2)", "keys(2)")
    db = Engine(program)
    link(db, [("a", "c", 1), ("b", "c", 2)])
    assert sorted(db["best"]) == [("a", "c", 1, ("a", "c")), ("b", "c", 2, ("b", "c"))]
