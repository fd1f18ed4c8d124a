"""Path expressions become rules: for now they are refused.

Law: a path atom denotes a binary relation (`program.path`) and will expand to rules over auxiliary relations. Until
it does, a program that uses one must not run as if the atom were not there, so it is refused with all its places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tidelog.errors import ProgramError
from tidelog.program import Aggregate, Disjunction, Literal, PathAtom, Rule
from tidelog.program.catalogue import diagnose
from tidelog.rewrite.scope import all_terms, rule_terms


def expand_paths(rule: Rule) -> tuple[Rule, ...]:
    """The rule itself if it holds no path expression; otherwise a `ProgramError`.

    >>> from tidelog.program import Atom, Label, Repeat, Var
    >>> walk = PathAtom(Repeat(Label("edge"), 1, None), Var("X"), Var("Y"))
    >>> expand_paths(Rule(Atom("p", (Var("X"), Var("Y"))), (walk,)))
    Traceback (most recent call last):
    tidelog.errors.ProgramError: TL604: path expressions are read but not evaluated yet
    """
    if found := tuple(_path_atoms(rule)):
        raise ProgramError(diagnose("TL604", atom.span) for atom in found)
    return (rule,)


def _path_atoms(rule: Rule) -> Iterator[PathAtom]:
    yield from _in_body(rule.body)
    for term in rule_terms(rule):
        for part in all_terms(term):
            if isinstance(part, Aggregate):
                yield from _in_body(part.body or ())


def _in_body(body: Iterable[Literal]) -> Iterator[PathAtom]:
    for literal in body:
        if isinstance(literal, PathAtom):
            yield literal
        elif isinstance(literal, Disjunction):
            for branch in literal.branches:
                yield from _in_body(branch)
