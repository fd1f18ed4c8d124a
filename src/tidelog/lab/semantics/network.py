"""A program made ready to run on a network: local rules, selections of a least value, and the home of every fact.

Law: the location column of a relation decides which node owns a fact, and all body atoms of a rule share one location;
so a node fires rules on its own tables alone, and only heads travel. A program without ``@`` runs on one node, and so
does any program with ``central`` (the papers do so to illustrate rules that are not localised).
An aggregate in a head, ``h(X, min<C>)``, becomes a plain rule for its candidates and a `Choice` among them.
This module does not localise (`rewrite.localise`) and fires nothing (`delta`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tidelog.errors import Diagnostic, ProgramError
from tidelog.lab.semantics import semantics_catalogue as catalogue
from tidelog.lab.semantics import semantics_failures as failures
from tidelog.lab.semantics.fact import HOME, Fact, Node, Row
from tidelog.lab.semantics.term import evaluate
from tidelog.program import (
    Aggregate,
    Atom,
    Boolean,
    Call,
    Comparison,
    Literal,
    Program,
    Rule,
    Term,
    Value,
    Var,
    Wildcard,
    subterms,
)
from tidelog.program.elaborate.choose_witnesses import with_choices
from tidelog.program.elaborate.mark_witnesses import with_witnesses
from tidelog.program.elaborate.resolve_subsumption import without_subsumption
from tidelog.program.graph.asserted_facts import asserted_elsewhere_of
from tidelog.program.graph.choice import choices as choice_relations
from tidelog.program.graph.equivalence import equivalences
from tidelog.program.graph.lifetime import retentions

CANDIDATES = "__candidates_"


@dataclass(frozen=True, slots=True)
class LocalRule:
    """A rule whose body is a list of atoms and a list of guards; every argument of a body atom is a variable, a
    wildcard or a constant."""

    label: str
    head: Atom
    atoms: tuple[Atom, ...]
    guards: tuple[Comparison | Boolean, ...]
    origin: Rule


@dataclass(frozen=True, slots=True)
class Choice:
    """``relation`` holds, for every group, the candidate with the best value at ``position``; ``kind`` is min or max.
    Among equals the columns in ``ties`` decide, each by its own kind. The group is the rest of the row."""

    relation: str
    candidates: str
    position: int
    kind: str
    ties: tuple[tuple[int, str], ...] = ()

    def group(self, row: Row) -> Row:
        """The row without the chosen value and its accompanying columns."""
        apart = {self.position, *(column for column, _ in self.ties)}
        return tuple(value for i, value in enumerate(row) if i not in apart)


@dataclass(frozen=True, eq=False)
class Network:
    """A program as the transition systems run it."""

    program: Program
    rules: tuple[LocalRule, ...]
    choices: tuple[Choice, ...]
    facts: tuple[Fact, ...]
    location: Mapping[str, int | None]
    arity: Mapping[str, int]
    uses: Mapping[str, tuple[tuple[LocalRule, int], ...]] = field(repr=False)
    choice_of: Mapping[str, Choice] = field(repr=False)
    central: bool = False

    def node_of(self, fact: Fact) -> Node:
        """The node that owns the fact; a fact that does not fit the program is a `DataError`."""
        arity = self.arity.get(fact.relation)
        if arity is None:
            raise failures.UNKNOWN_RELATION.error(relation=fact.relation, known=", ".join(sorted(self.arity)))
        if arity != len(fact.row):
            raise failures.FACT_COLUMNS.error(fact=fact, found=len(fact.row), relation=fact.relation, columns=arity)
        column = self.location[fact.relation]
        return HOME if column is None else _as_node(fact.row[column])

    @property
    def recursive(self) -> bool:
        """Whether some relation depends on itself."""
        return any(len(group) > 1 or group[0] in self.depends_on()[group[0]] for group in self.strata())

    def depends_on(self) -> dict[str, set[str]]:
        """The relations that each relation's rules read."""
        needs: dict[str, set[str]] = {name: set() for name in self.arity}
        for rule in self.rules:
            needs[rule.head.predicate] |= {atom.predicate for atom in rule.atoms}
        for choice in self.choices:
            needs[choice.relation].add(choice.candidates)
        return needs

    def strata(self) -> list[list[str]]:
        """The strongly connected components of the dependencies, those that are read first in front."""
        return components(self.depends_on())

    def __deepcopy__(self, memo: object) -> Network:
        return self  # a network never changes, so copies of an algorithm share it

    def is_derived(self, relation: str) -> bool:
        """Whether a rule has the relation in its head."""
        return any(rule.head.predicate == relation for rule in self.rules) or relation in {
            choice.relation for choice in self.choices
        }


