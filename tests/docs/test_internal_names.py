"""No message shows a name that only Tidelog knows (D29): diagnostics, failures, explanations, proofs, profiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tidelog.cli.input.report import check_file
from tidelog.engine.engine import Engine
from tidelog.errors import TidelogError
from tidelog.errors.render import render_diagnostics

ROOT = Path(__file__).parents[2]
INTERNAL = re.compile(r"__[a-z?]|answers\(")
PROGRAMS = {
    "aggregates": "s(X, C) :- n(X), C = count : { e(X, Y), Y > X }. t(X, S) :- n(X), S = sum Y : { e(X, Y) }."
    " m(X, min<Y>) :- e(X, Y). a(mean<Y>) :- e(_, Y). n(1). n(2). e(1, 2). e(1, 3).",
    "asked": "out(R + 1, Z) :- out(R, _), R < 5, Z = count : { p(X), X <= R }. out(0, 0). p(1). p(3).",
    "asked most": "out(R + 1, Z) :- out(R, _), R < 5, Z = max X : { p(X), X <= R }. out(1, 0). p(1). p(3).",
    "recursive minimum": "d(X, min<C>) :- s(X), C = 0. d(Y, min<C>) :- d(X, A), e(X, Y, W), C = A + W."
    " s(1). e(1, 2, 3). e(2, 3, 1).",
    "negation": "l(X) :- n(X), !e(X, _), !e(_, X). n(1). n(9). e(1, 2).",
    "paths": "f(X, Y) :- (e/e|^e)+(X, Y). g(Y) :- e*(1, Y). e(1, 2). e(2, 3).",
    "several heads": "deg(X, count<*>, max<Y>) :- e(X, Y). e(1, 2). e(1, 5).",
    "disjunction": "p(X) :- (e(X, _) ; n(X)), X = range(0, 4). e(1, 2). n(3).",
}
QUESTIONS = ("x(1)", "X < 3", "n(X", "n(X), Y = Z", "n(1, 2, 3, 4)", 'match("(", "a")')


def told_by(db: Engine) -> Iterator[str]:
    yield str(db.explain())
    yield str(db.explain(analyze=True))
    yield str(db.explain(partitions=3))
    yield str(db.profile())
    yield repr(db)
    for name in db.relations:
        yield repr(db[name])
        for row in list(db[name])[:3]:
            yield str(db.why((name, row)))
            yield str(db.why_not((name, tuple(99 for _ in row))))
    yield str(db.verify())
    for question in QUESTIONS:
        try:
            db.query(question)
        except TidelogError as error:
            yield f"{error}\n{error.note}\n{error.hint}"


@pytest.mark.filterwarnings("ignore::tidelog.errors.TidelogWarning")
@pytest.mark.parametrize("partitions", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_that_an_engine_tells_shows_an_internal_name(name: str, partitions: int) -> None:
    with Engine(PROGRAMS[name], partitions=partitions) as db:
        for text in told_by(db):
            assert not INTERNAL.search(text), text


def test_no_diagnostic_of_a_program_shows_an_internal_name() -> None:
    for path in sorted((ROOT / "programs").rglob("*.dl")):
        for finding in check_file(str(path), None).findings:
            text = render_diagnostics([finding])
            assert "__" in path.read_text(encoding="utf-8") or not INTERNAL.search(text), text


FAILING = (
    "out(R + 1, Z) :- out(R, _), Z = sum X : { p(X), X <= R }. out(0, 0). p(1). p(2).",
    "t(X, S) :- n(X), S = sum Y : { e(X, Y) }. n(1). e(1, 9223372036854775807). e(1, 1).",
    "t(S) :- n(X), S = max Y : { e(X, Y), 1 / (Y - Y) > X }. n(1). e(1, 2).",
)


@pytest.mark.parametrize("program", FAILING)
@pytest.mark.parametrize("partitions", [1, 2])
def test_no_failure_of_an_epoch_shows_an_internal_name(program: str, partitions: int) -> None:
    from tidelog import Limits

    with pytest.raises(TidelogError) as failed:
        Engine(program, partitions=partitions, limits=Limits(facts=5000, rounds=2000))
    assert not INTERNAL.search(str(failed.value)), str(failed.value)
