"""Where a join goes through a part of a record, the relation is kept with its records opened.

Law: a structure is determined by its parts, so the facts of p whose column holds a value of a constructor, with the
parts of the value as further columns, are those facts: one for one. A rule that joins such a part with another atom
reads them instead, so that a change on either side finds the other by an index. The opened relation is the same for all
rules that need it, and is labelled by relation, column and constructor.
Patterns whose variables all stand in one other atom need none: there the value is made, and looked up whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tidelog.program import Atom, Call, Comparison, Literal, Rule, Term, Var, Wildcard, variables
from tidelog.program.values.structure import READ, Structure, made_by, structure_of
from tidelog.rewrite.names import OPENED
from tidelog.rewrite.unpack_structures import has_constructor

Read = tuple[Structure, Var, Term]  # what is read, of which variable, and the term that it equals


def open_relations(rule: Rule) -> tuple[Rule, ...]:
    """The rules of the opened relations that the rule needs, then the rule reading them.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> from tidelog.program.check import check_program
    >>> from tidelog.rewrite.unpack_structures import unpack_structures
    >>> text = ".type P = [x: number, next: P] .decl p(x: P) .decl q(x: P) q(r) :- p([_, r]), q(r)."
    >>> rule = unpack_structures(check_program(parse_program(text)).program.rules[0])[0]
    >>> print_rule(open_relations(rule)[1])
    'q(r) :- __open_p/1/[,P,number,P(V1, _, r), q(r).'
    """
    opened: dict[str, Rule] = {}
    body = list(rule.body)
    for atom in [literal for literal in rule.body if isinstance(literal, Atom)]:
        for column, arg in enumerate(atom.args):
            reads = _reads_of(arg, body)
            if reads and isinstance(arg, Var) and _joins(reads, atom, arg, body):
                made = _opened(atom, column, reads[0][0], rule)
                opened[made.head.predicate] = made
                body = _reading(body, atom, arg, made.head.predicate, reads)
                break
    if not opened:
        return (rule,)
    return (*opened.values(), replace(rule, body=tuple(body), origin=rule))


def _reads_of(term: Term, body: Iterable[Literal]) -> list[Read]:
    """The equations that read a part of a variable into a variable; all of one constructor, or none."""
    if not isinstance(term, Var):
        return []
    found: list[Read] = []
    for literal in body:
        if isinstance(literal, Comparison) and literal.op == "=" and isinstance(literal.right, Call):
            structure = structure_of(literal.right.function)
            if structure is not None and structure.kind == READ and literal.right.args == (term,):
                found.append((structure, term, literal.left))
    return found if len({structure.made for structure, _, _ in found}) == 1 else []


def _joins(reads: Sequence[Read], atom: Atom, value: Var, body: Sequence[Literal]) -> bool:
    """Whether a part that is read stands in another atom, and no single one holds all that the value is made of."""
    others = [set(x.args) for x in body if isinstance(x, Atom) and x is not atom]
    parts = {part for _, _, part in reads if isinstance(part, Var)}
    if not any(parts & args for args in others):
        return False
    makers = [x.right for x in body if isinstance(x, Comparison) and _makes(x, value)]
    return not any({Var(v.name) for v in variables(maker)} <= args for maker in makers for args in others)


def _makes(literal: Literal, value: Var) -> bool:
    return (
        isinstance(literal, Comparison)
        and literal.op == "="
        and literal.left == value
        and made_by(literal.right) is not None
    )


def _opened(atom: Atom, column: int, structure: Structure, rule: Rule) -> Rule:
    """``__open_p/1(V1, P1, P2) :- p(V1), V1 != nil, P1 = part(V1, 1), P2 = part(V1, 2).``"""
    columns = tuple(Var(f"V{i + 1}") for i in range(len(atom.args)))
    parts = tuple(Var(f"P{i + 1}") for i in range(len(structure.parts)))
    value = columns[column]
    reads = (Comparison("=", part, Call(structure.read(i), (value,))) for i, part in enumerate(parts))
    which = f"/{column + 1}/{structure.made.replace(' ', ',')}"
    source = replace(atom, args=columns)
    head = Atom(f"{OPENED}{atom.predicate}{which}", (*columns, *parts), atom.location, atom.span)
    body: tuple[Literal, ...] = (source, has_constructor(value, structure), *reads)
    return Rule(head, body, f"{atom.predicate}/open{which}", rule.span, rule)


def _reading(body: Sequence[Literal], atom: Atom, value: Var, name: str, reads: Sequence[Read]) -> list[Literal]:
    """The body with the opened relation in the place of the atom and of what opened the value."""
    structure = reads[0][0]
    columns: dict[int, Term] = {}
    for read, _, part in reads:
        if isinstance(part, Var):
            columns.setdefault(read.place, part)
    parts = tuple(columns.get(i, Wildcard()) for i in range(len(structure.parts)))
    done = [Comparison("=", part, Call(structure.read(i), (value,))) for i, part in columns.items()]
    done.append(has_constructor(value, structure))
    kept: list[Literal] = []
    for literal in body:
        if literal is atom:
            kept.append(replace(atom, predicate=name, args=(*atom.args, *parts)))
        elif literal not in done and not _makes(literal, value):
            kept.append(literal)
    return kept
