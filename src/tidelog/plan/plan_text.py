"""A plan as text: what is visited when a fact of a rule's body changes, step by step.

Law: a step is shown with the variables and terms of the rule in place of the registers of the plan; a computation is
shown where its value is used. Relations created by a rewrite are described in words, never by their internal names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from tidelog.errors.counts import plural
from tidelog.plan.steps import (
    Absent,
    Apply,
    Compare,
    Compute,
    Expose,
    Generate,
    Meet,
    Operand,
    Plan,
    Range,
    Step,
    Visit,
)
from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Rule, Term, Var
from tidelog.rewrite.names import KEYED, OPENED, PROJECTION, in_words, is_auxiliary
from tidelog.rewrite.paths.names import paths_in_words
from tidelog.rewrite.place.placement import COPY
from tidelog.syntax import print_literal, print_rule, print_term

WHOLE = "the whole state"


class Names(Protocol):
    """The names of literals and terms that the user sees."""

    def literal(self, literal: Literal) -> str:
        """A literal with its relation in words."""

    def term(self, term: Term) -> str:
        """A term as it is written."""


class RuleNames:
    """Names as far as the rule itself determines them, if no rule set is available."""

    def relation(self, name: str) -> str:
        """A relation's name, or a description of one that a rewrite created.

        >>> names = RuleNames()
        >>> names.relation("edge"), names.relation("__only_edge/1"), names.relation("__edge_by_2")
        ('edge', 'edge, some columns', 'copy of edge')
        >>> names.relation("__only_edge(1, _)"), names.relation("__only_edge")
        ('some edge(1, _)', 'some edge')
        """
        if not is_auxiliary(name):
            return name
        if (walks := paths_in_words(name)) is not None:
            return walks
        if (copy := COPY.fullmatch(name)) is not None:
            return f"copy of {self.relation(copy['source'])}"
        if name.startswith(OPENED):
            return f"{self.relation(name.removeprefix(OPENED).rsplit('/', 2)[0])}, opened"
        if name.startswith(KEYED):
            return f"{self.relation(name.removeprefix(KEYED).partition('(')[0])} with a key"
        if name.startswith(PROJECTION):
            source = re.sub(r"(/\d+)+$", "", name.removeprefix(PROJECTION))
            is_condition = name == f"{PROJECTION}{source}"
            return f"some {source}" if is_condition else f"{self.relation(source)}, some columns"
        return in_words(name)

    def literal(self, literal: Literal) -> str:
        """A literal with its relation in words."""
        atom = literal.atom if isinstance(literal, Negation) else literal
        if isinstance(atom, Atom) and is_auxiliary(atom.predicate):
            args = ", ".join(self.term(arg) for arg in atom.args)
            text = f"[{self.relation(atom.predicate)}]({args})"
            return f"!{text}" if isinstance(literal, Negation) else text
        return print_literal(literal)

    def term(self, term: Term) -> str:
        """A term as it is written."""
        return print_term(term)


def users_text(rule: Rule) -> str:
    """The rule of the user's text that a rule comes from, with its label."""
    return print_rule(replace(rule.root, label=rule.users_label))


def trigger_in_words(plan: Plan, names: Names) -> str:
    """A description of a plan's trigger."""
    return WHOLE if plan.trigger is None else names.literal(plan.rule.body[plan.trigger])


def steps_in_words(plan: Plan, names: Names) -> tuple[str, ...]:
    """A text for every step; empty for a computation, which is shown where its value is used."""
    words = _StepWords(plan, names)
    texts = [words.step(step) for step in plan.steps]
    for place, step in enumerate(plan.steps):
        if isinstance(step, Meet):
            texts[place + 3] = f"or {texts[place + 3]}"
    return tuple(texts)


def functions_in_words(plan: Plan, names: Names) -> dict[int, str]:
    """The functions that run in Python, as they are written, by the number of their step."""
    words, found = _StepWords(plan, names), {}
    for place, step in enumerate(plan.steps):
        words.step(step)
        if isinstance(step, Apply):
            found[place] = names.term(words.terms[step.target])
    return found


