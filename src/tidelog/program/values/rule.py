"""Rules and facts.

Law: a rule is a value; ``origin`` names the rule it was rewritten from, so that every diagnostic and every profile
line can refer to the user's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.errors import Span
from tidelog.program.values.term import Atom, Derivation, Literal

REFUSE, WARN = "refuse", "warn"


@dataclass(frozen=True, slots=True)
class Key:
    """``.key relation(columns)``: no two rows share these columns. A column is given by its name or number."""

    relation: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """``.reference relation(columns) -> target(columns)``: the values in the first must occur in the second."""

    relation: str
    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """How an epoch after which the body holds is handled; ``says`` is the original text of a key or reference."""

    severity: str = REFUSE
    says: Key | Reference | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """``label: head :- body.`` A rule with an empty body has one support for as long as the rule exists.

    ``plans`` are the join orders that Soufflé's `.plan` sets for the rule: (version, the atoms of the body in order,
    counted from 1). With ``subsumes`` it is Soufflé's ``p(x) <= p(y) :- more.``: its body begins with these two atoms.
    Such a rule derives nothing; it removes the first if the second is present (`program.subsumption`).
    With ``constraint`` it is a clause without a head: its body must not hold (`program.constraint`).
    """

    head: Atom
    body: tuple[Literal, ...] = ()
    label: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    origin: Rule | None = field(default=None, compare=False, repr=False)
    plans: tuple[tuple[int, tuple[int, ...]], ...] = ()
    subsumes: bool = False
    constraint: Constraint | None = None

    @property
    def root(self) -> Rule:
        """The rule of the user's text from which this one was rewritten; itself if it was not rewritten."""
        return self if self.origin is None else self.origin.root

    @property
    def users_label(self) -> str | None:
        """The label under which the user knows the rule: from the text, or generated for it.

        >>> written = Rule(Atom("p", ()))
        >>> Rule(Atom("p", ()), (), "r1/2", origin=Rule(Atom("p", ()), (), "r1", origin=written)).users_label
        'r1'
        """
        before = None if self.origin is None else self.origin.users_label
        return self.label if before is None else before


def rule_of(derivation: Derivation) -> Rule:
    """The rule with this head and body."""
    return Rule(derivation.head, derivation.body, derivation.label)


@dataclass(frozen=True, slots=True)
class Fact:
    """A ground atom asserted by the program's text; its arguments may be applications to constants: ``p(1+2)``."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)
