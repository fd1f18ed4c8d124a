"""Rules whose bodies lie at one node each: the others are cut where they move on to another node.

    path(@X,Y) :- link(@X,Z), path(@Z,Y).     becomes     path/1(@Z,X) :- link(@X,Z).
                                                          path(@X,Y)   :- path/1(@Z,X), path(@Z,Y).

Law: the cut rules derive what the rule derives. What travels is an event if the rule has one, and otherwise a row of a
table that lives no longer than the rows it was made from. A condition is tested, and an assignment made, at the first
node that knows its variables; within a node they keep the order of the text. A variable that is assigned although it
is bound gets a new value for the literals after it, as in P2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tidelog.errors import ProgramError
from tidelog.errors.entry import CodeEntry
from tidelog.lab.network.network_catalogue import EVENTS, PLACE, UNBOUND
from tidelog.lab.network.program import (
    BROADCAST,
    Absence,
    Aggregate,
    Apply,
    Assignment,
    Atom,
    Condition,
    Deletion,
    Literal,
    Program,
    ProgramVariable,
    Rule,
    TableDeclaration,
    Term,
    atom_variables,
    variables,
)


@dataclass(frozen=True, slots=True)
class LocalisedRule:
    """A rule whose body lies at one node. `trigger` is its event; without one every change of a table fires it."""

    rule: Rule
    place: Term
    trigger: Literal | None


def localise(
    program: Program, tables: Mapping[str, TableDeclaration]
) -> tuple[list[LocalisedRule], list[TableDeclaration]]:
    """The local rules of a program, and the tables that travel between nodes."""
    rules: list[LocalisedRule] = []
    made: list[TableDeclaration] = []
    for rule in _labelled(program.rules):
        for local, table in _cut(_renamed(rule), tables):
            rules.append(local)
            made += [] if table is None else [table]
    return rules, made


def _labelled(rules: Sequence[Rule]) -> Iterator[Rule]:
    """The rules under labels of their own: P2 lets several rules share one."""
    count: dict[str, int] = {}
    for rule in rules:
        count[rule.label] = number = count.get(rule.label, 0) + 1
        yield rule if number == 1 else replace(rule, label=f"{rule.label}#{number}")


def _renamed(rule: Rule) -> Rule:
    """The rule with a new name for each variable that is assigned when it already has a value."""
    names: dict[str, str] = {}
    bound: set[str] = set()
    body: list[Literal] = []
    for literal in rule.body:
        if isinstance(literal, Assignment):
            value = _substitute(literal.value, names)
            name = literal.variable.name
            if names.get(name, name) in bound:
                names[name] = f"{names.get(name, name)}'"
            target = names.get(name, name)
            bound.add(target)
            body.append(Assignment(ProgramVariable(target, literal.variable.span), value))
        else:
            body.append(_substituted(literal, names))
            bound |= binds(body[-1])
    return replace(rule, head=_atom(rule.head, names), body=tuple(body))


def _substituted(literal: Literal, names: Mapping[str, str]) -> Literal:
    if isinstance(literal, Atom):
        return _atom(literal, names)
    if isinstance(literal, Deletion | Absence):
        return replace(literal, atom=_atom(literal.atom, names))
    assert isinstance(literal, Condition)
    return Condition(_substitute(literal.test, names))


def _atom(atom: Atom, names: Mapping[str, str]) -> Atom:
    if not names:
        return atom
    sayer = None if atom.sayer is None else _substitute(atom.sayer, names)
    args = tuple(_substitute(arg, names) for arg in atom.args)
    return replace(atom, args=args, place=_substitute(atom.place, names), sayer=sayer)


def _substitute(term: Term, names: Mapping[str, str]) -> Term:
    if isinstance(term, ProgramVariable):
        return ProgramVariable(names.get(term.name, term.name), term.span)
    if isinstance(term, Apply):
        return replace(term, args=tuple(_substitute(arg, names) for arg in term.args))
    if isinstance(term, Aggregate) and term.value is not None:
        return replace(term, value=_substitute(term.value, names))
    return term


def _cut(rule: Rule, tables: Mapping[str, TableDeclaration]) -> Iterator[tuple[LocalisedRule, TableDeclaration | None]]:
    """The pieces of a rule, each with the table that its head needs."""
    events = [literal for literal in rule.body if is_event(literal, tables)]
    if len(events) > 1:
        raise _error(EVENTS, rule, events=", ".join(f"`{relation_of(event)}`" for event in events))
    stages = _stages(rule, events[0] if events else None)
    trigger = events[0] if events else None
    lifetimes: list[float] = []
    carried: list[Literal] = []
    for number, (place, literals) in enumerate(stages[:-1], 1):
        needed = _names_needed(rule, [literal for _, later in stages[number:] for literal in later])
        names = sorted(name for name in known((*carried, *literals), place) if name in needed)
        head = Atom(f"{rule.label}/{number}", tuple(map(ProgramVariable, names)), stages[number][0], span=rule.span)
        lifetimes += [table.lifetime for table in _tables_of(literals, tables) if table.lifetime is not None]
        table = None if trigger else TableDeclaration(head.relation, min(lifetimes, default=None))
        yield LocalisedRule(Rule(rule.label, head, (*carried, *literals), span=rule.span), place, trigger), table
        trigger = head if trigger else None
        carried = [head]
    place, literals = stages[-1]
    yield LocalisedRule(replace(rule, body=(*carried, *literals)), place, trigger), None


def _stages(rule: Rule, event: Literal | None) -> list[tuple[Term, list[Literal]]]:
    """The literals of the body by the nodes at which they are read, in an order in which every node is known."""
    atoms = [literal for literal in rule.body if not isinstance(literal, Assignment | Condition)]
    starts = [event] if event is not None else [literal for literal in atoms if not isinstance(literal, Absence)]
    for start in starts:
        order = _order_of_places(rule, start, atoms)
        if order is not None:
            return _distributed(rule, order, atoms)
    if not starts:
        raise _error(UNBOUND, rule, name=rule.head.relation)
    raise _error(PLACE, rule, relation=relation_of(atoms[-1]))


def _order_of_places(rule: Rule, start: Literal, atoms: Sequence[Literal]) -> list[Term] | None:
    places = [place_of(start)]
    while True:
        here = [literal for literal in atoms if place_of(literal) in places]
        if len(here) == len(atoms):
            return places
        reachable = known([*here, *(x for x in rule.body if isinstance(x, Assignment))], *places)
        following = next((place_of(a) for a in atoms if place_of(a) not in places and _is_known(a, reachable)), None)
        if following is None:
            return None
        places.append(following)


def _is_known(literal: Literal, names: Collection[str]) -> bool:
    return all(variable.name in names for variable in variables(place_of(literal)))


def _distributed(rule: Rule, places: Sequence[Term], atoms: Sequence[Literal]) -> list[tuple[Term, list[Literal]]]:
    stages: list[tuple[Term, list[Literal]]] = []
    rest: list[Literal] = [literal for literal in rule.body if isinstance(literal, Assignment | Condition)]
    for place in places:
        mine = [literal for literal in atoms if place_of(literal) == place]
        before = [literal for _, literals in stages for literal in literals]
        names = known([*before, *mine], place, *(p for p, _ in stages))
        for literal in _ready(rest, names):
            mine.append(literal)
            rest.remove(literal)
        stages.append((place, mine))
    if rest:
        names = known([literal for _, literals in stages for literal in literals], *places)
        missing = next(name for literal in rest for name in uses(literal) if name not in names)
        raise _error(UNBOUND, rule, name=missing)
    return stages


def _ready(rest: Sequence[Literal], names: set[str]) -> list[Literal]:
    """What can be computed from these names, assignments feeding each other."""
    ready: list[Literal] = []
    found = True
    while found:
        found = False
        for literal in rest:
            if literal not in ready and all(name in names for name in uses(literal)):
                ready.append(literal)
                names |= binds(literal)
                found = True
    return [literal for literal in rest if literal in ready]


def _names_needed(rule: Rule, later: Sequence[Literal]) -> set[str]:
    names = {variable.name for variable in atom_variables(rule.head)}
    for literal in later:
        names |= set(uses(literal))
    return names


def _tables_of(literals: Sequence[Literal], tables: Mapping[str, TableDeclaration]) -> Iterator[TableDeclaration]:
    for literal in literals:
        if isinstance(literal, Atom) and literal.relation in tables:
            yield tables[literal.relation]


def is_event(literal: Literal, tables: Mapping[str, TableDeclaration]) -> bool:
    """Whether a literal exists for one step only."""
    return isinstance(literal, Deletion) or (isinstance(literal, Atom) and literal.relation not in tables)


def atom_of(literal: Literal) -> Atom:
    """The atom of a literal, present, deleted or absent."""
    if isinstance(literal, Atom):
        return literal
    assert isinstance(literal, Deletion | Absence)
    return literal.atom


def relation_of(literal: Literal) -> str:
    """The relation that a literal names."""
    return atom_of(literal).relation


def place_of(literal: Literal) -> Term:
    """Where a literal is read."""
    return atom_of(literal).place


def uses(literal: Literal) -> list[str]:
    """The variables that a literal mentions; of an assignment, those of its value."""
    if isinstance(literal, Assignment):
        return [variable.name for variable in variables(literal.value)]
    if isinstance(literal, Condition):
        return [variable.name for variable in variables(literal.test)]
    atom = literal if isinstance(literal, Atom) else literal.atom
    return [variable.name for variable in atom_variables(atom)]


def binds(literal: Literal) -> set[str]:
    """The variables that have values after a literal."""
    if isinstance(literal, Assignment):
        return {literal.variable.name}
    if isinstance(literal, Condition | Absence):
        return set()
    atom = literal if isinstance(literal, Atom) else literal.atom
    terms = (atom.place, *atom.args, *(() if atom.sayer is None else (atom.sayer,)))
    return {term.name for term in terms if isinstance(term, ProgramVariable)}


def known(literals: Sequence[Literal], *places: Term) -> set[str]:
    """The variables that are bound after these literals; assignments count if their values are known."""
    names = {variable.name for place in places for variable in variables(place)}
    for literal in literals:
        if not isinstance(literal, Assignment):
            names |= binds(literal)
    changed = True
    while changed:
        changed = False
        for literal in literals:
            is_new = isinstance(literal, Assignment) and literal.variable.name not in names
            if is_new and all(name in names for name in uses(literal)):
                names |= binds(literal)
                changed = True
    return names


def is_broadcast(rule: Rule) -> bool:
    """Whether the head goes to all neighbours."""
    return isinstance(rule.head.place, ProgramVariable) and rule.head.place.name == BROADCAST


def _error(entry: CodeEntry, rule: Rule, **values: Any) -> ProgramError:
    return ProgramError([entry.diagnostic(rule.span, rule=rule.label, **values)])
