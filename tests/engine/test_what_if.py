"""What if: changes that are tried out, alone and side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.law.harness import Case, commit, facts_of, tell
from tidelog import Engine
from tidelog.engine.ask.what_if import Alternative, Alternatives
from tidelog.errors import EngineError, ProgramError
from tidelog.syntax import parse_program, print_program

PROGRAM = """
reach(X, Y) :- edge(X, Y).
reach(X, Z) :- reach(X, Y), edge(Y, Z).
edge(1, 2). edge(2, 3).
"""


@pytest.fixture(params=[1, 2])
def db(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with Engine(PROGRAM, partitions=request.param) as engine:
        yield engine


def tried(db: Engine, changes: object) -> Alternative:
    found = db.what_if(changes)  # type: ignore[arg-type]  # also what is refused
    assert isinstance(found, Alternative)
    return found


def test_views_proofs_blame_and_cost_are_those_of_a_commit(db: Engine) -> None:
    found = tried(db, "+edge(3, 4). -edge(1, 2). + back: back(Y, X) :- reach(X, Y).")
    assert sorted(found["reach"]) == [(2, 3), (2, 4), (3, 4)]
    assert sorted(found["back"]) == [(3, 2), (4, 2), (4, 3)]
    assert sorted(found["edge"]) == [(2, 3), (3, 4)]
    assert found.changes["reach"].signed
    assert sum(found.statistics.supports.values()) > 0
    assert str(found.blame("reach(2, 4)")).startswith("reach(2, 4) was added in an uncommitted epoch")
    assert found.why("back(4, 3)").root.rule == "back"
    assert not found.why_not("reach(1, 2)").present
    assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
    assert db.epoch_number == 1


def test_alternatives_stand_side_by_side(db: Engine) -> None:
    found = db.what_if(
        {
            "open": lambda e: e.insert("edge", [(3, 4)]),
            "close": "-edge(1, 2).",
            "wrong": "+ p(X) :- edge(X, _), (!p(X) ; edge(_, X)).",
            "nothing": db.epoch(),
        }
    )
    assert isinstance(found, Alternatives)
    assert list(found) == ["open", "close", "wrong", "nothing"]
    lines = repr(found).splitlines()
    assert lines[0].split() == ["open", "close", "wrong", "nothing"]
    assert lines[2].split()[:5] == ["reach", "+3", "-0", "+0", "-2"]
    assert lines[-1].startswith("wrong is refused: ")
    assert "refused: " in repr(found["wrong"])
    assert "no relation changes" in repr(found["nothing"])
    with pytest.raises(ProgramError):
        found["wrong"]["edge"]
    told = json.loads(json.dumps(found.to_json()))
    assert told[0]["changes"]["edge"] == {"inserted": [[3, 4]], "deleted": []}
    assert told[2]["code"].startswith("TL")
    assert "<table" in found._repr_html_()
    assert "reach" in found["open"]._repr_html_()


def test_alternative_is_told_with_a_few_of_its_rows(db: Engine) -> None:
    lines = repr(tried(db, "+edge(3, 4).")).splitlines()
    assert lines[0].startswith("what if: ")
    assert lines[1] == "  edge  +1 -0  +edge(3, 4)"
    assert lines[2].startswith("  reach  +3 -0  +reach(")


def test_one_epoch_is_tried_out_at_a_time(db: Engine) -> None:
    with pytest.raises(EngineError, match="the script has 2 epochs, but a what-if query runs only one"):
        tried(db, "+edge(3, 4). commit. +edge(4, 5).")["reach"]
    with pytest.raises(EngineError, match="`changes` must be the text of a change script, an epoch"):
        tried(db, 7)["reach"]
    with pytest.raises(EngineError, match="`fact` must be a fact"):
        tried(db, "+edge(3, 4).").why("reach")


def test_engine_that_went_on_is_not_asked(db: Engine) -> None:
    found = tried(db, "+edge(3, 4).")
    with db.epoch() as e:
        e.insert("edge", [(8, 9)])
    for ask in (lambda: found["reach"], lambda: found.blame("reach"), lambda: found.why("reach(3, 4)")):
        with pytest.raises(
            EngineError, match="the preview after epoch 1 is no longer available; the engine is at epoch 2"
        ):
            ask()


@pytest.mark.parametrize("seed", range(5000, 5004))
def test_views_of_an_alternative_are_those_after_its_commit(seed: int) -> None:
    case = Case.random(seed, "all")
    with Engine(parse_program(print_program(case.program))) as db:
        for change in case.changes:
            found = tried(db, lambda e, change=change: tell(e, change, case.program.convention))
            if found.refused is not None:
                return
            views = {name: frozenset(found[name]) for name in {*db.relations, *found.changes}}
            commit(db, change, case.program.convention)
            assert views == facts_of(db, list(views))
