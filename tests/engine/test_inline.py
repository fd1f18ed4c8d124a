"""Inline relations on the engine: not held, and changed like any other by rules that come and go."""

from __future__ import annotations

import pytest

from tidelog import Engine
from tidelog.engine.base import engine_failures as failures
from tidelog.errors import EngineError, ProgramError

PROGRAM = """
.decl next(x: number, y: number) inline
.decl even(x: number) inline
.decl p(x: number)
.decl odd(x: number)
.decl n(x: number)
next(x, y) :- y = x + 1.
even(x) :- x % 2 = 0.
even(7).
p(0).
p(y) :- p(x), next(x, y), y < 10.
odd(x) :- p(x), !even(x).
n(c) :- c = count : { p(x), even(x) }.
"""


def rows(db: Engine, name: str) -> list[int]:
    return sorted(row[0] for row in db[name])


def test_an_inline_relation_is_not_held_and_may_have_no_end() -> None:
    db = Engine(PROGRAM)
    assert db.relations == ("n", "odd", "p")
    assert rows(db, "p") == list(range(10))
    assert rows(db, "odd") == [1, 3, 5, 9]
    assert rows(db, "n") == [6]
    assert db.verify()


def test_rules_of_an_inline_relation_come_and_go() -> None:
    db = Engine(PROGRAM)
    with db.epoch() as e:
        label = e.add_rule("even(x) :- x = 3.")
    assert (rows(db, "odd"), rows(db, "n")) == ([1, 5, 9], [7])
    assert db.verify()
    with db.epoch() as e:
        e.remove_rule(label)
        e.remove_rule("r1")
        e.delete("p", [(0,)])
        e.insert("p", [(6,)])
    assert (rows(db, "p"), rows(db, "odd"), rows(db, "n")) == ([6, 7, 8, 9], [7, 9], [2])
    assert db.verify()
    assert list(db.rules) == ["r2", "r3", "r4", "r5", "r6"]


def test_a_rule_of_an_inline_relation_that_only_changes_a_number_is_another_rule() -> None:
    db = Engine(".decl i(x: number, y: number) inline\n.decl p(x: number, y: number)\n.decl e(x: number)\n"
                "a: i(x, y) :- y = x + 1.\np(x, y) :- e(x), i(x, y).\ne(1).")  # fmt: skip
    with db.epoch() as e:
        e.remove_rule("a")
        e.add_rule("i(x, y) :- y = x + 2.", label="b")
    assert list(db["p"]) == [(1, 3)]
    assert db.verify()


def test_questions_may_read_inline_relations() -> None:
    db = Engine(PROGRAM)
    assert db.query("p(x), next(x, y), y > 9").rows() == [(9, 10)]
    assert "odd(x) :- p(x), !even(x)." in str(db.explain())
    assert "3 % 2 != 0" in str(db.why("odd(3)"))


def test_facts_of_an_inline_relation_are_refused() -> None:
    db = Engine(PROGRAM)
    with pytest.raises(EngineError) as error, db.epoch() as e:
        e.insert("even", [(1,)])
    assert error.value.code == failures.INLINE_FACTS.code
    with pytest.raises(EngineError, match="unknown relation `even`"):
        db["even"]


def test_inline_rules_are_kept_in_the_state_folder(tmp_path: object) -> None:
    with Engine(PROGRAM, path=str(tmp_path)) as db, db.epoch() as e:
        e.add_rule("even(x) :- x = 3.", label="three")
    with Engine(PROGRAM + "three: even(x) :- x = 3.", path=str(tmp_path)) as db:
        assert rows(db, "odd") == [1, 5, 9]
        with db.epoch() as e:
            e.remove_rule("three")
        assert rows(db, "odd") == [1, 3, 5, 9]
        assert db.verify()


AGGREGATED = """
.decl w(x: number) .decl a(x: number) .decl c(x: number, y: number) .decl k(x: number) .decl o(y: number)
.decl i(x: number, y: number) inline
w(3). a(1). a(2). c(1, 7). c(2, 9). k(3).
i(x, g) :- w(x), a(v), g = max z : { c(v, z) }.
i(x, x) :- k(x).
o(y) :- i(3, y).
"""


def test_one_of_two_inline_rules_may_aggregate_by_a_variable_of_its_own() -> None:
    db = Engine(AGGREGATED)
    assert sorted(db["o"]) == sorted(Engine(AGGREGATED.replace(" inline", ""))["o"]) == [(3,), (7,), (9,)]
    assert db.verify()


def test_a_branch_of_a_disjunction_may_aggregate_by_a_variable_of_its_own() -> None:
    db = Engine("a(1). a(2). c(1, 7). c(2, 9). k(3). o(Y) :- (a(V), Y = max Z : { c(V, Z) } ; k(Y)).")
    assert sorted(db["o"]) == [(3,), (7,), (9,)]
    assert db.verify()


@pytest.mark.parametrize(
    "body", ["w(x), z > y", "w(x), c(y, z + 1)", "w(x), !c(y, z)", "w(x), w(y), y = count : { c(z, _) }, z > 1"]
)
def test_an_unbound_variable_of_an_inline_rule_is_reported_at_its_place(body: str) -> None:
    text = ".decl w(x: number) .decl c(x: number, y: number) .decl i(x: number, y: number) inline .decl o(y: number)\n"
    with pytest.raises(ProgramError) as error:
        Engine(text + f"i(x, y) :- {body}.\no(y) :- w(y), i(3, y).")
    (found,) = error.value.diagnostics
    assert found.span is not None
    assert (found.span.text, found.span.start > len(text)) == ("z", True)
