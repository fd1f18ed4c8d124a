"""Monotone strata: named cases, and the law on random programs: what only gets facts loses none."""

from __future__ import annotations

import pytest

from tests.law.harness import Case, as_rows_have_it
from tidelog.engine.engine import Engine
from tidelog.errors import EvaluationError
from tidelog.program.check import check_program
from tidelog.program.graph.growth import monotone_strata
from tidelog.syntax import parse_program


def monotone(text: str) -> list[str]:
    checked = check_program(parse_program(text))
    return [name for stratum in monotone_strata(checked.strata, checked.rules) for name in stratum.relations]


CHOICE = ".decl e(x: number, y: number) .decl p(x: number, y: number) choice-domain x p(X, Y) :- e(X, Y)."


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (CHOICE, ["__may_p"]),
        ("p(X) :- e(X). q(X) :- p(X), X > 1.", ["p", "q"]),
        ("p(X) :- e(X), !f(X). q(X) :- p(X). r(X) :- f(X).", ["r"]),
        ("p(X, min<Y>) :- e(X, Y). q(X) :- p(X, _).", []),
        ("p(N) :- N = count : { e(_) }. q(X) :- e(X).", ["q"]),
        ("p(X, Y) :- (e | f)+(X, Y).", ["p"]),
    ],
)
def test_negation_aggregates_and_choices_are_not_monotone_nor_what_reads_them(text: str, names: list[str]) -> None:
    assert monotone(text) == names


def test_epoch_that_only_inserts_takes_nothing_from_monotone_strata() -> None:
    looked = 0
    for seed in range(30):
        case = Case.random(seed, "all", 4)
        with Engine(case.program) as db:
            names = {name for name in monotone_names(db) if not name.startswith("__")}
            for change in case.changes:
                try:
                    with db.epoch() as epoch:
                        for name, row in change.inserts:
                            epoch.insert(name, [as_rows_have_it(row, db.state().schema.get(name, ()))])
                except EvaluationError:  # an overflow, which undoes the epoch
                    continue
                assert not any(len(epoch.changes[name].deleted) for name in names), seed
                looked += sum(len(epoch.changes[name].inserted) > 0 for name in names)
    assert looked > 20


def monotone_names(db: Engine) -> list[str]:
    checked = check_program(db.program)
    return [name for stratum in monotone_strata(checked.strata, checked.rules) for name in stratum.relations]