def _kept(atom: Atom, apart: Mapping[str, str]) -> Atom:
    """A fact of the text in the relation where it is kept."""
    return replace(atom, predicate=apart.get(atom.predicate, atom.predicate))


def prepare(program: Program, *, central: bool = False) -> Network:
    """The network of a localised program; with ``central`` all facts live on one node and any positive rule will do."""
    apart = asserted_elsewhere_of(program)
    program, findings = without_subsumption(with_choices(with_witnesses(program)))
    rules, choices, unfit = _split_rules(program)
    findings += unfit
    for name, declared in equivalences(program).items():
        findings.append(catalogue.POSITIVE.diagnostic(declared.span, what="`eqrel`", label=name))
    for name, declared in choice_relations(program).items():
        findings.append(catalogue.POSITIVE.diagnostic(declared.span, what="`choice-domain`", label=name))
    spans = {each.relation: each.span for each in program.lifetimes}
    spans |= {each.relation: each.span for each in program.keys}
    findings += [catalogue.SOFT.diagnostic(spans[name], relation=name) for name in retentions(program)]
    location, arity = _signatures(program, rules, choices, findings)
    if central:
        location = dict.fromkeys(location)
    else:
        findings += [finding for rule in rules for finding in _check_local(rule)]
    if findings:
        raise ProgramError(findings)
    uses: dict[str, list[tuple[LocalRule, int]]] = {}
    for rule in rules:
        for position, atom in enumerate(rule.atoms):
            uses.setdefault(atom.predicate, []).append((rule, position))
    return Network(
        program=program,
        rules=tuple(rules),
        choices=tuple(choices),
        facts=tuple(ground(_kept(fact.atom, apart)) for fact in program.facts),
        location=location,
        arity=arity,
        uses={name: tuple(places) for name, places in uses.items()},
        choice_of={choice.candidates: choice for choice in choices},
        central=central,
    )


def ground(atom: Atom) -> Fact:
    """The fact that a ground atom writes.

    >>> from tidelog.program import Const
    >>> ground(Atom("p", (Const(1, "number"),), 0))
    Fact(relation='p', row=(1,))
    """
    return Fact(atom.predicate, tuple(evaluate(term, {}) for term in atom.args))


