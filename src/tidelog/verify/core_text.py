"""A state as text for the checker that is extracted from the proofs.

Law: two names, values or variables are written as the same word only if they are the same, so the text is exactly
equivalent to the state: its core rules, its strata, the facts with their ranks, and which of them are asserted. If a
rule orders values, their words are listed in ascending order. The format is described in proofs/FORMAT.md. Nothing is
checked here; rules with functions or aggregates are refused, because the proofs do not cover them
(`tidelog.verify.check` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import count
from typing import cast
from urllib.parse import quote

from tidelog.program import Atom, Call, Comparison, Const, Literal, Negation, Rule, Value, Var, Wildcard
from tidelog.program.functions.calendar import in_utc, to_python
from tidelog.program.functions.table import order_key
from tidelog.program.values.state import EngineState
from tidelog.program.values.term import Term, canonical_float
from tidelog.syntax import print_rule
from tidelog.verify import verify_failures as failures

HEADER = "tidelog-core 1"
MIRRORED = {">": "<", ">=": "<="}
ORDERS = ("<", "<=", ">", ">=")


def export_core(state: EngineState) -> str:
    """The state as text; an error if one of its rules has a function or an aggregate.

    >>> from tidelog.program import Atom, Rule, Var
    >>> from tidelog.program.values.state import FactState
    >>> body = (Atom("e", (Var("X"), Wildcard())), Negation(Atom("q", (Var("X"),))))
    >>> rule = Rule(Atom("p", (Var("X"),)), body, "r1")
    >>> facts = {"e": {(1, "a b"): FactState(0, 1, 1, True)}, "p": {(1,): FactState(1, 1, 1, False)}}
    >>> print(export_core(EngineState(facts, (rule,), (frozenset({"p"}),), {})), end="")
    tidelog-core 1
    stratum p 1
    rule r1 | p ?X | e ?X ?.1 | ! q ?X
    base e n:1 s:a%20b
    fact 0 e n:1 s:a%20b
    fact 1 p n:1
    end
    """
    return "".join(f"{line}\n" for line in _lines(state))


def _lines(state: EngineState) -> Iterator[str]:
    yield HEADER
    for number, stratum in enumerate(state.strata, 1):
        yield from (f"stratum {_name(name)} {number}" for name in sorted(stratum))
    yield from (_rule(rule, number) for number, rule in enumerate(state.rules, 1))
    if any(isinstance(literal, Comparison) and literal.op in ORDERS for rule in state.rules for literal in rule.body):
        yield from (f"value {word}" for word in _ascending(_values(state)))
    for name, facts in state.facts.items():
        yield from (f"base {_ground(name, row)}" for row, fact in facts.items() if fact.base)
    for name, facts in state.facts.items():
        yield from (f"fact {fact.rank} {_ground(name, row)}" for row, fact in facts.items())
    yield "end"


@dataclass(frozen=True, slots=True)
class _Body:
    """The literals of a rule by kind. A variable that only an equation binds is replaced by its value."""

    atoms: tuple[Atom, ...]
    absent: tuple[Atom, ...]
    tests: tuple[Comparison, ...]
    values: Mapping[str, Term]


def _body(rule: Rule) -> _Body:
    atoms, absent, tests = [], [], []
    for literal in rule.body:
        match literal:
            case Atom():
                atoms.append(literal)
            case Negation(atom=atom) if not any(isinstance(arg, Wildcard) for arg in atom.args):
                absent.append(atom)
            case Comparison():
                tests.append(literal)
            case _:
                _refuse(rule, literal)
    bound: dict[str, Term] = {arg.name: arg for atom in atoms for arg in atom.args if isinstance(arg, Var)}
    while (found := next((t for t in tests if _assigned(t, bound)), None)) is not None:
        tests.remove(found)
        variable, term = _assigned(found, bound) or (Var(""), found.right)
        bound[variable.name] = bound[term.name] if isinstance(term, Var) else term
    return _Body(tuple(atoms), tuple(absent), tuple(tests), bound)


def _assigned(test: Comparison, bound: Mapping[str, Term]) -> tuple[Var, Term] | None:
    """The variable that an equation binds, and the term that it equals."""
    if test.op == "=":
        for here, there in ((test.left, test.right), (test.right, test.left)):
            known = there.name in bound if isinstance(there, Var) else True
            if isinstance(here, Var) and here.name not in bound and known:
                return here, there
    return None


def _rule(rule: Rule, number: int) -> str:
    fresh = count(1)
    body = _body(rule)

    def term(term: Term) -> str:
        return _term(body.values.get(term.name, term) if isinstance(term, Var) else term, rule, fresh)

    def atom(atom: Atom) -> str:
        return " ".join([_name(atom.predicate), *map(term, atom.args)])

    def test(test: Comparison) -> str:
        sides = (test.right, test.left) if test.op in MIRRORED else (test.left, test.right)
        return " ".join([MIRRORED.get(test.op, test.op), *map(term, sides)])

    parts = [*map(atom, (rule.head, *body.atoms)), *(f"! {atom(a)}" for a in body.absent), *map(test, body.tests)]
    return " | ".join([f"rule {_name(rule.label or f'rule-{number}')}", *parts])


def _term(term: Term, rule: Rule, fresh: Iterator[int]) -> str:
    if isinstance(term, Var):
        return f"?{_name(term.name)}"
    if isinstance(term, Wildcard):
        return f"?.{next(fresh)}"  # no variable has a dot in its name
    return _value(_constant(term, rule))


def _constant(term: Term, rule: Rule) -> object:
    """The value of a constant, or of a list of constants."""
    if isinstance(term, Const):
        return to_python(term.value, term.type)
    if isinstance(term, Call) and term.function == "list":
        return tuple(_constant(arg, rule) for arg in term.args)
    return _refuse(rule, term)


def _values(state: EngineState) -> Iterator[object]:
    """The values of all facts and rules."""
    yield from (value for facts in state.facts.values() for row in facts for value in row)
    for rule in state.rules:
        terms = [arg for atom in (rule.head, *rule.body) for arg in _sides(atom)]
        yield from (_constant(term, rule) for term in terms if not isinstance(term, Var | Wildcard))


def _sides(literal: Literal) -> tuple[Term, ...]:
    match literal:
        case Atom(args=args) | Negation(atom=Atom(args=args)):
            return args
        case Comparison(left=left, right=right):
            return left, right
    return ()


def _ascending(values: Iterable[object]) -> Iterator[str]:
    """The words of values, those of one type in ascending order. Lists have no order in the language."""
    words = {_value(value): value for value in values}
    kinds: dict[str, list[str]] = {}
    for word, value in words.items():
        kinds.setdefault(type(value).__name__ if isinstance(value, date) else word[0], []).append(word)
    for kind in sorted(kinds):
        yield from sorted(kinds[kind], key=(str if kind == "l" else lambda word: order_key(cast(Value, words[word]))))


def _ground(name: str, row: Iterable[object]) -> str:
    return " ".join([_name(name), *map(_value, row)])


def _value(value: object) -> str:
    """A word for a value: a letter for its kind, and its text. Truth values are the numbers 0 and 1 (D14)."""
    value = in_utc(value)
    if isinstance(value, int):
        return f"n:{int(value)}"
    if isinstance(value, float):
        return f"f:{canonical_float(value).hex()}"
    if isinstance(value, str):
        return f"s:{_name(value)}"
    if isinstance(value, date):
        return f"d:{_name(value.isoformat())}"
    if isinstance(value, tuple):
        return f"l:({','.join(map(_value, value))})"
    raise failures.CORE_VALUE.error(type=type(value).__name__, value=value)


def _name(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _refuse(rule: Rule, part: object) -> Atom:
    kind = {Call: "function", Negation: "negation with `_`"}.get(type(part), type(part).__name__.lower())
    raise failures.NOT_CORE.error(rule=print_rule(rule.root), kind=kind)
