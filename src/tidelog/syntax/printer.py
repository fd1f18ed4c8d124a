"""From program to text.

Law: ``parse_program(print_program(p)) == p`` for every well-formed program (property-tested). Well-formed programs are
those that can be written as a text: identifiers are identifiers, a rule without a body has a label (without one it is a
fact), a disjunction has two branches or more. The convention determines whether symbols may be written without quotes;
without a convention they are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tidelog.program import (
    SOUFFLE,
    Aggregate,
    Atom,
    Boolean,
    Call,
    Column,
    Comparison,
    Component,
    ComponentType,
    Const,
    Constraint,
    Constructor,
    Declaration,
    Directive,
    Disjunction,
    Fact,
    Functor,
    Instance,
    Lifetime,
    Literal,
    Materialize,
    Negation,
    PathAtom,
    Program,
    Rule,
    Term,
    TypeDeclaration,
    Var,
    Wildcard,
)
from tidelog.program.graph.constraint import sugar_label
from tidelog.program.graph.lifetime import duration_text
from tidelog.program.types.casts import CAST, cast_type
from tidelog.program.values.rule import WARN
from tidelog.program.values.structure import MAKE, TEST, is_structural, structure_of
from tidelog.syntax.path_printer import print_path
from tidelog.syntax.terms import BINARY, POWER_LEVEL, UNARY, UNARY_LEVEL
from tidelog.syntax.value_printer import BARE_SYMBOL, RESERVED, write_value
from tidelog.syntax.values import write_string

_BARE_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BARE_LABEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-/][A-Za-z0-9_]+)*")
_QUALIFIED_LABEL = re.compile(rf"(?:[A-Za-z_][A-Za-z0-9_]*\.)*{_BARE_LABEL.pattern}")


def print_term(term: Term, convention: str | None = None) -> str:
    """The text of a term.

    >>> print_term(Call("*", (Call("+", (Var("X"), Const(-1, "number"))), Const("a b", "symbol"))))
    '(X + -1) * "a b"'
    """
    return _Printer(convention).term(term)


def print_atom(atom: Atom, convention: str | None = None) -> str:
    """The text of an atom.

    >>> print_atom(Atom("link", (Var("X"), Wildcard()), 0))
    'link(@X, _)'
    """
    return _Printer(convention).atom(atom)


def print_literal(literal: Literal, convention: str | None = None) -> str:
    """The text of a literal of a body."""
    return _Printer(convention).literal(literal)


def print_rule(rule: Rule, convention: str | None = None) -> str:
    """The text of a rule with its label and period.

    >>> print_rule(Rule(Atom("p", (Var("X"),)), (Negation(Atom("q", (Var("X"),))),), "r1"))
    'r1: p(X) :- !q(X).'
    """
    return _Printer(convention).rule(rule)


def print_fact(fact: Fact, convention: str | None = None) -> str:
    """The text of a fact with its period."""
    return _Printer(convention).atom(fact.atom) + "."


def print_program(program: Program) -> str:
    """The text of a whole program, one clause on a line: types, declarations, directives, keys, facts, rules."""
    lines: list[str] = []
    if (program.convention == SOUFFLE) != bool(program.declarations or program.components or program.instances):
        lines.append(f".convention {program.convention}")
    return "".join(line + "\n" for line in (*lines, *_lines(program)))


def _lines(program: Program) -> Iterator[str]:
    printer = _Printer(program.convention)
    for name, iri in program.prefixes:
        yield f".prefix {name}: <{iri}>"
    for option, value in program.pragmas:
        yield f".pragma {write_string(option)}" + (f" {write_string(value)}" if value else "")
    yield from map(_functor, program.functors)
    yield from map(_type, program.types)
    for component in program.components:
        yield from _component(component)
    yield from map(print_declaration, program.declarations)
    yield from map(print_instance, program.instances)
    yield from map(_directive, program.directives)
    yield from map(_materialize, program.keys)
    yield from map(_lifetime, program.lifetimes)
    yield from (printer.atom(fact.atom) + "." for fact in program.facts)
    yield from map(printer.rule, program.rules)


def _component(item: Component) -> Iterator[str]:
    bases = ", ".join(map(_component_type, item.bases))
    yield f".comp {_component_type(ComponentType(item.name, item.params))}{' : ' if bases else ''}{bases} {{"
    yield from (f"    .override {name}" for name in item.overrides)
    yield from (f"    {line}" for line in _lines(item.content))
    yield "}"


def print_instance(item: Instance) -> str:
    """The text of an instance, `.init` before it."""
    return f".init {item.name} = {_component_type(item.type)}"


def _component_type(item: ComponentType) -> str:
    return item.name + (f"<{', '.join(item.args)}>" if item.args else "")


def print_label(label: str, convention: str | None = None) -> str:
    """A label as it is written before a rule: bare if possible, otherwise in quotes."""
    bare = _QUALIFIED_LABEL if convention == SOUFFLE else _BARE_LABEL
    return label if bare.fullmatch(label) else write_string(label)


class _Printer:
    """Prints under one convention."""

    def __init__(self, convention: str | None) -> None:
        self.convention = convention
        self.remainder = "%" if convention == SOUFFLE else "mod"

    def rule(self, rule: Rule) -> str:
        label = "" if rule.label is None else print_label(rule.label, self.convention) + ": "
        if rule.constraint is not None:
            return self._constraint(rule, rule.constraint, label)
        body = " :- " + self.body(rule.body) if rule.body else ""
        if rule.subsumes:
            body = f" <= {self.literal(rule.body[1])} :- {self.body(rule.body[2:])}"
        orders = ", ".join(f"{version}:({', '.join(map(str, order))})" for version, order in rule.plans)
        return f"{label}{self.atom(rule.head)}{body}." + (f" .plan {orders}" if orders else "")

    def _constraint(self, rule: Rule, constraint: Constraint, label: str) -> str:
        text = f"{label}:- {self.body(rule.body)}."
        if constraint.says is not None:
            named = "" if rule.label in (None, sugar_label(constraint.says)) else f" as {label[:-2]}"
            text = f".{sugar_label(constraint.says)}{named}"
        return text + (f" .constraint {label[:-2]} severity({WARN})" if constraint.severity == WARN else "")

    def body(self, body: Iterable[Literal]) -> str:
        return ", ".join(map(self.literal, body))

    def literal(self, literal: Literal) -> str:
        match literal:
            case Atom():
                return self.atom(literal)
            case Negation(atom=atom):
                return "!" + self.atom(atom)
            case Comparison(op=op, left=left, right=right):
                return f"{self.term(left)} {op} {self.term(right)}"
            case Boolean(value=value):
                return "true" if value else "false"
            case Disjunction(branches=branches):
                return "(" + "; ".join(map(self.body, branches)) + ")"
            case PathAtom(path=path, source=source, target=target, negated=negated):
                return f"{'!' * negated}{print_path(path)}({self.term(source)}, {self.term(target)})"

    def atom(self, atom: Atom) -> str:
        if not atom.args:
            return atom.predicate if self._stands_alone(atom.predicate) else atom.predicate + "()"
        args = [self.term(arg) for arg in atom.args]
        if atom.location is not None:
            args[atom.location] = self._located(atom.args[atom.location])
        return f"{atom.predicate}({', '.join(args)})"

    def _located(self, term: Term) -> str:
        text = self.term(term)
        # Soufflé reads `@f(x)` as a functor in C++; brackets distinguish the two
        return f"@({text})" if isinstance(term, (Call, Aggregate)) else f"@{text}"

    def _stands_alone(self, name: str) -> bool:
        return name not in RESERVED and (BARE_SYMBOL.fullmatch(name) is not None)

    def term(self, term: Term, level: int = 0) -> str:
        match term:
            case Var(name=name):
                return name
            case Wildcard():
                return "_"
            case Const():
                return self._constant(term, level)
            case Call():
                return self._call(term, level)
            case Aggregate():
                return self._aggregate(term)

    def _constant(self, const: Const, level: int) -> str:
        text = write_value(const.value, const.type, self.convention, zoned=const.zoned)
        return f"({text})" if text[0] == "-" and level > UNARY_LEVEL else text

    def _call(self, call: Call, level: int) -> str:
        name, args = call.function, call.args
        if name == "list" or is_structural(name):
            return self._structure(name, args)
        if name == CAST:
            return f"as({self.term(args[0])}, {cast_type(call)})"
        if len(args) == 2 and name in BINARY:
            return self._binary(name, args[0], args[1], level)
        if len(args) == 1 and name in UNARY:
            return self._unary(name, args[0], level)
        return f"{name}({', '.join(map(self.term, args))})"

    def _structure(self, name: str, args: tuple[Term, ...]) -> str:
        """A list, a record or a variant; functions that read or test one are printed as calls."""
        inner = ", ".join(map(self.term, args))
        found = structure_of(name)
        if found is not None and found.kind != MAKE:
            what = f"${found.constructor}" if found.constructor else found.type.lstrip("'")
            return f"is({inner}, {what})" if found.kind == TEST else f"part({inner}, {what}, {found.place + 1})"
        if name[0] == "$":
            return f"{name.partition(' ')[0]}({inner})" if args else name.partition(" ")[0]
        return f"[{inner}]"

    def _binary(self, name: str, left: Term, right: Term, level: int) -> str:
        binding = BINARY[name]
        power = binding == POWER_LEVEL
        sign = self.remainder if name == "%" else name
        text = f"{self.term(left, binding + power)} {sign} {self.term(right, binding + (not power))}"
        return f"({text})" if binding < level else text

    def _unary(self, name: str, operand: Term, level: int) -> str:
        # a bare number after a minus would be read as a negative constant
        inner = f"({self.term(operand)})" if isinstance(operand, Const) else self.term(operand, POWER_LEVEL)
        text = f"{name}{inner}" if name == "-" else f"{name} {inner}"
        return f"({text})" if level > UNARY_LEVEL else text

    def _aggregate(self, aggregate: Aggregate) -> str:
        arguments, distinct = aggregate.arguments, ""
        inner = ", ".join(map(self.term, arguments))
        if aggregate.distinct:
            distinct = "distinct "
            inner = distinct + ", ".join([self._aggregated(arguments[0]), *map(self.term, arguments[1:])])
        if aggregate.body is None:
            return f"{aggregate.kind}<{inner or '*'}>"
        value = f"({inner})" if len(arguments) > 1 else ""
        if len(arguments) == 1:
            value = f" {distinct}{self._aggregated(arguments[0])}"
        return f"{aggregate.kind}{value} : {{ {self.body(aggregate.body)} }}"

    def _aggregated(self, value: Term) -> str:
        """The aggregated term, in brackets unless it is a plain name, because `sum (a) * b` begins like a function."""
        text = self.term(value)
        return text if isinstance(value, Var) else f"({text})"


def _type(item: TypeDeclaration) -> str:
    if item.constructors:
        return f".type {item.name} = {' | '.join(map(_constructor, item.constructors))}"
    return f".type {item.name} {'<:' if item.subtype else '='} {' | '.join(item.bases)}"


def _constructor(constructor: Constructor) -> str:
    fields = ", ".join(f"{field.name}: {field.type}" for field in constructor.fields)
    return f"{constructor.name} {{{fields}}}" if constructor.name else f"[{fields}]"


def print_declaration(item: Declaration) -> str:
    """The text of a declaration."""
    words = "".join(f" {word}" for word in item.qualifiers)
    if item.domains:
        words += f" choice-domain {', '.join(_domain(item, domain) for domain in item.domains)}"
    return f".decl {item.relation}({', '.join(map(_column, item.columns))}){words}"


def _column(column: Column) -> str:
    default = "" if column.default is None else f" = {print_term(column.default, SOUFFLE)}"
    return f"{column.name}: {column.type}{default}"


def _domain(item: Declaration, domain: tuple[int, ...]) -> str:
    names = [item.columns[place].name for place in domain]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _param(value: str) -> str:
    return value if _BARE_WORD.fullmatch(value) else write_string(value)


def _directive(item: Directive) -> str:
    params = ", ".join(f"{name}={_param(value)}" for name, value in item.params)
    return f".{item.kind} {item.relation}" + (f"({params})" if params else "")


def _functor(item: Functor) -> str:
    return f".functor {item.name}({', '.join(item.params)}): {item.result}"


def _lifetime(item: Lifetime) -> str:
    by = "" if item.column is None else f" by {item.column}"
    return f".lifetime {item.relation} {duration_text(item.microseconds)}{by}"


def _materialize(item: Materialize) -> str:
    lifetime, size = ("infinity" if amount is None else str(amount) for amount in (item.lifetime, item.size))
    return f"materialize({item.relation}, {lifetime}, {size}, keys({', '.join(map(str, item.keys))}))."
