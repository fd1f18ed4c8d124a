"""The diagnostics of the circuits: programs that they cannot run.

Law: every entry's example is a program that produces its code; a test runs them all.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

LITERAL = CodeEntry(
    "TL801",
    "unsupported literal on the circuit",
    "{what} in rule `{label}` cannot run on the circuit",
    "The circuit supports Datalog with stratified negation: the body of a rule is a list of atoms and negated atoms.",
    "Run this program on the engine (without `--algorithm circuit`), or write the rule with atoms only.",
    "p(X) :- q(X), X < 3.",
)
TERM = CodeEntry(
    "TL802",
    "unsupported term on the circuit",
    "{what} in {where} cannot run on the circuit",
    "The circuit supports variables, constants and lists of constants as terms, but no computation.",
    "Run this program on the engine (without `--algorithm circuit`).",
    "p(X + 1) :- q(X).",
)
UNBOUND = CodeEntry(
    "TL803",
    "unbound variable in the head of a rule on the circuit",
    "{what} in the head of rule `{label}` is not bound by the body",
    "Every variable in the head of a rule must occur in the body.",
    "Use the variable in an atom of the body, or replace it with a constant.",
    "p(X, Y) :- q(X).",
)
COLUMNS = CodeEntry(
    "TL804",
    "conflicting number of columns on the circuit",
    "`{name}` has {expected:1 column}, but is used with {found} here",
    "The number of columns of a relation is fixed by its first use.",
    "Use the relation with the same number of arguments everywhere.",
    "p(X) :- q(X, X). p(X) :- q(X).",
)
NEGATED = CodeEntry(
    "TL805",
    "unbound variable in a negated atom on the circuit",
    "variable `{name}` in a negated atom of rule `{label}` is not bound by a positive atom",
    "A negated atom tests a single fact, in which `_` matches any value.",
    "Use the variable in a positive atom of the body, or write `_`.",
    "p(X) :- q(X), !r(X, Y).",
)
ENTRIES = (LITERAL, TERM, UNBOUND, COLUMNS, NEGATED)
