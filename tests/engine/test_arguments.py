"""Arguments of another kind than a call takes are refused with an error of Tidelog's own, and change nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tidelog import Engine, EngineError, Limits, ProgramError, user_function

Call = Callable[[Any], object]


def in_epoch(act: Callable[[Any], object]) -> Call:
    def run(db: Engine) -> None:
        with db.epoch() as e:
            act(e)

    return run


WRONG: dict[str, Call] = {
    "Engine(Path)": lambda db: Engine(Path("reach.dl")),  # type: ignore[arg-type]  # the point of this test
    "Engine(None)": lambda db: Engine(None),  # type: ignore[arg-type]
    "Engine(bytes)": lambda db: Engine(b"p(1)."),  # type: ignore[arg-type]
    "path": lambda db: Engine("", path=3),  # type: ignore[arg-type]
    "at": lambda db: Engine("", path="nowhere", at="1"),  # type: ignore[arg-type]
    "history": lambda db: Engine("", path="nowhere", history=-1),
    "spark": lambda db: Engine("", spark="local"),  # type: ignore[arg-type]
    "partitions": lambda db: Engine("", partitions="2"),  # type: ignore[arg-type]
    "partitions True": lambda db: Engine("", partitions=True),
    "threads": lambda db: Engine("", threads="2"),  # type: ignore[arg-type]
    "limits": lambda db: Engine("", limits=5),  # type: ignore[arg-type]
    "functions": lambda db: Engine("", functions=[7]),  # type: ignore[list-item]
    "function": lambda db: Engine("", functions=len),  # type: ignore[arg-type]
    "plans": lambda db: Engine("", plans=[3]),  # type: ignore[arg-type]
    "facts": lambda db: Limits(facts="1"),  # type: ignore[arg-type]
    "facts -1": lambda db: Limits(facts=-1),
    "rounds": lambda db: Limits(rounds=True),
    "seconds": lambda db: Limits(seconds="1"),  # type: ignore[arg-type]
    "seconds nan": lambda db: Limits(seconds=float("nan")),
    "memory": lambda db: Limits(memory=1.5),  # type: ignore[arg-type]
    "rebuild": lambda db: Limits(rebuild="no"),  # type: ignore[arg-type]
    "source": lambda db: db.epoch(3, 4),
    "offset": lambda db: db.epoch("a", 1.5),
    "insert": in_epoch(lambda e: e.insert(3, [(1, 2)])),
    "delete": in_epoch(lambda e: e.delete(None, [(1, 2)])),
    "change": in_epoch(lambda e: e.change("edge", [{"x": 1, "y": 2}], change=3)),
    "add_rule": in_epoch(lambda e: e.add_rule(None)),
    "label": in_epoch(lambda e: e.add_rule("q(X) :- edge(X, X).", label=3)),
    "remove_rule": in_epoch(lambda e: e.remove_rule(3)),
    "remove_rule list": in_epoch(lambda e: e.remove_rule(["r1"])),
    "query": lambda db: db.query(3),
    "view": lambda db: db[3],
    "view list": lambda db: db[["edge"]],
    "asserted": lambda db: db.asserted(3),
    "undefined": lambda db: db.undefined(3),
    "rule": lambda db: db.rule(3),
    "why": lambda db: db.why(3),
    "why one part": lambda db: db.why(("edge",)),
    "why no values": lambda db: db.why(("edge", 5)),
    "why no name": lambda db: db.why((5, (1, 2))),
    "why_not": lambda db: db.why_not(None),
    "changes": lambda db: db.changes(3),
    "since": lambda db: db.changes("edge", since="x"),
    "write_feed": lambda db: db.write_feed("edge", folder=3),
    "epoch_to": lambda db: db.epoch_to(3),
    "preview": lambda db: db.preview(3),
    "explain": lambda db: db.explain(partitions="x"),
    "verify": lambda db: db.verify(spark=3),
    "stream": lambda db: db.stream([(1, 2)], "edge"),
    "user_function name": lambda db: user_function(3, (), "number"),  # type: ignore[arg-type]
    "user_function params": lambda db: user_function("f", 5, "number"),  # type: ignore[arg-type]
    "user_function result": lambda db: user_function("f", (), None),  # type: ignore[arg-type]
    "user_function body": lambda db: user_function("f", (), "number")(3),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", WRONG)
def test_arguments_of_other_kinds_are_refused_with_errors_of_our_own(call: str) -> None:
    db = Engine("reach(X, Y) :- edge(X, Y).")
    with pytest.raises(EngineError) as told:
        WRONG[call](db)
    assert told.value.code is not None
    assert told.value.code.startswith("TL4")
    assert db.epoch_number == 1
    assert ["edge"] not in db


def test_the_name_of_a_file_is_not_taken_for_a_program(tmp_path: Path) -> None:
    for text in ("reach.dl", "  programs/reach.dl\n", "c.datalog"):
        with pytest.raises(EngineError, match=r"is a file name, .*Engine\.from_file"):
            Engine(text)
    Engine('p("reach.dl").')


def test_an_engine_is_made_from_a_file_and_its_includes(tmp_path: Path) -> None:
    (tmp_path / "edges.dl").write_text("edge(1, 2). edge(2, 3).\n")
    program = tmp_path / "reach.dl"
    program.write_text('#include "edges.dl"\nreach(X, Y) :- edge(X, Y).\nreach(X, Z) :- edge(X, Y), reach(Y, Z).\n')
    for file in (program, str(program)):
        with Engine.from_file(file, limits=Limits(facts=100), partitions=2) as db:
            assert sorted(db["reach"]) == [(1, 2), (1, 3), (2, 3)]
    with pytest.raises(ProgramError, match=r"TL122.*nowhere\.dl"):
        Engine.from_file("nowhere.dl")
    with pytest.raises(EngineError, match="`file` must be the path of a program, not None"):
        Engine.from_file(None)  # type: ignore[arg-type]  # the point of this test
    program.write_text("reach(X, Y) :- ")
    with pytest.raises(ProgramError, match=r"reach\.dl:1"):
        Engine.from_file(program)


def test_a_feed_takes_a_path(tmp_path: Path) -> None:
    db = Engine("reach(X, Y) :- edge(X, Y).")
    db.write_feed("reach", folder=tmp_path / "feed")
    with db.epoch() as e:
        e.insert("edge", [(1, 2)])
    assert [path.name for path in (tmp_path / "feed").iterdir()] == ["epoch=2"]
