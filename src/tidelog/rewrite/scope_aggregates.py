"""Variables that belong only to an aggregate get unique names, and witnesses get the literals that bind them.

Law: `program.separate_scopes` defines the scope of a variable; afterwards a name means the same everywhere in a rule.
Rules that come from the checks are already scoped and do not change.
"""

from __future__ import annotations

from tidelog.program import Rule
from tidelog.program.elaborate.separate_scopes import scoped_rule


def scope_aggregates(rule: Rule) -> tuple[Rule, ...]:
    """The rule in which no aggregate shares a name with its surroundings, unless it shares the variable.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> print(*map(print_rule, scope_aggregates(parse_program("n(C) :- C = count : { p(C) }.").rules[0])))
    n(C) :- C = count : { p(C') }.
    """
    return (scoped_rule(rule),)
