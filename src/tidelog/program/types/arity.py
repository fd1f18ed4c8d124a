"""Names and numbers: every relation, function, type and label is known, once, with one number of columns (TL2xx).

Law: the first declaration, otherwise the first use in the text, fixes a relation's number of columns and its location
column; all later uses agree with it. In the Soufflé convention a relation is known by its `.decl`; in the Prolog
convention undeclared base relations are normal (their facts come from outside), so a body may name any relation and
only a near miss of a relation that has facts or rules is worth a warning. The types of columns are determined by
`types`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tidelog.errors import Diagnostic, Span
from tidelog.errors.counts import counted
from tidelog.program.functions.table import Function
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.messages.nearest import KnownNames
from tidelog.program.types.casts import cast_type
from tidelog.program.values.pragmas import EVERY, MAGIC, NO_MAGIC, values_of
from tidelog.program.values.program import SOUFFLE, Program
from tidelog.program.values.schema import Declaration
from tidelog.program.values.scope import atoms, calls, literal_terms, rule_literals
from tidelog.program.values.structure import is_structural
from tidelog.program.values.term import AGGREGATES, ARGUMENTS, PAIRED_AGGREGATES, Aggregate, Atom, Call, Term, Var

RESERVED = "__"
TIMER = "periodic"
UNDECLARED = "Declare the relation with `.decl`."


@dataclass(slots=True)
class Names:
    """The relations of a program: their arity, where it was determined, and which of them the program defines."""

    arity: dict[str, int] = field(default_factory=dict)
    first: dict[str, Span | None] = field(default_factory=dict)
    location: dict[str, tuple[int, Span | None]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    findings: list[Diagnostic] = field(default_factory=list)


def check_names(program: Program, functions: Mapping[str, tuple[Function, ...]], known: Mapping[str, int]) -> Names:
    """Arity and origin of every relation of the program, with all findings about names.

    ``known`` has the arity of relations that already contain facts, from outside the program.
    """
    names = Names(arity=dict(known), defined=set(known))
    names.first.update(dict.fromkeys(known))
    for declaration in program.declarations:
        _declare(declaration, names)
    names.defined.update(d.relation for d in program.directives if d.kind == "input")
    names.defined.update(k.relation for k in program.keys)
    names.defined.update(life.relation for life in program.lifetimes)
    used = _check_atoms(program, names)
    _check_unknown(program, names, used, known)
    _check_labels(program, names)
    _check_keys(program, names)
    _check_directives(program, names)
    _check_calls(program, functions, names)
    return names


def columns(count: int) -> str:
    """``1 column``, ``2 columns``."""
    return counted(count, "column")


def _declare(declaration: Declaration, names: Names) -> None:
    name, span = declaration.relation, declaration.span
    _check_reserved(name, span, names)
    if name in names.declared:
        related = _related("first declared here", names.first.get(name))
        names.findings.append(diagnose("TL203", span, related=related, name=name))
        return
    names.declared.add(name)
    if names.arity.setdefault(name, len(declaration.columns)) != len(declaration.columns):
        names.findings.append(_arity_conflict(name, len(declaration.columns), span, names))
    names.first[name] = span
    seen: set[str] = set()
    for column in declaration.columns:
        if column.name in seen:
            names.findings.append(diagnose("TL213", span, name=name, column=column.name))
        seen.add(column.name)


def _check_reserved(name: str, span: Span | None, names: Names) -> None:
    if name.startswith(RESERVED) and name not in names.first:
        names.findings.append(diagnose("TL205", span, name=name))


def _check_atoms(program: Program, names: Names) -> dict[str, Atom]:
    """Arity and location of every atom; returns the first atom of each relation that occurs in bodies."""
    used: dict[str, Atom] = {}
    names.defined.update(rule.head.predicate for rule in program.rules)
    for fact in program.facts:
        names.defined.add(fact.atom.predicate)
        _use(fact.atom, names)
    for rule in program.rules:
        if rule.constraint is not None:
            names.first.setdefault(rule.head.predicate, None)  # a reserved name that was intended
        _use(rule.head, names)
        for atom in atoms(rule_literals(rule)):
            used.setdefault(atom.predicate, atom)
            _use(atom, names)
    return used


def _use(atom: Atom, names: Names) -> None:
    name = atom.predicate
    known = names.arity.get(name)
    if known is None:
        _check_reserved(name, atom.span, names)
        names.arity[name] = len(atom.args)
        names.first[name] = atom.span
    elif known != len(atom.args) and not is_timer(name, names):  # a timer has optional arguments
        names.findings.append(_arity_conflict(name, len(atom.args), atom.span, names))
    if atom.location is not None:
        position, place = names.location.setdefault(name, (atom.location, atom.span))
        if position != atom.location:
            related = _related("the other location column", place)
            names.findings.append(
                diagnose("TL215", atom.span, related=related, name=name, expected=position + 1, found=atom.location + 1)
            )


def is_timer(name: str, names: Names) -> bool:
    """Whether the relation is the timer of P2 and RapidNet, not a relation of the program that has its name."""
    return name == TIMER and name not in names.defined and name not in names.declared


def _arity_conflict(name: str, arity: int, span: Span | None, names: Names) -> Diagnostic:
    place = names.first.get(name)
    where = "declared here" if name in names.declared else "first used here"
    expected = columns(names.arity[name])
    return diagnose("TL202", span, related=_related(where, place), name=name, expected=expected, found=arity)


def _check_unknown(program: Program, names: Names, used: Mapping[str, Atom], known: Mapping[str, int]) -> None:
    if program.convention == SOUFFLE:
        unknown = [name for name in names.first if name not in names.declared and name not in known]
        if unknown:
            declared = KnownNames(names.declared)
            for name in (name for name in unknown if not name.startswith(RESERVED)):
                hint = declared.hint(name, UNDECLARED)
                names.findings.append(diagnose("TL201", names.first[name], hint=hint, name=name))
        return
    read = [name for name in used if name not in names.defined and name not in names.declared and name != TIMER]
    if read:
        made = KnownNames(names.defined | names.declared)
        for name in read:
            atom = used[name]
            near = next((other for other in made.near(name) if names.arity.get(other) == len(atom.args)), None)
            if near is not None:
                names.findings.append(diagnose("TL701", atom.span, name=name, nearest=near))


def _check_labels(program: Program, names: Names) -> None:
    first: dict[str, Span | None] = {}
    for rule in program.rules:
        if rule.label is not None:
            if rule.label in first:
                related = _related("the other rule", first[rule.label])
                names.findings.append(diagnose("TL204", rule.span, related=related, name=rule.label))
            first.setdefault(rule.label, rule.span)


def _check_keys(program: Program, names: Names) -> None:
    first: dict[str, Span | None] = {}
    for key in program.keys:
        if key.relation in first:
            related = _related("first materialized here", first[key.relation])
            names.findings.append(diagnose("TL214", key.span, related=related, name=key.relation))
        first.setdefault(key.relation, key.span)
        arity = names.arity.get(key.relation)
        for i, column in enumerate(key.keys):
            if column < 1 or column in key.keys[:i] or (arity is not None and column > arity):
                size = "no column of that number" if arity is None else columns(arity)
                names.findings.append(diagnose("TL209", key.span, column=column, name=key.relation, arity=size))


def _check_directives(program: Program, names: Names) -> None:
    if not program.directives and program.convention != SOUFFLE:
        return
    known = set(names.arity) | names.declared | names.defined
    index = KnownNames(known)
    printed: dict[str, Span | None] = {}
    for directive in program.directives:
        if directive.kind == "printsize" and directive.relation in printed:
            related = _related("first here", printed[directive.relation])
            names.findings.append(diagnose("TL217", directive.span, related=related, name=directive.relation))
        elif directive.kind == "printsize":
            printed[directive.relation] = directive.span
        if directive.relation in known:
            continue
        if directive.kind != "input" or program.convention == SOUFFLE:
            hint = index.hint(directive.relation, UNDECLARED)
            word = f".{directive.kind}"
            names.findings.append(diagnose("TL210", directive.span, hint=hint, directive=word, name=directive.relation))
    if program.convention == SOUFFLE:  # otherwise rules that name it may be added later
        for life in program.lifetimes:
            if life.relation not in names.arity:
                hint = index.hint(life.relation, UNDECLARED)
                names.findings.append(
                    diagnose("TL210", life.span, hint=hint, directive=".lifetime", name=life.relation)
                )
        for name in (*values_of(program, MAGIC), *values_of(program, NO_MAGIC)):
            if name not in known and name != EVERY:
                hint = index.hint(name, UNDECLARED)
                names.findings.append(diagnose("TL210", None, hint=hint, directive=".pragma", name=name))


def _check_calls(program: Program, functions: Mapping[str, tuple[Function, ...]], names: Names) -> None:
    for fact in program.facts:
        for term in fact.atom.args:
            if isinstance(term, Call):
                _check_term_calls(term, functions, names)
    for rule in program.rules:
        for term in rule.head.args:
            if isinstance(term, Call | Aggregate):
                _check_term_calls(term, functions, names)
        for literal in rule_literals(rule):
            for term in literal_terms(literal):
                if isinstance(term, Call | Aggregate):
                    _check_term_calls(term, functions, names)


def _check_term_calls(term: Term, functions: Mapping[str, tuple[Function, ...]], names: Names) -> None:
    for call in calls(term):
        if call.function == ARGUMENTS:
            continue
        if cast_type(call) is not None or is_structural(call.function):  # parts are counted where a type is known
            continue
        overloads = functions.get(call.function)
        if overloads is None:
            hint = _aggregate_hint(call) or _function_hint(call.function, functions, names)
            names.findings.append(diagnose("TL207", call.span, hint=hint, name=call.function))
        elif not any(takes(function, len(call.args)) for function in overloads):
            expected = _parameter_counts(overloads)
            found = f"{len(call.args)} {'is' if len(call.args) == 1 else 'are'}"
            names.findings.append(
                diagnose(
                    "TL208", call.span, hint=_aggregate_hint(call), name=call.function, expected=expected, found=found
                )
            )


def takes(function: Function, count: int) -> bool:
    """Whether the function can be applied to this number of arguments."""
    least = len(function.params)
    return count >= least - 1 if function.variadic else count == least


def _aggregate_hint(call: Call) -> str | None:
    """How an aggregate is written that was used as a function of one argument; None for other functions."""
    kind = "mean" if call.function == "avg" else call.function
    if kind in PAIRED_AGGREGATES and len(call.args) == 2:
        values = ", ".join(_argument(arg) for arg in call.args)
        return f"An aggregate is written `{kind}<{values}>` in a head, and `{kind}({values}) : {{ ... }}` in a body."
    if kind not in AGGREGATES or len(call.args) > 1:
        return None
    value = next((arg.name for arg in call.args if isinstance(arg, Var)), "*" if kind == "count" else "X")
    inside = "" if kind == "count" else f" {value}"
    return f"An aggregate is written `{kind}<{value}>` in a head, and `{kind}{inside} : {{ ... }}` in a body."


def _argument(term: Term) -> str:
    return term.name if isinstance(term, Var) else term.span.text if term.span is not None else "X"


def _function_hint(name: str, functions: Mapping[str, tuple[Function, ...]], names: Names) -> str | None:
    if name in names.arity:
        return f"`{name}` is a relation: write it as a separate literal of the body, not inside a term."
    near = KnownNames(known for known in functions if known.isidentifier()).nearest(name)
    return None if near is None else f"Did you mean `{near}`?"


def _parameter_counts(overloads: Iterable[Function]) -> str:
    counts = {(len(f.params) - 1 if f.variadic else len(f.params), f.variadic) for f in overloads}
    return " or ".join(_counted(*count) for count in sorted(counts))


def _counted(least: int, variadic: bool) -> str:
    text = counted(least, "argument")
    return f"at least {text}" if variadic else text


def _related(text: str, span: Span | None) -> Iterator[tuple[str, Span]]:
    if span is not None:
        yield (text, span)
