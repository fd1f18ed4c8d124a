"""Random well-formed programs as values, for the laws of printing and reading.

Well-formed is what `syntax.printer` says: the values a text can say. Safety, types and arities do not matter here.
Programs are drawn from a seed: composed strategies took fifty times as long as printing and reading together, so a
failure is reported with its seed and is not made smaller.
"""

from __future__ import annotations

import random
import struct
from dataclasses import replace

from hypothesis import strategies as st

from tidelog.program import (
    AGGREGATES,
    COMPARISONS,
    PROLOG,
    SOUFFLE,
    Aggregate,
    Alternative,
    Atom,
    Boolean,
    Call,
    Column,
    Comparison,
    Component,
    ComponentType,
    Conjunction,
    Const,
    Declaration,
    Directive,
    Disjunction,
    Fact,
    Instance,
    Inverse,
    Label,
    Materialize,
    Negation,
    PathAtom,
    Program,
    Repeat,
    Rule,
    Sequence,
    TypeDeclaration,
    Var,
    Wildcard,
)
from tidelog.program.graph.inline import hold_inline_facts
from tidelog.program.types.casts import CAST
from tidelog.program.values.schema import QUALIFIERS
from tidelog.program.values.term import ARGUMENTS, PAIRED_AGGREGATES
from tidelog.syntax.clauses import atom_counts

RELATIONS = ("p", "edge", "Reach", "_q", "true", "false", "not", "count", "band", "commit", "keys", "infinity", "größe")
QUALIFIED = ("g.edge", "a.b.true", "in?side", "g.output1")
LOWER, UPPER = ("x", "y", "cost", "_under", "?q"), ("X", "Y", "Cost", "_under", "?q")
SYMBOLS = ("a", "abc", "X", "true", "count", "not", "mod", "bnot", "", "a b", 'q"\\', "\n\t\0", "nil", "é", "%", "//")
FUNCTIONS = ("cat", "strlen", "min", "max", "range", "f_init", "to_string", "sum")
BINARY = ("+", "-", "*", "/", "%", "^", "band", "bor", "bxor", "land", "lor", "lxor", "bshl", "bshr", "bshru")
UNARY = ("-", "bnot", "lnot")


