"""A state of a positive program as text for the checker that is extracted from the proofs.

Law: two names, values or variables are written as the same word only if they are the same, so the text is exactly
equivalent to the state: its core rules, its strata, the facts with their ranks, and which of them are asserted. The
format is described in proofs/FORMAT.md. Nothing is checked here; rules that are not plain positive Datalog are refused,
because the proofs do not cover them (`tidelog.verify.check` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import count
from urllib.parse import quote

from tidelog.program import Atom, Call, Const, Rule, Var, Wildcard
from tidelog.program.values.state import EngineState
from tidelog.program.values.term import Term, canonical_float
from tidelog.syntax import print_rule
from tidelog.verify import verify_failures as failures

HEADER = "tidelog-positive 1"


def export_positive(state: EngineState) -> str:
    """The state as text; an error if one of its rules has more than atoms over variables and constants.

    >>> from tidelog.program import Atom, Rule, Var
    >>> from tidelog.program.values.state import FactState
    >>> rule = Rule(Atom("p", (Var("X"),)), (Atom("e", (Var("X"), Wildcard())),), "r1")
    >>> facts = {"e": {(1, "a b"): FactState(0, 1, 1, True)}, "p": {(1,): FactState(1, 1, 1, False)}}
    >>> print(export_positive(EngineState(facts, (rule,), (frozenset({"p"}),), {})), end="")
    tidelog-positive 1
    stratum p 1
    rule r1 | p ?X | e ?X ?.1
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
    for name, facts in state.facts.items():
        yield from (f"base {_ground(name, row)}" for row, fact in facts.items() if fact.base)
    for name, facts in state.facts.items():
        yield from (f"fact {fact.rank} {_ground(name, row)}" for row, fact in facts.items())
    yield "end"


def _rule(rule: Rule, number: int) -> str:
    fresh = count(1)
    body = [literal if isinstance(literal, Atom) else _refuse(rule, literal) for literal in rule.body]
    atoms = (_atom(atom, rule, fresh) for atom in (rule.head, *body))
    return " | ".join([f"rule {_name(rule.label or f'rule-{number}')}", *atoms])


def _atom(atom: Atom, rule: Rule, fresh: Iterator[int]) -> str:
    return " ".join([_name(atom.predicate), *(_term(arg, rule, fresh) for arg in atom.args)])


def _term(term: Term, rule: Rule, fresh: Iterator[int]) -> str:
    if isinstance(term, Var):
        return f"?{_name(term.name)}"
    if isinstance(term, Wildcard):
        return f"?.{next(fresh)}"  # no variable has a dot in its name
    return _value(_constant(term, rule))


def _constant(term: Term, rule: Rule) -> object:
    """The value of a constant, or of a list of constants."""
    if isinstance(term, Const):
        return term.value
    if isinstance(term, Call) and term.function == "list":
        return tuple(_constant(arg, rule) for arg in term.args)
    return _refuse(rule, term)


def _ground(name: str, row: Iterable[object]) -> str:
    return " ".join([_name(name), *map(_value, row)])


def _value(value: object) -> str:
    """A word for a value: a letter for its kind, and its text. Truth values are the numbers 0 and 1 (D14)."""
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
    raise failures.POSITIVE_VALUE.error(type=type(value).__name__, value=value)


def _name(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _refuse(rule: Rule, part: object) -> Atom:
    kind = type(part).__name__.lower()
    raise failures.NOT_POSITIVE.error(rule=print_rule(rule.root), kind=kind)
