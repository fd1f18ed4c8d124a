"""Aggregates in recursion: after every change of facts and rules the facts are those of the naive evaluator; an epoch
is refused exactly if a fact would depend on its own aggregate, and leaves no trace, and so does a preview."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

import pytest

from tests.law.harness import check_against, check_at_rest, check_feed, tell
from tests.law.share import share
from tidelog import Engine, EvaluationError, ProgramError
from tidelog.program import Program, Rule
from tidelog.syntax import parse_program, parse_rule
from tidelog.testing import EpochChanges, State
from tidelog.testing.naive import evaluate
from tidelog.verify import Certificate

CASES = share(30, 5)
TYPES = ("number", "number", "float")
DECLARED = """
    .decl e(x: number, y: number, w: {0})
    .decl n(x: number, w: {0})
    .decl b(w: {0})
    .decl t(x: number, v: {0})
    .decl u(x: number, y: number, v: {0})
    .decl s(x: number)
    .decl top(v: {0})
"""
BASE = {"e": 3, "n": 2, "b": 1}
OWN = {"t": 1, "u": 2, "s": 1}  # the number of key columns
FIXED = {  # so that t and u are in one component
    "f0": "t(x, sum<v * w>) :- e(x, y, w), t(y, v).",
    "f1": "u(x, y, v) :- n(x, _), e(x, y, _), t(y, v).",
    "f2": "t(x, max<v>) :- n(x, _), e(x, y, _), u(y, y, v).",
}
FIXED_KEYS = {
    "f0": ("may_t(x) :- e(x, y, _), may_t(y).", 'folds(["t", x, 0], ["t", y, 0]) :- e(x, y, _), may_t(y).'),
    "f1": (
        "may_u(x, y) :- n(x, _), e(x, y, _), may_t(y).",
        'adds(["u", x, y], ["t", y, 0]) :- n(x, _), e(x, y, _), may_t(y).',
    ),
    "f2": (
        "may_t(x) :- n(x, _), e(x, y, _), may_u(y, y).",
        'folds(["t", x, 0], ["u", y, y]) :- n(x, _), e(x, y, _), may_u(y, y).',
    ),
}
KINDS = {
    "number": ("sum", "sum", "count", "max", "min"),
    "float": ("sum", "mean", "median", "variance", "distinct", "max"),
}


@dataclass(frozen=True)
class Case:
    """A random program; `keys` are its rules without values, which derive what depends on what."""

    program: Program
    keys: dict[str, tuple[str, ...]]


class Maker:
    """Random rules over one type of values."""

    def __init__(self, rng: Random, type_: str) -> None:
        self.rng, self.type, self.two = rng, type_, "2.0" if type_ == "float" else "2"
        self.keys: dict[str, tuple[str, ...]] = {}

    def rule(self, label: str) -> Rule:
        if self.rng.random() < 0.15:
            return self.inner(label)
        rng, body, keys, reads = self.rng, list[str](), list[str](), list[str]()
        bound, values = ["x"], list[str]()
        if rng.random() < 0.8:
            body.append("e(x, y, w)")
            bound.append("y")
        else:
            body.append("n(x, w)")
        keys += body
        for i in range(rng.choice([0, 1, 1, 1, 2])):
            name = rng.choice(["t", "t", "u", "s"])
            key = [rng.choice([bound[-1], bound[-1], *bound]) for _ in range(OWN[name])]
            if name == "u" and rng.random() < 0.4:
                key[1] = f"z{i}"
                bound.insert(0, key[1])
            args = ", ".join(key)
            keys.append(f"may_{name}({args})")
            reads.append(self._name(name, key))
            value = rng.choice([f"v{i}", f"v{i}", f"v{i}", "v0", "w", "_"])
            body.append(f"{name}({args})" if name == "s" else f"{name}({args}, {value})")
            if name != "s" and value.startswith("v"):
                values.append(value)
        if values and rng.random() < 0.1:
            body.append(f"b({values[0]})")  # which makes the value ground
            keys.append(body[-1])
        elif values and rng.random() < 0.3:
            body.append(f"{rng.choice(values)} {rng.choice(['>', '<=', '!='])} {rng.choice([self.two, 'w'])}")
        head = rng.choice(["t", "t", "u", "s"])
        key = [rng.choice(bound[-2:]) if i else rng.choice(["x", "x", "x", *bound]) for i in range(OWN[head])]
        args, folds = ", ".join(key), head != "s" and rng.random() < 0.6
        if head == "s":
            text = f"s({args})"
        elif folds:
            text = f"{head}({args}, {self._aggregate(head, values)})"
        else:
            text = f"{head}({args}, {rng.choice([*values, 'w'])})"
        mark = "folds" if folds else "adds"
        own = self._name(head, key)
        self.keys[label] = (
            f"may_{head}({args}) :- {', '.join(keys)}.",
            *(f"{mark}({own}, {read}) :- {', '.join(keys)}." for read in reads),
        )
        return replace(parse_rule(f"{text} :- {', '.join(body)}.", convention="souffle"), label=label)

    def inner(self, label: str) -> Rule:
        """A random rule with an aggregate in its body."""
        rng = self.rng
        kind = rng.choice(("sum", "count") if self.type == "number" else ("sum", "mean"))
        asking, test = rng.choice(["n(x, w)", "e(x, _, w)"]), rng.choice(["", f", v > {self.two}"])
        fold = "count" if kind == "count" else f"{kind} v * u"
        term = f"s {rng.choice(['+', '-'])} w" if rng.random() < 0.5 else "s"
        keys = f"{asking}, e(x, y, u), may_t(y)"
        self.keys[label] = (
            f"may_t(x) :- {keys if kind == 'mean' else asking}.",
            f'folds(["t", x, 0], ["t", y, 0]) :- {keys}.',
        )
        text = f"t(x, {term}) :- {asking}, s = {fold} : {{ e(x, y, u), t(y, v){test} }}."
        return replace(parse_rule(text, convention="souffle"), label=label)

    def _name(self, relation: str, key: list[str]) -> str:
        return f'["{relation}", {key[0]}, {key[1] if len(key) > 1 else 0}]'

    def _aggregate(self, head: str, values: list[str]) -> str:
        rng = self.rng
        value = rng.choice([*values, *values, "w"])
        term = rng.choice([value, value, f"{value} + w", f"{value} * {self.two}"])
        kind = rng.choice([kind for kind in KINDS[self.type] if head == "t" or kind not in ("min", "max")])
        if kind == "count":
            return rng.choice(["count<*>", f"count<distinct {value}>"])
        return f"sum<distinct {term}>" if kind == "distinct" else f"{kind}<{term}>"


def random_case(rng: Random) -> tuple[Case, Maker]:
    """A roll-up with a few more random rules around it."""
    type_ = rng.choice(TYPES)
    maker = Maker(rng, type_)
    texts = {**FIXED, "above": f"top(v) :- t(_, v), v > {maker.two}."}
    maker.keys.update(FIXED_KEYS)
    rules = [replace(parse_rule(text, convention="souffle"), label=label) for label, text in texts.items()]
    rules += [maker.rule(f"r{i + 1}") for i in range(rng.randrange(1, 6))]
    program = replace(parse_program(DECLARED.format(type_)), rules=tuple(rules))
    return Case(program, maker.keys), maker


def is_cyclic(state: State, keys: dict[str, tuple[str, ...]]) -> bool:
    """Whether some fact depends on its own aggregate: found from the possible keys, by the definition."""
    type_ = state.program.declarations[0].columns[2].type
    rules = [text for rule in state.program.rules if rule.label in keys for text in keys[rule.label]]
    given = ["may_t(x) :- t(x, _). may_u(x, y) :- u(x, y, _). may_s(x) :- s(x)."]
    found = evaluate(
        replace(parse_program(DECLARED.format(type_) + " ".join([*rules, *given])), facts=()), state.relations()
    )
    folds, below = found.get("folds", frozenset()), dict[object, set[object]]()
    for upper, lower in [*folds, *found.get("adds", ())]:
        below.setdefault(upper, set()).add(lower)
    for upper, lower in folds:
        reached, waiting = {lower}, [lower]
        while waiting:
            new = below.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        if upper in reached:
            return True
    return False


def random_change(rng: Random, state: State, maker: Maker, number: int) -> EpochChanges:
    """A change of facts, also of derived relations, and sometimes of rules; most edges lead upwards."""
    present, size = set(state.facts), rng.choice([4, 6])
    value = float if maker.type == "float" else int
    made = set()
    for _ in range(rng.choice([1, 2, 4, 8])):
        x, y = rng.randrange(size), rng.randrange(size)
        if rng.random() < 0.97:
            x, y = min(x, y), max(x, y) + 1
        made.add(("e", (x, y, value(rng.randrange(1, 4)))))
    for _ in range(rng.choice([0, 1, 2])):
        made.add(("n", (rng.randrange(size), value(rng.randrange(4)))))
        made.add(("t", (rng.randrange(size + 1), value(rng.randrange(4)))))
    if rng.random() < 0.3:
        made |= {
            ("u", (1, rng.randrange(size), value(2))),
            ("s", (rng.randrange(size),)),
            ("b", (value(rng.randrange(9)),)),
        }
    gone = set(rng.sample(sorted(present), k=min(len(present), rng.choice([0, 1, 2, 4])))) - made
    labels = [rule.label or "" for rule in state.program.rules if rule.label not in (*FIXED, "above")]
    removed = (rng.choice(labels),) if labels and rng.random() < 0.2 else ()
    added = (maker.rule(f"a{number}"),) if rng.random() < 0.2 else ()
    return EpochChanges(tuple(sorted(made - present)), tuple(sorted(gone)), added, removed)


def history(seed: int, epochs: int = 10, **options: int) -> int:
    """The law on one random history; returns how many epochs were refused."""
    rng = Random(f"bundles {seed}")
    case, maker = random_case(rng)
    try:
        db, state = Engine(case.program, **options), State.start(case.program)
    except ProgramError as error:
        if not is_min_max(error):
            raise
        return 0
    before, refused = state.model(), 0
    check_against(db, before)
    for number in range(epochs):
        change = random_change(rng, state, maker, number)
        epoch = db.epoch()
        tell(epoch, change, case.program.convention)
        after = state.after(change)
        cyclic = is_cyclic(after, maker.keys)
        try:
            if number % 3 == 0:
                db.preview(epoch)
                check_against(db, before)
            epoch.commit()
        except ProgramError as error:
            if not is_min_max(error):
                raise
            continue
        except EvaluationError as error:
            if error.code != "TL2214" or not cyclic:
                raise
            refused += 1
            check_cycle(str(error))
            check_against(db, before)
            continue
        assert not cyclic, "a fact depends on its own aggregate"
        state = after
        found = state.model()
        check_against(db, found)
        check_feed(epoch, before, found)
        before = found
        assert isinstance(verdict := db.verify(), Certificate), f"{verdict}"
    check_at_rest(db)
    return refused


def is_min_max(error: ProgramError) -> bool:
    """Whether a recursion through min or max alone is refused, which has separate rules."""
    return {finding.code for finding in error.diagnostics if finding.severity == "error"} <= {"TL504", "TL505"}


def check_cycle(message: str) -> None:
    """The message names a cycle: its last fact is its first."""
    cycle = re.findall(r"\w+\([^()]*\)", message.partition(": ")[2])
    assert cycle[0] == cycle[1] == cycle[-1], message


@pytest.mark.parametrize("seed", range(CASES))
def test_facts_are_those_of_the_naive_evaluator(seed: int) -> None:
    history(seed)


MONOTONE = """
    .decl start(x: number)
    .decl knows(x: number, y: number)
    .decl owns(x: number, y: number, w: number)
    .decl in(x: number)
    .decl holds(x: number, y: number)
    .decl part(x: number, z: number, y: number, w: number)
    .decl total(y: number, n: number)
    .decl coming(x: number, n: number)
    s1: in(x) :- start(x).
    s2: in(x) :- coming(x, n), n >= 2.
    c: coming(x, count<*>) :- in(y), knows(x, y).
    p: part(x, x, y, w) :- in(x), owns(x, y, w).
    q: part(x, z, y, w) :- holds(x, z), owns(z, y, w).
    t: total(y, sum<w>) :- part(_, _, y, w), w > 0.
    h: holds(x, y) :- part(x, _, y, _), total(y, n), n > 4.
    i: in(y) :- total(y, n), 6 <= n.
