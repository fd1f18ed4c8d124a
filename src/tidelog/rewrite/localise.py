"""Localisation: rules whose body atoms all live at one location.

Law: joins are associative, so a rule over several locations may be evaluated in pieces, each where its atoms live, with
its results sent on. The relations of the program keep their facts; only auxiliary ones are added:

- a *mirror* ``__at_link_2(X, @Y) :- link(@X, Y).`` holds the same facts at another of their columns (the ``co-link`` of
  the papers, for any relation and column). It is shared by all rules that need it;
- a *piece* ``__loc_r3_1(X, @Y) :- ...`` joins what lives at one location and sends it to the next.

A location that no chain of join keys connects with the others cannot be reached by any message, and the rule is
refused. (Nigam, Jia, Loo, Scedrov 2011, section 2, localise over a link; the mirror of a directed link keeps that
correct.) Which location is best for a plain program is not decided here: without ``@`` a rule is local.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tidelog.errors import Diagnostic, ProgramError
from tidelog.program import Atom, Comparison, Const, Literal, Negation, Rule, Term, Var, Wildcard
from tidelog.rewrite.binding import bound_names
from tidelog.rewrite.label_rules import label_of, number_rules
from tidelog.rewrite.names import MIRROR, PIECE
from tidelog.rewrite.rewrite_catalogue import diagnose
from tidelog.rewrite.scope import FreshVariables, body_names, names, rule_terms


def is_localised(rule: Rule) -> bool:
    """Whether all atoms of the body live at one location; atoms without location are at none.

    >>> from tidelog.syntax import parse_program
    >>> [is_localised(r) for r in parse_program("p(@X) :- q(@Y, X), r(@Y). p(@X) :- q(@Y, X), r(@X).").rules]
    [True, False]
    """
    locations = [_location(literal) for literal in _placed(rule.body)]
    return len(locations) < 2 or (len(set(locations)) < 2 and not isinstance(locations[0], Wildcard))


def localise(rule: Rule) -> tuple[Rule, ...]:
    """Local rules that together mean the same as a core rule; a local rule is unchanged.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> for after in localise(parse_program("r2: reach(@S, D) :- link(@S, Z), reach(@Z, D).").rules[0]):
    ...     print(print_rule(after))
    link/at2: __at_link_2(V1, @V2) :- link(@V1, V2).
    r2: reach(@S, D) :- __at_link_2(S, @Z), reach(@Z, D).
    """
    if is_localised(rule):
        return (rule,)
    if unplaced := [literal for literal in _placed(rule.body) if _location(literal) is None]:
        raise ProgramError(_refusals(unplaced))
    named = replace(rule, body=_with_named_locations(rule), label=label_of(rule), origin=rule)
    plans = [plan for site in _groups(named.body) if (plan := _plan(named, site)) is not None]
    if not plans:
        raise ProgramError([_unreachable(rule)])
    best = min(plans, key=lambda plan: (len(plan.pieces), len(plan.mirrors)))
    return number_rules(best.rules(), named.label)


_Groups = dict[Term, list[tuple[int, Atom | Negation]]]


@dataclass
class _Plan:
    """One way to evaluate a rule at a site: the current location of each literal, and the auxiliary rules made so far.

    A literal keeps its original position in the body, so that the final rule has the order of the text.
    """

    rule: Rule
    groups: _Groups
    tests: list[tuple[int, Comparison]]
    decided: set[int] = field(default_factory=set)
    mirrors: dict[str, Rule] = field(default_factory=dict)
    pieces: list[Rule] = field(default_factory=list)

    def rules(self) -> tuple[Rule, ...]:
        """Mirrors, pieces, and the rule itself at the one remaining location."""
        (group,) = self.groups.values()
        body = sorted([*group, *self._undecided()], key=lambda placed: placed[0])
        last = replace(self.rule, body=tuple(literal for _, literal in body), origin=self.rule)
        return (*self.mirrors.values(), *self.pieces, last)

    def joins(self, child: Term, parent: Term) -> bool:
        """Whether a key connects the two locations: one can be found from literals at the other."""
        return self._reaches(self._literals(child), parent) or self._reaches(self._literals(parent), child)

    def fold(self, child: Term, parent: Term) -> bool:
        """Bring what lives at the child to the parent; False if a negated atom there lacks values that it tests."""
        own = self._literals(child)
        if all(parent in _atom(literal).args for literal in own):
            self.groups[parent] += [(i, self._mirror(literal, parent)) for i, literal in self.groups.pop(child)]
            return True
        body = self._joined(own, child, parent)
        if body is None:
            return False
        position, _ = self.groups.pop(child)[0]
        self.groups[parent].append((position, self._piece(body, parent)))
        return True

    def _joined(self, own: list[Atom | Negation], child: Term, parent: Term) -> list[Atom | Negation] | None:
        """The literals joined at the child: its own, and otherwise also atoms of the parent, mirrored or sent there."""
        if self._can_send(own, parent):
            return own
        there = [literal for literal in self._literals(parent) if isinstance(literal, Atom)]
        near = [atom for atom in there if child in atom.args]
        if self._can_send([*near, *own], parent):
            return [*(self._mirror(atom, child) for atom in near), *own]
        if self._can_send([*there, *own], parent) and self._reaches(there, child):
            return [self._piece(there, child), *own]
        return None

    def _literals(self, site: Term) -> list[Atom | Negation]:
        return [literal for _, literal in self.groups[site]]

    def _undecided(self) -> list[tuple[int, Comparison]]:
        return [(i, test) for i, test in self.tests if i not in self.decided]

    def _bound(self, body: Sequence[Literal]) -> set[str]:
        return bound_names([*body, *(test for _, test in self.tests)])

    def _can_send(self, body: Sequence[Literal], site: Term) -> bool:
        """Whether the body can be joined separately and its results can be sent."""
        return self._reaches(body, site) and self._bound(body) >= set(body_names(body))

    def _reaches(self, body: Sequence[Literal], site: Term) -> bool:
        return isinstance(site, Const) or (isinstance(site, Var) and site.name in self._bound(body))

    def _mirror(self, literal: Atom | Negation, site: Term) -> Atom | Negation:
        """The literal read at the site, from a mirror of its relation: ``__at_p_2(V1, @V2) :- p(@V1, V2).``"""
        atom = _atom(literal)
        column = atom.args.index(site)
        name = f"{MIRROR}{atom.predicate}_{column + 1}"
        args = tuple(Var(f"V{i}") for i in range(1, len(atom.args) + 1))
        head, source = Atom(name, args, column), replace(atom, args=args)
        self.mirrors[name] = Rule(head, (source,), f"{atom.predicate}/at{column + 1}", self.rule.span, self.rule)
        moved = replace(atom, predicate=name, location=column)
        return replace(literal, atom=moved) if isinstance(literal, Negation) else moved

    def _piece(self, body: Sequence[Atom | Negation], site: Term) -> Atom:
        """The atom of a new relation at the site: the body joined, with the columns that are needed elsewhere."""
        bound = self._bound(body)
        tests = [(i, test) for i, test in self.tests if set(body_names([test])) <= bound]
        self.decided |= {i for i, _ in tests}
        whole = (*body, *(test for _, test in tests))
        wanted = self._names_needed()
        columns: list[Term] = [Var(name) for name in body_names(whole) if name in wanted and Var(name) != site]
        atom = Atom(f"{PIECE}{self.rule.label}_{len(self.pieces) + 1}", (*columns, site), len(columns))
        self.pieces.append(Rule(atom, whole, self.rule.label, self.rule.span, self.rule))
        return atom

    def _names_needed(self) -> set[str]:
        """The variables of the head and of the literals still to be joined."""
        rest = [literal for group in self.groups.values() for _, literal in group]
        return {*names(self.rule.head.args), *body_names(rest), *body_names(test for _, test in self._undecided())}


def _plan(rule: Rule, site: Term) -> _Plan | None:
    """The plan that brings everything to the site, along a tree of locations, farthest first; None if impossible."""
    groups = _groups(rule.body)
    plan = _Plan(rule, groups, [(i, test) for i, test in enumerate(rule.body) if isinstance(test, Comparison)])
    parents: dict[Term, Term] = {}
    for parent in (queue := [site]):
        news = [child for child in groups if child not in queue and plan.joins(child, parent)]
        parents |= dict.fromkeys(news, parent)
        queue += news
    waiting = queue[:0:-1]
    while waiting:
        leaves = (child for child in waiting if child not in {parents[other] for other in waiting})
        folded = next((child for child in leaves if plan.fold(child, parents[child])), None)
        if folded is None:
            return None
        waiting.remove(folded)
    return plan if len(plan.groups) == 1 else None


def _groups(body: Sequence[Literal]) -> _Groups:
    """The atoms of a body and their positions, by location."""
    groups: _Groups = {}
    for i, literal in enumerate(body):
        if isinstance(literal, Atom | Negation) and (location := _location(literal)) is not None:
            groups.setdefault(location, []).append((i, literal))
    return groups


def _with_named_locations(rule: Rule) -> tuple[Literal, ...]:
    """The body with a variable for each location ``@_``: two of them are different places."""
    fresh = FreshVariables(rule_terms(rule))

    def named(literal: Literal) -> Literal:
        if not isinstance(literal, Atom) or not isinstance(_location(literal), Wildcard):
            return literal
        args = (fresh.variable() if i == literal.location else arg for i, arg in enumerate(literal.args))
        return replace(literal, args=tuple(args))

    return tuple(map(named, rule.body))


def _placed(body: Iterable[Literal]) -> Iterator[Atom | Negation]:
    return (literal for literal in body if isinstance(literal, Atom | Negation))


def _atom(literal: Atom | Negation) -> Atom:
    return literal.atom if isinstance(literal, Negation) else literal


def _location(literal: Atom | Negation) -> Term | None:
    atom = _atom(literal)
    return None if atom.location is None else atom.args[atom.location]


def _refusals(unplaced: Iterable[Atom | Negation]) -> Iterator[Diagnostic]:
    return (diagnose("TL650", literal.span, name=_atom(literal).predicate) for literal in unplaced)


def _unreachable(rule: Rule) -> Diagnostic:
    places = [f"`{_atom(literal).predicate}`" for literal in _placed(rule.body)]
    return diagnose("TL651", rule.span, places=", ".join(dict.fromkeys(places)))
