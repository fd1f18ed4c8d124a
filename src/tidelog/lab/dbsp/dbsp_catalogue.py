"""The diagnostics of the circuits: what they do not run, said by name.

Law: every entry's example is a program that produces its code; a test runs them all.
"""

from __future__ import annotations

from tidelog.errors.entry import CodeEntry

LITERAL = CodeEntry(
    "TL801",
    "literal that the circuit does not take",
    "{what} in rule `{label}` cannot run on the circuit",
    "The circuit interprets Datalog with stratified negation: the body of a rule is a list of atoms, negated or not.",
    "Run this program on the engine (without `--algorithm circuit`), or write the rule with atoms only.",
    "p(X) :- q(X), X < 3.",
)
TERM = CodeEntry(
    "TL802",
    "term that the circuit does not take",
    "{what} in {where} cannot run on the circuit",
    "The terms of the circuit's atoms are variables, constants and lists of constants: nothing is computed.",
    "Run this program on the engine (without `--algorithm circuit`).",
    "p(X + 1) :- q(X).",
)
UNBOUND = CodeEntry(
    "TL803",
    "head that the body does not ground",
    "{what} in the head of rule `{label}` gets no value from the body",
    "Every variable of a head occurs in the body.",
    "Use the variable in an atom of the body, or replace it by a constant.",
    "p(X, Y) :- q(X).",
)
COLUMNS = CodeEntry(
    "TL804",
    "conflicting number of columns on the circuit",
    "`{name}` has {expected} columns, but {found} here",
    "A relation has one number of columns, fixed by its first use.",
    "Give every use of the relation the same number of arguments.",
    "p(X) :- q(X, X). p(X) :- q(X).",
)
NEGATED = CodeEntry(
    "TL805",
    "negated atom that the body does not ground",
    "variable `{name}` in a negated atom of rule `{label}` gets no value from the positive atoms",
    "A negated atom tests one fact; `_` stands for any value there.",
    "Use the variable in a positive atom of the body, or write `_`.",
    "p(X) :- q(X), !r(X, Y).",
)
ENTRIES = (LITERAL, TERM, UNBOUND, COLUMNS, NEGATED)
