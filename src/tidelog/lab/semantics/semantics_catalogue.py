"""The diagnostics of the simulator: programs that the transition systems cannot run.

Law: every entry's example is a program that produces its code; a test runs them all.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

POSITIVE = CodeEntry(
    "TL901",
    "unsupported literal in the simulator",
    "{what} in rule `{label}` is not supported by the simulator",
    "The simulator runs positive rules with atoms, comparisons, functions, and min or max in the head.",
    "Run this program on the engine, or rewrite the rule with atoms and comparisons.",
    "p(X) :- q(X), !r(X).",
)
LOCAL = CodeEntry(
    "TL902",
    "rule reads several nodes",
    "the body of rule `{label}` reads more than one location: {locations}",
    "A node can read only its own tables, so all body atoms of a rule must have the same location.",
    "Localise the program first (`tidelog.rewrite.localise`).",
    "p(@X,Y) :- q(@X,Z), r(@Z,Y).",
)
PLACED = CodeEntry(
    "TL903",
    "inconsistent location of a relation",
    "relation `{relation}` is written {ways}",
    "The location of a relation must be the same column everywhere.",
    "Put `@` before the same argument in every atom of the relation, or use no `@` in the program.",
    "p(@X,Y) :- q(@X,Y). p(X,@Y) :- r(@X,Y).",
)
CHOICE = CodeEntry(
    "TL904",
    "unsupported aggregate in the simulator",
    "aggregate `{kind}` in the head of rule `{label}` is not supported by the simulator",
    "The head of a rule may contain one `min` or `max`.",
    "Run programs with other aggregates on the engine.",
    "p(@X,count<Y>) :- q(@X,Y).",
)
BOUND = CodeEntry(
    "TL905",
    "unbound variable in the simulator",
    "rule `{label}` cannot be evaluated: {what} has no value",
    "Every variable is bound by a positive atom or by an equation with bound variables.",
    "Bind the variable in the body.",
    "p(X,Y) :- q(X).",
)
SOFT = CodeEntry(
    "TL906",
    "unsupported soft state in the simulator",
    "`{relation}` has a lifetime or a maximum number of facts, which the simulator does not support",
    "The algorithms of the papers have no clock: facts are deleted only by explicit changes.",
    "Run the program in virtual time with --until SECONDS, or write `infinity` and delete the facts in a script.",
    "materialize(q, 10, infinity, keys(1)). p(@X,Y) :- q(@X,Y).",
)
ENTRIES = (POSITIVE, LOCAL, PLACED, CHOICE, BOUND, SOFT)
