"""What a state says about programs (D1), functions (D13) and formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelog import Engine, user_function
from tidelog.errors import StateError
from tidelog.plan.ruleset import _core_of
from tidelog.program.functions.table import Function
from tidelog.store.base.files import FileStore
from tidelog.store.base.notes import FORMAT_FILE, write_note

TEXT = '.type Node <: symbol\n.decl e(x: Node, y: Node)\n.decl p(x: Node, y: Node)\np(x, y) :- e(x, y).\ne("a", "b").\n'


def half(version: str) -> Function:
    return user_function("half", ("number",), "number", version=version)(lambda x: x // 2)


def test_the_same_program_may_be_given_again(tmp_path: Path) -> None:
    for _ in range(2):
        with Engine(TEXT, path=tmp_path) as db:
            assert list(db["p"]) == [("a", "b")]
    assert db.epoch_number == 1


def test_rules_given_in_another_order_and_without_labels_are_the_same(tmp_path: Path) -> None:
    Engine("a: p(X) :- q(X). p(X) :- r(X). q(1).", path=tmp_path).close()
    Engine("p(X) :- r(X). p(X) :- q(X). q(1).", path=tmp_path).close()


def test_another_program_is_an_error_that_says_how_they_differ(tmp_path: Path) -> None:
    Engine(TEXT, path=tmp_path).close()
    with pytest.raises(StateError) as error:
        Engine(TEXT.replace("e(x, y).", "e(y, x).").replace('"b"', '"c"') + ".output p\n", path=tmp_path)
    lines = str(error.value).splitlines()
    assert lines[1:-1] == [
        "  - r1: p(x, y) :- e(x, y).",
        "  + p(x, y) :- e(y, x).",
        '  - e("a", "b").',
        '  + e("a", "c").',
        "  + .output p",
    ]
    assert "tidelog apply" in lines[-1]


def test_labels_ever_used_are_never_given_again_after_a_restart(tmp_path: Path) -> None:
    with Engine("p(X) :- q(X). p(X) :- r(X).", path=tmp_path) as db, db.epoch() as e:
        e.remove_rule("r2")
    with Engine(path=tmp_path) as db, db.epoch() as e:
        assert e.add_rule("p(X) :- s(X).") == "r3"


def test_a_replaced_rule_keeps_its_label_and_loses_its_supports(tmp_path: Path) -> None:
    with Engine("a: p(X) :- q(X). q(1). r(2).", path=tmp_path) as db, db.epoch() as e:
        e.remove_rule("a")
        e.add_rule("p(X) :- r(X).", label="a")
    with Engine(path=tmp_path) as db:
        assert list(db["p"]) == [(2,)]


def test_types_learnt_from_data_survive_relations_without_facts(tmp_path: Path) -> None:
    with Engine(path=tmp_path) as db:
        for change in ("insert", "delete"):
            with db.epoch() as e:
                getattr(e, change)("q", [("a", 1.5)])
    with Engine(path=tmp_path) as db:
        assert db["q"].types == ("symbol", "float")


def test_a_function_of_another_version_is_refused(tmp_path: Path) -> None:
    Engine("p(half(X)) :- q(X). q(8).", path=tmp_path, functions=[half("1")]).close()
    with Engine(path=tmp_path, functions=[half("1")]) as db:
        with db.epoch() as e:
            e.insert("q", [(20,)])
        assert sorted(db["p"]) == [(4,), (10,)]
    with pytest.raises(StateError, match=r"`half\(number\)` version 1 \(here: version 2\)"):
        Engine(path=tmp_path, functions=[half("2")])
    with pytest.raises(StateError, match=r"`half\(number\)` version 1 \(here: none\)"):
        Engine(path=tmp_path)


def test_functions_that_no_rule_calls_do_not_matter(tmp_path: Path) -> None:
    Engine("p(X) :- q(X).", path=tmp_path, functions=[half("1")]).close()
    Engine(path=tmp_path).close()


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    Engine("p(1).", path=tmp_path).close()
    assert json.loads((tmp_path / FORMAT_FILE).read_text())["format"] == 1
    write_note(FileStore(tmp_path), FORMAT_FILE, {"format": 2})
    for at in (None, -1):
        with pytest.raises(
            StateError, match="has format 2, but this version of Tidelog reads formats up to 1"
        ) as failed:
            Engine(path=tmp_path, at=at)
        assert failed.value.code == "TL5114"


def test_a_state_whose_rules_are_carried_out_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "p(X, C) :- n(X), C = count : { q(Y), Y < X }."
    monkeypatch.setattr("tidelog.rewrite.lift_aggregates.ASKED", "__sought_")
    Engine(text, path=tmp_path).close()
    monkeypatch.undo()
    _core_of.cache_clear()
    with pytest.raises(StateError, match="evaluates rule r1 differently") as failed:
        Engine(path=tmp_path)
    assert failed.value.code == "TL5123"


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("...")
    with pytest.raises(StateError, match=r"is not a state folder: it contains thesis\.tex"):
        Engine("p(1).", path=tmp_path)


def test_a_path_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("...")
    with pytest.raises(StateError, match="cannot be used as a state folder"):
        Engine("p(1).", path=tmp_path / "file" / "state")


@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("d(X) :- n(X).", "d(X, Y) :- w(X, Y, _)."),
        ("d(X, Y) :- w(X, Y, _).", "d(X) :- n(X)."),
        ("d(X) :- n(X), G = sum C : { w(_, _, C) }.", "g(X, V) :- n(X), V = mean A : { w(X, _, A) }."),
        ("g(X, V) :- n(X), V = mean A : { w(X, _, A) }.", "d(X) :- n(X), G = sum C : { w(_, _, C) }."),
    ],
)
def test_a_relation_that_comes_back_with_other_columns_is_read_again(
    one: str, other: str, partitions: int, tmp_path: Path
) -> None:
    """Also one that a rewrite names after the label of a rule."""
    with Engine("", path=tmp_path, partitions=partitions) as db:
        with db.epoch() as e:
            e.insert("n", [(1,), (2,)])
            e.insert("w", [(1, 2, 3), (2, 2, 5)])
            e.add_rule(one, label="L")
        with db.epoch() as e:
            e.remove_rule("L")
        with db.epoch() as e:
            e.add_rule(other, label="L")
        expected = {name: sorted(db[name]) for name in db.relations}
    with Engine(path=tmp_path) as db:
        assert {name: sorted(db[name]) for name in db.relations} == expected
        assert db.verify()
        assert len(db.changes("n")) == 2
