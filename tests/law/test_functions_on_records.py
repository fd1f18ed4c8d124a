"""The law on user functions that take and return records and variants: views are those of the naive evaluator.

Random epochs change facts and rules of two engines, on partitions or threads, whose functions differ only in whether
they take columns. Functions fail for some records, which patterns exclude, and return `nil`, which is not a failure.
What this cannot notice: functions on Spark, where signatures are sent to other processes (tested by pickling).
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from tests.law.share import share
from tidelog import Engine, EngineError, EvaluationError, Variant, user_function
from tidelog.partition.code import precompute
from tidelog.program.check import check_program
from tidelog.program.functions.table import Function
from tidelog.program.types.functors import function_table
from tidelog.program.values.shape import Shape, same_parts
from tidelog.syntax import parse_program
from tidelog.testing import evaluate

TYPES = """
.type P = [x: number, s: symbol, next: P]
.type T = Leaf {v: float} | Node {p: P, r: T} | Empty {}
.decl w(p: P, n: number) .decl made(p: P) .decl tree(t: T) .decl size(p: P, n: number) .decl back(p: P)
.decl both(p: P, n: number) .decl tail(p: P) .decl groups(n: number, m: number)
"""
RULES = {
    "made": "made(push(p, n)) :- w(p, n).",
    "tree": "tree(grow(p, $Leaf(0.5))) :- w(p, _).",
    "tree2": "tree(grow(nil, t)) :- tree(t), t = $Node(p, $Leaf(_)), p != nil.",
    "size": "size(p, length(p)) :- made(p).",
    "back": "back(q) :- tree(t), q = record_of(t).",
    "both": "both(p, n) :- w(p, n), push(p, n) = [n, _, p].",
    "tail": "tail(drop([x, s, q])) :- w([x, s, q], _).",
    "groups": "groups(n, m) :- w(_, n), m = count : { made(p), length(p) = n }.",
}


def push(p: Any, n: int) -> Any:
    return None if n % 5 == 4 else (n, "a" if p is None else p.s + "b", p)


def grow(p: Any, t: Any) -> Variant:
    return Variant("Empty") if p is not None and p.x < 0 else Variant("Node", p, t)


def length(p: Any) -> int:
    return 0 if p is None else 1 + length(p.next)


def record_of(t: Any) -> Any:
    return {"Leaf": lambda: (int(t.v * 4), "leaf", None), "Node": lambda: t.p, "Empty": lambda: None}[t.constructor]()


SIGNATURES: dict[str, tuple[Callable[..., Any], tuple[str, ...], str]] = {
    "push": (push, ("P", "number"), "P"),
    "grow": (grow, ("P", "T"), "T"),
    "length": (length, ("P",), "number"),
    "record_of": (record_of, ("T",), "P"),
    "drop": (lambda p: p.next, ("P",), "P"),  # fails for nil
}


def functions(*, columns: bool) -> list[Function]:
    def form(python: Callable[..., Any]) -> Callable[..., Any]:
        def listed(*given: Any) -> list[Any]:
            plain = [column.tolist() if hasattr(column, "tolist") else column for column in given]
            return [python(*row) for row in zip(*plain, strict=True)]

        return listed if columns else python

    return [
        user_function(name, params, result, columns=columns)(form(python))
        for name, (python, params, result) in SIGNATURES.items()
    ]


def _row(random: Random) -> tuple[Any, int]:
    record = None
    for _ in range(random.randrange(3)):
        record = (random.randrange(-2, 9), random.choice("ab"), record)
    return record, random.randrange(12)


@pytest.mark.parametrize("seed", range(share(10, 4)))
def test_functions_on_records_agree_with_the_naive_evaluator(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(precompute, "FEWEST", random.choice([1, 4, 32]))
    ways: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2}, {"partitions": 2}]
    facts: set[tuple[Any, int]] = set()
    labels: set[str] = set()
    values, columns = (Engine(TYPES, functions=functions(columns=c), **random.choice(ways)) for c in (False, True))
    with values, columns:
        for _ in range(5):
            arriving = {_row(random) for _ in range(random.choice([1, 5, 60]))} - facts
            leaving = {row for row in facts if random.random() < 0.3}
            added = {label for label in RULES if label not in labels and random.random() < 0.5}
            removed = {label for label in labels if random.random() < 0.15}
            facts, labels = (facts | arriving) - leaving, (labels | added) - removed
            program = parse_program(TYPES + "\n".join(RULES[label] for label in sorted(labels)))
            table, _own = function_table(functions(columns=False), program)
            model = evaluate(check_program(program, table).program, {"w": facts}, table)
            for db in (values, columns):
                with db.epoch() as epoch:
                    epoch.insert("w", list(arriving))
                    epoch.delete("w", list(leaving))
                    for label in sorted(added):
                        epoch.add_rule(RULES[label], label)
                    for label in sorted(removed):
                        epoch.remove_rule(label)
                for relation in model:
                    assert set(db[relation]) == model[relation], relation
                assert db.verify()


def test_functions_get_values_as_views_show_them() -> None:
    seen: list[Any] = []
    with Engine(TYPES + "made(keep(p)) :- w(p, _).", functions=[user_function("keep", ("P",), "P")(seen.append)]) as db:
        with db.epoch() as epoch:
            epoch.insert("w", [((1, "a", (2, "b", None)), 7)])
        (row,) = db["w"]
        assert repr(row[0]) == repr(seen[0]) == "P(x=1, s='a', next=P(x=2, s='b', next=None))"
        assert list(db["made"]) == [(None,)]
        proof = str(db.why("made(nil)"))
        assert 'nil = keep([1, "a", [2, "b", nil]])' in proof


@pytest.mark.parametrize("found", [(1, 2), "a", ("a", "a", None), (1, "a", 3), Variant("Leaf", 1.0)])
def test_results_of_another_type_are_refused(found: Any) -> None:
    wrong = user_function("wrong", ("number",), "P")(lambda _: found)
    with Engine(TYPES + "made(wrong(n)) :- w(_, n).", functions=[wrong]) as db:
        with pytest.raises(EvaluationError, match="is not a value of type"), db.epoch() as epoch:
            epoch.insert("w", [(None, 1)])
        assert not db["w"]


def test_types_of_functions_are_those_of_the_program() -> None:
    half = user_function("half", ("Pair",), "number")(lambda pair: pair.x // 2)
    for text, problem in (
        (".type Other = [x: number] .decl p(x: Other)", "unknown types"),
        (".type Pair = [x: date] .decl p(x: Pair)", "`x` of Pair is a date"),
    ):
        with pytest.raises(EngineError, match=problem):
            Engine(text, functions=[half])
    twins = [user_function("f", (name,), "number")(len) for name in ("P", "Q")]
    with pytest.raises(EngineError, match="differ only in their record types"):
        Engine(TYPES + ".type Q = [x: number]", functions=twins)


def test_a_signature_keeps_its_shapes_in_other_processes() -> None:
    _, own = function_table(functions(columns=False), parse_program(TYPES))
    for function in own:
        assert function.structures is not None
        before = (*function.structures.params, function.structures.result)
        restored = pickle.loads(pickle.dumps(function.structures))
        after = (*restored.params, restored.result)
        assert list(map(repr, after)) == list(map(repr, before))
        shapes = [(x, y) for x, y in zip(before, after, strict=True) if isinstance(x, Shape)]
        assert all(isinstance(y, Shape) and same_parts(x, y) for x, y in shapes)
