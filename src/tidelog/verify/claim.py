"""The claim, in the form that both checkers read: a program, the asserted facts, and facts with ranks.

Law: the claim covers only the user's relations. Auxiliary relations of the engine (names that start with ``__``) are
omitted: the ranks of the remaining facts still fall along every derivation, because they do so along auxiliary facts,
too. The program is checked and its literals typed here; a program that the checks refuse has no certificate.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tidelog.program import Program, Rule, Value
from tidelog.program.check import check_program
from tidelog.program.functions.table import FUNCTIONS
from tidelog.program.graph.asserted_facts import asserted_elsewhere_of
from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.subsumption import input_name
from tidelog.program.graph.well_founded import bundled, modelled
from tidelog.program.types.arity import RESERVED
from tidelog.program.values.rule import REFUSE
from tidelog.program.values.scope import atoms
from tidelog.program.values.state import EngineState
from tidelog.verify.bundles import Bundles
from tidelog.verify.choices import chosen_relation
from tidelog.verify.fact_cache import FactCache
from tidelog.verify.models import Models
from tidelog.verify.normal import Clause, to_clause
from tidelog.verify.relations import Row
from tidelog.verify.solve import Context, Scope, Step, solver
from tidelog.verify.strata import reads, stratify
from tidelog.verify.terms import Overloads

_CALENDAR = frozenset({"date", "timestamp"})
Base = Mapping[str, Iterable[tuple[Any, ...]]]


@dataclass(frozen=True)
class Claim:
    """Ranks of the facts held, the facts asserted, and the strata with their rules in normal form."""

    taken: FactCache
    base: Mapping[str, frozenset[Row]]
    strata: tuple[tuple[frozenset[str], tuple[Clause, ...]], ...]
    schema: Mapping[str, tuple[str | None, ...]]
    functions: Overloads

    @cached_property
    def models(self) -> Models:
        """The models of relations that depend on their own negation."""
        return Models(lambda name: self.ranks.get(name, {}))

    @cached_property
    def bundles(self) -> Bundles:
        """The facts of relations that depend on their own count, sum or mean."""
        return Bundles(self.ranks, self.schema, self.functions)

    @property
    def ranks(self) -> Mapping[str, Mapping[Row, int]]:
        """The ranks of the facts held, by relation; a relation is read on first use."""
        return self.taken.ranks

    @property
    def rules(self) -> int:
        """The number of rules."""
        return sum(not c.rule.head.predicate.startswith(RESERVED) for _, clauses in self.strata for c in clauses)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The numbers of strata, rules, relations and facts; violations of constraints are not counted."""
        known = [name for name in self.ranks if not is_hidden(name)]
        strata = sum(not all(map(is_hidden, names)) for names, _ in self.strata)
        return strata, self.rules, len(known), sum(map(self.taken.size, known))

    def unread_after(self, place: int) -> list[str]:
        """The relations that a stratum reads or derives, and that no higher stratum does."""
        names = [{*relations, *read_names(clauses)} for relations, clauses in self.strata]
        return sorted(names[place].difference(*names[place + 1 :]) & self.ranks.keys())

    @property
    def refusing(self) -> dict[str, str]:
        """The relations of violations that must be empty, with the labels of their constraints."""
        rules = (clause.rule for _, clauses in self.strata for clause in clauses if clause.rule.constraint is not None)
        return {r.head.predicate: r.label or "" for r in rules if r.constraint and r.constraint.severity == REFUSE}

    @property
    def chosen(self) -> tuple[str, ...]:
        """The user's relations that hold a choice."""
        found = (chosen_relation(clause) for _, clauses in self.strata for clause in clauses)
        return tuple(sorted(name for name in found if name is not None))

    @property
    def derived(self) -> frozenset[str]:
        """The relations that have rules."""
        return frozenset(name for relations, _ in self.strata for name in relations)


