"""Atoms over paths become rules: how the relation of a path is found, and from which end.

Law: a rule means the same before and after; the form of its paths depends only on its own text. From the atoms of a
body, in this order:

- Alternatives that are the only path of a rule become separate rules.
- A single step is an atom; a conjunction is one atom over each of its parts, unless one of these may be empty anywhere,
  because the nodes where it may be depend on the whole path.
- A *loose* end is used only by literals that bind it (or by none at all), none of whose other variables
  is used elsewhere. These literals become the seed of a walk that keeps only the nodes it reaches:
  ``p(Y) :- start(X), edge+(X, Y)`` is a search from all of start, not a set of pairs.
- A path with a constant end is a walk from there, also in a negation.
- A chain of steps is inserted into the body if it is the only path with nodes in between.
- A path with an end that other atoms bind is a walk from the nodes that they bind; these are atoms other than those of
  the head's relation, so that a recursive rule does not seed its own recursion.
- All other paths, and every other negation, read the whole relation of the path.

A walk to a known target is a walk from there along the inverse path. The rules of walks are made by `path_rules`.
A negated path is seeded by constants only: other atoms might depend on the head.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tidelog.program import (
    Alternative,
    Atom,
    Comparison,
    Conjunction,
    Const,
    Literal,
    Negation,
    Path,
    Rule,
    Term,
    Var,
    Wildcard,
)
from tidelog.program.values.path import empty_at, is_closure, reversed_path
from tidelog.rewrite.binding import bound_names
from tidelog.rewrite.name_paths import WalkAtom
from tidelog.rewrite.paths import names as path_names
from tidelog.rewrite.paths.forms import ANYWHERE, chain, is_step, shorten, tidy
from tidelog.rewrite.paths.rules import SOMEWHERE, PathRules, Start
from tidelog.rewrite.paths.seeds import term_text, to_seed
from tidelog.rewrite.scope import FreshVariables, body_names, names, rule_terms, terms_of

INLINED = 3  # steps of a path that are inserted into a body; more would count walks rather than their ends


def expand_paths(rule: Rule) -> tuple[Rule, ...]:
    """The rule over ordinary atoms, after the shared rules of the walks that it reads.

    >>> from tidelog.rewrite.name_paths import name_paths
    >>> from tidelog.syntax import parse_program, print_rule
    >>> for text in ("p(X, Y) :- edge+(X, Y).", "p(Y) :- edge+(1, Y).", "p(X, Y) :- q(X), (a/^b)(X, Y)."):
    ...     for after in expand_paths(*name_paths(parse_program(text).rules[0])):
    ...         print(print_rule(after))
    "__path_edge+/1": __path_edge+(X, Y) :- edge(X, Y).
    "__path_edge+/2": __path_edge+(X, Z) :- __path_edge+(X, Y), edge(Y, Z).
    p(X, Y) :- __path_edge+(X, Y).
    "__reach_edge+ from 1/1": __reach_edge+ from 1(Y) :- edge(1, Y).
    "__reach_edge+ from 1/2": __reach_edge+ from 1(Z) :- __reach_edge+ from 1(Y), edge(Y, Z).
    p(Y) :- __reach_edge+ from 1(Y).
    p(X, Y) :- q(X), a(X, V1), b(Y, V1).
    """
    walks = [walk for literal in rule.body if (walk := _walk_of(literal)) is not None]
    if not walks:
        return (rule,)
    if (
        len(walks) == 1
        and walks[0] in rule.body
        and isinstance(walks[0].path, Alternative)
        and not empty_at(walks[0].path)
    ):
        return tuple(made for part in walks[0].path.parts for made in expand_paths(_with_path(rule, walks[0], part)))
    expansion = _Expansion(rule)
    body = expansion.run()
    made = (replace(shared, span=rule.span, origin=rule) for shared in expansion.paths.rules.values())
    return (*made, replace(rule, body=body, origin=rule))


def _with_path(rule: Rule, walk: WalkAtom, path: Path) -> Rule:
    """The rule with its only path replaced by another."""
    other = replace(walk, path=path)
    return replace(rule, body=tuple(other if literal is walk else literal for literal in rule.body), origin=rule)


def _walk_of(literal: Literal) -> WalkAtom | None:
    atom = literal.atom if isinstance(literal, Negation) else literal
    return atom if isinstance(atom, WalkAtom) else None


@dataclass(slots=True)
class _Expansion:
    """The expansion of one rule: its body, and the rules of its walks."""

    rule: Rule
    paths: PathRules = field(default_factory=PathRules)
    body: list[Literal] = field(default_factory=list)
    whole: set[str] = field(default_factory=set)
    fresh: FreshVariables = field(default_factory=FreshVariables)

    def run(self) -> tuple[Literal, ...]:
        """The body without paths."""
        self.fresh = FreshVariables(rule_terms(self.rule))
        for literal in self.rule.body:
            self.body.extend(self._plain(literal))
        while (found := self._loose()) is not None:
            self._project(*found)
        while walks := [literal for literal in self.body if isinstance(literal, WalkAtom)]:
            chosen = min(walks, key=self._preference)
            self._replace(chosen, self._resolve(chosen, walks))
        return tuple(self.body)

    def _plain(self, literal: Literal) -> list[Literal]:
        """Expand the parts of a literal that need no choice: steps, conjunctions of non-empty paths, negations."""
        walk = _walk_of(literal)
        if walk is None:
            return [literal]
        source, target = walk.args
        if isinstance(literal, Negation):
            return [replace(literal, atom=replace(self._alone(walk), span=walk.span))]
        if is_step(walk.path):
            return [replace(self.paths.step(walk.path, source, target), span=walk.span)]
        if isinstance(walk.path, Conjunction) and not any(ANYWHERE in empty_at(part) for part in walk.path.parts):
            ends = tuple(self.fresh.variable() if isinstance(end, Wildcard) else end for end in walk.args)
            return [x for part in walk.path.parts for x in self._plain(replace(walk, args=ends, path=part))]
        return [literal]

    def _alone(self, walk: WalkAtom) -> Atom:
        """The atom of a walk that only its own constants and ``_`` restrict."""
        source, target = walk.args
        if is_step(walk.path):
            return self.paths.step(walk.path, source, target)
        if isinstance(source, Const):
            return self._walk(walk.path, _constant(source), target)
        if isinstance(target, Const):
            return self._walk(_back(walk.path), _constant(target), source)
        if isinstance(source, Wildcard):
            return self._anywhere(walk.path, target)
        if isinstance(target, Wildcard):
            return self._anywhere(_back(walk.path), source)
        return Atom(self.paths.walk(walk.path), (source, target))

    def _walk(self, path: Path, start: Start, end: Term) -> Atom:
        return Atom(self.paths.walk(path, start), (end,) if not start.kept else (start.node, end))

    def _anywhere(self, path: Path, end: Term) -> Atom:
        """The atom that holds for the end of a path, regardless of its beginning."""
        if ANYWHERE in empty_at(path):
            return Atom(self.paths.nodes(path), (end,))
        path = shorten(path)
        return self.paths.step(path, Wildcard(), end) if is_step(path) else self._walk(path, SOMEWHERE, end)

    # Loose ends

    def _loose(self) -> tuple[WalkAtom, Term, list[Literal]] | None:
        """A walk with a loose end, that end, and the literals that bind it; ends without such literals come first."""
        found = [
            (walk, end, hanging)
            for walk in self.body
            if isinstance(walk, WalkAtom)
            for end in walk.args
            if (hanging := self._hanging(walk, end)) is not None
        ]
        return min(found, key=lambda each: len(each[2]), default=None)

    def _hanging(self, walk: WalkAtom, end: Term) -> list[Literal] | None:
        """The literals connected to the rule only by this end of a walk; None if the end is not loose."""
        if isinstance(end, Wildcard):
            return []
        if not isinstance(end, Var):
            return None
        reached, hanging, rest = {end.name}, [], [x for x in self.body if x is not walk]
        while near := [x for x in rest if reached & set(names(terms_of(x)))]:
            hanging += near
            rest = [x for x in rest if not any(x is y for y in near)]
            reached |= set(body_names(near))
        other = walk.args[1] if end is walk.args[0] else walk.args[0]
        needed = set(names((*self.rule.head.args, other)))
        if reached & needed or (hanging and not bound_names(hanging) >= reached):
            return None
        return [x for x in self.body if any(x is y for y in hanging)]

    def _project(self, walk: WalkAtom, end: Term, hanging: list[Literal]) -> None:
        """Replace a walk from a loose end, and the literals connected to it, by the nodes that it reaches."""
        source, target = walk.args
        path, other = (walk.path, target) if end is source else (_back(walk.path), source)
        if hanging:
            assert isinstance(end, Var)
            atom = self._walk(path, replace(self._seeded(end, hanging), kept=False), other)
        else:
            atom = self._anywhere(path, other)
        self.body = [x for x in self.body if not any(x is y for y in hanging)]
        self._replace(walk, (atom,))

    def _seeded(self, node: Var, literals: list[Literal]) -> Start:
        """Walks from the nodes that literals bind; a seed that needs a relation gets its rules."""
        seed = to_seed(node, literals)
        name = seed.atom.predicate
        if seed.needs_relation and name not in self.paths.known:
            self.paths.known.add(name)
            inner = _Expansion(Rule(seed.atom, seed.body), self.paths)
            self.paths.emit(name, [(seed.atom, inner.run())])
        return Start(f"{path_names.FROM}{seed.text}", bindings=(seed.atom,))

    # Ends that are needed

    def _preference(self, walk: WalkAtom) -> int:
        """The order of walks: those that begin at known nodes first, because they bind nodes for the others."""
        if any(isinstance(end, Const) for end in walk.args):
            return 0
        if any(self._anchors(end) for end in walk.args):
            return 1
        return 3 if is_closure(walk.path) else 2

    def _resolve(self, walk: WalkAtom, walks: list[WalkAtom]) -> tuple[Literal, ...]:
        """The literals that replace a walk of which both ends are needed."""
        source, target = walk.args
        if isinstance(source, Const) or isinstance(target, Const):
            return (self._alone(walk),)
        steps = chain(walk.path)
        if steps is not None and len(walks) == 1 and len(steps) <= INLINED:
            nodes = (source, *(self.fresh.variable() for _ in steps[1:]), target)
            return self.paths.along(steps, nodes)
        for path, node, end in ((walk.path, source, target), (_back(walk.path), target, source)):
            if literals := self._anchors(node):
                assert isinstance(node, Var)
                return (Atom(self.paths.walk(path, self._seeded(node, literals)), (node, end)),)
        name = self.paths.walk(walk.path)
        if ANYWHERE in empty_at(walk.path):
            self.whole.add(name)
        return (Atom(name, (source, target)),)

    def _anchors(self, node: Term) -> list[Literal]:
        """The literals of the body that bind a node: atoms, and comparisons of the variables they bind."""
        assert isinstance(node, Var), "other ends are constants, which come first, or loose"
        own = {self.rule.head.predicate, self.rule.root.head.predicate} | self.whole
        chosen = [
            x
            for x in self.body
            if (type(x) is Atom and node in x.args and x.predicate not in own)
            or (isinstance(x, Comparison) and x.op == "=" and node in (x.left, x.right) and len(body_names([x])) == 1)
        ]
        bound = bound_names(chosen)
        if node.name not in bound:
            return []
        tests = [x for x in self.body if isinstance(x, Comparison) and set(body_names([x])) <= bound]
        return [x for x in self.body if any(x is y for y in (*chosen, *tests))]

    def _replace(self, walk: WalkAtom, literals: tuple[Literal, ...]) -> None:
        at = next(i for i, x in enumerate(self.body) if x is walk)
        placed = (replace(x, span=walk.span) if isinstance(x, Atom) else x for x in literals)
        self.body[at : at + 1] = placed


def _constant(node: Const) -> Start:
    return Start(f"{path_names.FROM}{term_text(node)}", node, (), False)


def _back(path: Path) -> Path:
    return tidy(reversed_path(path))
