"""The engine of Tidelog and the paper's engine, which share nothing but the program, give the same relations."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lab.semantics.regular.programs import Case, Facts, cases, changed
from tidelog import Engine
from tidelog.lab.semantics.regular import ONCE, Graph, compute, difference, edges_of, maintain, to_regular, updated
from tidelog.syntax import parse_program


def shown(engine: Engine, case: Case) -> dict[str, frozenset[tuple[object, ...]]]:
    return {name: frozenset(map(tuple, engine[name])) for name in case.defined}


def commit(engine: Engine, before: Facts, after: Facts) -> None:
    with engine.epoch() as epoch:
        for relation in after:
            epoch.insert(relation, sorted(after[relation] - before[relation]))
            epoch.delete(relation, sorted(before[relation] - after[relation]))


@settings(max_examples=15, deadline=None)
@given(cases(), st.data())
def test_the_engine_keeps_what_the_paper_s_engine_keeps(case: Case, data: st.DataObject) -> None:
    program = parse_program(case.text)
    regular, facts = to_regular(program), {name: frozenset[tuple[int | str, ...]]() for name in case.facts}
    model = compute(regular, Graph())
    with Engine(case.text) as engine:
        for after in (case.facts, data.draw(changed(case.facts)), {name: frozenset() for name in facts}):
            changes = difference(edges_of(program, facts), edges_of(program, after))
            model = updated(model, maintain(regular, model, changes))
            commit(engine, facts, after)
            facts = after
            assert shown(engine, case) == {name: model[name, ONCE] for name in case.defined}
