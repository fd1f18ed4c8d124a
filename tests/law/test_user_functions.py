"""The law on user functions: one that takes columns gives the results of the same one that takes values.

Random epochs change facts and rules of two engines, whose functions differ in their form only, and of which one has
two partitions or threads; after each, their views are those of a third one that is built from scratch. Functions fail
for some arguments, which comparisons exclude. What this cannot notice: a function whose results depend on other rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from tests.law.share import share
from tidelog import Engine, EvaluationError, user_function
from tidelog.partition.code import precompute
from tidelog.program.functions.table import Function

Row = tuple[int, str, float]
PLAIN: dict[str, tuple[tuple[str, ...], str, Callable[..., Any]]] = {
    "mixed": (("number", "number"), "number", lambda x, y: (x * 31 + y) % 17 - 8),
    "inverse": (("number",), "number", lambda x: 720 // x),
    "tag": (("symbol", "number"), "symbol", lambda s, x: f"{s}{x % 3}"),
    "half": (("float",), "float", lambda v: -v / 2),
    "code": (("symbol",), "number", lambda s: ord(s[0])),
    "both": (("number",), "any", lambda x: x if x % 2 else str(x)),
}
VECTORS: dict[str, Callable[..., Any]] = {  # as arrays, where arrays compute the same
    "mixed": lambda x, y: (x * 31 + y) % 17 - 8,
    "half": lambda v: -v / 2,
}
RULES = (
    "p(X, mixed(X, Y)) :- w(X, S, V), w(Y, S, V2).",
    "q(X, inverse(X)) :- w(X, S, V), X != 0.",
    "r(tag(tag(S, X), X), half(V)) :- w(X, S, V).",
    'c(code(S)) :- w(X, S, V), S != "".',
    "m(N, count<*>) :- w(X, S, V), N = mixed(X, strlen(tag(S, X))).",
    "a(both(X)) :- w(X, S, V).",
    "z(X) :- w(X, S, V), !w(mixed(X, X), S, V), half(V) <= 0.0.",
)
VIEWS = "pqrcmaz"


def functions(*, columns: bool) -> list[Function]:
    return [
        user_function(name, params, result, columns=columns)(VECTORS.get(name, _lists(python)) if columns else python)
        for name, (params, result, python) in PLAIN.items()
    ]


def _lists(python: Callable[..., Any]) -> Callable[..., list[Any]]:
    def listed(*given: Sequence[Any]) -> list[Any]:
        plain = [column.tolist() if hasattr(column, "tolist") else column for column in given]
        return [python(*row) for row in zip(*plain, strict=True)]

    return listed


def _row(random: Random) -> Row:
    return random.randrange(-5, 40), random.choice(["", "a", "bc", "ä"]), random.choice([0.0, -1.5, 2.25, float("inf")])


def _views(db: Engine) -> dict[str, list[str]]:
    return {view: sorted(map(repr, db[view])) for view in VIEWS if view in db.relations}


@pytest.mark.parametrize("seed", range(share(10, 4)))
def test_forms_agree_with_evaluation_from_scratch(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(precompute, "FEWEST", random.choice([1, 4, 32]))  # small batches are computed by column, too
    ways: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2}, {"partitions": 2}]
    facts: set[Row] = set()
    rules: set[str] = set()
    values, columns = (Engine(functions=functions(columns=columns), **random.choice(ways)) for columns in (False, True))
    with values, columns:
        for _ in range(6):
            arriving = {_row(random) for _ in range(random.choice([1, 5, 120]))} - facts
            leaving = {row for row in facts if random.random() < 0.3}
            added = {rule for rule in RULES if rule not in rules and random.random() < 0.4}
            removed = {rule for rule in rules if random.random() < 0.15}
            facts, rules = (facts | arriving) - leaving, (rules | added) - removed
            for db in (values, columns):
                with db.epoch() as epoch:
                    epoch.insert("w", sorted(arriving))
                    epoch.delete("w", sorted(leaving))
                    for rule in sorted(added):
                        epoch.add_rule(rule, rule[0])
                    for rule in sorted(removed):
                        epoch.remove_rule(rule[0])
            with Engine("\n".join(sorted(rules)), functions=functions(columns=False)) as fresh:
                with fresh.epoch() as epoch:
                    epoch.insert("w", sorted(facts))
                wanted = {view: rows for view, rows in _views(fresh).items() if view in {rule[0] for rule in rules}}
            for db in (values, columns):
                assert {view: rows for view, rows in _views(db).items() if view in wanted} == wanted


def test_failure_of_one_row_is_its_own() -> None:
    with Engine("q(X, inverse(X)) :- w(X).", functions=functions(columns=True)) as db:
        with pytest.raises(EvaluationError, match=r"inverse\(0,\) failed: ZeroDivisionError"), db.epoch() as epoch:
            epoch.insert("w", [(x,) for x in range(-300, 300)])
        assert not len(db["w"])
        with db.epoch() as epoch:
            epoch.insert("w", [(x,) for x in range(1, 300)])
        assert sorted(db["q"]) == [(x, 720 // x) for x in range(1, 300)]


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (lambda x: x[:0], "it returned 0 results for 1 rows"),
        (lambda x: 7, "must return a list or an array, not int"),
        (lambda x: ["a"] * len(x), "'a' is not a value of type number"),
    ],
)
def test_column_of_another_length_or_type_is_refused(found: Callable[[Any], Any], message: str) -> None:
    wrong = user_function("wrong", ("number",), "number", columns=True)(found)
    with Engine("q(wrong(X)) :- w(X).", functions=[wrong]) as db:
        with pytest.raises(EvaluationError, match=message), db.epoch() as epoch:
            epoch.insert("w", [(x,) for x in range(100)])
        assert not len(db["q"])


def test_values_are_passed_once_for_many_rows() -> None:
    calls = []

    @user_function("twice", ("number",), "number", columns=True)
    def twice(x: Any) -> Any:
        calls.append(len(x))
        return 2 * x

    with Engine("q(twice(X)) :- w(X).", functions=[twice], threads=1) as db:
        with db.epoch() as epoch:
            epoch.insert("w", [(x,) for x in range(5000)])
        assert len(db["q"]) == 5000
        assert len(calls) < 20


def test_function_of_values_takes_time_in_proportion() -> None:
    """Facts that follow are not examined for a function that cannot be computed ahead."""
    plain = user_function("twice", ("number",), "number")(lambda x: 2 * x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(precompute._Columns, "start", lambda *_: pytest.fail("facts were examined in vain"))
        with Engine("q(twice(X)) :- w(X).", functions=[plain], threads=1) as db, db.epoch() as epoch:
            epoch.insert("w", [(x,) for x in range(100)])
