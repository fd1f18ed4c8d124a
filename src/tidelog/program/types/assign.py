"""Types: declared or inferred, every column and every variable holds values of one type (TL4xx).

Law: a program is well typed if no class of places gets two types, where declarations, constants, signatures and
existing data determine types, and rules unite places (`inference`). A literal takes the type of its class. An integer
is a number in a fact unless something else is known, and in a rule it stays open until the column's type is known; one
that only an unsigned can hold is unsigned. A quoted text is a date or a timestamp if its class is one, otherwise a
symbol. `true` and `false` are booleans, unless their class holds symbols: then they are symbols, as other bare words
are where bare words are symbols (facts, the Prolog convention), and refused where they are variables (TL411). Overloads
that the first pass left open are examined until nothing changes. Subtypes are checked by `subtypes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.errors import Diagnostic
from tidelog.program.functions.calendar import EXAMPLES, TRUTH
from tidelog.program.functions.table import ANY, FUNCTIONS, Function, strange_type
from tidelog.program.messages import program_failures as failures
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.types.inference import Inference, Use
from tidelog.program.types.literal_types import (
    LITERALS,
    RETYPED,
    TypedLiterals,
    elaborate_fact,
    elaborate_rule,
    retyped,
)
from tidelog.program.types.places import type_name
from tidelog.program.types.structure_types import settle_brackets, settle_lists
from tidelog.program.types.structures import Structures, structures_of
from tidelog.program.types.subtypes import TypeNames
from tidelog.program.types.unify import INTEGER, Reason
from tidelog.program.types.unify import TRUTH as TRUTH_TYPE
from tidelog.program.values.program import SOUFFLE, Program
from tidelog.program.values.rule import Fact, Rule
from tidelog.program.values.schema import BASE_TYPES, Declaration
from tidelog.program.values.scope import atoms, rule_literals
from tidelog.program.values.shape import Shape
from tidelog.program.values.term import BOOLEAN, DATE, FLOAT, NUMBER, SYMBOL, TIMESTAMP, UNSIGNED, Const

Bound = Mapping[tuple[str, int], str]
Schema = Mapping[str, tuple[str | None, ...]]
Literals = list[tuple[int, Const]]
LiteralsAt = list[tuple[int, Literals]]
RANGES = {
    NUMBER: (-(2**63), 2**63 - 1),
    UNSIGNED: (0, 2**64 - 1),
    FLOAT: (-(2**1023), 2**1023),
    BOOLEAN: (0, 1),
}


@dataclass(frozen=True, slots=True)
class TypingResult:
    """The result of typing a program: the elaborated program, the columns' types and their classes."""

    program: Program
    schema: Schema
    classes: Mapping[str, tuple[int, ...]]
    findings: tuple[Diagnostic, ...]


def infer_types(
    program: Program,
    arity: Mapping[str, int],
    names: TypeNames,
    functions: Mapping[str, tuple[Function, ...]],
    bound: Bound,
) -> TypingResult:
    """Types of all columns; ``bound`` has those of columns that already contain data, by relation and position."""
    for declaration in program.declarations:
        for column in declaration.columns[: arity.get(declaration.relation, 0)]:
            names.check(column.type, declaration.span)
    structures = structures_of(names) if program.types else Structures()
    inference = Inference(functions, arity, names.base, structures=structures)
    typing = _infer(program, names, bound, inference)
    _check_function_types(inference)
    if not inference.classes.narrowed:
        return typing
    # Few programs have texts that are dates: only they keep the places of all texts.
    again = Inference(functions, arity, names.base, structures=structures_of(names), recorded=LITERALS)
    again.signatures = inference.signatures
    return _infer(program, names, bound, again)


def _check_function_types(inference: Inference) -> None:
    """Refuse functions of users that were registered for types that the program does not declare, or not so."""
    for name, _ in inference.signatures:
        for function in inference.functions.get(name, ()):
            if function.python is not None and (type_ := strange_type(function, inference.structures.shapes)):
                raise failures.CHANGED_TYPES.error(name=name, type=type_)


def _infer(program: Program, names: TypeNames, bound: Bound, inference: Inference) -> TypingResult:
    _bind_columns(bound, inference)
    for declaration in program.declarations:
        _declare_columns(declaration, names, inference)
    # Facts first: if a rule and a fact disagree, the rule is reported.
    fact_literals = _visit_facts(program.facts, inference)
    rule_literals = _visit_rules(program.rules, inference)
    _settle(inference)
    if inference.structures.brackets and settle_lists(inference):
        _settle(inference)
    _default_integers(fact_literals, rule_literals, inference)
    inference.classes.close()
    _settle(inference)
    if _settle_open_results(inference):
        _settle(inference)
    _check_demands(inference)
    elaborated = _elaborated(program, rule_literals, fact_literals, inference)
    findings = (*inference.structures.findings, *inference.findings)
    return TypingResult(elaborated, _schema(inference), _column_classes(inference), findings)


