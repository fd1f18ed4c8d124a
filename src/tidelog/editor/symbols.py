"""The names in a text: the kind of each, and whether it is defined, derived or used there.

Law: each name that the reader recognised has one symbol, at its own characters; names that a macro produces have none.
A symbol inside a component has that component's name as its scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tidelog.errors import Span
from tidelog.program import Atom, Call, Label, Program, Rule, Var
from tidelog.program.types.casts import CAST
from tidelog.program.values.term import Const
from tidelog.syntax.depth import Node, children
from tidelog.syntax.layout.outline import Item
from tidelog.syntax.layout.read import ParsedText
from tidelog.syntax.tokens import DIRECTIVE, NAME, Token

RELATION, VARIABLE, FUNCTION, TYPE, COLUMN, LABEL = "relation", "variable", "function", "type", "column", "label"
COMPONENT, INSTANCE, CONSTRUCTOR = "component", "instance", "constructor"
DEFINE, DERIVE, USE = "define", "derive", "use"
Scope = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name at a position in its segment; ``clause`` is where the clause or directive around it begins."""

    kind: str
    role: str
    name: str
    start: int
    scope: Scope = ()
    clause: int = 0

    @property
    def end(self) -> int:
        """Its end."""
        return self.start + len(self.name)


def symbols_of(reading: ParsedText) -> tuple[Symbol, ...]:
    """All symbols of a parsed text, in order."""
    program = reading.meaning
    assert isinstance(program, Program)
    collector = _Collector(reading)
    collector.program(program, ())
    collector.items(reading.outline.items, reading.tokens(), ())
    return tuple(sorted(collector.found.values(), key=lambda symbol: symbol.start))


class _Collector:
    """Collects symbols, the first one at each position."""

    def __init__(self, reading: ParsedText) -> None:
        self.reading = reading
        self.found: dict[int, Symbol] = {}

    def add(self, kind: str, role: str, name: str, start: int, scope: Scope, clause: int) -> None:
        if self.reading.source.text.startswith(name, start):
            self.found.setdefault(start, Symbol(kind, role, name, start, scope, clause))

    def program(self, program: Program, scope: Scope) -> None:
        """Collect the clauses of a program or of a component."""
        for rule in program.rules:
            self._rule(rule, scope)
        for fact in program.facts:
            self._atom(fact.atom, DERIVE, scope, self._start(fact.span))
            self._nodes(fact.atom.args, scope, self._start(fact.span))
        for component in program.components:
            self.program(component.content, (*scope, component.name))

    def _rule(self, rule: Rule, scope: Scope) -> None:
        clause = self._start(rule.span)
        self._atom(rule.head, DERIVE, scope, clause)
        self._nodes(rule.head.args, scope, clause)
        self._nodes(rule.body, scope, clause)

    def _start(self, span: Span | None) -> int:
        return span.start if span is not None and span.source is self.reading.source else 0

    def _atom(self, atom: Atom, role: str, scope: Scope, clause: int) -> None:
        if atom.span is not None and atom.span.source is self.reading.source:
            self.add(RELATION, role, atom.predicate, atom.span.start, scope, clause)

    def _nodes(self, nodes: Iterable[Node], scope: Scope, clause: int) -> None:
        stack = list(nodes)
        while stack:
            node = stack.pop()
            self._node(node, scope, clause)
            stack.extend(children(node))

    def _node(self, node: Node, scope: Scope, clause: int) -> None:
        span = getattr(node, "span", None)
        if span is None or span.source is not self.reading.source:
            return
        match node:
            case Atom():
                self._atom(node, USE, scope, clause)
            case Label(relation=relation):
                self.add(RELATION, USE, relation, span.start, scope, clause)
            case Var(name=name):
                self.add(VARIABLE, USE, name, span.start, scope, clause)
            case Call(function=function, args=(_, Const(value=str() as name, span=Span() as place))) if (
                function == CAST
            ):
                self.add(TYPE, USE, name, place.start, scope, clause)
            case Call(function=function) if function.startswith("$"):
                self.add(CONSTRUCTOR, USE, function[1:], span.start + 1, scope, clause)
            case Call(function=function):
                self.add(FUNCTION, USE, function, span.start + span.text.startswith("@"), scope, clause)

    def items(self, items: Sequence[Item], tokens: Sequence[Token], scope: Scope) -> None:
        """Collect the directives and labels."""
        for start, end in self.reading.outline.labels:
            text = self.reading.source.text[start:end].rstrip(": ")
            self.add(LABEL, DEFINE, text, start, scope, start)
        self._directives(items, list(tokens), scope)

    def _directives(self, items: Sequence[Item], tokens: list[Token], scope: Scope) -> None:
        for item in items:
            inside = [token for token in tokens if item.start <= token.start < item.end]
            if not inside or (inside[0].kind != DIRECTIVE and inside[0].text != "materialize"):
                continue
            for kind, role, token in _directive_symbols(inside):
                self.add(kind, role, token.text, token.start, scope, item.start)
            if inside[0].text == ".comp" and len(inside) > 1:
                self._directives(item.items, inside, (*scope, inside[1].text))


