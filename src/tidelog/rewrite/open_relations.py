"""A relation of which joins use parts of records is also kept with its records opened.

Law: a structure is determined by its parts, so the facts of p whose column holds a value of a constructor, with the
parts of the value as further columns, correspond to those facts one to one. A rule that joins such a part with another
atom reads them instead, so that a change on either side finds the other by an index. The opened relation is the same
for all rules that need it, and is labelled by relation, column and constructor.
Patterns whose variables all occur in one other atom do not need it: there the value is built and looked up as a whole.
Two values that are read into the same parts are one value, by which both atoms are joined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tidelog.program import Atom, Call, Comparison, Const, Literal, Rule, Term, Var, Wildcard, variables
from tidelog.program.values.structure import READ, Structure, structure_made, structure_of
from tidelog.rewrite.names import OPENED
from tidelog.rewrite.scope import map_terms, own_terms, rule_terms, terms_of
from tidelog.rewrite.unpack_structures import has_constructor

Read = tuple[Structure, Var, Term]  # the part read, its variable, and the term that it equals


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
    whole = _with_equal_values(rule)
    body = list(whole.body)
    for atom in [literal for literal in whole.body if isinstance(literal, Atom)]:
        for column, arg in enumerate(atom.args):
            reads = _reads_of(arg, body)
            if reads and isinstance(arg, Var) and _joins(reads, atom, arg, body):
                made = _opened(atom, column, reads[0][0], rule)
                opened[made.head.predicate] = made
                body = _reading(body, atom, arg, made.head.predicate, reads)
                break
    if not opened:
        return (whole,)
    return (*opened.values(), replace(whole, body=tuple(body), origin=rule))


def _with_equal_values(rule: Rule) -> Rule:
    """The rule with one variable for each value whose parts are all known, wherever those are read or combined."""
    made = rule
    while (pair := _equal_values(made)) is not None:
        made = _put(made, *pair)
    return made if made is rule else replace(_without_idle_reads(made), origin=rule)


def _equal_values(rule: Rule) -> tuple[Var, Term] | None:
    """A variable of which every part is read, and another term for the same value; None if there are none."""
    known: dict[tuple[str, tuple[Term, ...]], Var] = {}
    parts_of = [part for term in rule_terms(rule) for part in own_terms(term)]
    for value in dict.fromkeys(part for part in parts_of if isinstance(part, Var)):
        reads = _reads_of(value, rule.body)
        parts = {read.place: part for read, _, part in reads if isinstance(part, Var | Const)}
        if reads and len(parts) == len(reads[0][0].parts):
            key = reads[0][0].constructor_name, tuple(parts[place] for place in sorted(parts))
            if known.setdefault(key, value) != value:
                return known[key], value
    values = set(known.values())
    kept = [literal for literal in rule.body if not any(_makes(literal, value) for value in values)]
    for term in [*rule.head.args, *(term for literal in kept for term in terms_of(literal))]:
        for part in own_terms(term):
            structure = structure_made(part)
            if structure is not None and isinstance(part, Call) and (structure.constructor_name, part.args) in known:
                return known[structure.constructor_name, part.args], part
    return None


def _put(rule: Rule, value: Var, other: Term) -> Rule:
    """The rule with a variable in place of another term of the same value."""

    def put(term: Term) -> Term:
        if term == other:
            return value
        return replace(term, args=tuple(map(put, term.args))) if isinstance(term, Call) else term

    head = replace(rule.head, args=tuple(map(put, rule.head.args)))
    body = dict.fromkeys(x if _makes(x, value) else map_terms(x, put) for x in rule.body)
    body.pop(Comparison("=", value, value), None)
    return replace(rule, head=head, body=tuple(body))


def _without_idle_reads(rule: Rule) -> Rule:
    """The rule without equations that read a part into a variable that nothing else uses: they always hold."""
    names = Counter(part for term in rule_terms(rule) for part in own_terms(term) if isinstance(part, Var))
    body = tuple(x for x in rule.body if not (_is_read(x) and names[x.left] == 1))  # type: ignore[union-attr,index]  # a comparison
    return rule if len(body) == len(rule.body) else _without_idle_reads(replace(rule, body=body))


def _is_read(literal: Literal) -> bool:
    if not isinstance(literal, Comparison) or literal.op != "=" or not isinstance(literal.left, Var):
        return False
    structure = structure_of(literal.right.function) if isinstance(literal.right, Call) else None
    return structure is not None and structure.kind == READ


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
    return found if len({structure.constructor_name for structure, _, _ in found}) == 1 else []


def _joins(reads: Sequence[Read], atom: Atom, value: Var, body: Sequence[Literal]) -> bool:
    """Whether a part that is read occurs in another atom, or in a value of one, and none has all parts of the value."""
    others = [set(x.args) for x in body if isinstance(x, Atom) and x is not atom]
    parts = {part for _, _, part in reads if isinstance(part, Var)}
    opened = ({part for arg in args - {value} for _, _, part in _reads_of(arg, body)} for args in others)
    if not any(parts & (args | read) for args, read in zip(others, opened, strict=True)):
        return False
    makers = [x.right for x in body if isinstance(x, Comparison) and _makes(x, value)]
    return not any({Var(v.name) for v in variables(maker)} <= args for maker in makers for args in others)


def _makes(literal: Literal, value: Var) -> bool:
    return (
        isinstance(literal, Comparison)
        and literal.op == "="
        and literal.left == value
        and structure_made(literal.right) is not None
    )


def _opened(atom: Atom, column: int, structure: Structure, rule: Rule) -> Rule:
    """``__open_p/1(V1, P1, P2) :- p(V1), V1 != nil, P1 = part(V1, 1), P2 = part(V1, 2).``"""
    columns = tuple(Var(f"V{i + 1}") for i in range(len(atom.args)))
    parts = tuple(Var(f"P{i + 1}") for i in range(len(structure.parts)))
    value = columns[column]
    reads = (Comparison("=", part, Call(structure.read(i), (value,))) for i, part in enumerate(parts))
    which = f"/{column + 1}/{structure.constructor_name.replace(' ', ',')}"
    source = replace(atom, args=columns)
    head = Atom(f"{OPENED}{atom.predicate}{which}", (*columns, *parts), atom.location, atom.span)
    body: tuple[Literal, ...] = (source, has_constructor(value, structure), *reads)
    return Rule(head, body, f"{atom.predicate}/open{which}", rule.span, rule)


def _reading(body: Sequence[Literal], atom: Atom, value: Var, name: str, reads: Sequence[Read]) -> list[Literal]:
    """The body with the opened relation in place of the atom and of the literals that opened the value."""
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
