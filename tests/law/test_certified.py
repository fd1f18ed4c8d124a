"""Every state that the engine reaches is certified, and none with a fact more or less.

Random programs put rewrites on top of one another: equivalences, relations on demand, choices, subsumptions, inline
relations, aggregates and negation each read what those below them derive. They go through random epochs, on 1 and 2
partitions. What this notices: a rewrite that the checker does twice, or takes for something else, beside another one.
What it cannot notice: a state that is wrong and certified; `tests/verify` and the other laws look for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from tests.law.share import share
from tidelog import Engine
from tidelog.engine.engine import core_of
from tidelog.program.values.state import EngineState, FactState
from tidelog.verify import Verdict, verify
from tidelog.verify.demand_claim import with_rules

CASES = share(24, 10)
EPOCHS = 4
BASE = ("b", "c")

# What may be derived from {s} and {t}, which lie below; the second may be negated or counted.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "equivalence": (" eqrel", ("{p}(x, y) :- {s}(x, y).", "{p}(x, y) :- {t}(x, y), x < y.")),
    "congruence": (" eqrel", ("{p}(x, y) :- {s}(x, y).", "{p}(u, v) :- {p}(x, y), {t}(x, u), {t}(y, v).")),
    "closure": ("", ("{p}(x, y) :- {s}(x, y).", "{p}(x, z) :- {p}(x, y), {t}(y, z).")),
    "choice": (" choice-domain x", ("{p}(x, y) :- {s}(x, y).", "{p}(x, y) :- {t}(y, x).")),
    "best": ("", ("{p}(x, y) :- {s}(x, y).", "{p}(x, y) :- {t}(x, y).", "{p}(x, v) <= {p}(x, w) :- w <= v.")),
    "both less": ("", ("{p}(x, y) :- {s}(x, y).", "{p}(x, y) <= {p}(v, w) :- x <= v, y <= w.")),
    "inline": (" inline", ("{p}(x, y) :- {s}(x, y), x != y.", "{p}(x, y) :- {s}(x, u), y = max z : {{ {t}(u, z) }}.")),
    "count": ("", ("{p}(x, n) :- {s}(x, _), n = count : {{ {t}(x, _) }}.",)),
    "least": ("", ("{p}(x, n) :- {s}(x, _), n = min z : {{ {t}(z, x) }}.",)),
    "negation": ("", ("{p}(x, y) :- {s}(x, y), !{t}(y, x).",)),
    "question": ("", ("{p}(1, y) :- {s}(1, y).", "{p}(y, 2) :- {t}(y, 2).")),
}


def random_program(rng: Random) -> tuple[str, list[str]]:
    """A program, and its relations in which facts may be asserted."""
    lines = [f".decl {name}(x: number, y: number)" for name in BASE]
    held, below = list(BASE), list(BASE)  # those that are not inline, and all
    for number in range(rng.randint(3, 5)):
        kind, name = rng.choice(sorted(KINDS)), f"p{number}"
        words, rules = KINDS[kind]
        asked = " magic" if kind not in ("inline", "choice") and rng.random() < 0.4 else ""
        lines.append(f".decl {name}(x: number, y: number){words}{asked}")
        lines += (rule.format(p=name, s=rng.choice(below[-3:]), t=rng.choice(held[-3:])) for rule in rules)
        below.append(name)
        if kind != "inline":
            held.append(name)
    return "\n".join(lines), held


def certify(db: Engine, state: EngineState) -> Verdict:
    """The verdict on a state that the engine might have been in."""
    rules = core_of(db).rules
    program = rules.program
    if rules.demand is not None:
        program, state = with_rules(program, rules.core.values(), state)
    return verify(program, None, state, rules.functions)


def with_rows(
    state: EngineState, name: str, change: Callable[[dict[tuple[object, ...], FactState]], None]
) -> EngineState:
    """The state with other facts of one relation."""
    rows = dict(state.facts[name])
    change(rows)
    return replace(state, facts={**state.facts, name: rows})


@pytest.mark.parametrize("seed", range(CASES))
def test_a_state_is_certified_and_a_fact_more_or_less_is_not(seed: int) -> None:
    rng = Random(seed)
    text, held = random_program(rng)
    with Engine(text, partitions=1 + seed % 2) as db:
        for _ in range(EPOCHS):
            with db.epoch() as epoch:
                for name in (*BASE, *BASE, rng.choice(held)):
                    rows = [(rng.randrange(4), rng.randrange(4)) for _ in range(rng.randrange(4))]
                    (epoch.insert if rng.random() < 0.7 else epoch.delete)(name, rows)
            assert (verdict := db.verify()), f"{verdict}\n{text}"
        state = db.state()
        derived = [(name, row) for name in held for row, fact in state.facts[name].items() if not fact.base]
        for name, row in rng.sample(derived, k=min(3, len(derived))):
            less = with_rows(state, name, lambda rows, row=row: rows.pop(row))
            assert not certify(db, less), f"without {name}{row}\n{text}"
        for name in rng.sample(held, k=2):
            more = with_rows(state, name, lambda rows: rows.update({(7, 8): FactState(1, 1, 1, False)}))
            assert not certify(db, more), f"with {name}(7, 8)\n{text}"


EQUIVALENCE = (
    ".decl b(x: number) .decl q(x: number, y: number) eqrel .decl g(x: number) magic g(x) :- b(x). b(0). b(1). "
)


def test_an_equivalence_beside_a_relation_on_demand_is_certified() -> None:
    assert Engine(EQUIVALENCE + "q(x, x) :- b(x).").verify()


def test_a_congruence_beside_a_relation_on_demand_is_certified() -> None:
    rules = ".decl f(x: number, y: number) f(0, 2). f(1, 3). q(0, 1). q(x, y) :- q(u, v), f(u, x), f(v, y)."
    db = Engine(EQUIVALENCE + rules)
    assert db.verify()
    assert (2, 3) in db["q"]