class Maker:
    """Draws values of every kind of node from a random generator."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.convention = self.rng.choice([PROLOG, SOUFFLE])
        self.names = LOWER if self.convention == SOUFFLE else UPPER

    def many(self, make, least=0, most=3):
        return tuple(make() for _ in range(self.rng.randint(least, most)))

    def any_of(self, *makers):
        return self.rng.choice(makers)()

    def maybe(self, make):
        return make() if self.rng.random() < 0.5 else None

    def relation(self):
        return self.rng.choice((*RELATIONS, *QUALIFIED) if self.convention == SOUFFLE else RELATIONS)

    def text(self):
        letters = "ab X\"\\'\n\t\0\x7f%/*é\u2028\u202e\u2066\ufeff\ufffd\U0001f30a\U000e0041"
        return "".join(self.rng.choice(letters) for _ in range(self.rng.randint(0, 6)))

    def float(self):
        bits = struct.unpack("d", self.rng.randbytes(8))[0]
        return self.rng.choice([bits, 0.0, 1.0, -1.5, 1e300, 5e-324, float("inf"), float("-inf"), float("nan")])

    def constant(self):
        rng = self.rng
        return self.any_of(
            lambda: Const(rng.randint(-(2**63), 2**63 - 1), "number"),
            lambda: Const(rng.choice([0, 1, -1, -(2**63), 2**63 - 1]), "number"),
            lambda: Const(rng.choice([0, 7, 2**64 - 1]), "unsigned"),
            lambda: Const(self.float(), "float"),
            lambda: Const(rng.choice(SYMBOLS), "symbol"),
            lambda: Const(self.text(), "symbol"),
        )

    def leaf(self):
        return self.any_of(lambda: Var(self.rng.choice(self.names)), self.constant, Wildcard)

    def call(self, leaf, depth):
        def term():
            return self.term(leaf, depth)

        return self.any_of(
            lambda: Call(self.rng.choice(BINARY), (term(), term())),
            lambda: Call(self.rng.choice(BINARY), (term(), term())),
            lambda: Call(self.rng.choice(UNARY), (term(),)),
            lambda: Call(self.rng.choice(FUNCTIONS), self.many(term)),
            lambda: Call("list", self.many(term)),
            lambda: self.cast(term) if leaf == self.leaf else leaf(),
        )

    def cast(self, term):
        """A fact has none: what stands in it is its value."""
        return Call(CAST, (term(), Const("g.City", "symbol"))) if self.convention == SOUFFLE else term()

    def term(self, leaf=None, depth=3):
        leaf = leaf or self.leaf
        return leaf() if not depth or self.rng.random() < 0.5 else self.call(leaf, depth - 1)

    def ground(self):
        return self.term(self.constant)

    def atom(self, term=None):
        args = self.many(term or self.term)
        location = self.rng.randrange(len(args)) if args and self.rng.random() < 0.3 else None
        return Atom(self.relation(), args, location)

    def path(self, depth=3):
        if not depth or self.rng.random() < 0.3:
            return Label(self.relation(), self.rng.choice([None, None, -3, 7, "", "p", 'a "b"']))

        def inner():
            return self.path(depth - 1)

        least = self.rng.randint(0, 3)
        domain = None if least else self.maybe(self.relation)
        return self.any_of(
            lambda: Inverse(inner()),
            lambda: Sequence(self.many(inner, 2)),
            lambda: Alternative(self.many(inner, 2)),
            lambda: Conjunction(self.many(inner, 2)),
            lambda: Repeat(inner(), least, self.maybe(lambda: least + self.rng.randint(0, 2)), domain),
        )

    def literal(self, depth=2):
        makers = [
            self.atom,
            lambda: Negation(self.atom()),
            lambda: Comparison(self.rng.choice(COMPARISONS), self.term(), self.term()),
            lambda: Boolean(self.rng.random() < 0.5),
            lambda: PathAtom(self.path(), self.term(), self.term(), self.rng.random() < 0.3),
        ]
        if depth:
            makers.append(lambda: Disjunction(self.many(lambda: self.body(depth - 1), 2)))
            makers.append(lambda: Comparison("=", self.term(), self.aggregate(depth - 1)))
            makers.append(lambda: Comparison("<", Call("+", (self.aggregate(depth - 1), self.term())), self.term()))
        return self.any_of(*makers)

    def body(self, depth=2):
        return self.many(lambda: self.literal(depth), 1)

    def aggregate(self, depth):
        return self.any_aggregate(self.body(depth))

    def any_aggregate(self, body):
        kind = self.rng.choice([*AGGREGATES, *PAIRED_AGGREGATES])
        if kind in AGGREGATES:
            value = self.maybe(self.term) if kind in ("count", "sum", "min", "max", "mean") else self.term()
        else:
            second = {"quantile": Const(0.75, "float"), "string_agg": Const(", ", "symbol")}.get(kind) or self.term()
            value = Call(ARGUMENTS, (self.term(), second))
        return Aggregate(kind, value, body, distinct=value is not None and self.rng.random() < 0.3)

    def head_term(self):
        return self.any_of(
            self.term,
            self.term,
            lambda: self.any_aggregate(None),
            lambda: self.aggregate(0),
        )

    def label(self):
        return self.rng.choice(["r1", "r2-1", "r3/1", "Any", "r-1e5", "r-1.5", "two words", self.text()])

    def rule(self):
        if self.rng.random() < 0.2:
            return Rule(self.atom(self.ground), (), self.label())
        body = self.body()
        return Rule(self.atom(self.head_term), body, self.maybe(self.label), plans=self.plans(body))

    def plans(self, body):
        if self.rng.random() < 0.8:
            return ()
        numbers = range(1, self.rng.choice(sorted(atom_counts(body))) + 1)
        versions = sorted(self.rng.sample(range(4), self.rng.randint(1, 3)))
        return tuple((version, tuple(self.rng.sample(numbers, len(numbers)))) for version in versions)

    def type_name(self):
        return self.rng.choice(["number", "unsigned", "symbol", "Node", "list"])

    def column(self):
        return Column(self.rng.choice(["x", "y"]), self.type_name())

    def directive(self):
        params = self.many(lambda: (self.rng.choice(["IO", "filename"]), self.rng.choice(["file", self.text()])))
        return Directive(self.rng.choice(["input", "output", "printsize"]), self.relation(), params)

    def materialize(self):
        lifetime, size = (self.maybe(lambda: self.rng.randint(0, 100)) for _ in range(2))
        return Materialize(self.relation(), lifetime, size, self.many(lambda: self.rng.randint(1, 4)))

    def declaration(self):
        qualifiers = tuple(sorted(self.rng.sample(QUALIFIERS, self.rng.randint(0, 2))))
        columns = self.many(self.column)
        if len(columns) != 2 or columns[0].type != columns[1].type:
            qualifiers = tuple(word for word in qualifiers if word != "eqrel")
        return Declaration(self.relation(), columns, qualifiers=qualifiers)

    def component_type(self):
        return ComponentType(self.rng.choice(["C", "D"]), self.many(self.type_name, 0, 2))

    def components(self, depth):
        return tuple(self.component(name, depth) for name in ("C", "D")[: self.rng.randint(0, 2)])

    def component(self, name, depth):
        content = replace(self.program(depth - 1), instances=self.many(self.instance, 0, 2))
        params = self.rng.choice([(), ("T",), ("T", "U")])
        overrides = self.many(lambda: "p", 0, 1) if params else ()  # without parameters they are checked at once
        return Component(name, params, self.many(self.component_type, 0, 2), content, overrides)

    def instance(self):
        return Instance(self.rng.choice(["a", "b"]), self.component_type())

    def program(self, depth=2):
        with_components = depth and self.convention == SOUFFLE and self.rng.random() < 0.3
        return Program(
            components=self.components(depth) if with_components else (),
            rules=self.many(self.rule),
            facts=self.many(lambda: Fact(self.atom(self.ground))),
            declarations=self.many(self.declaration, 0, 2),
            types=self.many(
                lambda: TypeDeclaration("Node", self.many(self.type_name, 1), self.rng.random() < 0.5), 0, 2
            ),
            directives=self.many(self.directive, 0, 2),
            keys=self.many(self.materialize, 0, 2),
            pragmas=self.many(lambda: ("legacy", self.rng.choice(["", self.text()])), 0, 1),
            convention=self.convention,
        )


def programs():
    """A whole program under either convention."""
    return st.integers(0, 2**32).map(lambda seed: hold_inline_facts(Maker(seed).program()))