"""


@pytest.mark.parametrize("seed", range(share(20, 4)))
def test_monotone_rules_have_the_least_model(seed: int) -> None:
    rng = Random(f"monotone {seed}")
    program = parse_program(MONOTONE, convention="souffle")
    db, state = Engine(program), State.start(program)
    for _ in range(12):
        made = {("knows", (rng.randrange(6), rng.randrange(6))) for _ in range(rng.choice([0, 1, 3]))}
        made |= {("owns", (*rng.choices(range(6), k=2), rng.randrange(-1, 4))) for _ in range(rng.choice([0, 1, 3]))}
        made |= {(rng.choice(["start", "in"]), (rng.randrange(6),)) for _ in range(rng.choice([0, 0, 1]))}
        present = set(state.facts)
        gone = set(rng.sample(sorted(present), k=min(len(present), rng.choice([0, 1, 3])))) - made
        change = EpochChanges(tuple(sorted(made - present)), tuple(sorted(gone)), (), ())
        with db.epoch() as epoch:
            tell(epoch, change, program.convention)
        state = state.after(change)
        check_against(db, state.model())
        assert isinstance(verdict := db.verify(), Certificate), f"{verdict}"
    check_at_rest(db)


@pytest.mark.parametrize("seed", range(share(40, 2)))
def test_partitions_find_the_same(seed: int) -> None:
    history(1000 + seed, epochs=5, partitions=3)
