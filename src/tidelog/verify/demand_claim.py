"""A state that contains only demanded facts, as a claim about a separate program.

Law: where relations are evaluated on demand, the model is that of the rules restricted to demanded facts. The demand is
then part of the claim: the relations that the rewrite created get ordinary names, so that the checker does not depend
on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from tidelog.program import Atom, Literal, Negation, Program, Rule
from tidelog.program.values.state import EngineState

RESERVED, SHOWN = "__", "of the rewrite: "
T = TypeVar("T")


def with_rules(program: Program, rules: Iterable[Rule], state: EngineState) -> tuple[Program, EngineState]:
    """The program that has these core rules instead of its own, and the state in which their relations have names."""
    named = tuple(replace(rule, head=_atom(rule.head), body=tuple(map(_literal, rule.body))) for rule in rules)
    read = {atom.predicate for rule in named for atom in (rule.head, *_atoms(rule.body))}
    facts, schema = _named(state.facts, read), _named(state.schema, read)
    bare = tuple(replace(each, domains=(), qualifiers=()) for each in program.declarations)  # the rules already do it
    return replace(program, rules=named, pragmas=(), declarations=bare), replace(state, facts=facts, schema=schema)


def _named(relations: Mapping[str, T], read: set[str]) -> dict[str, T]:
    """The user's relations, and those of the rewrite that rules read or derive."""
    named = {_name(name): value for name, value in relations.items()}
    return {name: value for name, value in named.items() if name in read or not name.startswith(SHOWN)}


def _name(name: str) -> str:
    return f"{SHOWN}{name.removeprefix(RESERVED)}" if name.startswith(RESERVED) else name


def _atom(atom: Atom) -> Atom:
    return replace(atom, predicate=_name(atom.predicate))


def _literal(literal: Literal) -> Literal:
    if isinstance(literal, Atom):
        return _atom(literal)
    return replace(literal, atom=_atom(literal.atom)) if isinstance(literal, Negation) else literal


def _atoms(body: Iterable[Literal]) -> Iterable[Atom]:
    return (x.atom if isinstance(x, Negation) else x for x in body if isinstance(x, Atom | Negation))
