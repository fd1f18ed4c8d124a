"""Relations declared ``inline`` are not stored: where one is read, its rules are inserted instead.

Law: an atom of an inline relation means that one of the relation's rules holds for its arguments; so it becomes the
disjunction of their bodies, with the arguments for the variables of the heads and the other variables renamed apart. A
negated one becomes the negation of that. The arguments that an inline rule uses in computations have to be bound only
where the relation is read, not in the rule; so an infinite relation may be inline. A record that is passed from an atom
into a rule, or back, is cast to the type that the relation declares, because the place that determined its type no
longer exists. Cycles of inline relations and files for them are refused, and so are places where a rule's variables
outside its head would change the meaning: below a negation, and in an aggregate that counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from tidelog.errors import Diagnostic, Span
from tidelog.program.elaborate.elaboration import Elaboration
from tidelog.program.elaborate.negate import negated_body
from tidelog.program.graph.inline import inline_relations
from tidelog.program.graph.strata import strong_components
from tidelog.program.messages.inline_catalogue import diagnose
from tidelog.program.types.casts import CAST
from tidelog.program.values.program import Program
from tidelog.program.values.rule import Rule
from tidelog.program.values.schema import BASE_TYPES
from tidelog.program.values.scope import atoms, literal_terms, rule_literals
from tidelog.program.values.substitute import changed_body, changed_inside, changed_literal, substitution
from tidelog.program.values.term import (
    LIST,
    SYMBOL,
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Const,
    Disjunction,
    Literal,
    Negation,
    Term,
    Value,
    Var,
    Wildcard,
)

UNCOUNTED = ("min", "max")
MOST_PARTS, MOST_DEPTH = 10_000, 50  # of one rule: more than anyone reads, and few enough to be created at once

SOME_VALUE: Mapping[str, Value] = {
    **dict.fromkeys(("number", "unsigned", "boolean", "date", "timestamp"), 0),
    "float": 0.0,
    "symbol": "",
}


@dataclass(frozen=True, slots=True)
class InlineResult:
    """The rules to evaluate instead of all rules, and the findings."""

    rules: tuple[Rule, ...]
    findings: tuple[Diagnostic, ...] = ()


def expand_inline(elaboration: Elaboration) -> Elaboration:
    """The pass: `inline_rules` of the program; the rules of inline relations are kept, to be checked with it."""
    program = elaboration.program
    names, inlined = inline_relations(program), inline_rules(program)
    aside = tuple(rule for rule in program.rules if rule.head.predicate in names)
    following = elaboration.then(replace(program, rules=inlined.rules), inlined.findings)
    return replace(following, inline=aside)


def inline_rules(program: Program) -> InlineResult:
    """The rules of stored relations, with the rules of inline relations inserted.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = ".decl next(x: number, y: number) inline  .decl p(x: number)  next(x, y) :- y = x + 1, y < 9."
    >>> rules = inline_rules(parse_program(text + " p(b) :- p(a), next(a, b).")).rules
    >>> print(print_rule(rules[0]))
    p(b) :- p(a), b = a + 1, b < 9.
    """
    names = inline_relations(program)
    if not names:
        return InlineResult(program.rules)
    rules: dict[str, list[Rule]] = {name: [] for name in names}
    for rule in program.rules:
        if rule.head.predicate in names:
            rules[rule.head.predicate].append(rule)
    findings = [*_cycles(rules), *_files(program, names)]
    if findings:
        return InlineResult(tuple(r for r in program.rules if r.head.predicate not in names), tuple(findings))
    types = {d.relation: tuple(c.type for c in d.columns) for d in program.declarations if d.relation in names}
    work = _InlineExpansion(rules, types)
    held = []
    for rule in program.rules:
        before = len(work.findings)
        made = None if rule.head.predicate in names else work.bounded_rule(rule)
        if made is not None and len(work.findings) == before:  # refused rules are not examined further
            held.append(made)
    return InlineResult(tuple(held), tuple(work.findings))


def _cycles(rules: Mapping[str, Sequence[Rule]]) -> Iterator[Diagnostic]:
    """Inline relations that depend on themselves."""
    read = {name: {a.predicate for r in found for a in atoms(rule_literals(r))} for name, found in rules.items()}
    graph = {name: sorted(read[name] & rules.keys()) for name in rules}
    for component in strong_components(graph):
        name = min(component)
        if len(component) > 1 or name in graph[name]:
            listed = ", ".join(f"`{n}`" for n in sorted(component))
            yield diagnose("TL231", rules[name][0].head.span, names=listed)


def _files(program: Program, names: frozenset[str]) -> Iterator[Diagnostic]:
    for directive in program.directives:
        if directive.relation in names:
            yield diagnose("TL232", directive.span, name=directive.relation, directive=f".{directive.kind}")


class _RuleTooLong(Exception):
    """A rule that would be too long, inlined."""


class _Names:
    """The names that occur in a rule, and new ones."""

    def __init__(self, rule: Rule) -> None:
        self.used = _names([rule.head, *rule.body])

    def fresh(self, name: str) -> str:
        """The name itself if the rule does not use it, otherwise with a number; no name is returned twice."""
        fresh = next(n for number in count() if (n := f"{name}_{number}" if number else name) not in self.used)
        self.used.add(fresh)
        return fresh


@dataclass
class _InlineExpansion:
    rules: Mapping[str, Sequence[Rule]]
    types: Mapping[str, tuple[str, ...]]
    findings: list[Diagnostic] = field(default_factory=list)
    written: int = 0  # literals and parts of terms that replaced atoms of the rule
    depth: int = 0

    def bounded_rule(self, rule: Rule) -> Rule | None:
        """The rule without inline atoms; reports an error and returns None if it would be too long."""
        self.written = self.depth = 0
        try:
            return self.rule(rule)
        except _RuleTooLong:
            related = [("the rule", rule.span)] if rule.span is not None else []
            values = {"most": f"{MOST_PARTS:,}", "deepest": MOST_DEPTH}
            self.findings.append(diagnose("TL234", rule.head.span or rule.span, related=related, **values))
            return None

    def _count(self, parts: Sequence[Literal], args: Sequence[Term]) -> None:
        """Count the parts that will replace an atom; shared parts count once per occurrence."""
        waiting: list[Term] = list(args)
        self.written += len(parts)
        while waiting and self.written <= MOST_PARTS:
            term = waiting.pop()
            self.written += 1
            waiting += term.args if isinstance(term, Call) else ()
        if self.written > MOST_PARTS or self.depth > MOST_DEPTH:
            raise _RuleTooLong

    def rule(self, rule: Rule) -> Rule:
        """The rule without inline atoms; itself if it has none."""
        if not any(atom.predicate in self.rules for atom in atoms(rule_literals(rule))):
            return rule
        names = _Names(rule)
        args = tuple(self._term(arg, names) for arg in rule.head.args)
        body = self._body(rule.body, names, None)
        return replace(rule, head=replace(rule.head, args=args), body=body, origin=rule, plans=())

    def _body(self, body: Iterable[Literal], names: _Names, inside: str | None) -> tuple[Literal, ...]:
        """Expand a body; ``inside`` names the construct, if any, in which new variables would change the meaning."""
        return tuple(part for literal in body for part in self._literal(literal, names, inside))

    def _literal(self, literal: Literal, names: _Names, inside: str | None) -> tuple[Literal, ...]:
        literal = changed_literal(literal, lambda term: self._term(term, names)) if _has_terms(literal) else literal
        match literal:
            case Atom(predicate=predicate) if predicate in self.rules:
                branches = [self._branch(literal, rule, names, inside) for rule in self.rules[predicate]]
                return _either(branches, literal.span) if branches else self._nothing(literal)
            case Negation(atom=atom) if atom.predicate in self.rules:
                parts = (self._branch(atom, rule, names, "a negation") for rule in self.rules[atom.predicate])
                return tuple(part for branch in parts for part in negated_body(branch)) or (Boolean(True),)
            case Disjunction(branches=choices):
                return (replace(literal, branches=tuple(self._body(choice, names, inside) for choice in choices)),)
        return (literal,)

    def _term(self, term: Term, names: _Names) -> Term:
        if isinstance(term, Aggregate) and term.body is not None:
            inside = None if term.kind in UNCOUNTED else f"`{term.kind}`"
            value = None if term.value is None else self._term(term.value, names)
            return replace(term, value=value, body=self._body(term.body, names, inside))
        return changed_inside(term, lambda inner: self._term(inner, names))

    def _branch(self, atom: Atom, rule: Rule, names: _Names, inside: str | None) -> tuple[Literal, ...]:
        """The body of a rule for the arguments of an atom, itself without inline atoms."""
        self._count(rule.body, atom.args)
        own = _names([rule.head, *rule.body])
        given: dict[str, Term] = {}
        known = len(names.used)
        args = self._typed(atom.predicate, [_with_names(arg, names) for arg in atom.args])
        is_open = len(names.used) > known
        for arg, place in zip(args, rule.head.args, strict=False):
            if isinstance(place, Var) and place.name not in given and not isinstance(arg, Wildcard | Aggregate):
                given[place.name] = arg
        local = [name for name in sorted(own) if name not in given]
        given |= {name: Var(names.fresh(name)) for name in local}
        change = substitution(given)
        places = self._typed(atom.predicate, [change(place) for place in rule.head.args])
        equations = _equations(args, places, atom.span)
        if inside is not None and (local or is_open):
            self._refuse(atom, rule, inside)
        self.depth += 1
        body = self._body((*equations, *changed_body(rule.body, change)), names, inside)
        self.depth -= 1
        return body

    def _nothing(self, atom: Atom) -> tuple[Literal, ...]:
        """What replaces a relation without rules; the types of its arguments are still those of its columns."""
        pairs = zip(atom.args, self.types[atom.predicate], strict=False)
        known = ((arg, type_) for arg, type_ in pairs if isinstance(arg, Var) and type_ not in BASE_TYPES)
        casts = (Comparison("=", arg, Call(CAST, (arg, Const(type_, SYMBOL))), atom.span) for arg, type_ in known)
        return (Boolean(False, atom.span), *casts, *self._any_values(atom))

    def _any_values(self, atom: Atom) -> Iterator[Literal]:
        """Values for the arguments, so that an aggregate over nothing still has something to bind its variables."""
        for arg, type_ in zip(atom.args, self.types[atom.predicate], strict=False):
            if isinstance(arg, Var) and type_ in SOME_VALUE:
                yield Comparison("=", arg, Const(SOME_VALUE[type_], type_), atom.span)

    def _typed(self, relation: str, args: Sequence[Term]) -> list[Term]:
        """The arguments of a relation, records cast to the types of its columns."""
        types = self.types[relation]
        if len(types) != len(args):  # reported elsewhere
            return list(args)
        return [_cast(arg, type_) for arg, type_ in zip(args, types, strict=True)]

    def _refuse(self, atom: Atom, rule: Rule, inside: str) -> None:
        related = [("its rule", rule.head.span)] if rule.head.span is not None else []
        self.findings.append(diagnose("TL233", atom.span, related=related, name=atom.predicate, inside=inside))


def _names(literals: Iterable[Literal]) -> set[str]:
    """The names of all variables of literals, including those inside aggregates."""
    found: set[str] = set()

    def note(term: Term) -> Term:
        if isinstance(term, Var):
            found.add(term.name)
        return changed_inside(term, note)

    changed_body(literals, note)
    return found


def _has_terms(literal: Literal) -> bool:
    """Whether the literal itself has terms; the branches of a disjunction are visited separately."""
    return not isinstance(literal, Disjunction) and any(
        not isinstance(term, Var | Const | Wildcard) for term in literal_terms(literal)
    )


def _cast(term: Term, type_: str) -> Term:
    if isinstance(term, Call) and term.function == LIST:
        return Call(CAST, (term, Const(type_, SYMBOL, term.span)), term.span)
    return term


def _with_names(arg: Term, names: _Names) -> Term:
    """An argument with a name for every `_` inside it: it may be copied to several places."""

    def named(term: Term) -> Term:
        if isinstance(term, Wildcard):
            return Var(names.fresh("part"), term.span)
        return term if isinstance(term, Aggregate) else changed_inside(term, named)

    return arg if isinstance(arg, Wildcard) else named(arg)


def _equations(args: Sequence[Term], places: Sequence[Term], span: Span | None) -> Iterator[Comparison]:
    """The equations under which an atom matches the head of a rule."""
    for arg, place in zip(args, places, strict=False):
        if arg != place and not isinstance(arg, Wildcard):
            yield Comparison("=", arg, place, span)


def _either(branches: Sequence[tuple[Literal, ...]], span: Span | None) -> tuple[Literal, ...]:
    if len(branches) == 1:
        return branches[0] or (Boolean(True, span),)
    return (Disjunction(tuple(branch or (Boolean(True, span),) for branch in branches), span),)
