"""Reading components: ``.comp Name<T> : Base<T> { ... }``, ``.init name = Name<T>`` and ``.override relation``.

Law: the text between the braces of a component is read like a program; after a mistake, reading continues inside it. An
override belongs to the enclosing component.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from tidelog.errors import Diagnostic
from tidelog.program import (
    SOUFFLE,
    Component,
    ComponentType,
    Declaration,
    Directive,
    Fact,
    Functor,
    Instance,
    Lifetime,
    Materialize,
    Program,
    Rule,
    TypeDeclaration,
)
from tidelog.syntax.constraints import Severity, with_severities
from tidelog.syntax.directives import DirectiveReader
from tidelog.syntax.tokens import NAME, Token, span_between


@dataclass(slots=True)
class Parts:
    """The parts of a program or of a component that were read so far, in the order of the text."""

    rules: list[Rule] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    keys: list[Materialize] = field(default_factory=list)
    items: list[Declaration | TypeDeclaration | Directive | Functor] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    overrides: list[str] = field(default_factory=list)
    pragmas: list[tuple[str, str]] = field(default_factory=list)
    lifetimes: list[Lifetime] = field(default_factory=list)
    severities: list[Severity] = field(default_factory=list)

    @property
    def lists(self) -> list[list[Any]]:
        """All of them."""
        return [getattr(self, each.name) for each in fields(self)]

    def program(self, convention: str, report: Callable[[Diagnostic], None]) -> Program:
        """The parts as a program; reports mistakes that only the whole shows."""
        rules, wrong = with_severities(self.rules, self.severities)
        for finding in wrong:
            report(finding)
        return Program(
            rules=rules,
            facts=tuple(self.facts),
            declarations=tuple(item for item in self.items if isinstance(item, Declaration)),
            types=tuple(item for item in self.items if isinstance(item, TypeDeclaration)),
            directives=tuple(item for item in self.items if isinstance(item, Directive)),
            keys=tuple(self.keys),
            components=tuple(self.components),
            instances=tuple(self.instances),
            pragmas=tuple(self.pragmas),
            functors=tuple(item for item in self.items if isinstance(item, Functor)),
            lifetimes=tuple(self.lifetimes),
            convention=convention,
        )


class ComponentReader(DirectiveReader):
    """Reads components and instances at the cursor."""

    def component_head(self) -> Component:
        """`.comp Name<T> : Base, Other<T>`, up to the brace."""
        first = self.advance()
        if self.convention != SOUFFLE:
            raise self.failure("TL128", first.span, found=first.text)
        name = self.expect(NAME, "the name of the component")
        params = self._type_args()
        bases: list[ComponentType] = []
        while self.token.kind == ":" or (bases and self.token.kind == ","):
            self.advance()
            bases.append(self.component_type())
        return Component(name.text, params, tuple(bases), span=span_between(first, self.previous))

    def component_type(self) -> ComponentType:
        """`Name` or `Name<T, U>`."""
        name = self.expect(NAME, "the name of a component")
        args = self._type_args()
        return ComponentType(name.text, args, span_between(name, self.previous))

    def instance(self, first: Token) -> Instance:
        """`name = Name<T>` after `.init`."""
        if self.convention != SOUFFLE:
            raise self.failure("TL128", first.span, found=first.text)
        name = self.expect(NAME, "the name of the instance")
        self.expect("=", "`=` and the name of a component")
        made = self.component_type()
        self.accept(".")
        return Instance(name.text, made, span_between(first, self.previous))

    def override(self) -> str:
        """`.override relation` inside a component."""
        first = self.advance()
        if not self.blocks:
            raise self.failure("TL129", first.span)
        name = self.expect(NAME, "the name of a relation").text
        self.accept(".")
        return name

    def _type_args(self) -> tuple[str, ...]:
        if self.token.kind != "<":
            return ()
        opening = self.advance()
        names = [self.expect(NAME, "the name of a type").text]
        while self.accept(","):
            names.append(self.expect(NAME, "the name of a type").text)
        self.close(opening, "`,`")
        return tuple(names)
