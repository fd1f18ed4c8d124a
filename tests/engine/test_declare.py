"""Declarations that come with an epoch.

Law: a program whose parts come one after the other, each when what it names is declared, is in the end the program that
has them all from the start: the same facts, declarations and certificate, on one partition, on several, and in a state
folder that is opened again. What contradicts the program is refused, and leaves no trace.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tidelog import DataError, Engine, EngineError, ProgramError, TidelogError
from tidelog.program import Program
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.syntax import parse_program, print_program

PEOPLE = '.decl person(name: symbol)\nperson("ann").  person("bob").'
WHOLE = """
.type Name <: symbol
.type Place = [x: number, y: number]
.decl person(name: Name, age: number)
.decl boss(who: Name, of: Name)
.decl above(who: Name, of: Name)
.decl adult(name: Name)
.decl lonely(name: Name)
.decl at(name: Name, place: Place)
.decl near(a: Name, b: Name)
.decl oldest(age: number)
.decl seat(name: Name, number: number)
.decl same(a: Name, b: Name) eqrel
materialize(seat, infinity, infinity, keys(1)).
person("ann", 40).  person("bob", 17).  person("cid", 33).  person("dora", 70).
boss("ann", "bob").  boss("dora", "ann").
at("ann", [1, 2]).  at("bob", [1, 2]).  at("cid", [3, 4]).
seat("ann", 1).  seat("bob", 2).
above(a, b) :- boss(a, b).
above(a, c) :- above(a, b), boss(b, c).
adult(n) :- person(n, a), a >= 18.
lonely(n) :- person(n, _), !above(n, _), !above(_, n).
near(a, b) :- at(a, p), at(b, p), a != b.
oldest(m) :- m = max a : { person(_, a) }.
same(a, b) :- near(a, b).
"""


def facts(db: Engine) -> dict[str, list[str]]:
    return {name: sorted(map(repr, db[name])) for name in sorted(db.relations)}


def parts(program: Program) -> list[tuple[set[str], set[str], str]]:
    """The program piece by piece: what each needs to be declared, what it declares, and its text."""
    types = {each.name for each in program.types}
    found: list[tuple[set[str], set[str], str]] = []

    def add(needs: set[str], gives: set[str], **piece: object) -> None:
        alone = Program(convention=program.convention, **{name: (value,) for name, value in piece.items()})  # type: ignore[arg-type]
        found.append((needs, gives, print_program(alone)))

    for type_ in program.types:
        add(set(), {type_.name}, types=type_)
    for decl in program.declarations:
        add({column.type for column in decl.columns} & types, {decl.relation}, declarations=decl)
    for key in program.keys:
        add({key.relation}, set(), keys=key)
    for rule in program.rules:
        add({rule.head.predicate, *(atom.predicate for atom in atoms(rule_literals(rule)))}, set(), rules=rule)
    for fact in program.facts:
        add({fact.atom.predicate}, set(), facts=fact)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_program_that_comes_in_parts_is_the_program_as_a_whole(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    whole = parse_program(WHOLE)
    waiting = parts(whole)
    path = tmp_path / "state" if seed % 3 == 2 else None
    db = Engine(".decl start(x: number)", strict=True, partitions=2 if seed % 3 == 1 else None, path=path)
    declared: set[str] = set()
    while waiting:
        with db.epoch() as epoch:
            for _ in range(choose.randint(1, 8)):
                ready = [part for part in waiting if part[0] <= declared]
                if not ready:
                    break
                part = choose.choice(ready)
                epoch.declare(part[2])
                waiting.remove(part)
                declared |= part[1]
        assert db.verify(), db.verify()
    with Engine(f".decl start(x: number)\n{WHOLE}") as judge:
        assert facts(db) == facts(judge)
        assert {d.relation for d in db.program.declarations} == {d.relation for d in judge.program.declarations}
        db.close()
        if path is not None:
            with Engine(path=path) as again:
                assert (facts(again), again.program.keys) == (facts(judge), judge.program.keys)


def test_facts_rules_and_declarations_of_one_epoch_belong_together() -> None:
    db = Engine(PEOPLE, strict=True)
    with db.epoch() as e:
        e.declare(".decl vip(name: symbol, since: number)")
        e.insert("vip", [("ann", 3)])
        e.insert("vip", [{"since": 4, "name": "bob"}])
        labels = e.declare(".decl greeted(name: symbol)\nhello: greeted(n) :- person(n), vip(n, _).")
        other = e.add_rule("greeted(n) :- vip(n, 9).")
    assert (labels, other) == (["hello"], "r1")
    assert sorted(db["greeted"]) == [("ann",), ("bob",)]
    assert db.rules["hello"] == "hello: greeted(n) :- person(n), vip(n, _)."
    with pytest.raises(DataError), db.epoch() as e:
        e.declare(".decl day(x: number)")
        e.insert("day", [("no number",)])
    assert "day" not in db


def test_declarations_are_tried_without_a_trace() -> None:
    db = Engine(PEOPLE, strict=True)
    epoch = db.epoch()
    epoch.declare('.decl vip(name: symbol)  vip(n) :- person(n).  vip("eve").')
    db.preview(epoch)
    assert sorted(epoch.changes["vip"].inserted) == [("ann",), ("bob",), ("eve",)]
    assert epoch.changes["vip"].inserted.columns == ("name",)
    assert epoch.changes["vip"].inserted.to_arrow().num_rows == 3
    assert ("vip" in db, db.relations) == (False, ("person",))
    epoch.commit()
    assert len(db["vip"]) == 3


def test_a_declaration_that_is_there_already_changes_nothing() -> None:
    db = Engine(PEOPLE)
    with db.epoch() as e:
        e.declare(".decl person(name: symbol)")
    assert len(db.program.declarations) == 1


def test_a_declared_relation_that_is_empty_is_no_slip_of_the_pen() -> None:
    db = Engine(".decl start(x: number)", strict=True)
    with db.epoch() as e:
        e.declare(".decl big(id: number)  .decl bigk(id: number)  bigk(i) :- big(i).")
    assert not len(db["bigk"])


CONTRADICTIONS = {
    ".decl person(name: number)": "TL203",
    ".decl person(name: symbol, age: number)": "TL203",
    ".decl vip(name: Nobody)": "TL206",
    ".decl vip(name: symbol)  vip(n) :- nobody(n).": "TL201",
    "vip(n) :- person(n).": "TL201",
    ".decl vip(age: number)  vip(n) :- person(n).": "TL401",
    ".decl vip(name: symbol": "TL103",
    ".decl person(name: symbol) choice-domain name": "TL203",
    '#include "/etc/passwd"': "TL180",
    ".output person": "TL4093",
    ".comp C { .decl p(x: number) }": "TL4093",
    ".convention prolog\n.decl vip(name: symbol)": "TL4093",
}


@pytest.mark.parametrize("text", CONTRADICTIONS)
def test_what_contradicts_the_program_is_refused_and_leaves_no_trace(text: str) -> None:
    db = Engine(PEOPLE, strict=True)
    with pytest.raises(TidelogError) as raised, db.epoch() as e:
        e.declare(text)
    assert raised.value.code == CONTRADICTIONS[text]
    assert isinstance(raised.value, ProgramError | EngineError)
    assert (db.epoch_number, db.relations, len(db["person"])) == (1, ("person",), 2)


@pytest.mark.parametrize("partitions", [None, 2])
def test_a_new_key_holds_for_the_rows_that_are_there(partitions: int | None) -> None:
    db = Engine("back(Y, X) :- edge(X, Y).  edge(1, 2).  edge(1, 3).  edge(4, 3).", partitions=partitions)
    for relation in ("edge", "back"):
        with pytest.raises(TidelogError) as raised, db.epoch() as e:
            e.declare(f"materialize({relation}, infinity, infinity, keys(1)).")
        assert raised.value.code == "TL2212"
    with db.epoch() as e:
        e.declare("materialize(edge, infinity, infinity, keys(1)).")
        e.delete("edge", [(1, 3)])
    with db.epoch() as e:
        e.insert("edge", [(4, 9)])
    assert sorted(db["edge"]) == [(1, 2), (4, 9)]
    with db.epoch() as e:
        e.declare("materialize(fresh, infinity, infinity, keys(1)).")
        e.insert("fresh", [(1, 2)])
    assert len(db["fresh"]) == 1
