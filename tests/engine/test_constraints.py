"""Constraints in an engine: what refuses an epoch, what is reported, and what remains of it."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tidelog import ConstraintError, ConstraintWarning, Engine
from tidelog.engine.write import refusal_causes
from tidelog.engine.write.epoch import Epoch

ACCESS = """
reads(U, D) :- owns(U, D).
reads(U, D) :- deputy(U, V), reads(V, D).
cleared_only: :- reads(U, D), secret(D), !cleared(U).
"""
STAFF = """
.decl employee(id: number, name: symbol, room: number)
.decl member(id: number, team: symbol)
.decl team(name: symbol)
.key employee(id)
.reference member(team) -> team(name)
"""
HIDDEN = "__"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, causes are looked for."""
    monkeypatch.setattr(refusal_causes, "LONG", 600.0)


@pytest.fixture(params=[1, 3])
def access(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with Engine(ACCESS, partitions=request.param) as db:
        with db.epoch() as e:
            e.insert("owns", [("ann", "plan")])
            e.insert("secret", [("plan",)])
            e.insert("cleared", [("ann",)])
        yield db


def refuse(db: Engine, change: object) -> ConstraintError:
    """The error of an epoch that is refused; the state must be that before."""
    before = db.state(), db.rules, db.relations, db.epoch_number
    with pytest.raises(ConstraintError) as raised, db.epoch() as epoch:
        assert callable(change)
        change(epoch)
    assert (db.state(), db.rules, db.relations, db.epoch_number) == before
    return raised.value


def test_an_epoch_that_violates_a_constraint_is_refused_with_a_proof(access: Engine) -> None:
    error = refuse(access, lambda e: e.insert("deputy", [("bob", "ann")]))
    assert error.code == "TL4951"
    assert str(error) == (
        "the epoch is refused and rolled back: constraint `cleared_only` is violated once: "
        ":- reads(U, D), secret(D), !cleared(U).\n"
        "  U = bob, D = plan  by cleared_only\n"
        "  ├─ reads(bob, plan)  by r2\n"
        "  │  ├─ deputy(bob, ann)  asserted\n"
        "  │  └─ reads(ann, plan)  by r1\n"
        "  │     └─ owns(ann, plan)  asserted\n"
        "  ├─ secret(plan)  asserted\n"
        "  └─ no cleared(bob)\n"
        "because\n"
        "  deputy(bob, ann) was asserted"
    )
    (violated,) = error.violations
    assert violated.count == 1
    assert violated.first[0].values == {"U": "bob", "D": "plan"}


def test_a_constraint_is_looked_at_when_the_epoch_ends(access: Engine) -> None:
    with access.epoch() as e:
        e.insert("deputy", [("bob", "ann")])
        e.insert("cleared", [("bob",)])
    assert ("bob", "plan") in access["reads"]


def test_a_deletion_and_a_rule_are_refused_as_an_insertion_is(access: Engine) -> None:
    assert "no cleared(ann)" in str(refuse(access, lambda e: e.delete("cleared", [("ann",)])))
    assert "secret(memo)" in str(refuse(access, add_secret_memo))
    assert list(access.query("reads(U, D)")) == [("ann", "plan")]


def add_secret_memo(e: Epoch) -> None:
    e.insert("owns", [("eve", "memo")])
    e.insert("sealed", [("memo",)])
    e.add_rule("secret(D) :- sealed(D).")


def test_the_first_violations_are_told_and_the_others_counted(access: Engine) -> None:
    error = refuse(access, lambda e: e.insert("owns", [(f"u{i}", "plan") for i in range(10)]))
    assert error.violations[0].count == 10
    assert [v.values["U"] for v in error.violations[0].first] == [f"u{i}" for i in range(10)]
    assert str(error).count("\n  └─ no cleared(") == 3
    assert "\n  and 7 more\n" in str(error)


def test_every_violated_constraint_is_named(access: Engine) -> None:
    with access.epoch() as e:
        e.add_rule("owner: :- owns(U, _), banned(U).")
    error = refuse(access, lambda e: (e.insert("banned", [("ann",)]), e.delete("cleared", [("ann",)])))
    assert [violated.constraint for violated in error.violations] == ["cleared_only", "owner"]


def test_a_constraint_that_is_violated_now_cannot_be_added(access: Engine) -> None:
    error = refuse(access, lambda e: e.add_rule(":- owns(U, D), secret(D).", "no_owner"))
    assert "constraint `no_owner` is violated once" in str(error)
    with access.epoch() as e:
        e.delete("owns", [("ann", "plan")])
        label = e.add_rule(":- owns(U, D), secret(D).")
    assert access.rules[label] == f"{label}: :- owns(U, D), secret(D)."


def test_a_constraint_is_removed_by_its_label(access: Engine) -> None:
    with access.epoch() as e:
        e.remove_rule("cleared_only")
        e.delete("cleared", [("ann",)])
    assert ("ann", "plan") in access["reads"]


def test_nothing_shows_the_hidden_relation(access: Engine) -> None:
    assert access.relations == ("cleared", "deputy", "owns", "reads", "secret")
    for told in (access.explain(), access.profile(), access, access.rules, access.verify()):
        assert HIDDEN not in str(told)
    assert "constraint cleared_only" in str(access.explain())


def test_warnings_name_the_violations_of_the_epoch_in_which_they_come() -> None:
    db = Engine("few: :- n(X), X > 9. .constraint few severity(warn)")
    with pytest.warns(ConstraintWarning, match="constraint `few` is violated once") as caught, db.epoch() as e:
        e.insert("n", [(10,), (1,)])
    assert caught[0].filename == __file__
    assert [violated.constraint for violated in e.violations] == ["few"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with db.epoch() as e:
            e.insert("n", [(2,)])
    assert set(db["n"]) == {(10,), (1,), (2,)}
    assert db.verify()


def test_a_warning_that_is_made_an_error_refuses_the_epoch() -> None:
    db = Engine("few: :- n(X), X > 9. .constraint few severity(warn)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConstraintWarning), db.epoch() as e:
            e.insert("n", [(10,)])
    assert not list(db.query("n(X)"))


def test_a_constraint_that_warned_is_refused_if_it_is_violated_when_it_becomes_strict(tmp_path: Path) -> None:
    text = "few: :- n(X), X > 9. .constraint few severity({})\nm(X) :- n(X)."
    db = Engine(text.format("warn"), path=tmp_path)
    with pytest.warns(ConstraintWarning), db.epoch() as e:
        e.insert("n", [(10,)])
    epoch, _ = db.epoch_to(text.format("refuse"))
    with pytest.raises(ConstraintError, match="X = 10"):
        epoch.commit()
    epoch, _ = db.epoch_to(text.format("refuse"))
    epoch.delete("n", [(10,)])
    epoch.commit()
    assert db.rules["few"] == "few: :- n(X), X > 9."


def test_preview_tells_what_would_be_refused(access: Engine) -> None:
    epoch = access.epoch()
    epoch.delete("cleared", [("ann",)])
    access.preview(epoch)
    assert [(v.constraint, v.severity, v.count) for v in epoch.violations] == [("cleared_only", "refuse", 1)]
    assert len(epoch.changes["cleared"].deleted) == 1
    assert list(access["cleared"]) == [("ann",)]


@pytest.mark.parametrize("partitions", [1, 2])
def test_keys_and_references_are_told_in_words_of_their_own(partitions: int) -> None:
    db = Engine(STAFF, partitions=partitions)
    with db.epoch() as e:
        e.insert("employee", [(1, "ann", 7)])
        e.insert("team", [("red",)])
        e.insert("member", [(1, "red")])
    error = refuse(db, lambda e: e.insert("employee", [(1, "eve", 8)]))
    heading, first, *_ = str(error).splitlines()
    assert heading.endswith(
        "constraint `key employee(id)` is violated once: different rows of `employee` have the same `id`"
    )
    assert first == '  employee(1, "ann", 7) and employee(1, "eve", 8)  by key employee(id)'
    error = refuse(db, lambda e: e.delete("team", [("red",)]))
    heading, first, *_ = str(error).splitlines()
    assert heading.endswith("is violated once: rows of `member` refer to no row of `team`")
    assert first == '  member(1, "red")  by reference member(team) -> team(name)'
    with db.epoch() as e:
        e.remove_rule("key employee(id)")
        e.add_rule(".key employee(id, 2) as by_name")
        e.insert("employee", [(1, "eve", 8)])
    assert "`by_name`" in str(refuse(db, lambda e: e.insert("employee", [(1, "eve", 9)])))


def test_a_key_of_all_columns_is_never_violated() -> None:
    db = Engine(".decl p(x: number)\n.key p(x)\np(1). p(2).")
    assert len(db["p"]) == 2


def test_constraints_of_an_instance_come_and_go_with_it(tmp_path: Path) -> None:
    text = """
    .comp Tree { .decl parent(x: number, y: number)  .key parent(x)  up: :- parent(x, y), y <= x. }
    .init t = Tree
    """
    db = Engine(text, path=tmp_path)
    assert "t.up" in str(refuse(db, lambda e: e.insert("t.parent", [(2, 1)])))
    db.close()
    db = Engine(path=tmp_path)
    assert "t.key parent(x)" in str(refuse(db, lambda e: e.insert("t.parent", [(1, 2), (1, 3)])))
    with db.epoch() as e:
        e.remove_instance("t")
    assert db.rules == {}


def test_a_program_whose_own_facts_violate_a_constraint_is_refused() -> None:
    with pytest.raises(ConstraintError, match="n\\(10\\)"):
        Engine("few: :- n(X), X > 9. n(10).")


def test_constraints_are_checked_on_demand_too() -> None:
    db = Engine(
        '.pragma "magic-transform" "*"\n.decl e(x: number, y: number)\n.decl r(x: number, y: number)\n'
        "r(x, y) :- e(x, y).\nr(x, z) :- r(x, y), e(y, z).\nloop: :- r(x, x)."
    )
    with db.epoch() as e:
        e.insert("e", [(1, 2), (2, 3)])
    assert "x = 1" in str(refuse(db, lambda e: e.insert("e", [(3, 1)])))


def test_the_error_survives_pickling(access: Engine) -> None:
    error = refuse(access, lambda e: e.delete("cleared", [("ann",)]))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.violations[0].count) == (str(error), error.code, 1)


def test_the_certificate_speaks_of_constraints(access: Engine) -> None:
    from tidelog.engine.engine import core_of
    from tidelog.program.values.state import EngineState, FactState
    from tidelog.verify import verify

    state = access.state()
    hidden = next(name for name in core_of(access).rules.constraints)
    facts = {**state.facts, hidden: {("bob", "plan"): FactState(9, 1, 1, False)}}
    verdict = verify(access.program, None, EngineState(facts, state.rules, state.strata, state.schema))
    assert str(verdict) == "refused: the state violates the constraint cleared_only"


def test_a_refused_epoch_names_the_changes_behind_its_first_violation() -> None:
    db = Engine("few: :- p(X, Y), X > Y.  p(X, Y) :- q(X), r(Y).")
    with db.epoch() as e:
        e.insert("r", [(5,)])
    with pytest.raises(ConstraintError) as raised, db.epoch() as e:
        e.insert("q", [(3,), (7,), (9,)])
        e.insert("r", [(11,)])
    assert str(raised.value).splitlines()[-2:] == ["the first one because", "  q(7) was asserted"]
    assert raised.value.code == "TL4951"
    assert [violated.count for violated in raised.value.violations] == [2]
