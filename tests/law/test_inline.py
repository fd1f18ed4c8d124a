"""The law for inline relations: the engine, which holds none of them, equals the judge, which holds them all."""

from __future__ import annotations

import random
import re

import pytest

from tests.law.share import share
from tidelog import Engine
from tidelog.program.check import check_program
from tidelog.syntax import parse_program
from tidelog.testing.naive import evaluate

CASES = share(4, 20)
STEPS = 5
RELATIONS = ("e", "f", "p", "q", "n", "i", "j")
DECLARED = "".join(f".decl {name}(x: number, y: number){' inline' * (name in 'ij')}\n" for name in RELATIONS)
# What the rules of the inline relations may be: bound in themselves, so that the judge can hold them.
INLINE = {
    "i": (
        "e(x, y)",
        "f(y, x)",
        "e(x, y), x < y",
        "e(x, y), !f(x, y)",
        "e(x, z), f(z, y)",
        "f(x, y), y = 1",
        "e(x, v), y = max z : { f(v, z) }",
        "f(x, z), y = count : { e(z, _) }",
    ),
    "j": (
        "i(x, y)",
        "e(y, x), i(x, y)",
        "f(x, y) ; e(x, y), x = 2",
        "e(x, y), !f(_, y)",
        "i(x, z), y = sum v : { f(z, v) }",
    ),
}
HELD = (
    "p(x, y) :- i(x, y).",
    "p(x, y) :- j(y, x), e(x, _).",
    "p(x, z) :- p(x, y), i(y, z).",
    "p(x, 7) :- i(x, 1).",
    "p(x, x) :- e(x, _), i(_, x).",
    "q(x, y) :- p(x, y), (j(x, y) ; i(y, x)).",
    "q(x, y) :- e(x, y), x = max z : { i(z, y) }.",
    "q(x + 1, y) :- f(x, y), i(x, y).",
    "q(x, y) :- e(x, y), j(x, x + 1).",
    "q(x, y) :- (e(x, v), y = max z : { f(v, z) } ; e(x, y), f(y, _)).",
)
NEGATED = (
    "n(x, y) :- e(x, y), !i(x, y).",
    "n(x, y) :- f(x, y), !j(y, x).",
    "n(x, c) :- e(x, _), c = count : { j(x, y) }.",
)


def has_own_variables(bodies: list[str]) -> bool:
    """Whether a rule has variables beside those of its head, or reads one that may."""
    return any("z" in body or "_" in body for body in bodies)


@pytest.mark.parametrize("seed", range(CASES))
def test_inline_relations_under_changes_of_facts_and_rules(seed: int) -> None:
    rng = random.Random(seed)
    rules = {f"h{i}": rule for i, rule in enumerate(rng.sample(HELD, 4))}
    bodies = {f"{name}{i}": (name, b) for name in "ij" for i, b in enumerate(rng.sample(INLINE[name], 2))}
    if not has_own_variables([body for _, body in bodies.values()]):
        rules |= {f"n{i}": rule for i, rule in enumerate(NEGATED)}
    rules |= {label: f"{name}(x, y) :- {body}." for label, (name, body) in bodies.items()}
    text = DECLARED + "\n".join(f"{label}: {rule}" for label, rule in rules.items())
    facts: dict[str, set[tuple[int, int]]] = {"e": set(), "f": set()}
    with Engine(text, partitions=1 + seed % 2) as db:
        for _ in range(STEPS):
            with db.epoch() as epoch:
                _change(rng, epoch, rules, facts)
            written = DECLARED.replace(" inline", "") + "\n".join(f"{label}: {rule}" for label, rule in rules.items())
            model = evaluate(check_program(parse_program(written)).program, facts)
            assert {name: frozenset(db[name]) for name in db.relations} == {
                name: rows for name, rows in model.items() if name not in "ij"
            }
            assert db.verify()


def _change(rng: random.Random, epoch, rules: dict[str, str], facts: dict[str, set[tuple[int, int]]]) -> None:
    for _ in range(rng.randint(1, 6)):
        name, row = rng.choice("ef"), (rng.randint(0, 3), rng.randint(0, 3))
        (epoch.delete if row in facts[name] else epoch.insert)(name, [row])
        facts[name] ^= {row}
    if rng.random() < 0.7:
        label = rng.choice(sorted(rules))
        epoch.remove_rule(label)
        gone = rules.pop(label)
        if rng.random() < 0.7:
            # The same rule with a number changed, or turned round: another rule under another label.
            rule = re.sub(r"\b1\b", "2", gone) if "1" in gone and rng.random() < 0.5 else gone
            fresh = f"{label}_{rng.randrange(10**6)}"
            epoch.add_rule(rule, label=fresh)
            rules[fresh] = rule


RECORDS = """
.type P = [x: number, y: number]
.decl e(x: number, y: number)
.decl f(x: number, y: number)
.decl g(p: P)
.decl i(p: P, q: P) inline
.decl p(x: number, y: number)
g([x, y]) :- f(x, y).
"""
OF_RECORDS = (
    "i([x, y], [y, x]) :- e(x, y).",
    "i(a, b) :- g(a), g(b), a != b.",
    "i(a, [x, x]) :- g(a), a = [x, _].",
    "i([1, 2], [2, 3]).",
    "i([x, y], a) :- e(x, y), g(a), a != [x, y].",
)
READING = (
    "p(x, y) :- i([x, _], [_, y]).",
    "p(x, y) :- i(a, [x, y]), i([x, _], a).",
    "p(x, x) :- e(x, _), i([x, 2], _).",
    "p(x, y) :- i(a, b), a = [x, 1], b = [_, y].",
    "p(x, y) :- g([x, z]), i([x, z], [z, y]).",
)


@pytest.mark.parametrize("seed", range(CASES // 2))
def test_records_of_inline_relations_under_changes(seed: int) -> None:
    rng = random.Random(f"records {seed}")
    chosen = [*rng.sample(OF_RECORDS, 2), *rng.sample(READING, 3)]
    rules = {f"h{i}": rule for i, rule in enumerate(chosen) if ":-" in rule}
    fact = "".join(rule for rule in chosen if ":-" not in rule)
    facts: dict[str, set[tuple[int, int]]] = {"e": set(), "f": set()}
    with Engine(RECORDS + fact + "\n".join(f"{n}: {r}" for n, r in rules.items()), partitions=1 + seed % 2) as db:
        for _ in range(STEPS):
            with db.epoch() as epoch:
                _change(rng, epoch, rules, facts)
            written = RECORDS.replace(" inline", "") + fact + "\n".join(f"{n}: {r}" for n, r in rules.items())
            model = evaluate(check_program(parse_program(written)).program, facts)
            assert frozenset(db["p"]) == model["p"]
            assert db.verify()