def to_claim(program: Program, base: Base | None, state: EngineState, functions: Overloads = FUNCTIONS) -> Claim:
    """The claim that a state is the model of a program over the given base facts, or those marked as asserted.

    Facts of the program's own text are asserted too, unless the base facts are those of the state.
    """
    user = {name: facts for name, facts in state.facts.items() if not name.startswith(RESERVED)}
    types = {name: schema for name, schema in state.schema.items() if not name.startswith(RESERVED)}
    checked, schema = typed(program, types, functions)
    # Relations that subsumptions, equivalences and choices need: their facts are claimed, too.
    made = {atom.predicate for rule in checked.rules for atom in (rule.head, *atoms(rule.body))} & state.facts.keys()
    user.update((name, state.facts[name]) for name in made)
    plain = {name: plain_rows(schema.get(name, ())) for name in {*user, *(base or ())}}
    taken = FactCache(user, plain)
    asserted = taken.asserted
    if base is not None:
        elsewhere = asserted_elsewhere_of(program) | {
            name: input_name(name) for name in modelled(checked.rules) | bundled(checked.rules)
        }
        given = {elsewhere.get(name, name): map(plain[name], rows) for name, rows in base.items()}
        asserted = _with_text(checked, elsewhere, {n: frozenset(rows) for n, rows in given.items()}, schema, functions)
    return Claim(taken, asserted, strata_of(checked.rules), schema, functions)


def plain_rows(types: Iterable[str | None]) -> Callable[[Iterable[Any]], Row]:
    """Rows in the form used by rules: dates and timestamps are whole numbers."""
    return (lambda row: tuple(map(_plain, row))) if not _CALENDAR.isdisjoint(types) else tuple


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    return (value - datetime.date(1970, 1, 1)).days if isinstance(value, datetime.date) else value


def typed(
    program: Program, types: Mapping[str, tuple[str | None, ...]], functions: Overloads
) -> tuple[Program, dict[str, tuple[str | None, ...]]]:
    """The checked program with its literals typed, and the types of all columns, given the types of the data."""
    bound = {(name, i): t for name, row in types.items() for i, t in enumerate(row) if t is not None}
    checked = check_program(program, functions, bound=bound, known={name: len(row) for name, row in types.items()})
    rules = (*checked.rules, *checked.orders)  # the latter must not derive anything: no claim holds their facts
    return replace(checked.program, rules=rules), {**types, **checked.schema}


def strata_of(rules: Iterable[Rule]) -> tuple[tuple[frozenset[str], tuple[Clause, ...]], ...]:
    """The strata of rules; a rule without a label is named after its position, r1, r2, ..."""
    labelled = (rule if rule.label else replace(rule, label=f"r{i}") for i, rule in enumerate(rules, 1))
    return tuple(stratify([to_clause(rule) for rule in labelled]))


def read_names(clauses: Iterable[Clause]) -> set[str]:
    """The relations that rules read."""
    return {name for clause in clauses for name, _ in reads(clause)}


def _with_text(
    program: Program,
    elsewhere: Mapping[str, str],
    asserted: dict[str, frozenset[Row]],
    schema: Mapping[str, tuple[str | None, ...]],
    fs: Overloads,
) -> dict[str, frozenset[Row]]:
    """The asserted facts and those of the program's own text."""
    for fact in program.facts:
        clause = to_clause(Rule(fact.atom))
        found: set[tuple[Value, ...]] = set()
        for items in clause.body.alternatives:
            solver(items, (), {}, Context(_NoFacts(), schema, fs), _gather(clause, found))(())
        name = elsewhere.get(fact.atom.predicate, fact.atom.predicate)
        asserted[name] = asserted.get(name, frozenset()) | found
    return asserted


def _gather(clause: Clause, into: set[tuple[Value, ...]]) -> Any:
    def finish(frame: Scope) -> Step:
        terms = [frame.term(arg) for arg in clause.head]
        return lambda registers, rank: into.add(tuple(term(registers) for term in terms))

    return finish


class _NoFacts:
    """The facts that a fact reads: none."""

    def source(self, name: object) -> Any:
        raise AssertionError(f"a fact reads {name}")

    def is_ranked(self, name: object) -> bool:
        return False
