"""Random programs whose rules walk along paths, and random changes of their facts and rules.

Every operator and domain occurs, with both ends free, bound by other atoms, constant, equal or `_`, in plain rules,
under negation and inside aggregates, over base relations and over relations that the same recursion derives. Node
values are few, so that cycles are common. Rules that would not be stratified are left out.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.law.harness import Case
from tidelog.program import (
    Aggregate,
    Alternative,
    Atom,
    Comparison,
    Conjunction,
    Const,
    Disjunction,
    Inverse,
    Label,
    Literal,
    Path,
    PathAtom,
    Program,
    Repeat,
    Rule,
    Sequence,
    Term,
    Var,
    Wildcard,
)
from tidelog.testing import EpochChanges, is_stratified

BASE = {"a": 2, "b": 2, "t": 3, "n": 1}
DERIVED = {"d": 2, "e": 2, "u": 1, "k": 2}
NODES, VARIABLES = range(5), [Var(name) for name in "XYZW"]


class Maker:
    """Draws paths, literals, rules and changes."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.rules = 0

    def label(self) -> Path:
        name = self.rng.choice(["a", "a", "b", "t", "d", "e"])
        return Label(name, self.rng.choice([1, 2]) if name == "t" else None)

    def path(self, depth: int = 3) -> Path:
        if not depth or self.rng.random() < 0.25:
            return self.label()
        kind = self.rng.choice(["inverse", "sequence", "alternative", "conjunction", "repeat", "repeat", "repeat"])
        if kind == "inverse":
            return Inverse(self.path(depth - 1))
        if kind == "repeat":
            least, most = self.rng.choice([(1, None), (1, None), (0, None), (0, 1), (1, 3), (2, 2), (0, 2), (2, None)])
            domain = self.rng.choice(["n", "u"]) if not least and self.rng.random() < 0.3 else None
            return Repeat(self.path(depth - 1), least, most, domain)
        parts = tuple(self.path(depth - 1) for _ in range(self.rng.choice([2, 2, 3])))
        return {"sequence": Sequence, "alternative": Alternative, "conjunction": Conjunction}[kind](parts)

    def end(self) -> Term:
        return self.rng.choice([*VARIABLES, *VARIABLES, Wildcard(), Const(self.rng.choice(NODES), "number")])

    def walk(self) -> PathAtom:
        return PathAtom(self.path(), self.end(), self.end())

    def atom(self) -> Atom:
        name = self.rng.choice([*BASE, *DERIVED])
        return Atom(name, tuple(self.end() for _ in range({**BASE, **DERIVED}[name])))

    def body(self, most: int = 3) -> list[Literal]:
        body: list[Literal] = [self.walk()]
        body += [self.walk() if self.rng.random() < 0.4 else self.atom() for _ in range(self.rng.randint(0, most - 1))]
        bound = named(body)
        if bound and self.rng.random() < 0.2:
            ends = [self.rng.choice([*bound, Wildcard(), Const(1, "number")]) for _ in range(2)]
            body.append(PathAtom(self.path(), *ends, negated=True))
        if bound and self.rng.random() < 0.15:
            body.append(Comparison(self.rng.choice(["<", "!=", "="]), self.rng.choice(bound), Const(2, "number")))
        if self.rng.random() < 0.1:
            branches = tuple((walk, Atom("n", (walk.source,))) for walk in (self.walk(), self.walk()))
            body.append(Disjunction(branches))
        self.rng.shuffle(body)
        return body

    def rule(self) -> Rule:
        while True:
            name = self.rng.choice(["d", "d", "e", "u", "k"])
            made = self.counted() if name == "k" else self.plain(name)
            if made is not None:
                self.rules += 1
                return replace(made, label=f"w{self.rules}")

    def plain(self, name: str) -> Rule | None:
        body = self.body()
        bound = named(body)
        if not bound:
            return None
        return Rule(Atom(name, tuple(self.rng.choice(bound) for _ in range(DERIVED[name]))), tuple(body))

    def counted(self) -> Rule | None:
        if self.rng.random() < 0.3:
            body = self.body(2)
            bound = named(body)
            if not bound:
                return None
            head = (
                Aggregate("count", None, None)
                if self.rng.random() < 0.5
                else Aggregate("min", self.rng.choice(bound), None)
            )
            return Rule(Atom("k", (bound[0], head)), tuple(body))
        group, count = Var("X"), Var("C")
        inner = Aggregate("count", None, tuple(self.body(2)))
        return Rule(Atom("k", (group, count)), (Atom("n", (group,)), Comparison("=", count, inner)))

    def changes(self, rules: list[Rule], epochs: int) -> list[EpochChanges]:
        present: set[tuple[str, tuple[int, ...]]] = set()
        found = []
        for number in range(epochs):
            inserts = [self.fact() for _ in range(self.rng.randint(4, 12) if not number else self.rng.randint(0, 4))]
            deletes = self.rng.sample(sorted(present), k=min(len(present), self.rng.choice([0, 1, 2, 4])))
            add, remove = self.rule_changes(rules) if self.rng.random() < 0.5 else ([], [])
            rules = [*(rule for rule in rules if rule.label not in remove), *add]
            present = (present | set(inserts)) - (set(deletes) - set(inserts))
            found.append(EpochChanges(tuple(inserts), tuple(deletes), tuple(add), tuple(remove)))
        return found

    def rule_changes(self, rules: list[Rule]) -> tuple[list[Rule], list[str]]:
        remove = [str(rule.label) for rule in self.rng.sample(rules, k=min(len(rules), self.rng.randint(0, 1)))]
        kept = [rule for rule in rules if rule.label not in remove]
        rule = self.rule()
        return ([rule] if is_stratified([*kept, rule], STRICT) else []), remove

    def fact(self) -> tuple[str, tuple[int, ...]]:
        name = self.rng.choice(["a", "a", "b", "t", "t", "n", "d"])
        return name, tuple(self.rng.choice(NODES) for _ in range({**BASE, **DERIVED}[name]))


STRICT = ("count", "sum", "mean", "min", "max")


def named(body: list[Literal]) -> list[Var]:
    """The variables that the positive literals bind."""
    ends = [(x.source, x.target) for x in body if isinstance(x, PathAtom) and not x.negated]
    ends += [x.args for x in body if isinstance(x, Atom)]
    return list(dict.fromkeys(term for terms in ends for term in terms if isinstance(term, Var)))


def random_case(seed: int, epochs: int = 4) -> Case:
    """The program and the epochs that a seed names."""
    make = Maker(Random(seed))
    rules: list[Rule] = []
    for _ in range(make.rng.randint(1, 4)):
        rule = make.rule()
        if is_stratified([*rules, rule], STRICT):
            rules.append(rule)
    return Case(Program(tuple(rules)), tuple(make.changes(rules, epochs)))
