"""The checks before evaluation: all findings about a program at once.

Law: a program that passes has a least model that evaluation reaches: its names are known and have one number of columns
(`arity`), its variables are bound (`safety`), its places have one type (`types`, `subtypes`), its strata are ordered
(`strata`), and its recursion through min and max has one result (`monotone`). Possible non-termination is reported as
a warning (`ending`). Checks do not depend on one another's
success, so one run finds everything.
Nothing is evaluated here. The rules of the program stay as they are written, except that literals get their types; the
rules to evaluate are produced from them by the passes of `elaborate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidelog.errors import Diagnostic, ProgramError, Span
from tidelog.program.checks.consequences import without_consequences, without_repetitions
from tidelog.program.checks.monotone import check_monotone
from tidelog.program.checks.notices import check_notices, check_rule_notices
from tidelog.program.checks.safety import check_safety
from tidelog.program.checks.termination import TerminationResult, check_ending
from tidelog.program.checks.witnesses import check_witnesses
from tidelog.program.elaborate.assign_types import assign_types
from tidelog.program.elaborate.drop_casts import drop_casts, rules_without_casts
from tidelog.program.elaborate.elaborate import Stages, elaborate
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.expand_inline import expand_inline
from tidelog.program.elaborate.features import Feature
from tidelog.program.elaborate.ground_bundles import ground_bundles
from tidelog.program.elaborate.mark_witnesses import mark_witnesses
from tidelog.program.elaborate.resolve_subsumption import resolve_subsumption
from tidelog.program.elaborate.restore import restore_rules, restore_text
from tidelog.program.elaborate.separate_scopes import separate_scopes
from tidelog.program.elaborate.wrap_arithmetic import wrap_arithmetic
from tidelog.program.functions.table import FUNCTIONS, Function
from tidelog.program.graph.dependency import dependencies
from tidelog.program.graph.strata import Stratum, check_strata, strata_of_edges
from tidelog.program.types.arity import TIMER
from tidelog.program.types.assign import Bound, Schema, TypingResult
from tidelog.program.types.functors import with_functors
from tidelog.program.types.subtypes import check_subtypes
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Fact, Rule
from tidelog.program.values.term import Atom

ERROR = "error"


@dataclass(frozen=True, slots=True)
class CheckedProgram:
    """A program that passed: elaborated, with the types of its columns, its strata and the warnings.

    ``rules`` are those to evaluate, after all passes of `elaborate`; ``stages`` is the result of each pass, so that
    types can be inferred again when data determines some (`learn_types`). ``schema`` has the column types of each
    relation, None where they are still open: new data may then be of any type. ``classes`` numbers the columns so that
    columns that must share a type share a number. ``orders`` are rules that monitor data: they must not derive anything
    (`order`). ``ends_if`` is the condition on data under which evaluation ends (`ending`).
    """

    program: Program
    rules: tuple[Rule, ...]
    schema: Schema
    classes: Mapping[str, tuple[int, ...]]
    strata: tuple[Stratum, ...]
    warnings: tuple[Diagnostic, ...] = ()
    orders: tuple[Rule, ...] = ()
    ends_if: tuple[str, ...] = ()
    text_findings: tuple[Diagnostic, ...] = ()  # about the text, independent of the types of data
    stages: Stages = field(default_factory=dict, compare=False, repr=False)


def check_program(
    program: Program,
    functions: Mapping[str, tuple[Function, ...]] | None = None,
    *,
    bound: Bound | None = None,
    known: Mapping[str, int] | None = None,
    groups: Iterable[frozenset[str]] = (),
) -> CheckedProgram:
    """Check the program; raises `ProgramError` with all findings, in order of position.

    ``functions`` are all functions that the program may call (the built-in ones and its functors if None). ``bound``
    has the types of columns that already contain data, ``known`` the number of columns of relations that exist outside
    the program, and ``groups`` relations that stay one stratum.

    >>> from tidelog.program import Atom, Const, Fact, Rule, Var
    >>> fact, x = Fact(Atom("edge", (Const(1, "number"),))), Var("X")
    >>> check_program(Program((Rule(Atom("node", (x,)), (Atom("edge", (x,)),)),), (fact,))).schema["node"]
    ('number',)
    """
    return _refuse_errors(*examine_program(program, functions, bound=bound, known=known, groups=groups))


def examine_program(
    program: Program,
    functions: Mapping[str, tuple[Function, ...]] | None = None,
    *,
    bound: Bound | None = None,
    known: Mapping[str, int] | None = None,
    groups: Iterable[frozenset[str]] = (),
) -> tuple[CheckedProgram, tuple[Diagnostic, ...]]:
    """As `check_program`, without raising: the checked program as far as possible, and all errors and warnings."""
    functions = with_functors(FUNCTIONS, program) if functions is None else functions
    stages = elaborate(Elaboration(program, functions, bound or {}, known or {}))
    checked, found = _examine_types(stages, _examine_text(stages), tuple(groups))
    return checked, (*found, *_examine_defaults(program, functions))


def _examine_defaults(program: Program, functions: Mapping[str, tuple[Function, ...]]) -> Iterator[Diagnostic]:
    """Errors in the default values of columns, each checked as a fact of one column."""
    for declaration in program.declarations:
        for column in declaration.columns:
            if column.default is not None:
                alone = replace(declaration, columns=(replace(column, default=None),), qualifiers=(), domains=())
                fact = Fact(Atom(declaration.relation, (column.default,)))
                part = Program(facts=(fact,), declarations=(alone,), types=program.types, convention=program.convention)
                _, found = examine_program(part, functions)
                yield from (finding for finding in found if finding.severity == "error")


def learn_types(
    checked: CheckedProgram,
    program: Program,
    functions: Mapping[str, tuple[Function, ...]] | None,
    bound: Bound,
    known: Mapping[str, int],
) -> CheckedProgram:
    """A checked program with the types that data determines; raises `ProgramError` where they do not fit.

    Types are inferred again, and the checks that depend on them are repeated; the text was checked before. ``program``
    has the same rules and declarations; its facts and pragmas are used, as are ``functions`` (those of the check if
    None).

    >>> from tidelog.syntax import parse_program
    >>> program = parse_program("p(X) :- q(X), X > 1.")
    >>> learn_types(check_program(program), program, FUNCTIONS, {("q", 0): "float"}, {}).schema["p"]
    ('float',)
    """
    before = checked.stages[resolve_subsumption]
    untyped = replace(before.program, facts=program.facts, pragmas=program.pragmas)
    names = replace(before.names, arity={**before.names.arity, **known})
    start = Elaboration(
        untyped, before.functions if functions is None else functions, bound, known, before.inline, names
    )
    stages = {**checked.stages, **elaborate(start, first=assign_types)}
    return _refuse_errors(*_examine_types(stages, checked.text_findings))


def check_question(
    rules: Sequence[Rule],
    program: Program,
    functions: Mapping[str, tuple[Function, ...]],
    bound: Bound,
    known: Mapping[str, int],
) -> CheckedProgram:
    """Check more rules, which no other rule reads, over relations whose types are known; raises `ProgramError`.

    No recursion goes through such rules, so strata, monotonicity and termination are not checked, and there are no
    warnings. ``program`` has the declarations, types and pragmas that the rule may name.
    """
    stages = elaborate(Elaboration(replace(program, rules=tuple(rules), facts=()), functions, bound, known))
    text, typed, typing = stages[separate_scopes], stages[assign_types], _typing(stages)
    has_types = bool(program.types) or Feature.CASTS in typed.features
    has_notices = Feature.CALLS in typed.features or TIMER in typed.names.first
    findings = [
        *stages[wrap_arithmetic].findings,
        *check_safety(stages[drop_casts].program, functions),
        *(check_subtypes(text.program, typed.type_names) if has_types else ()),
        *typed.type_names.findings,
        *(notice for rule in rules if has_notices for notice in check_rule_notices(rule, typed.names)),
    ]
    checked = CheckedProgram(typed.program, stages[wrap_arithmetic].program.rules, typing.schema, typing.classes, ())
    return _refuse_errors(checked, tuple(sorted(findings, key=position)))


def _examine_text(stages: Stages) -> list[Diagnostic]:
    """The findings that do not depend on the types of data."""
    text, typed = stages[separate_scopes].program, stages[assign_types]
    restored = restore_rules(stages[expand_inline].program.rules, typed.program.rules)
    return [
        *stages[resolve_subsumption].findings,
        *check_safety(replace(typed.program, rules=rules_without_casts(restored)), typed.functions),
        *check_subtypes(text, typed.type_names),
        *typed.type_names.findings,
        *check_notices(text, typed.names),
    ]


def _examine_types(
    stages: Stages, text_findings: Sequence[Diagnostic], groups: Sequence[frozenset[str]] = ()
) -> tuple[CheckedProgram, tuple[Diagnostic, ...]]:
    """The findings that depend on the types, about strata, recursion and termination, and the checked program."""
    text, typed, typing = stages[separate_scopes].program, stages[assign_types], _typing(stages)
    rules = stages[ground_bundles].program.rules
    edges = dependencies(rules)
    strata = strata_of_edges(rules, edges)
    orders: list[Rule] = []
    findings = [
        *text_findings,
        *typing.findings,
        *check_strata(edges, strata),
        *check_monotone(edges, strata, typing.schema, orders),
        *check_witnesses(text, typing.schema),
    ]
    ending = (
        TerminationResult() if any(map(_is_error, findings)) else check_ending(strata, typing.schema, typed.functions)
    )
    ordered = _in_order(text, [*findings, *ending.findings])
    checked = CheckedProgram(
        _restored_program(stages),
        stages[wrap_arithmetic].program.rules,
        typing.schema,
        typing.classes,
        # Whether a program is refused depends only on its graph, never on how it is evaluated.
        strata_of_edges(rules, edges, groups) if groups else strata,
        tuple(finding for finding in ordered if not _is_error(finding)),
        tuple(orders),
        ending.conditions,
        tuple(text_findings),
        stages,
    )
    return checked, ordered


def _typing(stages: Stages) -> TypingResult:
    typing = stages[assign_types].typing
    assert typing is not None
    return typing


def _restored_program(stages: Stages) -> Program:
    """The program as it is written, with literals that have the inferred types."""
    written, expanded = stages[mark_witnesses].program.rules, stages[expand_inline].program.rules
    typed = stages[assign_types].program
    return replace(typed, rules=restore_text(written, expanded, restore_rules(expanded, typed.rules)))


def _in_order(program: Program, findings: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings in the order of the text, without those that repeat or follow from others."""
    ordered = sorted(without_repetitions(without_consequences(program, findings)), key=position)
    return tuple(_once(ordered)) if program.components else tuple(ordered)


def _refuse_errors(checked: CheckedProgram, findings: tuple[Diagnostic, ...]) -> CheckedProgram:
    if any(map(_is_error, findings)):
        raise ProgramError(findings)
    return checked


def _is_error(finding: Diagnostic) -> bool:
    return finding.severity == ERROR


def position(finding: Diagnostic) -> tuple[str, int, str]:
    """The position of a finding in the text; findings without a place come first."""
    if finding.span is None:
        return ("", -1, finding.code)
    return (finding.span.source.name, finding.span.start, finding.code)


def _once(findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings, with those about the text of a component reported once for all its instances."""
    reported: set[tuple[str, Span]] = set()
    for finding in findings:
        if finding.span is None or (finding.code, finding.span) not in reported:
            yield finding
        if finding.span is not None:
            reported.add((finding.code, finding.span))
