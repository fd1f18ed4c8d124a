"""The relations of a program get their number of columns, and wrong names are found.

Law: no rule changes. Names are checked in the rules as they are written, before some rules are inserted into others.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.types.arity import check_names


def count_columns(elaboration: Elaboration) -> Elaboration:
    """The pass: `check_names` of the program.

    >>> from tidelog.syntax import parse_program
    >>> count_columns(Elaboration(parse_program("p(X) :- q(X, Y)."))).names.arity
    {'p': 1, 'q': 2}
    """
    program = elaboration.program
    names = check_names(program, elaboration.functions, elaboration.columns())
    return replace(elaboration.then(program, names.findings), names=names)
