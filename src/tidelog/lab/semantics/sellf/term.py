"""Terms of SELLF: variables, values, rows of terms and applied functions.

Law: a closed term has one value, and two closed terms are equal when their values are. Rows are tuples of values, as
tables hold them. Functions mean what the language says (`semantics.term`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tidelog.lab.semantics.fact import value_text
from tidelog.lab.semantics.term import evaluate, type_of
from tidelog.program import Call as FunctionCall
from tidelog.program import Const, Value


@dataclass(frozen=True, slots=True)
class VariableTerm:
    """A variable that a quantifier binds, or an eigenvariable."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """A value."""

    value: Value

    def __str__(self) -> str:
        return value_text(self.value)


@dataclass(frozen=True, slots=True)
class RowTerm:
    """A list of terms: the arguments of a tuple."""

    parts: tuple[Term, ...]

    def __str__(self) -> str:
        return f"[{','.join(map(str, self.parts))}]"


@dataclass(frozen=True, slots=True)
class FunctionTerm:
    """A function of the language applied to terms."""

    function: str
    args: tuple[Term, ...]

    def __str__(self) -> str:
        return f"{self.function}({','.join(map(str, self.args))})"


Term: TypeAlias = VariableTerm | ConstantTerm | RowTerm | FunctionTerm
Substitution: TypeAlias = Mapping[str, Term]


def free(term: Term) -> Iterator[str]:
    """The names of the variables of a term."""
    match term:
        case VariableTerm(name):
            yield name
        case RowTerm(parts) | FunctionTerm(_, parts):
            for part in parts:
                yield from free(part)


def replaced(term: Term, by: Substitution) -> Term:
    """The term with variables replaced; what is closed then is its value, but a function waits for its test.

    >>> print(replaced(RowTerm((VariableTerm("X"), ConstantTerm(2))), {"X": ConstantTerm(1)}))
    [1,2]
    """
    match term:
        case VariableTerm(name):
            return by.get(name, term)
        case RowTerm(parts):
            done = tuple(replaced(part, by) for part in parts)
            values = tuple(part.value for part in done if isinstance(part, ConstantTerm))
            return ConstantTerm(values) if len(values) == len(done) else RowTerm(done)
        case FunctionTerm(function, args):
            return FunctionTerm(function, tuple(replaced(arg, by) for arg in args))
        case _:
            return term


def value_of(term: Term) -> Value:
    """The value of a closed term; a variable in it is a KeyError.

    >>> value_of(FunctionTerm("+", (ConstantTerm(1), ConstantTerm(2))))
    3
    """
    match term:
        case ConstantTerm(value):
            return value
        case RowTerm(parts):
            return tuple(value_of(part) for part in parts)
        case FunctionTerm(function, args):
            values = (value_of(arg) for arg in args)
            return evaluate(FunctionCall(function, tuple(Const(value, type_of(value)) for value in values)), {})
        case VariableTerm(name):
            raise KeyError(name)