def _directive_symbols(tokens: Sequence[Token]) -> Iterator[tuple[str, str, Token]]:
    """The names of a directive, depending on its keyword."""
    word = tokens[0].text
    names = [(at, token) for at, token in enumerate(tokens) if token.kind == NAME]
    match word:
        case ".decl":
            yield from _declared(tokens, names)
        case ".input" | ".output" | ".printsize":
            yield from ((RELATION, USE, token) for at, token in names if not _depth(tokens, at))
        case ".key" | ".reference":
            called = [token for token, following in pairwise(tokens) if following.kind == "("]
            yield from ((RELATION, USE, token) for _, token in names if token in called)
        case ".override" | ".lifetime":
            yield from ((RELATION, USE, token) for _, token in names[:1])
        case "materialize":
            yield from ((RELATION, USE, token) for at, token in names if at == 2)
        case ".type" | ".number_type" | ".symbol_type":
            yield from _typed(tokens, names)
        case ".functor":
            yield from ((FUNCTION, DEFINE, token) for at, token in names if at == 1)
            yield from ((TYPE, USE, token) for at, token in names if at > 1 and tokens[at - 1].kind == ":")
        case ".init":
            yield from ((INSTANCE, DEFINE, token) for at, token in names if at == 1)
            yield from ((COMPONENT, USE, token) for at, token in names if tokens[at - 1].kind == "=")
        case ".comp":
            brace = next((at for at, token in enumerate(tokens) if token.kind == "{"), len(tokens))
            yield from ((COMPONENT, DEFINE, token) for at, token in names if at == 1)
            yield from ((COMPONENT, USE, token) for at, token in names if 1 < at < brace and not _in_angles(tokens, at))


def _declared(tokens: Sequence[Token], names: list[tuple[int, Token]]) -> Iterator[tuple[str, str, Token]]:
    opening = next((at for at, token in enumerate(tokens) if token.kind == "("), len(tokens))
    closing = next((at for at, token in enumerate(tokens) if token.kind == ")"), len(tokens))
    for at, token in names:
        if at < opening:
            yield RELATION, DEFINE, token
        elif at < closing:
            yield (TYPE, USE, token) if tokens[at - 1].kind == ":" else (COLUMN, DEFINE, token)


def _typed(tokens: Sequence[Token], names: list[tuple[int, Token]]) -> Iterator[tuple[str, str, Token]]:
    for at, token in names:
        following = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if at == 1:
            yield TYPE, DEFINE, token
        elif following == ":":
            yield COLUMN, DEFINE, token
        else:
            yield (CONSTRUCTOR, DEFINE, token) if following == "{" else (TYPE, USE, token)


def _depth(tokens: Sequence[Token], at: int) -> int:
    return sum((token.kind == "(") - (token.kind == ")") for token in tokens[:at])


def _in_angles(tokens: Sequence[Token], at: int) -> bool:
    return sum((token.kind == "<") - (token.kind == ">") for token in tokens[:at]) > 0
