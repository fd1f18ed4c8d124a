"""Expressions of SPARQL as terms of rules: calls of the function `sparql`, which yields the empty text for an error.

Law: a filter is a conjunction of conditions, each of which is a literal that holds exactly if its expression is true.
Comparisons of terms that need no values are literals of the language, so that they are joined by index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tidelog.program.functions.sparql import NAMES, TRUE
from tidelog.syntax.sparql.algebra import canonical, is_variable, unsupported
from tidelog.syntax.sparql.names import VariableNames
from tidelog.syntax.sparql.tables import UNBOUND, Variables
from tidelog.syntax.values import write_string

NEVER = "1 = 2"
_SAME = {"ISURI": "ISIRI", "URI": "IRI"}
_TESTED = ("&&", "||", "!", "IN", "NOT IN", "=", "!=", "<", ">", "<=", ">=")
_ARGUMENTS = ("arg", "text", "arg1", "arg2", "arg3", "pattern", "start", "length", "flags")
EXISTS = ("Builtin_EXISTS", "Builtin_NOTEXISTS")


def conjuncts(expression: Any) -> Iterator[Any]:
    """The conditions of a conjunction."""
    kind = getattr(expression, "name", "")
    if kind == "ConditionalAndExpression":
        for part in (expression.expr, *expression.other):
            yield from conjuncts(part)
    elif expression is not None and kind != "TrueFilter":
        yield expression


def variables_of(expression: Any) -> Iterator[Any]:
    """The variables that an expression reads, those of patterns in it excepted."""
    if is_variable(expression):
        yield expression
    elif isinstance(expression, list | tuple):
        for part in expression:
            yield from variables_of(part)
    elif isinstance(expression, dict) and getattr(expression, "name", "") not in EXISTS:
        for key, part in expression.items():
            if key != "_vars":
                yield from variables_of(part)


class Expressions:
    """Writes expressions over some variables."""

    def __init__(self, names: VariableNames, variables: Variables, outer: Sequence[str] = ()) -> None:
        self._names, self._variables, self._outer = names, variables, outer

    def condition(self, expression: Any) -> str:
        """A literal that holds if the expression is true."""
        kind = getattr(expression, "name", "")
        if kind == "Builtin_BOUND":
            return self._bound(expression, "!=")
        if kind == "UnaryNot" and getattr(expression.expr, "name", "") == "Builtin_BOUND":
            return self._bound(expression.expr, "=")
        if kind == "RelationalExpression" and expression.op == "=":
            for one, other in ((expression.expr, expression.other), (expression.other, expression.expr)):
                if type(one).__name__ == "URIRef" and is_variable(other):
                    return f"{self.term(other)} = {self.term(one)}"
        text = self.term(expression)
        if not text.startswith(tuple(f'sparql("{name}"' for name in _TESTED)):
            text = _call("&&", text, write_string(TRUE))
        return f"{text} = {write_string(TRUE)}"

    def _bound(self, expression: Any, sign: str) -> str:
        return f"{self.term(expression.arg)} {sign} {UNBOUND}"

    def term(self, expression: Any) -> str:
        """The term of a rule whose value is that of the expression."""
        if is_variable(expression):
            name = self._names.of(expression)
            if name in self._outer and name not in self._variables:
                unsupported(f"a nested group that reads ?{expression} of the pattern around EXISTS")
            return name if name in self._variables else UNBOUND
        kind = getattr(expression, "name", None)
        if kind is None:
            return write_string(canonical(expression))
        if kind in EXISTS:
            unsupported("EXISTS inside of another expression")
        if kind.startswith("Builtin_"):
            return self._builtin(kind.removeprefix("Builtin_").upper(), expression)
        return self._operator(kind, expression)

    def _operator(self, kind: str, expression: Any) -> str:
        match kind:
            case "ConditionalOrExpression" | "ConditionalAndExpression":
                sign = "||" if kind == "ConditionalOrExpression" else "&&"
                return _call(sign, self.term(expression.expr), *map(self.term, expression.other))
            case "RelationalExpression" if expression.op in ("IN", "NOT IN"):
                others = expression.other if isinstance(expression.other, list) else []
                return _call(expression.op, self.term(expression.expr), *map(self.term, others))
            case "RelationalExpression":
                return _call(expression.op, self.term(expression.expr), self.term(expression.other))
            case "AdditiveExpression" | "MultiplicativeExpression":
                text = self.term(expression.expr)
                for sign, other in zip(expression.op, expression.other, strict=True):
                    text = _call(sign, text, self.term(other))
                return text
            case "UnaryNot":
                return _call("!", self.term(expression.expr))
            case "UnaryMinus":
                return _call("NEGATE", self.term(expression.expr))
            case "UnaryPlus":
                return self.term(expression.expr)
            case "Function":
                unsupported(f"the function <{expression.iri}>")
        unsupported(kind)
        raise AssertionError(kind)

    def _builtin(self, written: str, expression: Any) -> str:
        name = _SAME.get(written, written)
        if name not in NAMES:
            unsupported(f"the function {written}")
        args: list[Any] = []
        for place in _ARGUMENTS:
            given = dict.get(expression, place)  # that of rdflib returns the name itself
            if given is not None:
                args += given if isinstance(given, list) else [given]
        if name == "REGEX" and len(args) == 3 and str(args[2]) not in ("", "i"):
            unsupported(f"the flag {str(args[2])!r} of REGEX")
        return _call(name, *map(self.term, args))


def _call(name: str, *terms: str) -> str:
    return f'sparql("{name}"{"".join(f", {term}" for term in terms)})'
