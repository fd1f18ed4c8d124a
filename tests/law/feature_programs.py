"""Random programs with every feature of the language side by side, and random changes of their facts and rules.

A program is some clauses over common base relations. A clause, or a few that need each other, comes under a label,
goes, and comes again, under the same label or another; a label is also given to another clause later, so that what a
rewrite makes of the one (`__val_L3`, `__shown L3`) has the name of what it made of the other. Any subset of the clauses
is stratified and ends. What must hold is decided by the naive evaluator from the text and the facts alone.

What is not here: user functions, and facts of derived relations (`test_law.py` and `test_subsumption.py` have those).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.law.test_choice import after
from tidelog.program import Variant
from tidelog.program.check import check_program
from tidelog.syntax import parse_program
from tidelog.testing import State

Row = tuple[object, ...]
Model = dict[str, frozenset[Row]]
Clauses = tuple[str, ...]
NODES, LABELS, LIFETIME = 6, [f"L{i}" for i in range(1, 12)], 5

HEADER = """
.type P = [x: number, next: P]
.type T = Leaf {v: number} | Node {l: T, r: T} | Empty {}
.decl e(x: number, y: number)
.decl w(x: number, y: number, c: number)
.decl n(x: number)
.decl s(x: number, t: symbol)
.decl f(x: number, v: float)
.decl u(x: unsigned, y: number)
.decl r(p: P)
.decl t(t: T)
.decl k(x: number, y: number)
materialize(k, infinity, infinity, keys(1)).
.decl ping(x: number)
.lifetime ping 5s
.decl pinged(x: number)
.decl reach(x: number, y: number)
.decl odd(x: number, y: number)
.decl even(x: number, y: number)
.decl far(x: number)
.decl dist(x: number, y: number, c: number)
.decl wide(x: number, y: number, c: number)
.decl from0(x: number, c: number)
.decl text(x: number, t: symbol)
.decl near(x: number, c: number, y: number)
materialize(near, infinity, infinity, keys(1)).
.decl out(x: number, z: number)
.decl some(x: number)
.decl total(n: number)
.decl perx(x: number, n: number)
.decl mass(x: number, v: float)
.decl heavy(v: float)
.decl word(t: symbol)
.decl lone(x: number)
.decl one(x: number)
.decl below(x: number, y: number)
.decl walk(x: number, y: number)
.decl apart(x: number, y: number)
.decl same(x: number, y: number) eqrel
.decl least(x: number, y: number)
.decl c1(x: number, y: number) choice-domain x
.decl c2(x: number, y: number) choice-domain x, y
.decl c3(x: number, y: number, c: number) choice-domain (x, y), (x, c)
.decl chosen(x: number)
.decl best(x: number, y: number, c: number)
.decl top(x: number, y: number, c: number)
.decl i(x: number, y: number) inline
i1: i(X, Y) :- e(X, Y), X < Y.
i2: i(X, Y) :- k(X, Y).
.decl up(x: number, y: number)
.decl asked(x: number, y: number) magic
.decl answer(y: number)
.decl cell(p: P)
.decl tree(t: T)
.decl leaf(v: number)
.decl unsig(x: unsigned)
.decl half(x: number, v: float)
.decl flag()
.decl flagged(x: number)
few: :- n(X), X > 90.
.comp C { .decl in(x: number)
.decl out(x: number)
out(X) :- in(X), n(X).
out(Y) :- out(X), e(X, Y). }
"""

# Rules that a program without declarations may have too.
COMMON: tuple[Clauses, ...] = (
    ("reach(X, Y) :- e(X, Y).",),
    ("reach(X, Z) :- reach(X, Y), e(Y, Z).",),
    ("reach(X, Z) :- reach(X, Y), reach(Y, Z).",),
    ("odd(X, Y) :- e(X, Y).", "even(X, Z) :- odd(X, Y), e(Y, Z).", "odd(X, Z) :- even(X, Y), e(Y, Z)."),
    ("far(X) :- n(X), !reach(X, X).",),
    ("dist(X, Y, min<C>) :- w(X, Y, C).",),
    ("dist(X, Z, min<C + K>) :- dist(X, Y, C), w(Y, Z, K).",),
    ("dist(X, Z, min<C + K>) :- dist(X, Y, C), dist(Y, Z, K).",),
    ("wide(X, Y, max<C>) :- w(X, Y, C).",),
    ("wide(X, Z, max<M>) :- wide(X, Y, C), w(Y, Z, K), M = min(C, K).",),
    ("from0(X, min<C>) :- n(X), C = 0.",),
    ("from0(Y, min<C>) :- from0(X, A), w(X, Y, K), C = A + K.",),
    ("text(X, min<T>) :- s(X, T).",),
    ("text(Y, min<T>) :- text(X, T), e(X, Y).",),
    ("near(X, min<C>, Y) :- w(X, Y, C).",),
    ("out(X, Y) :- e(X, Y).",),
    ("out((X + 1) band 7, Z band 3) :- out(X, Y), Z = count : { n(A), A <= X }.",),
    ("out((X + 2) band 7, Z band 3) :- out(X, Y), Z = sum B : { e(A, B), A <= Y }.",),
    ("some(X) :- n(X), G = count : { e(_, _) }.",),
    ("some(X) :- e(X, _), G = sum C : { w(_, _, C) }.",),
    ("some(X) :- e(_, X), G = max C : { w(_, _, C) }.",),
    ("total(N) :- N = count : { reach(_, _) }.",),
    ("total(sum<C>) :- w(_, _, C).",),
    ("perx(X, N) :- n(X), N = count : { e(X, _) }.",),
    ("perx(X, sum<C>) :- w(X, _, C).",),
    ("perx(X, N) :- n(X), N = max M : { n(Y), M = count : { e(Y, Z), Z <= X } }.",),
    ("mass(X, mean<C>) :- w(X, _, C).",),
    ("mass(X, V) :- n(X), V = mean A : { f(X, A) }.",),
    ("mass(X, sum<V>) :- f(X, V).",),
    ("heavy(max<V>) :- f(_, V).",),
    ("heavy(V) :- V = sum A : { f(_, A) }.",),
    ("word(max<T>) :- s(_, T).",),
    ('word(cat(T, "!")) :- s(X, T), n(X).',),
    ("lone(X) :- n(X), !e(X, _).",),
    ("lone(X) :- e(X, Y), !e(Y, X), !w(_, X, _).",),
    ("one(X) :- n(X), (e(X, _) ; e(_, X), X > 1 ; w(X, X, _)).",),
    ("below(X, Y) :- n(X), Y = range(0, X).",),
    ("below(X, Y) :- below(X, Z), e(Z, Y).",),
    ("walk(X, Y) :- e+(X, Y).",),
    ("walk(X, Y) :- n(X), (e/^e)*(X, Y).",),
    ("walk(X, Y) :- k(X, A), (e|^k)+(A, Y).",),
    ("apart(X, Y) :- n(X), n(Y), !e+(X, Y).",),
    ("apart(X, N) :- n(X), N = count : { (e/e?)(X, _) }.",),
    ("flag() :- n(X), e(X, X).",),
    ("flagged(X) :- n(X), !flag().",),
    ("flagged(X) :- e(X, Y), flag(), reach(Y, X).",),
    ("half(X, V / 2.0 + 0.5) :- f(X, V).",),
    ("up(X, Y) :- k(X, Z), k(Z, Y).",),
    (":- n(X), X > 80, e(X, _).",),
)
DECLARED: tuple[Clauses, ...] = (
    ("pinged(X) :- ping(X), !n(X).",),
    ("pinged(Y) :- pinged(X), e(X, Y).",),
    ("same(X, Y) :- e(X, Y), X != 3.",),
    ("same(X, Y) :- w(X, Y, 1).",),
    ("same(A, B) :- same(X, Y), k(X, A), k(Y, B).",),
    ("least(X, min<Y>) :- same(X, Y).",),
    ("least(X, N) :- n(X), N = count : { same(X, _) }.",),
    ("c1(X, Y) :- e(X, Y).",),
    ("c1(Y, X) :- w(X, Y, _).",),
    ("c2(X, Y) :- e(X, Y).",),
    ("c2(Y, X) :- k(X, Y).",),
    ("c3(X, Y, C) :- w(X, Y, C).",),
    ("chosen(X) :- n(X), !c1(X, _).",),
    ("chosen(X) :- c2(X, Y), c3(Y, _, _).",),
    (
        "best(X, Y, C) :- w(X, Y, C).",
        "best(X, Z, C + D) :- best(X, Y, C), w(Y, Z, D).",
        "best(X, Y, A) <= best(X, Y, B) :- B <= A.",
    ),
    ("top(X, Y, C) :- w(X, Y, C).",),
    ("top(Y, X, C) :- w(X, Y, C), C > 1.",),
    ("top(X, _, A) <= top(X, _, B) :- B > A.",),
    ("up(X, Y) :- i(X, Y).",),
    ("up(X, Z) :- up(X, Y), i(Y, Z).",),
    ("up(X, X) :- e(X, Y), !i(X, Y).",),
    ("asked(X, Y) :- e(X, Y).",),
    ("asked(X, Z) :- asked(X, Y), e(Y, Z).",),
    ("answer(Y) :- k(_, X), asked(X, Y).",),
    ("answer(N) :- n(X), N = count : { asked(X, _) }.",),
    ("cell([X, nil]) :- n(X).",),
    ("cell(A) :- r([X, A]), n(X).",),
    ("cell([X, A]) :- r(A), e(X, 1), !n(X).",),
    ("tree($Node(A, $Leaf(X))) :- t(A), n(X).",),
    ("tree(A) :- tree($Node(A, _)).",),
    ("leaf(V) :- t($Leaf(V)).",),
    ("leaf(N) :- N = count : { tree(_) }.",),
    ("leaf(N) :- r([X, A]), N = count : { cell(A) }.",),
    ("unsig(X + 1) :- u(X, Y), n(Y).",),
    ("unsig(max<X>) :- u(X, _).",),
)
# What programs in the manner of NDlog have: locations, lists, witnesses, keys of derived relations.
NETWORK_HEADER = """
materialize(k, infinity, infinity, keys(1)).
materialize(near, infinity, infinity, keys(1)).
materialize(path, infinity, infinity, keys(1, 2)).
"""
NETWORK: tuple[Clauses, ...] = (
    ("path(S, D, min<C>, P) :- w(S, D, C), P = [S, D].",),
    (
        "path(S, D, min<C>, P) :- w(S, Z, C1), path(Z, D, C2, Q), f_inPath(Q, S) = false, C = C1 + C2,"
        " P = f_concat(S, Q).",
    ),
    ("hops(S, D, N) :- path(S, D, _, P), N = f_size(P).",),
    ("reached(@S, D) :- link(@S, D).", "reached(@S, D) :- link(@S, Z), reached(@Z, D)."),
    ("link(@X, Y) :- e(X, Y).",),
    ("cut(@X) :- link(@X, Y), !reached(@Y, X).",),
)
SYMBOLS, FLOATS = ["a", "b", "ab", "Z", "ä", ""], [0.5, -1.5, 1e300, 0.1, 2.0]


def _node(rng: Random) -> int:
    return rng.randrange(NODES)


def _tree(rng: Random, depth: int = 1) -> Variant:
    if depth and rng.random() < 0.4:
        return Variant("Node", _tree(rng, depth - 1), _tree(rng, depth - 1))
    return Variant("Leaf", rng.randrange(3)) if rng.random() < 0.7 else Variant("Empty")


def _cell(rng: Random, depth: int = 2) -> object:
    return None if not depth or rng.random() < 0.3 else (rng.randrange(3), _cell(rng, depth - 1))


ROWS: dict[str, Callable[[Random], Row]] = {
    "e": lambda rng: (_node(rng), _node(rng)),
    "w": lambda rng: (_node(rng), _node(rng), rng.randrange(4)),
    "n": lambda rng: (_node(rng),),
    "s": lambda rng: (_node(rng), rng.choice(SYMBOLS)),
    "f": lambda rng: (_node(rng), rng.choice(FLOATS)),
    "k": lambda rng: (_node(rng), _node(rng)),
    "u": lambda rng: (rng.choice([0, 3, 2**63 + 5]), _node(rng)),
    "r": lambda rng: (_cell(rng),),
    "t": lambda rng: (_tree(rng),),
    "ping": lambda rng: (_node(rng),),
}
UNDECLARED = ("e", "w", "n", "s", "f", "k")
DRAWN = ("e", "e", "e", "w", "w", "w", "n", "n")  # drawn more often


@dataclass
class Changes:
    """The changes of one epoch: signed rows, rules by label, labels, instances of the component, and its time."""

    rows: dict[tuple[str, Row], int] = field(default_factory=dict)
    add: dict[str, str] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)
    add_instances: list[str] = field(default_factory=list)
    remove_instances: list[str] = field(default_factory=list)
    at: int | None = None

    def tell(self, epoch: object) -> None:
        """Put them into an epoch in the making."""
        for (name, row), sign in self.rows.items():
            (epoch.insert if sign > 0 else epoch.delete)(name, [row])  # type: ignore[attr-defined]
        for label in self.remove:
            epoch.remove_rule(label)  # type: ignore[attr-defined]
        for name in self.remove_instances:
            epoch.remove_instance(name)  # type: ignore[attr-defined]
        for name in self.add_instances:
            epoch.add_instance(f".init {name} = C")  # type: ignore[attr-defined]
        for label, rule in self.add.items():
            epoch.add_rule(rule, label=label)  # type: ignore[attr-defined]


class World:
    """The program and the facts that an engine must have, and what follows from them."""

    def __init__(self, rng: Random, *, declared: bool) -> None:
        self.rng, self.declared = rng, declared
        pool = (*COMMON, *(DECLARED if declared else NETWORK))
        self.pool = rng.sample(pool, k=rng.randint(6, 16))
        self.header = HEADER if declared else NETWORK_HEADER
        self.bundles: dict[str, Clauses] = {}  # in force, by label
        self.instances: set[str] = set()
        self.facts: set[tuple[str, Row]] = set()
        self.ends: dict[Row, int] = {}
        self.now = 0
        self.model: Model = {}  # every relation of the text; choices as they follow from those before

    # The text

    @property
    def rules(self) -> dict[str, str]:
        """The rules in force by their labels."""
        return {label: rule for name, made in self.bundles.items() for label, rule in labelled(name, made).items()}

    def text(self) -> str:
        """The program as it stands now."""
        instances = "".join(f".init {name} = C\n" for name in sorted(self.instances))
        return self.header + instances + "\n".join(f"{label}: {rule}" for label, rule in self.rules.items())

    def rows(self) -> dict[str, list[Row]]:
        """The asserted facts by relation."""
        found: dict[str, list[Row]] = {}
        for name, row in sorted(self.facts, key=repr):
            found.setdefault(name, []).append(row)
        return found

    def _evaluated(self) -> Model:
        """Every relation by the naive evaluator; of those that are inline an engine knows nothing."""
        program = check_program(parse_program(self.text())).program
        found = after(State(program, frozenset(self.facts)), self.model)
        return {name: rows for name, rows in found.items() if name != "i"}

    # Changes

    def change(self, most: int = 8, *, rules: bool = True) -> Changes:
        """Random changes; they count when they are `done`."""
        found = Changes()
        names = [*DRAWN, *(ROWS if self.declared else UNDECLARED), *(f"{name}.in" for name in self.instances)]
        for name in self.rng.choices(names, k=self.rng.randint(0, most)):
            row = (_node(self.rng),) if name.endswith(".in") else ROWS[name](self.rng)
            if name == "k" and any(other[0] == "k" and other[1][0] == row[0] for other in found.rows):
                continue
            found.rows[name, row] = 1
        for fact in self.rng.sample(
            sorted(self.facts, key=repr), k=min(len(self.facts), self.rng.randint(0, most // 2))
        ):
            if fact not in found.rows and fact[0] != "k":
                found.rows[fact] = -1
        if rules:
            self._change_rules(found)
        if self.declared and self.rng.random() < 0.4:
            found.at = self.now + self.rng.randrange(4)
        return found

    def _change_rules(self, found: Changes) -> None:
        gone = [label for label in self.bundles if self.rng.random() < 0.25]
        found.remove = [label for name in gone for label in labelled(name, self.bundles[name])]
        free = [label for label in LABELS if label not in self.bundles]  # a label that goes is free when it is gone
        self.rng.shuffle(free)
        ready = [made for made in self.pool if made not in self.bundles.values() or "<=" not in made[-1]]
        for label in free[: self.rng.choice([0, 1, 1, 2, 3])]:
            made = self.rng.choice(ready)
            found.add |= labelled(label, made)
            if "<=" in made[-1]:  # once is enough: a recursion has one that ends it
                ready.remove(made)
        if self.declared and self.rng.random() < 0.3:
            name = self.rng.choice(["g", "h"])
            (found.remove_instances if name in self.instances else found.add_instances).append(name)
            for fact in [fact for fact in found.rows if fact[0].startswith(f"{name}.")]:
                del found.rows[fact]

    def done(self, changes: Changes) -> None:
        """An epoch with these changes is committed."""
        if changes.at is not None:
            self.now = changes.at
        for (name, row), sign in changes.rows.items():
            if sign > 0 and name == "k":
                self.facts = {fact for fact in self.facts if fact[0] != "k" or fact[1][0] != row[0]}
            (self.facts.add if sign > 0 else self.facts.discard)((name, row))
            if name == "ping" and sign > 0:
                self.ends[row] = self.now + LIFETIME
        self.facts -= {("ping", row) for row, end in self.ends.items() if end <= self.now}
        for name in changes.remove_instances:
            self.instances.discard(name)
            self.facts = {fact for fact in self.facts if not fact[0].startswith(f"{name}.")}
        self.instances.update(changes.add_instances)
        for label in changes.remove:
            self.bundles.pop(label.rstrip("bc"), None)
        for label, rule in changes.add.items():
            name = label.rstrip("bc")
            self.bundles[name] = (*self.bundles.get(name, ()), rule)
        self.model = self._evaluated()


def labelled(name: str, clauses: Clauses) -> dict[str, str]:
    """Clauses by label: that of the first is the name, the others have a letter more."""
    letters = ("", "b", "c")
    return {f"{name}{letters[i]}": clause for i, clause in enumerate(clauses)}
