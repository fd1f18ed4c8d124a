"""Reading fragments of programs: one rule, some rules, an atom, a query, a fact.

Law: a fragment is read exactly as it would be inside a program of the same convention; the period at its end may be
omitted. In ground places a bare identifier is a symbol under either convention (D7).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from tidelog.errors import Diagnostic
from tidelog.program import PROLOG, SOUFFLE, Atom, Component, Fact, Instance, Literal, Program, Rule, Wildcard
from tidelog.program.values.program import SEPARATOR
from tidelog.program.values.term import subterms
from tidelog.syntax.clauses import ground_places, is_open
from tidelog.syntax.cursor import SyntaxFailure
from tidelog.syntax.prefixes import Prefixes
from tidelog.syntax.reader import Findings, ProgramReader, raise_errors, tokens_of
from tidelog.syntax.sources import source_of
from tidelog.syntax.tokens import END, Token

Value = TypeVar("Value")


def parse_rules(
    text: str | bytes, *, convention: str | None = None, name: str = "<rules>", prefixes: Prefixes = ()
) -> tuple[Rule, ...]:
    """The rules of a text; a fact among them is a rule with an empty body."""
    return _read(text, name, convention, _rules, prefixes=prefixes)


def read_rules(
    text: str | bytes, *, convention: str | None = None, name: str = "<rules>", prefixes: Prefixes = ()
) -> tuple[tuple[Rule, ...], tuple[Diagnostic, ...]]:
    """The rules of a text, as returned by `parse_rules`, and the warnings about them."""
    findings = Findings()
    return _read(text, name, convention, _rules, findings, prefixes), findings.in_order()


def parse_body(
    text: str | bytes, *, convention: str | None = None, name: str = "<query>", prefixes: Prefixes = ()
) -> tuple[Literal, ...]:
    """The literals of a body.

    >>> len(parse_body("edge(X, Y), X < Y"))
    2
    """
    return _read(text, name, convention, _body, prefixes=prefixes)


def parse_rule(
    text: str | bytes, *, convention: str | None = None, name: str = "<rule>", prefixes: Prefixes = ()
) -> Rule:
    """The only rule of a text.

    >>> parse_rule("reach(X, Y) :- edge(X, Y)").head.predicate
    'reach'
    """
    return _read(text, name, convention, _rule, prefixes=prefixes)


def parse_instance(text: str | bytes, *, name: str = "<instance>") -> tuple[tuple[Component, ...], Instance]:
    """The only instance of a text, and the components that the text declares before it.

    >>> parse_instance(".init g = Graph<City>")[1].type
    ComponentType(name='Graph', args=('City',))
    """
    return _read(text, name, SOUFFLE, _instance)


def parse_atom(
    text: str | bytes, *, convention: str | None = None, name: str = "<atom>", prefixes: Prefixes = ()
) -> Atom:
    """The atom of a text."""
    return _read(text, name, convention, _atom, prefixes=prefixes)


def parse_query(
    text: str | bytes, convention: str | None = None, *, name: str = "<query>", prefixes: Prefixes = ()
) -> Atom:
    """The queried atom; answers bind its variables.

    >>> parse_query("reach(0, X)").args
    (Const(value=0, type='number'), Var(name='X'))
    """
    return _read(text, name, convention, _atom, prefixes=prefixes)


def parse_ground_atom(text: str | bytes, *, name: str = "<fact>", prefixes: Prefixes = ()) -> Atom:
    """A ground atom; bare identifiers are symbols.

    >>> parse_ground_atom("likes(Ann, bob)").args
    (Const(value='Ann', type='symbol'), Const(value='bob', type='symbol'))
    """
    return _read(text, name, _ground_convention(text), _ground_atom, prefixes=prefixes)


def _ground_convention(text: str | bytes) -> str:
    """The convention of a ground atom, which only determines whether the relation's name may contain periods."""
    before = text.split("(", 1)[0] if isinstance(text, str) else text.split(b"(", 1)[0].decode("utf-8", "replace")
    return SOUFFLE if SEPARATOR in before.strip().rstrip(SEPARATOR) else PROLOG


def parse_fact(text: str | bytes, *, name: str = "<fact>") -> Fact:
    """A ground atom as a fact."""
    atom = parse_ground_atom(text, name=name)
    return Fact(atom, atom.span)


def _read(
    text: str | bytes,
    name: str,
    convention: str | None,
    read: Callable[[ProgramReader], Value],
    findings: Findings | None = None,
    prefixes: Prefixes = (),
) -> Value:
    findings = Findings() if findings is None else findings
    source = source_of(name, text, findings.report)
    tokens = _with_period(tokens_of(source, convention or PROLOG, findings))
    reader = ProgramReader(tokens, convention or PROLOG, findings, prefixes)
    reader.takes_severity = True
    value: Value | None = None
    try:
        value = read(reader)
    except SyntaxFailure as failure:
        findings.report(failure.diagnostic)
    raise_errors(findings.in_order())
    assert value is not None, "reading gives a value or an error"
    return value


def _with_period(tokens: list[Token]) -> list[Token]:
    """The tokens with a period at the end, if there is none."""
    if len(tokens) < 2 or tokens[-2].kind == ".":
        return tokens
    last, end = tokens[-2], tokens[-1]
    return [*tokens[:-1], Token(".", "", last.end, last.end, last.source), end]


def _rules(reader: ProgramReader) -> tuple[Rule, ...]:
    rules: list[Rule] = []
    while reader.token.kind != END and not reader.findings.full:
        start = reader.at
        try:
            rules.extend(_as_rule(value) for value in reader.clause())
            reader.warn_of_capitals()
        except SyntaxFailure as failure:
            reader.findings.report(failure.diagnostic)
            reader.recover(start, failure.diagnostic.code)
    return tuple(rules)


def _rule(reader: ProgramReader) -> Rule:
    rules = [_as_rule(value) for value in reader.clause()]
    if len(rules) > 1:
        raise reader.failure("TL100", rules[1].head.span, expected="one rule with one head", found="several")
    _expect_end(reader, "one rule")
    return rules[0]


def _instance(reader: ProgramReader) -> tuple[tuple[Component, ...], Instance]:
    program = reader.read()
    rest = replace(program, components=(), instances=())
    if len(program.instances) != 1 or rest != Program(convention=SOUFFLE):
        raise reader.failure("TL100", expected="components and one `.init`", found="something else")
    return program.components, program.instances[0]


def _body(reader: ProgramReader) -> tuple[Literal, ...]:
    body = reader.body()
    if not reader.accept("."):
        raise reader.unexpected("`,`, `;` or the end of the query")
    reader.refuse_depth(0, [], body)
    _expect_end(reader, "one query")
    return body


def _as_rule(value: Rule | Fact) -> Rule:
    return value if isinstance(value, Rule) else Rule(value.atom, (), None, value.span)


def _atom(reader: ProgramReader) -> Atom:
    atom = reader.atom()
    if not reader.accept("."):
        raise reader.unexpected("the end of the atom")
    reader.refuse_depth(0, [atom])
    _expect_end(reader, "one atom")
    return atom


def _expect_end(reader: ProgramReader, expected: str) -> None:
    if reader.token.kind != END:
        raise reader.failure("TL100", expected=f"only {expected}", found=reader.describe_token())


def _ground_atom(reader: ProgramReader) -> Atom:
    atom = ground_places(_atom(reader))
    for term in (t for arg in atom.args for t in subterms(arg)):
        if is_open(term):
            raise reader.failure("TL124", term.span, found="`_`" if isinstance(term, Wildcard) else "an aggregate")
    return atom