def variable_types(
    rule: Rule, schema: Schema, functions: Mapping[str, tuple[Function, ...]] = FUNCTIONS
) -> dict[str, str | None]:
    """The types of the rule's own variables over columns of these types; None if undetermined.

    >>> from tidelog.program import Atom, Var
    >>> variable_types(Rule(Atom("p", (Var("X"),)), (Atom("q", (Var("X"),)),)), {"q": ("float",)})
    {'X': 'float'}
    """
    named = {atom.predicate for atom in (rule.head, *atoms(rule_literals(rule)))}
    known = {name: schema[name] for name in named if name in schema}
    inference = Inference(functions, {name: len(types) for name, types in known.items()})
    bound = {(name, i): t for name, types in known.items() for i, t in enumerate(types) if t is not None}
    _bind_columns(bound, inference)
    env = inference.visit_rule(rule)
    _settle(inference)
    return {name: _known(inference.classes.type(place)) for name, place in env.items()}


def _known(type_: str | None) -> str | None:
    return NUMBER if type_ == INTEGER else type_


def _bind_columns(bound: Bound, inference: Inference) -> None:
    for (relation, column), type_ in bound.items():
        places = inference.column_places(relation)
        if column < len(places):
            known = type_.name if isinstance(type_, Shape) else type_
            inference.classes.set(places[column], known, Reason("the facts already stored", None))


def _declare_columns(declaration: Declaration, names: TypeNames, inference: Inference) -> None:
    places = inference.column_places(declaration.relation)
    for column, place in zip(declaration.columns, places, strict=False):
        base = names.base(column.type)
        reason = Reason(f"`{column.name}` is declared {column.type}", declaration.span)
        if base is not None and not inference.classes.set(place, base, reason):
            inference.conflict(place, base, declaration.span, f"column `{column.name}` holds")


def _visit_rules(rules: Sequence[Rule], inference: Inference) -> LiteralsAt:
    """Run the pass over the rules; returns the places of literals, for rules that have any."""
    found: LiteralsAt = []
    for i, rule in enumerate(rules):
        inference.structures.clause = i
        inference.visit_rule(rule)
        if inference.literals:
            found.append((i, inference.literals))
            inference.literals = []
    inference.rule = None
    return found


def _visit_facts(facts: Sequence[Fact], inference: Inference) -> LiteralsAt:
    found: LiteralsAt = []
    for i, fact in enumerate(facts):
        inference.atom(fact.atom, {})
        if inference.literals:
            found.append((i, inference.literals))
            inference.literals = []
    return found


def _settle(inference: Inference) -> None:
    """Examine the open calls again until no more types become known."""
    progress = True
    while progress and (inference.open_uses or inference.structures.brackets):
        uses, inference.open_uses = inference.open_uses, []
        for use in uses:
            _settle_use(use, inference)
        progress = len(inference.open_uses) < len(uses)
        if inference.structures.brackets:
            progress = settle_brackets(inference) or progress


def _settle_use(use: Use, inference: Inference) -> None:
    classes = inference.classes
    types = [classes.type(place) for place in use.places]
    fitting = use.signature.fitting(types)
    if not fitting:
        inference.mismatch(use.call, use.signature, use.places)
    elif len(fitting) > 1:
        inference.open_uses.append(use)
    else:
        for position, type_ in enumerate(fitting[0]):
            if type_ != ANY:
                inference.set_position(use.call, use.places, position, type_, use.signature)


def _default_integers(facts: LiteralsAt, rules: LiteralsAt, inference: Inference) -> None:
    """Make open literals in facts numbers; a literal too large for a number is unsigned, in rules as well."""
    classes, most = inference.classes, RANGES[NUMBER][1]
    for place, const in (literal for _, literals in (*facts, *rules) for literal in literals):
        large = const.type == NUMBER and isinstance(const.value, int) and const.value > most
        if large and classes.type(place) == INTEGER:
            classes.set(place, UNSIGNED, Reason("only unsigned can represent this number", const.span))
    for place, _ in (literal for _, literals in facts for literal in literals):
        if classes.type(place) == INTEGER:
            classes.set(place, NUMBER, classes.reason(place) or Reason("a number", None))


