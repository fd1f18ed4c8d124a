"""Delta rules: how a change of one body atom changes the supports of a rule.

Law: for a rule with body b1, ..., bn and a batch of changes, the delta rule at position i reads b1, ..., b(i-1) in the
new state, the change at bi, and b(i+1), ..., bn in the old state. Over all i every support gained or lost is found
exactly once (the telescoping sum of the difference of two products). A negated atom fires with the sign reversed: what
its relation gains, the rule loses. Comparisons do not depend on the state; they have no position. `plan` decides which
join order is best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tidelog.program import Atom, Comparison, Literal, Negation, Rule
from tidelog.rewrite import rewrite_failures as failures


@dataclass(frozen=True, slots=True)
class DeltaRule:
    """The share of one body position in the change of a rule's supports."""

    rule: Rule
    position: int

    @property
    def fires(self) -> Atom | Negation:
        """The literal whose change is read."""
        literal = self.rule.body[self.position]
        assert isinstance(literal, Atom | Negation)
        return literal

    @property
    def sign(self) -> int:
        """The factor for the sign of a change: -1 if the literal is negated."""
        return -1 if isinstance(self.fires, Negation) else 1

    @property
    def new(self) -> tuple[Atom | Negation, ...]:
        """The literals read in the new state."""
        return _stateful(self.rule.body[: self.position])

    @property
    def old(self) -> tuple[Atom | Negation, ...]:
        """The literals read in the old state."""
        return _stateful(self.rule.body[self.position + 1 :])

    @property
    def tests(self) -> tuple[Comparison, ...]:
        """The literals that read no relation."""
        return tuple(literal for literal in self.rule.body if isinstance(literal, Comparison))

    def as_rule(self) -> Rule:
        """The delta rule in the notation of the papers: ``Δ`` marks what changes, ``ν`` what is read in the new state.

        It is only printed; its predicates are not relations.
        """
        body = tuple(_marked(literal, _mark(i, self.position)) for i, literal in enumerate(self.rule.body))
        return replace(self.rule, head=_rename(self.rule.head, "Δ{}"), body=body, origin=self.rule)


def to_delta_rules(rule: Rule) -> tuple[DeltaRule, ...]:
    """One delta rule for each positive or negated atom of a core rule, in order.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for delta in to_delta_rules(parse_program("p(X) :- q(X, Y), Y > 1, r(Y), !s(X).").rules[0]):
    ...     print(delta.sign, print_rule(delta.as_rule()))
    1 Δp(X) :- Δq(X, Y), Y > 1, r(Y), !s(X).
    1 Δp(X) :- qν(X, Y), Y > 1, Δr(Y), !s(X).
    -1 Δp(X) :- qν(X, Y), Y > 1, rν(Y), !Δs(X).
    """
    if not all(isinstance(literal, Atom | Negation | Comparison) for literal in rule.body):
        raise failures.NOT_CORE.error()
    return tuple(DeltaRule(rule, i) for i, literal in enumerate(rule.body) if isinstance(literal, Atom | Negation))


def _stateful(body: tuple[Literal, ...]) -> tuple[Atom | Negation, ...]:
    return tuple(literal for literal in body if isinstance(literal, Atom | Negation))


def _mark(index: int, position: int) -> str:
    return "{}ν" if index < position else "Δ{}" if index == position else "{}"


def _marked(literal: Literal, mark: str) -> Literal:
    match literal:
        case Atom():
            return _rename(literal, mark)
        case Negation():
            return replace(literal, atom=_rename(literal.atom, mark))
    return literal


def _rename(atom: Atom, mark: str) -> Atom:
    return replace(atom, predicate=mark.format(atom.predicate))