def components(needs: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Strongly connected components, each after those it needs; names inside one are sorted.

    >>> components({"a": [], "p": ["a", "q"], "q": ["p"]})
    [['a'], ['p', 'q']]
    """
    reach = {name: _reachable(name, needs) for name in needs}
    groups = {name: tuple(sorted({name} | {other for other in reach[name] if name in reach[other]})) for name in needs}
    return [list(group) for group in sorted(set(groups.values()), key=lambda g: (len(reach[g[0]] | set(g)), g))]


def _reachable(start: str, needs: Mapping[str, Iterable[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(needs[start])
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(needs[name])
    return seen


def _as_node(value: Value) -> Node:
    if isinstance(value, int | str):
        return value
    raise failures.NOT_A_NODE.error(value=value)


def _split_rules(program: Program) -> tuple[list[LocalRule], list[Choice], list[Diagnostic]]:
    rules: list[LocalRule] = []
    choices: list[Choice] = []
    findings: list[Diagnostic] = []
    for number, rule in enumerate(program.rules, 1):
        label = rule.label or f"r{number}"
        aggregates = [(i, arg) for i, arg in enumerate(rule.head.args) if isinstance(arg, Aggregate)]
        wrong = list(_unfit(rule, label, aggregates))
        findings += wrong
        if wrong:
            continue
        head = rule.head
        if aggregates:
            ((position, chosen),) = aggregates
            head, choice = _candidate_head(rule, position, chosen)
            if choice not in choices:
                choices.append(choice)
        rules.append(_local_rule(rule, label, head))
    return rules, choices, findings


def _unfit(rule: Rule, label: str, aggregates: list[tuple[int, Aggregate]]) -> Iterator[Diagnostic]:
    if rule.constraint is not None:
        yield catalogue.POSITIVE.diagnostic(rule.span, what="a constraint", label=label)
    for literal in rule.body:
        if not isinstance(literal, Atom | Comparison | Boolean) or _aggregates(literal):
            what = "an aggregate" if isinstance(literal, Atom | Comparison) else f"a {type(literal).__name__.lower()}"
            yield catalogue.POSITIVE.diagnostic(literal.span, what=what, label=label)
    fits = len(aggregates) < 2 and all(a.kind in ("min", "max") and a.body is None for _, a in aggregates)
    if not fits:
        kinds = ", ".join(aggregate.kind for _, aggregate in aggregates)
        yield catalogue.CHOICE.diagnostic(rule.head.span, kind=kinds, label=label)


def _aggregates(literal: Literal) -> bool:
    terms: tuple[Term, ...] = ()
    if isinstance(literal, Atom):
        terms = literal.args
    elif isinstance(literal, Comparison):
        terms = (literal.left, literal.right)
    return any(isinstance(inner, Aggregate) for term in terms for inner in subterms(term))


def _candidate_head(rule: Rule, position: int, chosen: Aggregate) -> tuple[Atom, Choice]:
    # h(X, min<C>) :- body.   becomes   __candidates_h_min2(X, C) :- body.   and a choice of the least C per X, which
    # all rules of h share: a least value is one value however many rules propose one.
    assert chosen.value is not None, "min and max always have a value"
    args = (*rule.head.args[:position], chosen.value, *rule.head.args[position + 1 :])
    name = f"{CANDIDATES}{rule.head.predicate}_{chosen.kind}{position + 1}"
    return replace(rule.head, predicate=name, args=args), Choice(
        rule.head.predicate, name, position, chosen.kind, chosen.ties
    )


def _local_rule(rule: Rule, label: str, head: Atom) -> LocalRule:
    atoms: list[Atom] = []
    guards: list[Comparison | Boolean] = []
    for literal in rule.body:
        if isinstance(literal, Atom):
            args, equations = _flatten(literal, len(atoms))
            atoms.append(replace(literal, args=args))
            guards += equations
        else:
            assert isinstance(literal, Comparison | Boolean), "others were refused"
            guards.append(literal)
    return LocalRule(label, head, tuple(atoms), tuple(guards), rule)


def _flatten(atom: Atom, number: int) -> tuple[tuple[Term, ...], list[Comparison]]:
    # p(X+1)   becomes   p(V), V = X+1.
    args: list[Term] = []
    equations: list[Comparison] = []
    for position, arg in enumerate(atom.args):
        if isinstance(arg, Call):
            fresh = Var(f"_{number}_{position}")
            equations.append(Comparison("=", fresh, arg, arg.span))
            args.append(fresh)
        else:
            args.append(arg)
    return tuple(args), equations


def _signatures(
    program: Program, rules: list[LocalRule], choices: list[Choice], findings: list[Diagnostic]
) -> tuple[dict[str, int | None], dict[str, int]]:
    written: dict[str, list[Atom]] = {}
    for rule in rules:
        for atom in (rule.head, rule.origin.head, *rule.atoms):
            written.setdefault(atom.predicate, []).append(atom)
    for fact in program.facts:
        written.setdefault(fact.atom.predicate, []).append(fact.atom)
    located = any(atom.location is not None for atoms in written.values() for atom in atoms)
    for name, atoms in sorted(written.items()):
        ways = sorted({_way(atom) for atom in atoms})
        if len(ways) > 1 or (located and atoms[0].location is None):
            said = " and ".join(ways) + ("" if len(ways) > 1 else ", but other relations have locations")
            findings.append(catalogue.PLACED.diagnostic(atoms[-1].span, relation=name, ways=said))
    return {n: a[0].location for n, a in written.items()}, {n: len(a[0].args) for n, a in written.items()}


def _way(atom: Atom) -> str:
    place = "without `@`" if atom.location is None else f"with `@` at column {atom.location + 1}"
    return f"{place} and {len(atom.args)} columns"


def _check_local(rule: LocalRule) -> Iterator[Diagnostic]:
    places = dict.fromkeys(atom.args[atom.location] for atom in rule.atoms if atom.location is not None)
    if len(places) > 1 or (len(rule.atoms) > 1 and any(isinstance(place, Wildcard) for place in places)):
        shown = ", ".join(f"@{_place_text(place)}" for place in places)
        yield catalogue.LOCAL.diagnostic(rule.origin.span, label=rule.label, locations=shown)


def _place_text(term: Term) -> str:
    return term.name if isinstance(term, Var) else str(getattr(term, "value", "_"))
