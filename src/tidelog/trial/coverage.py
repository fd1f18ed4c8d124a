"""The coverage of rules by cases: which rules were used, and which of their premises ever failed.

Law: a rule is used if its body held for some values in some step of some case; a constraint if it refused an epoch. A
premise failed if the other premises that do not depend on it held for some values for which it did not: there are then
cases on both sides of it. Both are determined by the naive evaluator over the facts that the engine showed. A premise
that never failed can usually be omitted without any case failing; `mutants` tries that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from tidelog.errors import EvaluationError
from tidelog.program import Literal, Program, Rule
from tidelog.program.elaborate.expand_inline import inline_rules
from tidelog.program.elaborate.separate_scopes import scoped_rule
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.graph.inline import inline_relations
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.syntax import print_literal, print_rule
from tidelog.testing.occurrences import names
from tidelog.testing.solutions import Context, arrange, extensions, solutions, with_named_wildcards
from tidelog.trial.run import Rows

MOST_FACTS = 5_000
GIVEN = re.compile(r"r\d+")
Overloads = Mapping[str, tuple[Function, ...]]


@dataclass(slots=True)
class RuleCoverage:
    """One rule: its label or text, whether it was used, and which of its premises failed."""

    label: str
    premises: list[str]
    used: bool = False
    failed: list[bool] = field(default_factory=list)
    kind: str = "rule"

    @property
    def never_failed(self) -> list[str]:
        """The premises that always held, for a rule that has more than one."""
        if len(self.premises) < 2:
            return []
        return [text for text, failed in zip(self.premises, self.failed, strict=True) if not failed]


@dataclass(slots=True)
class Coverage:
    """All rules of the tested programs; ``skipped`` steps had too many facts to examine."""

    rules: dict[tuple[str, str], RuleCoverage] = field(default_factory=dict)
    skipped: int = 0

    def see(
        self, file: str, program: Program, rows: Rows, functions: Overloads = FUNCTIONS, named: Set[str] = frozenset()
    ) -> None:
        """Record the rules and facts after a step; ``named`` are the labels in the program's text."""
        if sum(map(len, rows.values())) > MOST_FACTS:
            self.skipped += 1
            return
        for rule in _shown_rules(program):
            if rule.constraint is not None:
                continue
            key = (file, rule.users_label or print_rule(rule))
            found = self.rules.get(key)
            if found is None:
                found = self.rules[key] = _blank(rule, program.convention, named)
            _see_rule(found, rule, rows, functions)

    def see_constraints(self, file: str, program: Program, refusals: Set[str]) -> None:
        """Record the constraints of a program, and those that refused an epoch."""
        for rule in program.rules:
            if rule.constraint is not None and rule.label is not None:
                found = self.rules.setdefault((file, rule.label), RuleCoverage(rule.label, [], kind="constraint"))
                found.used = found.used or rule.label in refusals

    @property
    def unused(self) -> list[RuleCoverage]:
        """The rules that no case uses."""
        return [rule for rule in self.rules.values() if not rule.used]

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return {
            "rules": len(self.rules),
            "used": len(self.rules) - len(self.unused),
            "unused": [rule.label for rule in self.unused],
            "never_failed": {r.label: r.never_failed for r in self.rules.values() if r.used and r.never_failed},
            "skipped": self.skipped,
        }


def _shown_rules(program: Program) -> Iterator[Rule]:
    """The rules that derive something, as they are evaluated; inline rules are part of those that read them."""
    inline = inline_relations(program)
    for rule in inline_rules(program).rules:
        if rule.body and not rule.subsumes and rule.head.predicate not in inline:
            yield scoped_rule(rule)


def _blank(rule: Rule, convention: str, named: Set[str]) -> RuleCoverage:
    """A rule without a label is shown by its text, because the user does not know the generated label."""
    label = rule.users_label or ""
    given = label in named or not GIVEN.fullmatch(label)
    premises = [print_literal(literal, convention) for literal in rule.body]
    title = label if given and label else print_rule(replace(rule.root, label=None), convention)
    return RuleCoverage(title, premises, failed=[False] * len(premises))


def _see_rule(coverage: RuleCoverage, rule: Rule, rows: Rows, functions: Overloads) -> None:
    scope = names(rule.head.args)
    body = with_named_wildcards(rule.body, scope)
    model = {name: rows.get(name, frozenset()) for name in {*rows, *_read(rule)}}
    context = Context(model, functions, scope).inside(body)
    coverage.used = coverage.used or bool(_has_solution(body, context))
    for i, premise in enumerate(body):
        if not coverage.failed[i]:
            coverage.failed[i] = _fails(premise, [*body[:i], *body[i + 1 :]], context)


def _read(rule: Rule) -> set[str]:
    return {atom.predicate for atom in atoms(rule_literals(rule))}


def _has_solution(body: Sequence[Literal], context: Context) -> bool:
    try:
        return bool(solutions(body, [{}], context))
    except EvaluationError:  # a value that cannot be computed: the engine has already reported it
        return False


def _fails(premise: Literal, others: Sequence[Literal], context: Context) -> bool:
    """Whether the others hold for values for which the premise does not."""
    try:
        beside = list(_evaluable(others, context))
        found = solutions(beside, [{}], context)
        return any(not any(True for _ in extensions(premise, [each], context)) for each in found)
    except EvaluationError:
        return False


def _evaluable(others: Iterable[Literal], context: Context) -> Iterator[Literal]:
    """The literals that do not depend on the omitted one."""
    kept: list[Literal] = []
    waiting = list(others)
    grown = True
    while grown:
        grown = False
        for literal in list(waiting):
            try:
                arrange([*kept, literal], frozenset(), context.scope)
            except EvaluationError:
                continue
            kept.append(literal)
            waiting.remove(literal)
            grown = True
    yield from kept
