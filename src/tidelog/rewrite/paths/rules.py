"""The rules of the relations for walks along a path.

Law: each state of the path's automaton is a relation of the pairs (first node, node reached in this state), and each
move a rule with one step, so that a walk never carries along the nodes it has passed:

    __path_edge+(X, Z) :- edge(X, Z).
    __path_edge+(X, Z) :- __path_edge+(X, Y), edge(Y, Z).

A `Start` defines where walks begin. If its node is not needed afterwards (a constant, or a node that only the path
uses), the relations hold only the nodes reached. The names of relations and labels are built from the path's text and
the start, so that all rules with the same walk share its relations; nothing here depends on a rule of the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise, product

from tidelog.program import Atom, Conjunction, Inverse, Label, Literal, Path, Rule, Term, Var, Wildcard
from tidelog.program.values.path import Domains, domains, empty_at, labels
from tidelog.program.values.path_text import path_text
from tidelog.program.values.scope import label_value
from tidelog.rewrite.paths import names as path_names
from tidelog.rewrite.paths.automaton import NO_GUARD, Automaton, Move, to_automaton
from tidelog.rewrite.paths.forms import chain
from tidelog.rewrite.paths.names import NODES, REACHED, SOME, WALKS

FROM, HERE, NEXT = Var("X"), Var("Y"), Var("Z")


@dataclass(frozen=True, slots=True)
class Start:
    """Where walks begin: at ``node``, which ``bindings`` bind; ``kept``: the node is a column of the walks."""

    text: str = ""
    node: Term = FROM
    bindings: tuple[Literal, ...] = ()
    kept: bool = True


EVERYWHERE = Start()
SOMEWHERE = Start(f"{path_names.FROM}{path_names.ANYWHERE}", kept=False)


@dataclass(slots=True)
class PathRules:
    """The rules that the paths of a rule need, by label; all of them are shared."""

    rules: dict[str, Rule] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)

    def walk(self, path: Path, start: Start = EVERYWHERE, *, empty: bool = True) -> str:
        """The relation of the walks along a tidy path; without ``empty``, of those that make a step."""
        if isinstance(path, Conjunction) and start == EVERYWHERE and not (empty and empty_at(path)):
            return self._both(path)
        kind = WALKS if start.kept else REACHED
        some = "" if empty or not empty_at(path) else SOME
        name = f"{kind}{path_text(path)}{some}{start.text}"
        if name not in self.known:
            automaton = to_automaton(path)
            self._write(name, path, automaton if empty else replace(automaton, empty=frozenset()), start)
        return name

    def _write(self, name: str, path: Path, automaton: Automaton, start: Start) -> None:
        self.known.add(name)
        walk = _Walk(name, automaton, start, self)
        nodes = self.nodes(path) if NO_GUARD in automaton.empty else ""
        self.emit(name, walk.clauses(nodes))

    def emit(self, name: str, clauses: Iterable[tuple[Atom, tuple[Literal, ...]]]) -> None:
        """Add the rules of a relation, labelled after it."""
        for number, (head, body) in enumerate(dict.fromkeys(clauses), 1):
            label = f"{name}/{number}"
            self.rules[label] = Rule(head, body, label)

    def nodes(self, path: Path) -> str:
        """The relation of the nodes of a path: the ends of the facts of its labels, and the members of its domains."""
        ends: dict[str, tuple[Atom, ...]] = {}
        for label in labels(path):
            middle = () if label.value is None else (Wildcard(),)
            first = Atom(label.relation, (FROM, *middle, Wildcard()))
            ends[label.relation] = (first, replace(first, args=(Wildcard(), *middle, FROM)))
        for repeat in domains(path):
            assert repeat.domain is not None
            ends[repeat.domain] = (Atom(repeat.domain, (FROM,)),)
        name = f"{NODES}{'|'.join(sorted(ends))}"
        if name not in self.known:
            self.known.add(name)
            head = Atom(name, (FROM,))
            self.emit(name, ((head, (atom,)) for relation in sorted(ends) for atom in ends[relation]))
        return name

    def step(self, path: Path, source: Term, target: Term) -> Atom:
        """The atom of one step from source to target."""
        match path:
            case Inverse(path=Label() as label):
                return self.step(label, target, source)
            case Label(relation=relation, value=value):
                middle = () if value is None else (replace(label_value(path), span=None),)
                return Atom(relation, (source, *middle, target))
        assert isinstance(path, Conjunction)
        return Atom(self._both(path), (source, target))

    def along(self, steps: Iterable[Path], nodes: Iterable[Term]) -> tuple[Literal, ...]:
        """The atoms of a chain of steps through these nodes."""
        return tuple(self.step(step, *ends) for step, ends in zip(steps, pairwise(nodes), strict=True))

    def _both(self, path: Conjunction) -> str:
        """The relation of a conjunction, as far as one of its parts makes a step."""
        name = f"{WALKS}{path_text(path)}{SOME if empty_at(path) else ''}"
        if name not in self.known:
            self.known.add(name)
            self.emit(name, self._clauses_of_both(name, path))
        return name

    def _clauses_of_both(self, name: str, path: Conjunction) -> Iterator[tuple[Atom, tuple[Literal, ...]]]:
        """One clause for each choice of the empty parts, whose two ends are the same node."""
        for choice in product(*([None, *sorted(empty_at(part), key=sorted)] for part in path.parts)):
            if None not in choice:
                continue
            end = HERE if all(guard is None for guard in choice) else FROM
            body: list[Literal] = []
            for i, (part, guard) in enumerate(zip(path.parts, choice, strict=True), 1):
                body.extend(self._walked(part, Var(f"Z{i}"), end) if guard is None else guards(guard, FROM))
            yield Atom(name, (FROM, end)), tuple(body)

    def _walked(self, part: Path, between: Var, end: Term) -> tuple[Literal, ...]:
        steps = chain(part)
        if steps is not None and len(steps) <= 2:
            return self.along(steps, [FROM, between, end] if len(steps) == 2 else [FROM, end])
        return (Atom(self.walk(part, empty=False), (FROM, end)),)


def guards(names: Domains, node: Term) -> tuple[Literal, ...]:
    """The atoms that require a node to belong to domains."""
    return tuple(Atom(name, (node,)) for name in sorted(names))


class _Walk:
    """The clauses of the relations of one walk."""

    def __init__(self, name: str, automaton: Automaton, start: Start, rules: PathRules) -> None:
        self.name, self.automaton, self.start, self.rules = name, automaton, start, rules
        self.end = self._end_state()
        self.begun = frozenset() if self._starts_in_end() else automaton.first
        self.arriving: list[set[Move | None]] = [set() for _ in automaton.moves]
        for step, guard in self.begun:
            self.arriving[automaton.state_of[step]].add((step, guard))
        for moves in automaton.moves:
            for step, _ in moves:
                self.arriving[automaton.state_of[step]].add(None)

    def _end_state(self) -> int | None:
        """The state whose relation can also hold the result: walks that end otherwise do not disturb it.

        This is a state that no step leaves, or the only one that ends walks, if the empty walk continues like it.
        """
        automaton = self.automaton
        plain = [i for i, accepts in enumerate(automaton.accepts) if accepts == {NO_GUARD}]
        for state in plain:
            if not automaton.moves[state]:
                return state
        if len(plain) == sum(map(bool, automaton.accepts)) == 1:
            alike = not automaton.empty or automaton.moves[plain[0]] == automaton.first
            return plain[0] if alike else None
        return None

    def _starts_in_end(self) -> bool:
        """Whether all walks begin with the empty one: then a first step is a step like any other."""
        automaton = self.automaton
        return self.end is not None and NO_GUARD in automaton.empty and automaton.moves[self.end] == automaton.first

    def clauses(self, nodes: str) -> Iterator[tuple[Atom, tuple[Literal, ...]]]:
        """All clauses: the empty walk, first steps, further steps, ends."""
        automaton, start = self.automaton, self.start
        for guard in sorted(automaton.empty, key=sorted):
            tests = guards(guard, start.node) or (Atom(nodes, (start.node,)),)
            yield self._head(self.name, start.node), (*start.bindings, *tests)
        for move in _ordered(self.begun):
            state = automaton.state_of[move[0]]
            if not self._is_inlined(state):
                yield self._head(self._relation(state), HERE), self._first(move, HERE)
        for state, moves in enumerate(automaton.moves):
            for step, guard in _ordered(moves):
                body = (
                    *self._at(state, HERE),
                    *guards(guard, HERE),
                    self.rules.step(automaton.steps[step], HERE, NEXT),
                )
                yield self._head(self._relation(automaton.state_of[step]), NEXT), body
        for state, accepts in enumerate(automaton.accepts):
            for guard in sorted(accepts, key=sorted) if state != self.end else ():
                yield self._head(self.name, HERE), (*self._at(state, HERE), *guards(guard, HERE))

    def _first(self, move: Move, end: Term) -> tuple[Literal, ...]:
        step, guard = move
        start = self.start
        first = self.rules.step(self.automaton.steps[step], start.node, end)
        return (*start.bindings, *guards(guard, start.node), first)

    def _at(self, state: int, node: Term) -> tuple[Literal, ...]:
        """The literals that require a walk to be at a node in a state."""
        if self._is_inlined(state):
            (move,) = self.arriving[state]
            assert move is not None
            return self._first(move, node)
        return (self._head(self._relation(state), node),)

    def _is_inlined(self, state: int) -> bool:
        """Whether a state is reached only by one first step, so that it needs no separate relation."""
        return state != self.end and len(self.arriving[state]) == 1 and None not in self.arriving[state]

    def _relation(self, state: int) -> str:
        return self.name if state == self.end else f"{self.name}/{state + 1}"

    def _head(self, relation: str, end: Term) -> Atom:
        node = self.start.node
        first = (end,) if not self.start.kept else (node, end)
        return Atom(relation, first)


def _ordered(moves: Iterable[Move]) -> list[Move]:
    return sorted(moves, key=lambda move: (move[0], sorted(move[1])))
