"""Body atoms get plain arguments; ``range`` becomes a separate literal.

Law: an application inside an atom means the same as a new variable and an equation: ``p(X+1)`` is ``p(V), V = X+1``. A
``range`` is not one value but several, so it may be used only as ``V = range(...)``, which binds V to each of them.
Heads keep their scalar expressions, and nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tidelog.program import Atom, Call, Comparison, Literal, Negation, Rule, Term, Var
from tidelog.rewrite.core import is_core
from tidelog.rewrite.scope import FreshVariables, own_terms, rule_terms

RANGE = "range"


def lift_expressions(rule: Rule) -> tuple[Rule, ...]:
    """The rule with its body atoms over variables, constants and ``_`` only.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for text in ("p(X) :- q(X), r(X+1), !s(X*2).", "p(X + range(0, 3)) :- q(X)."):
    ...     print(*map(print_rule, lift_expressions(parse_program(text).rules[0])))
    p(X) :- q(X), r(V1), V1 = X + 1, V2 = X * 2, !s(V2).
    p(X + V1) :- q(X), V1 = range(0, 3).
    """
    if is_core(rule):
        return (rule,)
    lift = _ExpressionLift(FreshVariables(rule_terms(rule)))
    for literal in rule.body:
        lift.literal(literal)
    args = tuple(lift.scalar(arg) for arg in rule.head.args)
    body = tuple(lift.body)
    if body == rule.body and args == rule.head.args:
        return (rule,)
    return (replace(rule, head=replace(rule.head, args=args), body=body, origin=rule),)


@dataclass
class _ExpressionLift:
    """The body, built literal by literal."""

    fresh: FreshVariables
    body: list[Literal] = field(default_factory=list)

    def literal(self, literal: Literal) -> None:
        """Add one literal, with equations for terms that cannot stay inside it."""
        match literal:
            case Atom():
                equations: list[Literal] = []
                atom = self.plain(literal, equations)
                self.body += [atom, *equations]
            case Negation():
                equations = []
                negation = replace(literal, atom=self.plain(literal.atom, equations))
                self.body += [*equations, negation]
            case Comparison():
                self.body.append(self.comparison(literal))
            case _:
                self.body.append(literal)

    def plain(self, atom: Atom, equations: list[Literal]) -> Atom:
        """The atom with a variable for each application; `equations` define the variables."""
        return replace(atom, args=tuple(self._plain(arg, equations) for arg in atom.args))

    def _plain(self, term: Term, equations: list[Literal]) -> Term:
        if not isinstance(term, Call):
            return term
        if term.function == RANGE:
            return self.scalar(term)
        value = self.scalar(term)
        variable = self.fresh.variable()
        equations.append(Comparison("=", variable, value, term.span))
        return variable

    def comparison(self, literal: Comparison) -> Comparison:
        """The comparison with scalar sides, unless it is an equation that binds a variable to a range."""
        match literal:
            case Comparison(op="=", left=Var() as variable, right=Call(function="range") as values):
                return replace(literal, right=self._arguments(values))
            case Comparison(op="=", left=Call(function="range") as values, right=Var() as variable):
                return replace(literal, left=variable, right=self._arguments(values))
        return replace(literal, left=self.scalar(literal.left), right=self.scalar(literal.right))

    def scalar(self, term: Term) -> Term:
        """The term with every range in it replaced by a variable that runs over it."""
        if not any(isinstance(part, Call) and part.function == RANGE for part in own_terms(term)):
            return term
        assert isinstance(term, Call)
        inside = self._arguments(term)
        if term.function != RANGE:
            return inside
        variable = self.fresh.variable()
        self.body.append(Comparison("=", variable, inside, term.span))
        return variable

    def _arguments(self, term: Call) -> Call:
        return replace(term, args=tuple(map(self.scalar, term.args)))
