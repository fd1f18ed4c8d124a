"""Records and variants used as patterns are taken apart: every part gets a separate equation.

Law: a value matches a pattern if it has the pattern's constructor and each of its parts matches; so ``p([X, 1])`` means
``p(V), V != nil, X = part(V, 1), 1 = part(V, 2)``. An equation between a value and a pattern is read in the possible
direction: it opens a bound value, or builds a value from bound parts. If both are bound elsewhere, both directions are
included, so that a join may start on either side. Reading a part never fails (`program.structure`). Building values
needs no pass: heads, negations and comparisons keep such terms like any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from tidelog.program import Aggregate, Atom, Call, Comparison, Const, Disjunction, Literal, Rule, Term, Var, Wildcard
from tidelog.program.values.pattern import is_open, matched_pairs, pattern_names
from tidelog.program.values.structure import NIL, Structure, structure_made
from tidelog.rewrite.binding import bound_names
from tidelog.rewrite.scope import FreshVariables, all_terms, map_terms, names, rule_terms

ONE = Const(1, "number")


def unpack_structures(rule: Rule) -> tuple[Rule, ...]:
    """The rule without patterns.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> from tidelog.program.check import check_program
    >>> text = ".type P = [x: number, next: P] .decl p(x: P) .decl q(x: number) q(x) :- p([x, [_, nil]])."
    >>> print(*map(print_rule, unpack_structures(check_program(parse_program(text)).program.rules[0])))
    q(x) :- p(V1), V1 != nil, x = part(V1, P, 1), V2 = part(V1, P, 2), V2 != nil, nil = part(V2, P, 2).
    """
    if not any(structure_made(part) for term in rule_terms(rule) for part in all_terms(term)):
        return (rule,)
    unpack = _Unpack(FreshVariables(rule_terms(rule)))
    body = unpack.conjunction(rule.body, frozenset())
    bound = bound_names(body)
    args = tuple(unpack.term(arg, bound) for arg in rule.head.args)
    if body == rule.body and args == rule.head.args:
        return (rule,)
    return (replace(rule, head=replace(rule.head, args=args), body=body, origin=rule),)


@dataclass
class _Match:
    """A value that must match a pattern, and the literals that require it; ``slot`` is their place."""

    value: Term
    pattern: Call
    slot: int
    literals: list[Literal] = field(default_factory=list)


@dataclass
class _Unpack:
    """The unpacking of one rule, whose new variables are numbered consecutively."""

    fresh: FreshVariables

    def conjunction(self, body: Sequence[Literal], bound: Set[str]) -> tuple[Literal, ...]:
        """A body without patterns; ``bound`` are the variables that have values around it."""
        slots: list[list[Literal]] = []
        matches: list[_Match] = []
        for slot, literal in enumerate(body):
            kept, found = self._split(literal, slot)
            slots.append(kept)
            matches += found
        around = bound_names((literal for kept in slots for literal in kept), bound)
        slots = [[self._inside(literal, around) for literal in kept] for kept in slots]
        around = bound_names((literal for kept in slots for literal in kept), bound)
        self._settle(matches, around)
        for match in matches:
            slots[match.slot] += match.literals
        return tuple(literal for kept in slots for literal in kept)

    def _split(self, literal: Literal, slot: int) -> tuple[list[Literal], list[_Match]]:
        """The remainder of a literal, and the matches that replace its patterns."""
        if isinstance(literal, Atom):
            matches: list[_Match] = []
            args = tuple(self._argument(arg, slot, matches) for arg in literal.args)
            return [replace(literal, args=args)], matches
        if isinstance(literal, Comparison) and literal.op == "=":
            return self._equation(literal, slot)
        return [literal], []

    def _argument(self, term: Term, slot: int, matches: list[_Match]) -> Term:
        if not isinstance(term, Call) or structure_made(term) is None:
            return term
        variable = self.fresh.variable()
        matches.append(_Match(variable, term, slot))
        return variable

    def _equation(self, literal: Comparison, slot: int) -> tuple[list[Literal], list[_Match]]:
        kept: list[Literal] = []
        matches: list[_Match] = []
        for left, right in matched_pairs(literal.left, literal.right):
            value, pattern = (right, left) if structure_made(left) else (left, right)
            if any(isinstance(side, Wildcard) for side in (left, right)) and left is not literal.left:
                continue
            if isinstance(pattern, Call) and structure_made(pattern) and (is_open(pattern) or pattern_names(pattern)):
                matches.append(_Match(value, pattern, slot))
            else:
                kept.append(replace(literal, left=left, right=right))
        return kept, matches

    def _settle(self, matches: Sequence[_Match], around: Set[str]) -> None:
        """Emit each match in its possible direction once that is known; the others in both directions."""
        bound, waiting = set(around), list(matches)
        while ready := [match for match in waiting if self._write(match, bound, around)]:
            waiting = [match for match in waiting if not any(match is done for done in ready)]
        for match in waiting:
            value = self._variable(match)
            self._open(value, match.pattern, match.literals)
            match.literals += [] if is_open(match.pattern) else [Comparison("=", value, match.pattern)]

    def _write(self, match: _Match, bound: set[str], around: Set[str]) -> bool:
        made = not is_open(match.pattern) and bound >= set(names([match.pattern]))
        if bound >= set(names([match.value])) and not is_open(match.value):
            value = self._variable(match)
            if pattern_names(match.pattern) or is_open(match.pattern):
                self._open(value, match.pattern, match.literals)
            if not is_open(match.pattern) and around >= set(names([match.pattern])):
                match.literals.append(Comparison("=", value, match.pattern))
            bound |= pattern_names(match.pattern)
            return True
        if made:
            match.literals.append(Comparison("=", match.value, match.pattern))
            bound |= {match.value.name} if isinstance(match.value, Var) else set()
        return made

    def _variable(self, match: _Match) -> Var:
        """A variable for the value."""
        if isinstance(match.value, Var):
            return match.value
        variable = self.fresh.variable()
        match.literals.append(Comparison("=", variable, match.value))
        return variable

    def _open(self, value: Var, pattern: Call, into: list[Literal]) -> None:
        """The literals for a value that has the pattern's constructor and whose parts match the pattern's parts."""
        structure = structure_made(pattern)
        assert structure is not None
        into.append(has_constructor(value, structure))
        for place, part in enumerate(pattern.args):
            read = Call(structure.read(place), (value,), part.span)
            if isinstance(part, Call) and structure_made(part) is not None:
                inner = self.fresh.variable()
                into.append(Comparison("=", inner, read))
                self._open(inner, part, into)
            elif not isinstance(part, Wildcard):
                into.append(Comparison("=", part, read, part.span))

    # Scopes inside

    def _inside(self, literal: Literal, around: Set[str]) -> Literal:
        """A literal with the patterns inside its branches and aggregates taken apart."""
        if isinstance(literal, Disjunction):
            return replace(literal, branches=tuple(self.conjunction(branch, around) for branch in literal.branches))
        return map_terms(literal, lambda term: self.term(term, around))

    def term(self, term: Term, around: Set[str]) -> Term:
        """A term with the bodies of its aggregates rewritten."""
        if isinstance(term, Call):
            args = tuple(self.term(arg, around) for arg in term.args)
            return term if _same(args, term.args) else replace(term, args=args)
        if isinstance(term, Aggregate) and term.body is not None:
            return replace(term, body=self.conjunction(term.body, around))
        return term


def _same(one: Iterable[Term], other: Iterable[Term]) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))


def has_constructor(value: Var, structure: Structure) -> Comparison:
    """The test that a value was made by a constructor."""
    if structure.constructor:
        return Comparison("=", Call(structure.test, (value,)), ONE)
    return Comparison("!=", value, NIL)
