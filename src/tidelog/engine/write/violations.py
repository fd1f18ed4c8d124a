"""Violations of constraints as values: their number, the first of them, and why the constraints' bodies hold.

Law: reports use the user's words: a constraint by its label and text, a key or reference in a sentence, a violation by
the values of its variables. Proofs are read from the epoch that has run and is about to be refused, or committed with a
warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from tidelog.engine.core.core import Core
from tidelog.engine.read.ask import running_ledger
from tidelog.kernel.cells import Cells
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Constraint, Key, Reference, Rule, Value, Var
from tidelog.program.functions.table import display_key
from tidelog.syntax import print_rule
from tidelog.why import Bounds, FactNode, Ledger, Proof, prove
from tidelog.why.render import tree_lines

FIRST = 100  # violations of a constraint that are kept with their proofs
SHOWN = 3  # violations in the text of an error
SORTED = 1000  # violations that are sorted before the first are chosen
WORK = 200_000  # facts that may be visited for the proofs


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation: the values of the constraint's variables, and why its body holds."""

    values: Mapping[str, Value]
    proof: Proof = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(tree_lines(self.proof.root))


@dataclass(frozen=True, slots=True)
class ViolatedConstraint:
    """A constraint that an epoch violates: its label, what it forbids, the count and the first of its violations."""

    constraint: str
    severity: str
    meaning: str
    count: int
    first: tuple[Violation, ...] = ()

    def __str__(self) -> str:
        times = "once" if self.count == 1 else f"{self.count:,} times"
        some = self.first[:SHOWN]
        shown = [f"  {line}" for violation in some for line in str(violation).splitlines()]
        more = self.count - len(some)
        heading = f"constraint `{self.constraint}` is violated {times}: {self.meaning}"
        return "\n".join([heading, *shown, *([f"  and {more:,} more"] if more and some else [])])


def describe_violations(core: Core, rules: Ruleset, facts: Mapping[str, Cells]) -> Iterator[ViolatedConstraint]:
    """The violated constraints, given the rows of hidden relations; ``rules`` are those after the epoch."""
    ledger = running_ledger(core, rules, WORK)
    for name, rows in facts.items():
        rule = rules.rule(rules.constraints[name].users_label or "")
        assert rule.constraint is not None
        says = rule.constraint.says
        first = tuple(islice(_first(ledger, rules.constraints[name], rows, by_facts=says is not None), FIRST))
        count = len(rows) // 2 if isinstance(says, Key) else len(rows)  # of two rows, either is found by the other
        meaning = _meaning(rule, rule.constraint, rules.program.convention)
        yield ViolatedConstraint(rule.label or "", rule.constraint.severity, meaning, count, first)


def _meaning(rule: Rule, constraint: Constraint, convention: str) -> str:
    """What is forbidden: the text of the constraint, or a key or reference in words."""
    match constraint.says:
        case Key(relation=relation, columns=columns):
            shared = ", ".join(f"`{column}`" for column in columns)
            return f"different rows of `{relation}` have the same {shared}"
        case Reference(relation=relation, target=target):
            return f"rows of `{relation}` refer to no row of `{target}`"
    return print_rule(replace(rule, label=None, constraint=Constraint()), convention)


def _first(ledger: Ledger, rule: Rule, rows: Cells, *, by_facts: bool) -> Iterator[Violation]:
    """The violations in the order of their values, computed lazily.

    Those of keys and references are reported by their facts, each once.
    """
    names = [arg.name for arg in rule.head.args if isinstance(arg, Var)]
    keys = [(rule.head.predicate, tuple(row)) for row in rows.tolist()]
    if len(keys) <= SORTED:
        types = ledger.rules.schema[rule.head.predicate]
        keys.sort(key=lambda key: tuple(map(display_key, ledger.values(key), types)))
    seen: set[frozenset[str]] = set()
    for key in keys:
        proof = prove(ledger, key, Bounds(depth=6, width=3, nodes=30))
        if by_facts:
            facts = [premise.text for premise in proof.root.premises if isinstance(premise, FactNode)]
            if frozenset(facts) in seen:
                continue
            seen.add(frozenset(facts))
            proof = replace(proof, root=replace(proof.root, text=" and ".join(facts)))
        yield Violation(dict(zip(names, ledger.values(key), strict=True)), proof)
