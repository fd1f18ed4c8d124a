"""Unknown names are reported with the name that was probably meant, and are errors in a strict engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from tidelog import Engine, EngineError, TidelogWarning
from tidelog.errors import ProgramError

REACH = "reach(X, Y) :- edge(X, Y). reach(X, Z) :- reach(X, Y), edge(Y, Z)."


def insert(db: Engine) -> None:
    with db.epoch() as e:
        e.insert("edgee", [(1, 2)])


def delete(db: Engine) -> None:
    with db.epoch() as e:
        e.delete("nope", [(1,)])


def rule(db: Engine) -> None:
    with db.epoch() as e:
        e.add_rule("twice(X) :- raech(X, X).")


def query(db: Engine) -> None:
    db.query("reech(1, X)")


TYPOS: list[tuple[Callable[[Engine], None], str]] = [
    (insert, r"`edgee`.*; did you mean `edge`\?"),
    (delete, "`nope`"),
    (rule, r"`raech`.*; did you mean `reach`\?"),
    (query, r"`reech`.*; did you mean `reach`\?"),
]


@pytest.mark.parametrize(("act", "told"), TYPOS)
def test_a_misspelt_relation_warns_at_the_users_line(act: Callable[[Engine], None], told: str) -> None:
    with Engine(REACH) as db, pytest.warns(TidelogWarning, match=f"TL4070: .*{told}") as found:
        act(db)
    assert [warning.filename for warning in found] == [__file__]


@pytest.mark.parametrize(("act", "told"), TYPOS)
def test_a_misspelt_relation_is_an_error_in_a_strict_engine(act: Callable[[Engine], None], told: str) -> None:
    with Engine(REACH, strict=True) as db:
        with pytest.raises(EngineError, match=told):
            act(db)
        assert db.relations == ("edge", "reach")


def test_a_misspelt_relation_of_the_program_itself_warns() -> None:
    with pytest.warns(TidelogWarning, match="`raech`.*; did you mean `reach`"):
        Engine("reach(X, Y) :- edge(X, Y). reach(X, Z) :- raech(X, Y), edge(Y, Z).").close()


def test_deleting_from_an_unknown_relation_makes_none() -> None:
    with Engine(REACH) as db:
        epoch = db.epoch()
        epoch.delete("nope", [(1,)])
        epoch.insert("edge", [(1, 2)])
        with pytest.warns(TidelogWarning):
            epoch.commit()
        assert db.relations == ("edge", "reach")
        assert len(db["reach"]) == 1


def test_new_relations_come_without_a_warning() -> None:
    with warnings.catch_warnings(), Engine(REACH, strict=True) as db:
        warnings.simplefilter("error")
        with db.epoch() as e:
            e.insert("colour", [(1, "red")])
            e.insert("edge", [(1, 2)])
        with db.epoch() as e:
            e.add_rule("red(X) :- colour(X, red).")
            e.delete("colour", [(1, "red")])
        assert len(db.query("colour(X, _)")) == 0


def test_errors_of_queries_are_about_the_text_that_was_asked() -> None:
    with Engine(REACH) as db:
        with pytest.warns(TidelogWarning):
            insert(db)
        for text, wanted in [
            ("reach(X", "<query>:1:8: TL103: `(` is never closed: expected `,` or `)`, found the end of the text"),
            ("X < 3", "<query>:1:1: TL303: variable `X` in a comparison is not bound"),
            ("?reach(1, X), X < Y.", "<query>:1:19: TL303: variable `Y` in a comparison is not bound"),
        ]:
            with pytest.raises(ProgramError) as failed:
                db.query(text)
            assert str(failed.value) == wanted
            assert "answers" not in str(failed.value)


@pytest.mark.parametrize("pair", [("big", "bigk"), ("edge", "edges"), ("person", "persons")])
def test_a_relation_is_known_in_the_epoch_that_declares_it(pair: tuple[str, str], tmp_path: Path) -> None:
    first, second = pair
    text = f".decl {first}(id: number)\n.decl {second}(id: number)\n{second}(i) :- {first}(i).\n"
    with Engine(path=tmp_path / "s", strict=True) as db:
        db.epoch_to(text)[0].commit()  # as `tidelog serve` loads a program
        with db.epoch() as e:
            e.insert(first, [(1,)])
        assert list(db[second]) == [(1,)]
    with Engine(path=tmp_path / "t", strict=True) as db, pytest.raises(EngineError, match="`raech`"):
        db.epoch_to("reach(X) :- edge(X). far(X) :- raech(X).")[0].commit()
