"""Property paths of SPARQL: literals between two terms.

Law: sequences, alternatives and negated sets count each way that they match, in hidden variables, if duplicates matter;
repetitions are sets of pairs and become path expressions of the language. An empty path connects every node of the
graph with itself, and also a term of the query that is not in the graph.
"""

from __future__ import annotations

from typing import Any

from tidelog.syntax.sparql.algebra import canonical, unsupported
from tidelog.syntax.sparql.tables import RuleWriter, write_atom
from tidelog.syntax.values import write_string

Found = tuple[list[str], list[str]]  # literals, and hidden variables


class PathWriter:
    """Writes property paths over a relation of triples."""

    def __init__(self, writer: RuleWriter, triples: str) -> None:
        self._writer, self._triples = writer, triples

    def between(self, start: str, path: Any, end: str, counts: bool) -> Found:
        """The literals of a path between two terms."""
        match type(path).__name__:
            case "URIRef":
                return [write_atom(self._triples, (start, write_string(canonical(path)), end))], []
            case "InvPath":
                return self.between(end, path.arg, start, counts)
            case "SequencePath":
                return self._sequence(start, path.args, end, counts)
            case "AlternativePath":
                return self._alternatives(start, path.args, end, counts)
            case "NegatedPath":
                return self._negated(start, path.args, end, counts)
        return self._repeated(start, path, end)

    def _sequence(self, start: str, steps: list[Any], end: str, counts: bool) -> Found:
        literals, hidden = [], []
        for place, step in enumerate(steps):
            last = place == len(steps) - 1
            following = end if last else self._writer.variable()
            found = self.between(start, step, following, counts)
            literals += found[0]
            hidden += found[1] if last else [*found[1], following]
            start = following
        return literals, hidden if counts else []

    def _alternatives(self, start: str, steps: list[Any], end: str, counts: bool) -> Found:
        name, found = self._writer.relation(), [self.between(start, step, end, counts) for step in steps]
        most = max(len(hidden) for _, hidden in found)
        ends = [term for term in dict.fromkeys((start, end)) if not term.startswith('"')]
        for place, (literals, hidden) in enumerate(found):
            tags = [f'"{place}"', *hidden, *['""'] * (most - len(hidden))] if counts else []
            self._writer.add(name, (*ends, *tags), literals)
        shown = [self._writer.variable() for _ in range(most + 1)] if counts else []
        return [write_atom(name, (*ends, *shown))], shown

    def _negated(self, start: str, members: list[Any], end: str, counts: bool) -> Found:
        if any(getattr(member, "name", "") == "InversePath" for member in members):  # rdflib does not keep its IRI
            unsupported("`^` in a negated property set (write `!(a|^b)` as `!a|^(!b)`)")
        label = self._writer.variable()
        literals = [write_atom(self._triples, (start, label, end))]
        literals += [f"{label} != {write_string(canonical(member))}" for member in members]
        return literals, [label] if counts else []

    def _repeated(self, start: str, path: Any, end: str) -> Found:
        text = f"{self._expression(path)}({start}, {end})"
        constants = [term for term in (start, end) if term.startswith('"')]
        if not constants or not _may_be_empty(path):
            return [text], []
        name, ends = self._writer.relation(), [term for term in (start, end) if term not in constants]
        self._writer.add(name, ends, (text,))
        if len({*constants}) == 1:
            self._writer.add(name, constants[: len(ends)], ())
        return [write_atom(name, ends)], []

    def _expression(self, path: Any) -> str:
        """A path expression of the language with the same pairs."""
        match type(path).__name__:
            case "URIRef":
                return f"{self._triples}[{write_string(canonical(path))}]"
            case "InvPath":
                return f"^({self._expression(path.arg)})"
            case "SequencePath":
                return "/".join(f"({self._expression(step)})" for step in path.args)
            case "AlternativePath":
                return "|".join(f"({self._expression(step)})" for step in path.args)
            case "MulPath":
                return f"({self._expression(path.path)}){path.mod}"
        name, ends = self._writer.relation(), (self._writer.variable(), self._writer.variable())
        self._writer.add(name, ends, self._negated(ends[0], path.args, ends[1], False)[0])
        return name


def _may_be_empty(path: Any) -> bool:
    match type(path).__name__:
        case "InvPath":
            return _may_be_empty(path.arg)
        case "SequencePath":
            return all(map(_may_be_empty, path.args))
        case "AlternativePath":
            return any(map(_may_be_empty, path.args))
        case "MulPath":
            return path.mod != "+" or _may_be_empty(path.path)
    return False
