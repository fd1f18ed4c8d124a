"""The checks that come before anything runs: all findings about a program at once.

Law: a program that passes has a least model that evaluation reaches: its names are known and have one number of columns
(`arity`), its variables are bound (`safety`), its places have one type (`types`, `subtypes`), its strata are ordered
(`strata`), and its recursion through min and max has one result (`monotone`). Whether evaluation surely ends is told as
a warning (`ending`). Checks do not depend on one another's
success, so one run finds everything.
Nothing is evaluated here. The program is not rewritten, except that integer literals take their type; the rules to
evaluate are: the variables of aggregates get names of their own (`aggregate_scope`), and functions that wrap around
theirs (`wrap`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import is_

from tidelog.errors import Diagnostic, ProgramError, Span
from tidelog.program.checks.consequences import without_consequences, without_repetitions
from tidelog.program.checks.monotone import check_monotone
from tidelog.program.checks.notices import check_notices
from tidelog.program.checks.safety import check_safety
from tidelog.program.checks.termination import Ending, check_ending
from tidelog.program.elaborate.aggregate_scope import scoped_rule
from tidelog.program.elaborate.hops import expand_hops
from tidelog.program.elaborate.inline import inline_relations, inline_rules
from tidelog.program.elaborate.witnesses import check_witnesses, with_witnesses
from tidelog.program.elaborate.wrap import wrapping
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.graph.choice import with_choices
from tidelog.program.graph.constraint import with_hidden_heads, without_head
from tidelog.program.graph.dependency import dependencies
from tidelog.program.graph.equivalence import with_closures
from tidelog.program.graph.strata import Stratum, check_strata, strata_of_edges
from tidelog.program.graph.subsumption import as_written, without_subsumption
from tidelog.program.types.arity import check_names
from tidelog.program.types.assign import Bound, Schema, infer_types
from tidelog.program.types.casts import drop_casts
from tidelog.program.types.functors import with_functors
from tidelog.program.types.subtypes import TypeNames, check_subtypes
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import atoms

ERROR = "error"


@dataclass(frozen=True, slots=True)
class Checked:
    """A program that passed: elaborated, with the types of its columns, its strata and the warnings.

    ``rules`` are those to evaluate: inline relations are put into the others (`inline`), subsumptions, equivalences and
    choices are in them (`subsumption`, `equivalence`, `choice`), and casts are dropped.
    ``schema`` gives each relation its column types, None where nothing says yet: data that comes may then be of any
    type. ``classes`` numbers the columns so that columns that must share a type share a number. ``orders`` are rules
    that watch over data: nothing may follow from them (`order`). ``ends_if`` is what data must keep to so that
    evaluation ends (`ending`).
    """

    program: Program
    rules: tuple[Rule, ...]
    schema: Schema
    classes: Mapping[str, tuple[int, ...]]
    strata: tuple[Stratum, ...]
    warnings: tuple[Diagnostic, ...] = ()
    orders: tuple[Rule, ...] = ()
    ends_if: tuple[str, ...] = ()


def check_program(
    program: Program,
    functions: Mapping[str, tuple[Function, ...]] | None = None,
    *,
    bound: Bound | None = None,
    known: Mapping[str, int] | None = None,
    groups: Iterable[frozenset[str]] = (),
) -> Checked:
    """Check the program; raises `ProgramError` with all findings, in order of position.

    ``functions`` are all functions that the program may call (the built-in ones and its functors if None). ``bound``
    gives the types of columns that hold data already, ``known`` the number of columns of relations that exist outside
    the program, and ``groups`` relations that stay one stratum.

    >>> from tidelog.program import Atom, Const, Fact, Rule, Var
    >>> fact, x = Fact(Atom("edge", (Const(1, "number"),))), Var("X")
    >>> check_program(Program((Rule(Atom("node", (x,)), (Atom("edge", (x,)),)),), (fact,))).schema["node"]
    ('number',)
    """
    checked, findings = examine_program(program, functions, bound=bound, known=known, groups=groups)
    if any(map(_is_error, findings)):
        raise ProgramError(findings)
    return checked


def examine_program(
    program: Program,
    functions: Mapping[str, tuple[Function, ...]] | None = None,
    *,
    bound: Bound | None = None,
    known: Mapping[str, int] | None = None,
    groups: Iterable[frozenset[str]] = (),
) -> tuple[Checked, tuple[Diagnostic, ...]]:
    """As `check_program`, without raising: what could be found out, and all findings, errors and warnings."""
    functions = with_functors(FUNCTIONS, program) if functions is None else functions
    program, constraints = with_hidden_heads(program)
    written = with_witnesses(program)
    program = replace(written, rules=tuple(map(scoped_rule, written.rules)))
    names = check_names(program, functions, {**_arities(bound or {}), **(known or {})})
    type_names = TypeNames(program.types)
    inlined = inline_rules(program)
    chosen, choices = with_choices(replace(program, rules=inlined.rules))
    meant, subsumptions = without_subsumption(with_closures(chosen))
    given = replace(program, rules=(*meant.rules, *_inline_parts(program)))
    made = (atom for rule in meant.rules for atom in (rule.head, *atoms(rule.body)))
    arity = {**{atom.predicate: len(atom.args) for atom in made}, **names.arity}
    typing = infer_types(given, arity, type_names, functions, bound or {})
    typed = typing.program.rules[: len(meant.rules)]
    restored = as_written(inlined.rules, typed)
    rules = drop_casts(typed)
    edges = dependencies(rules)
    strata = strata_of_edges(rules, edges)
    subtypes = check_subtypes(program, type_names)
    orders: list[Rule] = []
    findings = [
        *constraints,
        *names.findings,
        *inlined.findings,
        *check_safety(replace(typing.program, rules=drop_casts(restored)), functions),
        *choices,
        *subsumptions,
        *typing.findings,
        *type_names.findings,
        *subtypes,
        *check_strata(edges, strata),
        *check_monotone(edges, strata, typing.schema, orders),
        *check_witnesses(program, typing.schema),
        *check_notices(program, names),
    ]
    ending = Ending() if any(map(_is_error, findings)) else check_ending(strata, typing.schema, functions)
    findings += ending.findings
    groups = tuple(groups)
    if groups:
        # Whether a program is refused depends on its own graph alone, never on how it is evaluated.
        strata = strata_of_edges(rules, edges, groups)
    ordered = tuple(sorted(without_repetitions(without_consequences(program, findings)), key=position))
    if program.components:
        ordered = tuple(_once(ordered))
    warnings = tuple(finding for finding in ordered if not _is_error(finding))
    elaborated = replace(typing.program, rules=tuple(map(without_head, _as_written(written, inlined.rules, restored))))
    evaluated = wrapping(expand_hops(replace(program, rules=rules))).rules
    checked = Checked(elaborated, evaluated, typing.schema, typing.classes, strata, warnings, tuple(orders))
    return replace(checked, ends_if=ending.conditions), ordered


def _is_error(finding: Diagnostic) -> bool:
    return finding.severity == ERROR


def _inline_parts(program: Program) -> tuple[Rule, ...]:
    """The rules of inline relations: their types are checked too, also where nobody reads them."""
    names = inline_relations(program)
    return tuple(rule for rule in program.rules if rule.head.predicate in names) if names else ()


def _as_written(program: Program, before: tuple[Rule, ...], after: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The program's own rules, elaborated; those that are evaluated in another form stay as they are written."""
    if len(before) == len(program.rules) and all(map(is_, before, program.rules)):
        return after
    elaborated = dict(zip(map(id, before), after, strict=True))
    return tuple(elaborated.get(id(rule), rule) for rule in program.rules)


def position(finding: Diagnostic) -> tuple[str, int, str]:
    """Where a finding stands in the order of the text; findings without a place come first."""
    if finding.span is None:
        return ("", -1, finding.code)
    return (finding.span.source.name, finding.span.start, finding.code)


def _once(findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings, those about the text of a component once for all its instances."""
    told: set[tuple[str, Span]] = set()
    for finding in findings:
        if finding.span is None or (finding.code, finding.span) not in told:
            yield finding
        if finding.span is not None:
            told.add((finding.code, finding.span))


def _arities(bound: Bound) -> dict[str, int]:
    """At least so many columns does a relation have whose columns are bound."""
    arities: dict[str, int] = {}
    for relation, column in bound:
        arities[relation] = max(arities.get(relation, 0), column + 1)
    return arities
