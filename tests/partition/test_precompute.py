"""Functions asked ahead of their use, for many facts at once: results and errors are those of single calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tidelog import Engine, EvaluationError, user_function
from tidelog.partition.code import function_columns, precompute

TEXTS = ["", "a", "äöü", "日本語", "x@y.z", "12", "-7", "0x1f", "line\nend", "user7@host1.org", "𝔘nicode", "a" * 200]
ROWS = [(i, TEXTS[i % len(TEXTS)] + ("" if i < len(TEXTS) else str(i))) for i in range(400)]
FUNCTIONS: dict[str, tuple[str, Callable[[int, str], object]]] = {
    "cat": ('r(K, cat(S, "!")) :- w(K, S).', lambda k, s: s + "!"),
    "cat of two": ("r(K, cat(S, to_string(K), S)) :- w(K, S).", lambda k, s: f"{s}{k}{s}"),
    "plus": ('r(K, "<" + S) :- w(K, S).', lambda k, s: "<" + s),
    "strlen": ("r(K, strlen(S)) :- w(K, S).", lambda k, s: len(s)),
    "substr": ("r(K, substr(S, 1, 3)) :- w(K, S).", lambda k, s: s[1:4]),
    "substr, nothing": ("r(K, substr(S, 1, 0)) :- w(K, S).", lambda k, s: ""),
    "substr, by column": ("r(K, substr(S, K, 3)) :- w(K, S).", lambda k, s: s[k : k + 3]),
    "contains": ('r(K, contains("1", S)) :- w(K, S).', lambda k, s: int("1" in s)),
    "contains, in one": ('r(K, contains(S, "x@y.z12")) :- w(K, S).', lambda k, s: int(s in "x@y.z12")),
    "match": ('r(K, match("[a-z]*[0-9]+@.*", S)) :- w(K, S).', lambda k, s: int(s.startswith("user7@"))),
    "ord": ("r(K, ord(S) - ord(S)) :- w(K, S).", lambda k, s: 0),
    "lower": ("r(K, lower(S)) :- w(K, S).", lambda k, s: s.lower()),
    "upper, of ASCII": ('r(K, upper(cat("a", to_string(K)))) :- w(K, S).', lambda k, s: f"A{k}"),
    "trim": ('r(K, trim(cat(" ", S, "\\t"))) :- w(K, S).', lambda k, s: s.strip()),
    "replace": ('r(K, replace(S, "1", "öö")) :- w(K, S).', lambda k, s: s.replace("1", "öö")),
    "replace, nothing": ('r(K, replace(S, "", "x")) :- w(K, S).', lambda k, s: s),
    "starts_with": ('r(K, starts_with(S, "ä")) :- w(K, S).', lambda k, s: int(s.startswith("ä"))),
    "ends_with": ('r(K, ends_with(S, "7")) :- w(K, S).', lambda k, s: int(s.endswith("7"))),
    "regex_group": ('r(K, regex_group("([0-9])$", S, 1)) :- w(K, S).', lambda k, s: s[-1:] if s[-1:].isdigit() else ""),
    "nested": ("r(K, strlen(cat(S, substr(S, 0, 2)))) :- w(K, S).", lambda k, s: len(s + s[:2])),
}


@pytest.fixture(
    params=[(precompute.MOST, 1), (precompute.MOST, 10**6), (1, 1)], ids=["by Arrow", "ahead", "one by one"]
)
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    most, many = request.param
    monkeypatch.setattr(precompute, "MOST", most)
    monkeypatch.setattr(function_columns, "MANY", many)


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_those_of_single_calls(name: str) -> None:
    rule, meant = FUNCTIONS[name]
    wanted = sorted((k, meant(k, s)) for k, s in ROWS)
    with Engine(rule) as db:
        with db.epoch() as e:
            e.insert("w", ROWS)
        assert sorted(db["r"]) == wanted
        with db.epoch() as e:
            e.delete("w", ROWS[:300])
        assert sorted(db["r"]) == [row for row in wanted if row[0] >= 300]
    with Engine() as db:  # over facts that are held
        with db.epoch() as e:
            e.insert("w", ROWS)
        with db.epoch() as e:
            e.add_rule(rule)
        assert sorted(db["r"]) == wanted


@pytest.mark.usefixtures("ways")
def test_what_no_fact_reaches_does_not_fail() -> None:
    with Engine('r(K, to_number(S)) :- w(K, S), match("-?[0-9]+", S), K < 12.') as db:
        with db.epoch() as e:
            e.insert("w", ROWS)
        assert sorted(db["r"]) == [(5, 12), (6, -7)]


@pytest.mark.usefixtures("ways")
def test_what_a_fact_reaches_fails_and_nothing_has_changed() -> None:
    with Engine("r(K, to_number(S)) :- w(K, S).") as db:
        with pytest.raises(EvaluationError, match="five"), db.epoch() as e:
            e.insert("w", [*((i, str(i)) for i in range(500)), (500, "five"), *((i, str(i)) for i in range(501, 900))])
        assert len(db["r"]) == 0
        with db.epoch() as e:
            e.insert("w", [(i, str(i)) for i in range(500)])
        assert len(db["r"]) == 500


def test_functions_of_a_user_are_called_for_what_needs_them() -> None:
    seen: list[str] = []

    @user_function("seen", ("symbol",), "number")
    def note(text: str) -> int:
        seen.append(text)
        return len(text)

    with Engine("r(K, seen(S)) :- w(K, S), K < 3.", functions=[note]) as db:
        with db.epoch() as e:
            e.insert("w", ROWS)
        assert len(db["r"]) == 3
    assert sorted(seen) == sorted(TEXTS[:3])


def test_many_results_are_computed_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(*given: Any) -> int:
        counted.append(found := real(*given))
        return found

    real = precompute.answer_ahead
    monkeypatch.setattr("tidelog.partition.code.answers.answer_ahead", counting)
    with Engine("r(K, strlen(S)) :- w(K, S).") as db, db.epoch() as e:
        e.insert("w", [(i, f"text {i}") for i in range(5000)])
    assert sum(counted) >= 5000
    assert len(counted) < 20


def test_what_a_function_cost_is_shown() -> None:
    with Engine('r(K, cat(S, "!")) :- w(K, S).') as db:
        with db.epoch() as e:
            e.insert("w", ROWS)
        (order,) = db.explain(analyze=True).strata[0].rules[0].orders
        assert order.numbers[1].step.startswith('cat(S, "!"): ')
        assert " computed in " in order.numbers[1].step


def test_what_follows_from_a_fact_that_is_looked_up_costs_nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []

    def counted(step: Any, args: Any, count: int, *others: Any) -> Any:
        computed.append(count)
        return function_columns.result_column(step, args, count, *others)

    monkeypatch.setattr(precompute, "result_column", counted)
    db = Engine("""
        .type id = [c: number, n: number]
        .decl item(a: number, b: number)
        .decl child(x: id, y: number)
        .decl later(a: number, b: number)
        child([a, b], b) :- item(a, b).
        later(a, c) :- child([a, _], y), child([c, _], y), a < c.
    """)
    with db.epoch() as e:
        e.insert("item", [(i, i // 2) for i in range(2000)])
    assert len(db["later"]) == 1000
    assert sum(computed) < 20 * 2000
