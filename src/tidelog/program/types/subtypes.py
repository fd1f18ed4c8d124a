"""Type names: aliases, subtypes and unions made by `.type`, and the columns declared with them.

Law: every type name has one base type; a name denotes a set of values of that base. A subtype's values are among those
of its base, a member's among those of its union. A head column declared with a name takes only variables that some
body column declares with the same name or a narrower one (TL405); the columns of one variable have a name in common
that is at most as wide as each (TL406).
Base types themselves are compared by `types`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidelog.errors import Diagnostic, Span
from tidelog.program.messages.check_catalogue import diagnose
from tidelog.program.messages.nearest import KnownNames
from tidelog.program.types.casts import cast_type, casts
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import BASE_TYPES, OWN_TYPES, TypeDeclaration
from tidelog.program.values.shape import structure_name
from tidelog.program.values.term import SYMBOL, Atom, Comparison, Literal, Var

LEGACY = ("legacy", "")


class TypeNames:
    """The type names of a program: the base type of each and which is narrower than which."""

    def __init__(self, declarations: Iterable[TypeDeclaration]) -> None:
        self.findings: list[Diagnostic] = []
        self._declared: dict[str, TypeDeclaration] = {}
        for declaration in declarations:
            self._add(declaration)
        self._wider: dict[str, list[str]] = {}  # by name, the types right above it
        self._narrower: dict[str, list[str]] = {}  # and right below
        self._alias: dict[str, str] = {}
        self._base: dict[str, str] = {name: name for name in BASE_TYPES if name not in self._declared}
        self._base |= {name: structure_name(name) for name, found in self._declared.items() if found.constructors}
        self._check_bases()
        self._resolve()

    @property
    def structures(self) -> Iterator[TypeDeclaration]:
        """The record types and the algebraic types."""
        return (declaration for declaration in self._declared.values() if declaration.constructors)

    @property
    def bases(self) -> Mapping[str, str]:
        """The base type of every name that has one."""
        return self._base

    def base(self, name: str) -> str | None:
        """The base type of the name, or None if it has no valid one."""
        return self._base.get(name)

    def canonical(self, name: str) -> str:
        """The name behind aliases."""
        return self._alias.get(name, name)

    def narrower(self, name: str, other: str) -> bool:
        """Whether every value of the one type belongs to the other."""
        name, other = self.canonical(name), self.canonical(other)
        return name == other or other in _reached(name, self._wider)

    def common(self, name: str, other: str) -> bool:
        """Whether some type is narrower than both."""
        below = (_reached(self.canonical(each), self._narrower) for each in (name, other))
        return not set.isdisjoint(*below)

    def check(self, name: str, span: Span | None) -> None:
        """Report the name if it is unknown."""
        if name not in self._declared and name not in BASE_TYPES:
            hint = KnownNames((*BASE_TYPES, *self._declared)).hint(name, "")
            self.findings.append(diagnose("TL206", span, hint=hint, name=name))

    def _add(self, declaration: TypeDeclaration) -> None:
        name = declaration.name
        if (name in BASE_TYPES and name not in OWN_TYPES) or name in self._declared:
            first = self._declared.get(name)
            related = [("first declared here", first.span)] if first is not None and first.span is not None else []
            self.findings.append(diagnose("TL211", declaration.span, related=related, name=name))
        else:
            self._declared[name] = declaration

    def _check_bases(self) -> None:
        for declaration in self._declared.values():
            for base in (*declaration.bases, *(f.type for made in declaration.constructors for f in made.fields)):
                self.check(base, declaration.span)

    def _resolve(self) -> None:
        """Bases bottom up, without recursion: a name whose bases never resolve is circular or unknown."""
        waiting = {name: declaration for name, declaration in self._declared.items() if not declaration.constructors}
        readers: dict[str, list[str]] = {}
        missing: dict[str, int] = {}
        for name, declaration in waiting.items():
            bases = {base for base in declaration.bases if base not in self._base and not self._hopeless(base)}
            missing[name] = len(bases)
            for base in bases:
                readers.setdefault(base, []).append(name)
        ready = deque(name for name, count in missing.items() if not count)
        while ready:
            name = ready.popleft()
            self._settle(waiting.pop(name))
            for reader in readers.get(name, ()) if name in self._base else ():
                missing[reader] -= 1
                if not missing[reader]:
                    ready.append(reader)
        for declaration in waiting.values():
            self.findings.append(diagnose("TL212", declaration.span, name=declaration.name))

    def _hopeless(self, name: str) -> bool:
        """Whether the name is unknown: already reported, and no reason to call its users circular."""
        return name not in self._declared and name not in BASE_TYPES

    def _settle(self, declaration: TypeDeclaration) -> None:
        name = declaration.name
        bases = [b for b in declaration.bases or (SYMBOL,) if b in self._base]
        roots = {self._base[b] for b in bases}
        if len(roots) > 1:
            first, second = sorted(roots)[:2]
            self.findings.append(diagnose("TL407", declaration.span, name=name, first=first, second=second))
        if len(roots) == 1:
            self._base[name] = roots.pop()
        if declaration.subtype or not declaration.bases:
            for base in bases:
                self._put(name, self.canonical(base))
        elif len(bases) == 1:
            self._alias[name] = self.canonical(bases[0])
        else:  # the union of its members: each of them, and what is narrower than one, is narrower than it
            for base in bases:
                self._put(self.canonical(base), name)
            if name in self._base:
                self._put(name, self._base[name])

    def _put(self, name: str, above: str) -> None:
        """Record that every value of one type belongs to the other."""
        self._wider.setdefault(name, []).append(above)
        self._narrower.setdefault(above, []).append(name)


def _reached(name: str, following: Mapping[str, Sequence[str]]) -> set[str]:
    """A name, and all names reachable from it."""
    reached, waiting = {name}, [name]
    while waiting:
        fresh = [each for each in following.get(waiting.pop(), ()) if each not in reached]
        reached.update(fresh)
        waiting += fresh
    return reached


def declared_types(program: Program) -> dict[str, tuple[str, ...]]:
    """The type names of the columns of each declared relation."""
    types: dict[str, tuple[str, ...]] = {}
    for declaration in program.declarations:
        types.setdefault(declaration.relation, tuple(column.type for column in declaration.columns))
    return types


def check_subtypes(program: Program, names: TypeNames) -> list[Diagnostic]:
    """Findings about subtypes in rules; programs without `.type` have none but unknown types of casts.

    Under Soufflé's ``.pragma "legacy"``, a column accepts values of another type with the same base, as in Soufflé,
    with a warning (TL720).
    """
    for rule in program.rules:
        for cast in casts(rule):
            names.check(cast_type(cast) or "", cast.span)
    if not program.types:
        return []
    declared = declared_types(program)
    outside = "TL720" if LEGACY in program.pragmas else "TL405"
    findings: list[Diagnostic] = []
    for rule in program.rules:
        findings.extend(_check_rule(rule, declared, names, outside))
    return findings


def _check_rule(
    rule: Rule, declared: Mapping[str, tuple[str, ...]], names: TypeNames, outside: str
) -> Iterator[Diagnostic]:
    sources: dict[str, list[str]] = {}
    for name, variable in _typed_variables(rule.body, declared):
        known = sources.setdefault(variable.name, [])
        if name not in known:
            clash = next((t for t in known if not _joinable(t, name, names)), None)
            if clash is not None:
                yield diagnose("TL406", variable.span, name=variable.name, first=clash, second=name)
            known.append(name)
    for arg, expected in zip(rule.head.args, declared.get(rule.head.predicate, ()), strict=False):
        cast = cast_type(arg)
        found = sources.get(arg.name, []) if isinstance(arg, Var) else [] if cast is None else [cast]
        same_base = any(names.base(t) == names.base(expected) for t in found)
        if same_base and not any(names.narrower(t, expected) for t in found):
            what = f"`{arg.name}`" if isinstance(arg, Var) else "the cast"
            yield diagnose(outside, arg.span, what=what, found=found[0], expected=expected)


def _joinable(first: str, second: str, names: TypeNames) -> bool:
    """Whether types can be joined: types of one base need a common narrower one; `types` checks different bases."""
    return names.base(first) != names.base(second) or names.common(first, second)


def _typed_variables(body: Iterable[Literal], declared: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, Var]]:
    """Variables with the type names of their columns; without the branches of disjunctions, which widen a type."""
    for literal in body:
        if isinstance(literal, Comparison) and literal.op == "=":
            for side, other in ((literal.left, literal.right), (literal.right, literal.left)):
                cast = cast_type(other)
                if isinstance(side, Var) and cast is not None:
                    yield cast, side
        if isinstance(literal, Atom):
            for arg, name in zip(literal.args, declared.get(literal.predicate, ()), strict=False):
                if isinstance(arg, Var):
                    yield name, arg