def _settle_open_results(inference: Inference) -> bool:
    """Make a function result of unknown type a number if it is used in arithmetic or ordered.

    Nothing else determines the type, and a value that is not a number is reported when it occurs.
    """
    classes = inference.classes
    uses = [(place, use.call.span) for use in inference.open_uses for place in use.places]
    uses += [(demand.place, None) for demand in inference.demands if NUMBER in demand.types]
    asked = {classes.root(place): span for place, span in reversed(uses)}
    found = False
    for place in inference.open_results:
        known = classes.type(place)
        if known == INTEGER or (known is None and classes.root(place) in asked):
            span = asked.get(classes.root(place))
            found = classes.set(place, NUMBER, Reason("this is used as a number in a computation", span)) or found
    return found


def _check_demands(inference: Inference) -> None:
    for demand in inference.demands:
        found = inference.classes.type(demand.place)
        if found == INTEGER:
            found = NUMBER
        if found is not None and found not in demand.types:
            inference.findings.append(demand.finding(type_name(found)))
    for place, span in inference.listed:
        found = inference.classes.type(place)
        if found in (DATE, TIMESTAMP, BOOLEAN, TRUTH_TYPE):
            inference.findings.append(diagnose("TL413", span, type=type_name(found)))


def _schema(inference: Inference) -> dict[str, tuple[str | None, ...]]:
    def kind(place: int) -> str | None:
        type_ = inference.classes.type(place)
        return type_ if type_ is None or type_ in BASE_TYPES else inference.structures.shape(type_)

    types = {name: tuple(kind(place) for place in places) for name, places in inference.columns.items()}
    return {name: tuple(None if t == INTEGER else t for t in known) for name, known in types.items()}


def _column_classes(inference: Inference) -> dict[str, tuple[int, ...]]:
    root = inference.classes.root
    return {name: tuple(root(place) for place in places) for name, places in inference.columns.items()}


def _elaborated(
    program: Program, rule_literals: LiteralsAt, fact_literals: LiteralsAt, inference: Inference
) -> Program:
    """The program with literals retyped, and findings about literals that do not fit their type."""
    rules, facts = list(program.rules), list(program.facts)
    names = inference.structures.names
    literals_of = dict(rule_literals)
    bare_symbols = program.convention != SOUFFLE
    for i in range(len(rules)) if names else literals_of:
        literals = literals_of.get(i, [])
        types = _literal_types(literals, inference, bare_symbols)
        if names or _changes(literals, types):
            rules[i] = elaborate_rule(rules[i], TypedLiterals(iter(types), names, i, inference.recorded))
    for i, literals in fact_literals:
        types = _literal_types(literals, inference, bare_symbols=True)
        if _changes(literals, types):
            facts[i] = elaborate_fact(facts[i], TypedLiterals(iter(types), recorded=inference.recorded))
    return replace(program, rules=tuple(rules), facts=tuple(facts))


def _changes(literals: Literals, types: Sequence[str]) -> bool:
    return any(const.type != type_ for (_, const), type_ in zip(literals, types, strict=True))


def _literal_types(literals: Literals, inference: Inference, bare_symbols: bool) -> list[str]:
    """The type of each literal; a literal that does not fit its type is reported and keeps its own."""
    types = []
    for place, const in literals:
        type_ = inference.classes.type(place) or const.type
        known = type_ if (const.type, type_) in RETYPED else const.type
        finding = _unfit(const, known, bare_symbols)
        if finding is not None:
            inference.findings.append(finding)
        types.append(known if finding is None else const.type)
    return types


def _unfit(const: Const, type_: str, bare_symbols: bool) -> Diagnostic | None:
    """Why a literal cannot be of this type."""
    if const.type == NUMBER:
        least, most = RANGES[type_]
        assert isinstance(const.value, int)
        if not least <= const.value <= most:
            return diagnose("TL408", const.span, value=_shown(const.value), type=type_)
    elif const.type == BOOLEAN and type_ == SYMBOL and not bare_symbols:
        return diagnose("TL411", const.span, word=TRUTH[const.value == 1])
    elif type_ in (DATE, TIMESTAMP):
        try:
            retyped(const, type_)
        except ValueError as error:
            return diagnose("TL410", const.span, text=const.value, type=type_, reason=error, example=EXAMPLES[type_])
    return None


def _shown(value: int) -> str:
    """The number, or its beginning if it is very long (Python refuses to print thousands of digits)."""
    return str(value) if abs(value) < 10**30 else "this number"
