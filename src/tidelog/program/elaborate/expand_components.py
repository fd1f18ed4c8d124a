"""Instances of components are expanded to relations, types, rules and facts.

Law: an instance ``g`` of a component means the content of the component and of the components it inherits, with ``g.``
before every name that this content declares and the given types for the parameters; a name that the content does not
declare means what it means around the instance. If a component contains ``.override p``, rules and facts for ``p`` of
its bases are omitted. Rules of an instance are labelled ``g.r1``, ``g.r2``, ... or ``g.`` and the label of the text, so
that they are identified by the instance; diagnostics still refer to the component's text. The components stay in the
program, so that instances can be made later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import count
from typing import Any

from tidelog.errors import Diagnostic
from tidelog.errors.counts import counted
from tidelog.program.elaborate.rename import Renaming
from tidelog.program.graph.inline import inline_relations
from tidelog.program.messages.component_catalogue import diagnose
from tidelog.program.messages.nearest import KnownNames
from tidelog.program.values.program import SEPARATOR, Component, ComponentType, Instance, Program, belongs_to
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import Declaration

MOST_DEPTH = 100
MOST_PARTS = 200_000  # expanded declarations, types, rules and facts, counted once for each enclosing instance
OVERRIDABLE = "overridable"
Report = Callable[[Diagnostic], None]
Scope = tuple[Component, ...]  # the components that enclose a place, outermost first
Binding = Mapping[str, str]  # what type parameters mean


def expand_components(program: Program, report: Report) -> Program:
    """The program with its instances expanded; mistakes are reported.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = ".comp C { .decl p(x: number) p(x) :- q(x). } .decl q(x: number) .init c = C"
    >>> print(print_rule(parse_program(text).rules[0]))
    "c.r1": c.p(x) :- q(x).
    """
    if not program.components and not program.instances:
        return program
    _check_names(program, report)
    expansion = _Expansion(program, report)
    made = [_as_rules(expansion.top_instance(instance), instance.name) for instance in program.instances]
    expansion.check_overrides_without_instances()
    return joined([replace(program, components=(), instances=()), *made], program.components)


def joined(parts: Iterable[Program], components: tuple[Component, ...] = ()) -> Program:
    """The contents of all programs as one, under the convention of the first."""
    first, *others = parts
    whole: dict[str, Any] = {}
    for entry in fields(Program):
        value = getattr(first, entry.name)
        if isinstance(value, tuple):
            whole[entry.name] = value + tuple(item for other in others for item in getattr(other, entry.name))
    return replace(first, **{**whole, "components": components})


def _check_names(program: Program, report: Report) -> None:
    """Check that the names of components and instances are unique."""
    taken = {d.relation for d in program.declarations} | {t.name for t in program.types}
    named = [(c.name, "a component", c.span) for c in program.components]
    named += [(i.name, "an instance", i.span) for i in program.instances]
    for name, what, span in named:
        if name in taken:
            report(diagnose("TL220", span, name=name, what=what))
        taken.add(name)


class _TooManyInstances(Exception):
    """The instances expand to more than a program may contain."""


@dataclass
class _Expansion:
    """The work on one program: its components, and what was already reported."""

    program: Program
    report: Report
    reported: set[tuple[object, ...]] = field(default_factory=set)
    written: int = 0  # expanded parts

    def top_instance(self, instance: Instance) -> Program:
        """The content of an instance in the program itself; nothing if that is too long."""
        try:
            return self.instance(instance, (), {}, 0)
        except _TooManyInstances:
            self._report(diagnose("TL226", instance.span, name=instance.name, most=f"{MOST_PARTS:,}"))
            return Program()

    def check_overrides_without_instances(self) -> None:
        """Check `.override` in components that no instance has reached; their other mistakes depend on instances."""
        made, self.report = self.report, lambda finding: made(finding) if finding.code == "TL224" else None
        self.written = 0
        for component in self.program.components:
            if component.overrides and not component.params:
                with suppress(_TooManyInstances):
                    self._content(component, (), {}, frozenset(), (component,), 0)
        self.report = made

    def _count(self, program: Program) -> None:
        self.written += 1 + len(program.declarations) + len(program.types) + len(program.rules) + len(program.facts)
        if self.written > MOST_PARTS:
            raise _TooManyInstances

    def instance(self, instance: Instance, scope: Scope, binding: Binding, depth: int) -> Program:
        """The content of an instance in its place, with the instance's name before the names of its content."""
        if depth > MOST_DEPTH:
            self._report(diagnose("TL225", instance.span, name=instance.name, most=MOST_DEPTH))
            return Program()
        found = self._component(instance.type, scope, binding)
        if found is None:
            return Program()
        component, around = found
        active = _extended(binding, component.params, instance.type.args)
        inner = self._instances(component, around, active, depth)
        content = self._content(component, around, active, frozenset(), (component,), depth)
        whole = joined([content, *inner])
        self._count(whole)
        return _prefixed(whole, instance.name)

    def _instances(self, component: Component, around: Scope, binding: Binding, depth: int) -> Iterator[Program]:
        for inner in component.content.instances:
            yield self.instance(inner, (*around, component), binding, depth + 1)

    def _content(
        self,
        component: Component,
        around: Scope,
        binding: Binding,
        overridden: frozenset[str],
        chain: tuple[Component, ...],
        depth: int,
    ) -> Program:
        """The content of a component and its bases, without rules for relations that are overridden further down."""
        parts: list[Program] = []
        inherited: dict[str, Declaration] = {}
        for base in component.bases:
            found = self._component(base, around, binding)
            if found is None:
                continue
            origin, outside = found
            if origin in chain:
                cycle = " -> ".join(f"`{c.name}`" for c in (*chain, origin))
                self._report(diagnose("TL223", component.span, name=component.name, cycle=cycle))
                continue
            active = _extended(binding, origin.params, base.args)
            above = overridden.union(component.overrides)
            parts += self._instances(origin, outside, active, depth)
            parts.append(self._content(origin, outside, active, above, (*chain, origin), depth))
            for declaration in parts[-1].declarations:
                # A component that is passed for a parameter does not know that it will be inherited.
                given = replace(declaration, qualifiers=(OVERRIDABLE,)) if base.name in binding else declaration
                inherited[declaration.relation] = given
        self._check_overrides(component, inherited)
        whole = joined([_own(component, binding, overridden), *parts])
        self._count(whole)
        return whole

    def _check_overrides(self, component: Component, inherited: Mapping[str, Declaration]) -> None:
        for relation in component.overrides:
            known = inherited.get(relation)
            if known is None or OVERRIDABLE not in known.qualifiers:
                problem = "is not inherited" if known is None else "is not declared `overridable`"
                values = {"name": component.name, "relation": relation, "problem": problem}
                related = [("declared here", known.span)] if known is not None and known.span is not None else []
                self._report(diagnose("TL224", component.span, related=related, **values))

    def _component(self, reference: ComponentType, scope: Scope, binding: Binding) -> tuple[Component, Scope] | None:
        """The component of a name and its context; None, after a report, if it is missing or the types do not match."""
        found = self._find(reference.name, scope, binding, frozenset())
        if found is None:
            known = KnownNames(
                c.name for block in (self.program, *(c.content for c in scope)) for c in block.components
            )
            self._report(diagnose("TL221", reference.span, hint=known.hint(reference.name, ""), name=reference.name))
            return None
        component = found[0]
        if len(component.params) != len(reference.args):
            few = counted(len(component.params), "type parameter")
            form = f"`{component.name}<{', '.join(component.params)}>`" if component.params else f"`{component.name}`"
            given = f"{len(reference.args)} {'is' if len(reference.args) == 1 else 'are'} given"
            self._report(diagnose("TL222", reference.span, name=component.name, expected=few, found=given, form=form))
            return None
        return found

    def _find(self, name: str, scope: Scope, binding: Binding, seen: frozenset[str]) -> tuple[Component, Scope] | None:
        """The innermost component of that name: in enclosing blocks, in what these inherit, then in the program."""
        target = binding.get(name, name)
        for size in range(len(scope), 0, -1):
            block, around = scope[size - 1], scope[: size - 1]
            for nested in block.content.components:
                if nested.name == target:
                    return nested, scope[:size]
            for base in block.bases:
                found = self._find(base.name, around, binding, seen) if base.name not in seen else None
                inner = None
                if found is not None and found[0] is not block:
                    inner = self._find(name, (*found[1], found[0]), binding, seen | {base.name})
                if inner is not None:
                    return inner
        return next(((c, ()) for c in self.program.components if c.name == target), None)

    def _report(self, finding: Diagnostic) -> None:
        """Report a finding, once for all instances."""
        key = (finding.code, finding.span, finding.message)
        if key not in self.reported:
            self.reported.add(key)
            self.report(finding)


