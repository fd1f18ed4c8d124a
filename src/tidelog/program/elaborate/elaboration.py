"""A program between its text and the rules to evaluate: what one pass hands to the next.

Law: a pass changes nothing; it creates another elaboration, with its findings appended to the earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tidelog.errors import Diagnostic
from tidelog.program.elaborate.features import Feature
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.types.arity import Names
from tidelog.program.types.assign import Bound, TypingResult
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule

UNDECLARED = TypeNames(())  # the type names of a program that declares none


@dataclass(frozen=True, slots=True)
class Elaboration:
    """A program, external information about it, and the results of the passes so far.

    ``bound`` has the types of columns that already contain data, ``known`` the number of columns of relations that
    exist outside the program. ``inline`` are the rules of inline relations, after they have been inserted into the
    others.
    """

    program: Program
    functions: Mapping[str, tuple[Function, ...]] = field(default_factory=lambda: FUNCTIONS)
    bound: Bound = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    inline: tuple[Rule, ...] = ()
    names: Names = field(default_factory=Names)
    type_names: TypeNames = UNDECLARED
    typing: TypingResult | None = None
    findings: tuple[Diagnostic, ...] = ()
    features: frozenset[Feature] = frozenset()  # of the program before the first pass

    def columns(self) -> dict[str, int]:
        """The number of columns of relations outside the program; a lower bound where only data is known."""
        columns = dict.fromkeys((relation for relation, _ in self.bound), 0)
        for relation, column in self.bound:
            columns[relation] = max(columns[relation], column + 1)
        return {**columns, **self.known}

    def then(self, program: Program, findings: Iterable[Diagnostic] = ()) -> Elaboration:
        """The elaboration with another program and additional findings."""
        return replace(self, program=program, findings=(*self.findings, *findings))