def plan_in_words(plan: Plan, names: Names) -> str:
    """Trigger and steps in one line."""
    steps = ", then ".join(filter(None, steps_in_words(plan, names)))
    begin = f"over {trigger_in_words(plan, names)}" if plan.trigger is None else f"on {trigger_in_words(plan, names)}"
    return f"{begin}: {steps}" if steps else begin


def columns_text(columns: Sequence[int]) -> str:
    """Column numbers with their noun.

    >>> columns_text([2]), columns_text([1, 3])
    ('column 2', 'columns 1, 3')
    """
    return f"{plural('column') if len(columns) > 1 else 'column'} {', '.join(map(str, columns))}"


class _StepWords:
    """The steps of a plan with registers shown as the variables and terms they contain."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self.plan = plan
        self.names = names
        self.terms: dict[int, Term] = {}
        if plan.trigger is not None:
            trigger = plan.rule.body[plan.trigger]
            self._bind(trigger.atom if isinstance(trigger, Negation) else trigger, plan.binds)

    def _bind(self, atom: Literal, binds: Iterable[tuple[int, int]]) -> None:
        assert isinstance(atom, Atom)
        self.terms.update({register: atom.args[column] for column, register in binds})

    def _term(self, operand: Operand) -> Term:
        return operand if isinstance(operand, Const) else self.terms[operand]

    def step(self, step: Step) -> str:
        """The step in words; empty for a computation, which is shown where its value is used."""
        match step:
            case Visit():
                return self._visit(step)
            case Absent(position=position):
                return self.names.literal(self.plan.rule.body[position])
            case Compare(op=op, left=left, right=right):
                return self.names.literal(self._compared(op, self._term(left), self._term(right)))
            case Compute(op=op, target=target, args=args):
                self.terms[target] = Call(op, tuple(map(self._term, args)))
            case Apply(function=function, target=target, args=args):
                self.terms[target] = Call(function, tuple(map(self._term, args)))
            case Generate(target=target, first=first, end=end, step=by):
                args = (first, end) if by is None else (first, end, by)
                return self._generated(target, Call("range", tuple(map(self._term, args))))
            case Expose(kind=kind):
                return f"if it is the {'least' if kind == 'min' else 'greatest'} of its group"
            case Meet():
                return "the shorter of two lists"
        return ""

    def _compared(self, op: str, left: Term, right: Term) -> Comparison:
        """A comparison; a comparison of texts is shown as such, not as the sign of their order."""
        if isinstance(left, Call) and left.function == "compare" and right == Const(0, "number"):
            left, right = left.args
        return Comparison(op, left, right)

    def _visit(self, step: Visit) -> str:
        atom = self.plan.rule.body[step.position]
        self._bind(atom, step.binds)
        text = self.names.literal(atom)
        if step.is_scan:
            return f"all of {text}"
        if step.range is not None:
            by = f"by {columns_text([column + 1 for column in step.columns])} and " if step.key else ""
            return f"{text} {by}{self._between(step.range)}"
        if len(step.key) == step.arity:
            return f"{text} as one fact"
        return f"{text} by {columns_text([column + 1 for column in step.columns])}"

    def _between(self, within: Range) -> str:
        """The bounds of a column."""
        found = []
        if within.low is not None:
            found.append(f"{'above' if within.above else 'from'} {self.names.term(self._term(within.low))}")
        if within.high is not None:
            found.append(f"{'below' if within.below else 'to'} {self.names.term(self._term(within.high))}")
        return f"in the order of column {within.column + 1} {' '.join(found)}"

    def _generated(self, target: int, values: Call) -> str:
        variable = next(
            (
                literal.left
                for literal in self.plan.rule.body
                if isinstance(literal, Comparison) and isinstance(literal.left, Var) and literal.right == values
            ),
            Var("_"),
        )
        self.terms[target] = variable
        return f"{self.names.term(variable)} in {self.names.term(values)}"
