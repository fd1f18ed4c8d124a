"""Inline relations: those that are declared ``inline`` hold no facts.

Law: where one is read, its rules are inserted instead (`elaborate.expand_inline`); its facts in the text are rules.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule

INLINE = "inline"


def inline_relations(program: Program) -> frozenset[str]:
    """The relations that the program declares inline."""
    return frozenset(d.relation for d in program.declarations if INLINE in d.qualifiers)


def hold_inline_facts(program: Program) -> Program:
    """The program with the facts of inline relations converted to rules: they are not stored as facts."""
    names = inline_relations(program)
    if not names or not any(fact.atom.predicate in names for fact in program.facts):
        return program
    rules = tuple(Rule(f.atom, (), None, f.span) for f in program.facts if f.atom.predicate in names)
    facts = tuple(fact for fact in program.facts if fact.atom.predicate not in names)
    return replace(program, facts=facts, rules=(*rules, *program.rules))
