"""Records and algebraic values through an engine: changes, rollback, state folders, questions, proofs, certificates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import Engine, EngineError, EvaluationError, ProgramError, Variant
from tidelog.cli import app

PROGRAM = """
.type P = [x: number, next: P]
.type E = Num {x: number} | Add {l: E, r: E} | Neg {e: E}
.decl p(x: P)
.decl suffix(x: P)
.decl len(x: P, n: number)
.decl source(x: E)
.decl part(x: E)
.decl value(x: E, n: number)
suffix(x) :- p(x).
suffix(r) :- suffix([_, r]).
len(nil, 0).
len([x, r], n + 1) :- suffix([x, r]), len(r, n).
part(x) :- source(x).
part(x), part(y) :- part($Add(x, y)).
part(x) :- part($Neg(x)).
value(e, n) :- part(e), e = $Num(n).
value($Neg(x), -n) :- part($Neg(x)), value(x, n).
value($Add(x, y), n + m) :- part($Add(x, y)), value(x, n), value(y, m).
"""
SUM = Variant("Add", Variant("Num", 1), Variant("Neg", Variant("Num", 5)))


def filled(**options: object) -> Engine:
    db = Engine(PROGRAM, **options)  # type: ignore[arg-type]  # options of engines
    with db.epoch() as epoch:
        epoch.insert("p", [((1, (2, None)),)])
        epoch.insert("source", [(SUM,)])
    return db


@pytest.mark.parametrize("partitions", [1, 3])
def test_facts_and_rules_change(partitions: int) -> None:
    with filled(partitions=partitions) as db:
        assert (SUM, -4) in db["value"]
        assert set(db["len"]) == {(None, 0), ((2, None), 1), ((1, (2, None)), 2)}
        with db.epoch() as epoch:
            epoch.delete("p", [((1, (2, None)),)])
            epoch.insert("p", [((7, (2, None)),)])
            twice = epoch.add_rule("value(e, 2 * n) :- part(e), e = $Num(n).")
        assert set(epoch.changes["len"].inserted) == {((7, (2, None)), 2)}
        assert set(epoch.changes["len"].deleted) == {((1, (2, None)), 2)}
        assert (Variant("Num", 5), 10) in db["value"]
        with db.epoch() as epoch:
            epoch.remove_rule(twice)
        assert {n for e, n in db["value"] if e == SUM} == {-4}


def test_an_epoch_that_fails_leaves_no_trace() -> None:
    with filled() as db:
        before = {name: set(db[name]) for name in db.relations}
        with pytest.raises(EvaluationError), db.epoch() as epoch:
            epoch.insert("p", [((9, (8, None)),)])
            epoch.insert("source", [(Variant("Neg", Variant("Num", -(2**63))),)])
        assert {name: set(db[name]) for name in db.relations} == before


def test_states_are_kept_and_opened_as_they_were(tmp_path: Path) -> None:
    path = str(tmp_path / "state")
    with filled(path=path) as db:
        first = {name: set(db[name]) for name in db.relations}
        with db.epoch() as epoch:
            epoch.delete("source", [(SUM,)])
            epoch.insert("p", [((5, None),)])
        second = {name: set(db[name]) for name in db.relations}
        number = db.epoch_number
    with Engine(path=path) as db:
        assert {name: set(db[name]) for name in db.relations} == second
        with db.epoch() as epoch:
            epoch.insert("source", [(Variant("Num", 3),)])
        assert (Variant("Num", 3), 3) in db["value"]
    with Engine(path=path, at=number - 1) as db:
        assert {name: set(db[name]) for name in db.relations} == first


def test_questions_may_hold_patterns() -> None:
    with filled() as db:
        assert set(db.query("value($Neg(x), n)")) == {(Variant("Num", 5), -5)}
        assert set(db.query("suffix([x, [y, nil]])")) == {(1, 2)}
        assert set(db.query("len(nil, n)")) == {(0,)}


def test_proofs_speak_of_facts_and_not_of_how_values_are_taken_apart() -> None:
    with filled() as db:
        proof = str(db.why("value($Neg($Num(5)), -5)"))
        assert "value($Num(5), 5)" in proof
        assert "part($Neg($Num(5)))" in proof
        assert "part(V" not in proof
        assert " is(" not in proof
        assert "len([2, nil], 1)" in str(db.why("len([1, [2, nil]], 2)"))
        assert str(db.why_not("len([9, nil], 1)"))
        assert "suffix" in str(db.explain())


def test_the_certificate_knows_structures(tmp_path: Path) -> None:
    from tests.runner import CliRunner

    path = tmp_path / "state"
    with filled(path=str(path)):
        pass
    done = CliRunner().invoke(app, ["verify", str(path)])
    assert done.exit_code == 0, done.output
    assert "certified" in done.output
    out = tmp_path / "out"
    assert CliRunner().invoke(app, ["export", str(path), str(out)]).exit_code == 0
    with Engine((out / "program.dl").read_text()) as db:
        assert (SUM, -4) in db["value"]


def test_components_have_types_and_constructors_of_their_own() -> None:
    program = """
    .comp Box<T> {
        .type Cell = [value: T, next: Cell]
        .type State = Full {c: Cell} | Empty {}
        .decl given(v: T)
        .decl state(s: State)
        .decl first(v: T)
        state($Full([v, nil])) :- given(v).
        state($Empty) :- !some().
        .decl some()
        some() :- given(_).
        first(v) :- state($Full([v, _])).
    }
    .init numbers = Box<number>
    .init names = Box<symbol>
    numbers.given(1).
    """
    with Engine(program) as db:
        assert set(db["numbers.first"]) == {(1,)}
        assert set(db["names.state"]) == {(Variant("names.Empty"),)}
        with db.epoch() as epoch:
            epoch.insert("names.given", [("a",)])
            epoch.delete("numbers.given", [(1,)])
        assert set(db["names.state"]) == {(Variant("names.Full", ("a", None)),)}
        assert set(db["numbers.state"]) == {(Variant("numbers.Empty"),)}


def test_inline_rules_may_make_and_open_structures() -> None:
    program = """
    .type Point = [x: number, y: number]
    .decl point(p: Point)
    .decl turned(p: Point, q: Point) inline
    .decl corner(p: Point)
    turned([x, y], q) :- q = [y, x].
    corner(q) :- point(p), turned(p, q).
    point([1, 2]).
    """
    with Engine(program) as db:
        assert set(db["corner"]) == {((2, 1),)}


def test_a_mistake_in_an_added_rule_is_told_with_its_place() -> None:
    with filled() as db:
        with pytest.raises(ProgramError, match="TL420"), db.epoch() as epoch:
            epoch.add_rule("p([1, nil, 2]) :- p(_).")
        assert len(db["p"]) == 1


def test_rows_are_shown_as_python_writes_them() -> None:
    with filled() as db:
        assert "P(x=2, next=None)" in repr(db["suffix"])
        assert "Neg(e=Num(x=5))" in repr(db["value"])


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("[a: number, b: symbol]", "[b: symbol, a: number]", True),
        ("[a: number, b: symbol]", "[a: number, b: symbol, c: number]", True),
        ("[a: number, b: symbol]", "[x: number, y: symbol]", False),
        ("A {x: number} | B {}", "A {x: number} | B {} | C {}", False),
        ("A {x: number} | B {}", "A {x: number}", True),
        ("A {x: number} | B {}", "B {} | A {y: number}", False),
    ],
)
def test_the_parts_of_a_type_do_not_change_while_facts_have_it(
    tmp_path: Path, before: str, after: str, refused: bool
) -> None:
    program = ".type P = {}\n.decl p(x: P)\n.decl q(x: P)\nq(x) :- p(x)."
    value = Variant("A", 1) if before.startswith("A") else (1, "two")
    with Engine(program.replace("{}", before, 1), path=tmp_path / "state") as db:
        with db.epoch() as e:
            e.insert("p", [(value,)])
        epoch, _ = db.epoch_to(program.replace("{}", after, 1))
        if refused:
            with pytest.raises(EngineError, match="`p` contains asserted facts, whose meaning would change"):
                epoch.commit()
        else:
            epoch.commit()
        assert list(db["q"]) == [(value,)]
    with Engine(path=tmp_path / "state") as db:
        assert list(db["q"]) == [(value,)]
        assert [change.fact for change in db.changes("q")] == [(value,)]