def _extended(binding: Binding, params: Iterable[str], args: Iterable[str]) -> dict[str, str]:
    """The binding inside a component; an argument has the same meaning inside as outside."""
    return {**binding, **{param: binding.get(arg, arg) for param, arg in zip(params, args, strict=True)}}


def _own(component: Component, binding: Binding, overridden: frozenset[str]) -> Program:
    """The component's own content, with types for its parameters."""
    content = component.content
    bare = replace(
        content,
        components=(),
        instances=(),
        rules=tuple(r for r in content.rules if _first(r.head.predicate) not in overridden),
        facts=tuple(f for f in content.facts if _first(f.atom.predicate) not in overridden),
    )
    return Renaming({}, binding)(bare)


def _first(name: str) -> str:
    return name.split(SEPARATOR, 1)[0]


def _prefixed(content: Program, name: str) -> Program:
    """The content with an instance's name as prefix."""
    before = name + SEPARATOR
    relations = {d.relation: before + d.relation for d in content.declarations}
    types = {t.name: before + t.name for t in content.types}
    constructors = {made.name: before + made.name for t in content.types for made in t.constructors if made.name}
    renamed = Renaming(relations, types, constructors)(content)
    return replace(renamed, rules=tuple(_labelled(renamed.rules, before)))


def _as_rules(program: Program, name: str) -> Program:
    """An instance whose facts for outer or inline relations are rules of the instance, and are removed with it."""
    inline = inline_relations(program)
    facts = [f for f in program.facts if not belongs_to(f.atom.predicate, name) or f.atom.predicate in inline]
    if not facts:
        return program
    rules = (Rule(f.atom, (), f"{name}{SEPARATOR}f{number}", f.span) for number, f in enumerate(facts, start=1))
    return replace(program, facts=tuple(f for f in program.facts if f not in facts), rules=(*program.rules, *rules))


def _labelled(rules: Iterable[Rule], before: str) -> Iterator[Rule]:
    rules = tuple(rules)
    taken = {rule.label for rule in rules}
    free = (label for number in count(1) if (label := f"r{number}") not in taken)
    for rule in rules:
        yield replace(rule, label=before + (next(free) if rule.label is None else rule.label))
