"""Demand under changes: relations that are evaluated on demand beside the naive evaluator, which knows of no demand.

Random programs with random relations on demand go through random epochs, on 1 and 3 partitions. After every epoch:
relations that are not restricted are whole; restricted ones hold true facts only, and every true fact that matches a
value that is asked for; random questions get the answers of the whole program; I1 and I2 hold of all rules, and the
state is certified.
What this notices: a wrong restriction, a value that is asked for too late or too long, an answer that a question lacks.
What it cannot notice: that too much is evaluated (`tests/rewrite/test_demand.py` counts).
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest

from tests.law.harness import Case, commit
from tests.law.share import share
from tidelog.engine.engine import Engine, core_of
from tidelog.program import Const, Var
from tidelog.program.functions.table import FUNCTIONS
from tidelog.rewrite.demand.pass_demand import known_args
from tidelog.rewrite.demand.restrict import demand_relation
from tidelog.syntax import print_term
from tidelog.testing import State
from tidelog.testing.invariants import violations

CASES = share(16, 10)
FIRST = int(os.environ.get("TIDELOG_SEED", "0"))
BLOCK = min(6, CASES)
Model = dict[str, frozenset[tuple[object, ...]]]


def on_demand(case: Case, rng: Random) -> Case:
    """The case with some of its derived relations on demand, or all but some."""
    derived = sorted({rule.head.predicate for rule in case.program.rules})
    if rng.random() < 0.3:
        kept = rng.sample(derived, k=rng.randrange(len(derived)))
        pragmas = [("magic-transform", "*"), *(("magic-transform-exclude", name) for name in kept)]
    else:
        pragmas = [("magic-transform", n) for n in rng.sample(derived, k=rng.randrange(1, len(derived) + 1))]
    return replace(case, program=replace(case.program, pragmas=tuple(pragmas)))


def check(db: Engine, model: Model) -> None:
    """Whole relations are whole; restricted ones are true, and complete where they are asked."""
    rules, state = core_of(db).rules, db.state()
    held = {name: frozenset(facts) for name, facts in state.facts.items()}
    for name, rows in model.items():
        found = held.get(name, frozenset())
        if name not in rules.restricted:
            assert found == rows, f"{name}: missing {set(rows - found)}, extra {set(found - rows)}"
            continue
        assert found <= rows, f"{name} holds {set(found - rows)}"
        assert rules.demand is not None
        for pattern in rules.demand.patterns[name]:
            asked = held.get(demand_relation(name, pattern), frozenset())
            wanted = {row for row in rows if known_args(row, pattern) in asked}
            assert wanted <= found, f"{name} asked {pattern}: missing {wanted - found}"
    broken = violations(state, FUNCTIONS)
    assert not broken, broken[:5]


def ask(db: Engine, model: Model, rng: Random) -> None:
    """A question about one relation, with some of its columns known."""
    names = sorted(name for name in model if name in db and db[name].columns)
    if not names:
        return
    name = rng.choice(names)
    types = core_of(db).rules.schema[name]
    if None in types or "any" in types:
        return
    rows = sorted(model[name], key=repr)
    chosen = rng.choice(rows) if rows else None
    known = [i for i in range(len(types)) if chosen is not None and rng.random() < 0.5]
    terms = [
        Const(chosen[i], str(types[i])) if i in known and chosen is not None else Var(f"A{i}")  # type: ignore[arg-type]  # a value
        for i in range(len(types))
    ]
    if any(isinstance(t, Const) and (t.type == "list" or isinstance(t.value, tuple)) for t in terms):
        return
    names_of = [f"a{i}" if db.convention == "souffle" else f"A{i}" for i in range(len(types))]
    shown = [print_term(t, db.convention) if isinstance(t, Const) else names_of[i] for i, t in enumerate(terms)]
    free = [i for i in range(len(types)) if i not in known]
    expected = {tuple(row[i] for i in free) for row in rows if all(row[i] == chosen[i] for i in known)}
    text = f"{name}({', '.join(shown)})"
    assert set(db.query(text)) == expected, text


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("kind", ["plain", "all"])
@pytest.mark.parametrize("first", range(FIRST, FIRST + CASES, BLOCK))
def test_demand_restricts_and_loses_nothing(first: int, kind: str, partitions: int) -> None:
    for seed in range(first, min(first + BLOCK, FIRST + CASES)):
        rng = Random(f"demand {seed}")
        case = on_demand(Case.random(5 * 10**6 + seed, kind), rng)
        try:
            run(case, partitions, rng)
        except Exception as error:
            raise AssertionError(f"seed {seed}, kind {kind}, {partitions} partitions: {error}\n{case}") from error


def run(case: Case, partitions: int, rng: Random) -> None:
    with Engine(case.program, partitions=partitions) as db:
        state = State.start(case.program)
        check(db, state.model())
        for change in case.changes:
            state = state.after(change)
            commit(db, change, case.program.convention)
            model = state.model()
            check(db, model)
            ask(db, model, rng)
            check(db, model)
        assert db.verify()
