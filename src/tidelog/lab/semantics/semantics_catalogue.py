"""The diagnostics of the simulator: what the transition systems cannot run, said by name.

Law: every entry's example is a program that produces its code; a test runs them all.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

POSITIVE = CodeEntry(
    "TL901",
    "literal that the network semantics does not know",
    "{what} in rule `{label}` has no meaning in the network semantics",
    "The transition systems run positive rules: atoms, comparisons, functions, and min or max in the head.",
    "Use the engine for this program, or rewrite the rule with atoms and comparisons.",
    "p(X) :- q(X), !r(X).",
)
LOCAL = CodeEntry(
    "TL902",
    "rule that reads several nodes",
    "the body of rule `{label}` reads more than one location: {locations}",
    "A node sees only its own tables, so all body atoms of a rule share one location.",
    "Localise the program first (`tidelog.rewrite.localise`).",
    "p(@X,Y) :- q(@X,Z), r(@Z,Y).",
)
PLACED = CodeEntry(
    "TL903",
    "relation without one place",
    "relation `{relation}` is written {ways}",
    "A relation's location is one column, the same wherever the relation is written.",
    "Put `@` at the same argument of every atom of the relation, or nowhere in the program.",
    "p(@X,Y) :- q(@X,Y). p(X,@Y) :- r(@X,Y).",
)
CHOICE = CodeEntry(
    "TL904",
    "aggregate that the network semantics does not run",
    "aggregate `{kind}` in the head of rule `{label}` is not run by the network semantics",
    "The head of a rule may select the least or greatest value of a group with one `min` or `max`.",
    "Use the engine for other aggregates.",
    "p(@X,count<Y>) :- q(@X,Y).",
)
BOUND = CodeEntry(
    "TL905",
    "variable without a value",
    "rule `{label}` cannot be evaluated: {what} has no value",
    "Every variable takes its value from a positive atom or from an equation with bound variables.",
    "Bind the variable in the body.",
    "p(X,Y) :- q(X).",
)
SOFT = CodeEntry(
    "TL906",
    "soft state that the network semantics does not run",
    "the facts of `{relation}` have a lifetime or a bound, and the network semantics has no time",
    "The transition systems take their facts as they are told; nothing ends by itself.",
    "Use the engine for soft state, or write `infinity` and tell the deletions in a script.",
    "materialize(q, 10, infinity, keys(1)). p(@X,Y) :- q(@X,Y).",
)
ENTRIES = (POSITIVE, LOCAL, PLACED, CHOICE, BOUND, SOFT)
