"""How two programs differ: which rules, declarations and facts are added and removed.

Law (D1, D4): rules are compared by their text. A rule of the new text without a label matches a running rule with the
same text under any label; a rule with a label matches the running rule with that label. So applying a text twice makes
no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidelog.program import Program, Rule
from tidelog.store.base import store_failures as failures
from tidelog.syntax import print_fact, print_program, print_rule

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """What is added and removed; added rules may still lack a label, and ``other`` lists all other differences."""

    added: tuple[Rule, ...] = ()
    removed: tuple[Rule, ...] = ()
    facts_added: tuple[str, ...] = ()
    facts_removed: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.facts_added or self.facts_removed or self.other)

    def lines(self, convention: str) -> list[str]:
        """One line for each difference, with its sign."""
        rules = [("-", print_rule(r, convention)) for r in self.removed]
        rules += [("+", print_rule(r, convention)) for r in self.added]
        facts = [("-", text) for text in self.facts_removed] + [("+", text) for text in self.facts_added]
        return [f"{sign} {text}" for sign, text in rules + facts] + list(self.other)


def compare_programs(running: Program, facts: Sequence[str], program: Program) -> Difference:
    """What must change to turn the running program, whose text had these facts, into the given one."""
    added, removed = _compare_rules(running.rules, program.rules)
    before, after = Counter(facts), Counter(fact_texts(program))
    return Difference(
        added,
        removed,
        tuple((after - before).elements()),
        tuple((before - after).elements()),
        _others(running, program),
    )


def fact_texts(program: Program) -> list[str]:
    """The facts of a program's text, printed."""
    return [print_fact(fact, program.convention) for fact in program.facts]


def _compare_rules(running: Sequence[Rule], rules: Sequence[Rule]) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    left = {rule.label: rule for rule in running}
    added = []
    for rule in rules:
        if rule.label is not None and left.get(rule.label) == rule:
            del left[rule.label]
        elif rule.label is not None:
            added.append(rule)
    for rule in rules:
        if rule.label is None:
            same = next((label for label, other in left.items() if replace(other, label=None) == rule), None)
            if same is None:
                added.append(rule)
            else:
                del left[same]
    return tuple(added), tuple(left.values())


def _others(running: Program, program: Program) -> tuple[str, ...]:
    """The differences in declarations, types, keys and directives; none if the new text has none of them.

    Prefixes only matter when texts are read.
    """
    bare = replace(program, rules=(), facts=(), prefixes=())
    if bare == Program(convention=program.convention) and program.convention == running.convention:
        return ()
    mine, theirs = (
        Counter(print_program(replace(p, rules=(), facts=(), prefixes=())).splitlines()) for p in (running, program)
    )
    removed, added = (mine - theirs).elements(), (theirs - mine).elements()
    return tuple([f"- {line}" for line in removed] + [f"+ {line}" for line in added])


def check_same_program(running: Program, facts: Sequence[str], program: Program, place: str) -> None:
    """Refuse a program that differs from the one in the state; the error describes the differences (D1)."""
    if program == Program(convention=program.convention):
        return
    difference = compare_programs(running, facts, program)
    if difference:
        lines = difference.lines(running.convention)
        more = [f"... and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
        shown = "\n  ".join(lines[:SHOWN] + more)
        raise failures.OTHER_PROGRAM.error(place=place, shown=shown)
