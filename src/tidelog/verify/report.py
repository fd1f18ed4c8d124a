"""The result of a check: a certificate, or the first violation.

Law: a certificate is truthy and a violation is falsy, so that ``assert db.verify()`` works as expected. Both checkers,
plain Python and Spark SQL, return the values of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tidelog.program import Rule, Value
from tidelog.syntax.values import write_number, write_string

Row = tuple[Value, ...]
Ground = tuple[str, Row]

NOT_CLOSED, UNFOUNDED, BASE, UNDEFINED, REFUSED = "not closed", "unfounded", "base", "undefined", "refused"


@dataclass(frozen=True, slots=True)
class Certificate:
    """The state is exactly the least (perfect) model; with the numbers of what was checked.

    ``chosen`` are relations with a choice: their facts are a valid choice, and the rest is the model over it.
    """

    checker: str
    strata: int
    rules: int
    relations: int
    facts: int
    supports: int
    seconds: float
    chosen: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        facts, supports = _counted(self.facts, "fact"), _counted(self.supports, "support")
        relations, rules = _counted(self.relations, "relation"), _counted(self.rules, "rule")
        chosen = f" over a choice, not the model, of {', '.join(self.chosen)}" if self.chosen else ""
        return (
            f"certified: {facts} of {relations} {'is' if self.facts == 1 else 'are'} the least model of {rules} "
            f"in {_counted(self.strata, 'stratum', 'strata')}{chosen}; {supports} checked "
            f"({self.checker}, {self.seconds:.2f} s)"
        )

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Notebooks show the sentence."""
        printer.text(str(self))


@dataclass(frozen=True, slots=True)
class Violation:
    """The first contradiction of the claim: its kind, the fact it concerns, and the rule, if any.

    ``not closed``: a rule derives the fact from ``body``, but it is missing from the state. ``unfounded``: no support
    of the fact has a lower rank. ``base``: the fact is asserted and absent. ``undefined``: a rule
    cannot be evaluated over the state. ``refused``: a constraint is violated.
    """

    kind: str
    fact: Ground | None = None
    rule: str | None = None
    body: tuple[Ground, ...] = ()
    detail: str = ""

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"{self.kind}: {_TEXTS[self.kind](self)}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Notebooks show the sentence."""
        printer.text(str(self))


Verdict: TypeAlias = Certificate | Violation


def _counted(number: int, one: str, several: str = "") -> str:
    """A number and its noun.

    >>> _counted(1, "stratum", "strata"), _counted(2, "stratum", "strata"), _counted(1200, "fact")
    ('1 stratum', '2 strata', '1,200 facts')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def show_fact(fact: Ground) -> str:
    """A fact as written in the language.

    >>> show_fact(("p", (1, "a b", (2.5,))))
    'p(1, "a b", [2.5])'
    """
    relation, row = fact
    return f"{relation}({', '.join(map(_show, row))})"


def label_of(rule: Rule) -> str:
    """The label of a rule, or another description."""
    return rule.label or f"a rule of {rule.head.predicate}"


def _show(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_show, value))}]"
    if isinstance(value, float):
        return write_number(value, "float")
    return write_string(value) if isinstance(value, str) else str(value)


def _not_closed(violation: Violation) -> str:
    source = f" from {_facts(violation.body)}" if violation.body else ""
    return f"{violation.rule} derives {_fact(violation)}{source}, but {_fact(violation)} is missing from the state"


def _unfounded(violation: Violation) -> str:
    return f"{_fact(violation)} {violation.detail or 'has no support of lower rank'}"


def _base(violation: Violation) -> str:
    return f"{_fact(violation)} is asserted, but missing from the state"


def _undefined(violation: Violation) -> str:
    return f"{violation.rule} cannot be evaluated over the state: {violation.detail}"


def _refused(violation: Violation) -> str:
    return f"the state violates the constraint {violation.rule}"


def _fact(violation: Violation) -> str:
    return "a fact" if violation.fact is None else show_fact(violation.fact)


def _facts(body: Sequence[Ground]) -> str:
    return ", ".join(map(show_fact, body))


_TEXTS = {NOT_CLOSED: _not_closed, UNFOUNDED: _unfounded, BASE: _base, UNDEFINED: _undefined, REFUSED: _refused}
