"""Arithmetic that wraps around: the functions and sums of a program with ``.pragma "overflow" "wrap"``.

Law: under the pragma, an integer result is its low 64 bits, as in Soufflé: for ``+ - * / ^``, the conversions between
number and unsigned, and sums. Divisions by zero and values without an integer remain errors. Checks run before this
pass, on the functions of the text; afterwards the name of each function shows that it wraps, so that rules mean the
same wherever they run. Recursion through min and max keeps arithmetic that does not wrap: there, a value must not
become better by growing.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.functions.table import FUNCTIONS, WRAP
from tidelog.program.graph.dependency import AGGREGATE, dependencies
from tidelog.program.graph.strata import strata_of_edges
from tidelog.program.values.pragmas import wraps
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.term import SUM, WRAPPING_SUM, Aggregate, Call

T = TypeVar("T")


def wrap_arithmetic(elaboration: Elaboration) -> Elaboration:
    """The pass: `wrapping` of the program."""
    return elaboration.then(wrapping(elaboration.program))


def wrapping(program: Program) -> Program:
    """The program with functions that wrap around if its pragma requests that, otherwise unchanged.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> program = parse_program('.pragma "overflow" "wrap" p(X + 1) :- q(X).')
    >>> print(print_rule(wrapping(program).rules[0]))
    p(wrap +(X, 1)) :- q(X).
    """
    if not wraps(program):
        return program
    exact = _through_min_max(program.rules)
    rules = tuple(rule if rule.head.predicate in exact else _wrapped(rule) for rule in program.rules)
    return replace(program, rules=rules, facts=tuple(map(_renamed, program.facts)))


def _wrapped(rule: Rule) -> Rule:
    renamed = _renamed(rule)
    return rule if renamed == rule else replace(renamed, origin=rule)


def _through_min_max(rules: Iterable[Rule]) -> Set[str]:
    """The relations of recursions through min or max."""
    rules = list(rules)
    edges = dependencies(rules)
    strata = strata_of_edges(rules, edges)
    home = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
    within = {home[e.target] for e in edges if e.kind == AGGREGATE and home.get(e.source, -1) == home[e.target]}
    return {name for i in within for name in strata[i].relations}


def _renamed(part: T) -> T:
    """A rule, a fact or a part of one with its functions and sums renamed."""
    found: Any = part
    if isinstance(part, tuple):
        found = tuple(map(_renamed, part))
    elif is_dataclass(part) and not isinstance(part, type):
        values = {f.name: _renamed(getattr(part, f.name)) for f in fields(part) if f.compare}
        found = replace(part, **values)
    if isinstance(found, Call) and f"{WRAP}{found.function}" in FUNCTIONS:
        found = replace(found, function=f"{WRAP}{found.function}")
    if isinstance(found, Aggregate) and found.kind == SUM:
        found = replace(found, kind=WRAPPING_SUM)
    return found  # type: ignore[no-any-return]  # of the type it came with
