"""Rules above a cycle through negation have two readings: what is true, and what is undefined.

Law: let some relations have undefined facts (`graph.undefined_readers`). A rule derives a true fact if all its literals
are true: its atoms hold, and what it negates is neither true nor undefined. It derives a fact that is at least
undefined if no literal is false and one of them is undefined; such facts are collected in ``__maybe_q``, and are
undefined if they are not true:

    q(X) :- a(X), p(X), !r(X).        q(X) :- a(X), p(X), !r(X), !__undefined_r(X).
                                      __maybe_q(X) :- a(X), __undefined_p(X), !r(X).
                                      __maybe_q(X) :- a(X), p(X), !r(X), __undefined_r(X).
                                      __undefined_q(X) :- __maybe_q(X), !q(X).

Every further rule has an atom of a relation of undefined facts, so that it costs nothing while there are none. A
recursion reads its own ``__maybe_q``. The value of an aggregate is in doubt if its group has an undefined row: then the
value over true rows and that over all possible rows are both undefined, and neither is true.

    n(X, count<Y>) :- e(X, Y), p(Y).  __sure_r1(X, count<Y>) :- e(X, Y), p(Y).
                                      __doubt_r1(X) :- e(X, Y), __undefined_p(Y).
                                      n(X, C) :- __sure_r1(X, C), !__doubt_r1(X).
                                      __maybe_n(X, C) :- __sure_r1(X, C), __doubt_r1(X).
                                      __most_r1(X, count<Y>) :- e(X, Y), (p(Y) ; __undefined_p(Y)), __doubt_r1(X).
                                      __maybe_n(X, C) :- __most_r1(X, C).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from tidelog.program.graph.constraint import is_hidden
from tidelog.program.graph.undefined_readers import Uncertainty, head_aggregates, pool_of
from tidelog.program.graph.well_founded import UNDEFINED
from tidelog.program.values.rule import Rule
from tidelog.program.values.scope import (
    aggregate_names,
    all_literals,
    atoms,
    body_aggregates,
    literal_terms,
    rule_names,
)
from tidelog.program.values.term import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Disjunction,
    Literal,
    Negation,
    Term,
    Var,
    Wildcard,
)

MAYBE, DOUBT, SURE, MOST, EITHER = "__maybe_", "__doubt_", "__sure_", "__most_", "__either_"
MOST_READINGS = 16  # of one body; beyond that, unions of true and undefined facts are kept

Body = tuple[Literal, ...]
NO_RECURSION: frozenset[str] = frozenset()


@dataclass(slots=True)
class Readings:
    """The readings of bodies, given the relations with undefined facts; ``rules`` are auxiliary ones that they need.

    ``recursion`` are the relations of the head's own recursion, of which `MAYBE` facts are read.
    """

    unsure: frozenset[str]
    owner: Rule
    label: str
    recursion: frozenset[str] = NO_RECURSION
    rules: list[Rule] = field(default_factory=list)
    _doubts: dict[Aggregate, Atom] = field(default_factory=dict)
    _wildcards: int = 0

    def sure(self, body: Sequence[Literal]) -> Body:
        """The body of which all literals are true."""
        return tuple(made for literal in body for made in self._sure(literal))

    def unsure_bodies(self, body: Sequence[Literal]) -> list[Body]:
        """Bodies without a false literal that have an undefined one; each undefined instance has one of them."""
        return [made for flat in _alternatives(body) for made in self._unsure_bodies(flat)]

    def possible(self, body: Sequence[Literal]) -> Body:
        """The body of which no literal is false."""
        return tuple(self._possible(literal) for literal in body)

    def _sure(self, literal: Literal) -> Body:
        if isinstance(literal, Negation) and self._is_unsure(literal):
            return (literal, replace(literal, atom=self._undefined(literal.atom)))
        if isinstance(literal, Disjunction):
            return (replace(literal, branches=tuple(map(self.sure, literal.branches))),)
        if isinstance(literal, Comparison) and (found := self._aggregates(literal)):
            doubts = (Negation(self._doubt(aggregate)) for aggregate in found)
            return (_ranging(literal, {aggregate: self.sure(aggregate.body or ()) for aggregate in found}), *doubts)
        return (literal,)

    def _possible(self, literal: Literal) -> Literal:
        if isinstance(literal, Atom) and self._is_unsure(literal):
            named = replace(literal, args=tuple(map(self._named, literal.args)))
            return Disjunction(((named,), (self._undefined(named),)))
        if isinstance(literal, Disjunction):
            return replace(literal, branches=tuple(map(self.possible, literal.branches)))
        if isinstance(literal, Comparison) and (found := self._aggregates(literal)):
            sure = _ranging(literal, {each: self.sure(each.body or ()) for each in found})
            return Disjunction(((sure,), *(body for is_undefined, body in self._options(literal) if is_undefined)))
        return literal

    def _named(self, term: Term) -> Term:
        """A variable for ``_``, so that both branches of a disjunction count the same valuations."""
        if not isinstance(term, Wildcard):
            return term
        self._wildcards += 1
        return Var(f"V{self._wildcards}_")

    def _unsure_bodies(self, body: Body) -> list[Body]:
        """The undefined readings of a body without disjunctions: any choice of undefined atoms, or one negation.

        Beside an undefined literal it suffices that what is negated is not true.
        """
        options = [self._options(literal) for literal in body]
        alone = self._unsure_places(body, Negation)
        if prod(map(len, options)) > MOST_READINGS:
            united = self._unsure_places(body, Atom)
            for place in united:
                options[place] = [(False, (self._either(body[place]),))]
            alone += united
        found = [choice for choice in product(*options) if any(is_undefined for is_undefined, _ in choice)]
        for place in alone:
            rest = ([(True, self._as_undefined(body[place]))] if i == place else each for i, each in enumerate(options))
            found += product(*rest)
        return [tuple(part for _, parts in choice for part in parts) for choice in found]

    def _options(self, literal: Literal) -> list[tuple[bool, Body]]:
        """The ways in which a literal may not be false, each with whether it then is undefined."""
        if isinstance(literal, Atom) and self._is_unsure(literal):
            return [(False, (literal,)), (True, self._as_undefined(literal))]
        if isinstance(literal, Comparison) and (found := self._aggregates(literal)):
            readings = (self.sure, self.possible)  # of the groups in doubt alone
            bodies = [{each: (self._doubt(each), *read(each.body or ())) for each in found} for read in readings]
            doubts = [(self._doubt(each), _ranging(literal, ranges)) for each in found for ranges in bodies]
            return [(False, self._sure(literal)), *((True, doubt) for doubt in doubts)]
        return [(False, (literal,))]

    def _unsure_places(self, body: Body, kind: type[Atom | Negation]) -> list[int]:
        return [i for i, literal in enumerate(body) if isinstance(literal, kind) and self._is_unsure(literal)]

    def _is_unsure(self, literal: Atom | Negation) -> bool:
        return (literal.atom if isinstance(literal, Negation) else literal).predicate in self.unsure

    def _as_undefined(self, literal: Literal) -> Body:
        """The literal if it is undefined."""
        if isinstance(literal, Negation):
            return (literal, self._undefined(literal.atom))  # with ``_``, some matching fact may be true
        assert isinstance(literal, Atom)
        return (self._undefined(literal),)

    def _undefined(self, atom: Atom) -> Atom:
        """The atom that holds for undefined facts."""
        prefix = MAYBE if atom.predicate in self.recursion else UNDEFINED
        return replace(atom, predicate=f"{prefix}{atom.predicate}")

    def _either(self, literal: Literal) -> Atom:
        """The atom that holds for true and undefined facts."""
        assert isinstance(literal, Atom)
        columns = variables(len(literal.args))
        source = Atom(literal.predicate, columns)
        either = f"{EITHER}{'own_' if literal.predicate in self.recursion else ''}{literal.predicate}"
        for i, read in enumerate((source, self._undefined(source)), 1):
            self.rules.append(Rule(Atom(either, columns), (read,), f"{either}/{i}", self.owner.span, self.owner))
        return replace(literal, predicate=either)

    def derive(self, head: Atom, body: Body, part: str) -> Rule:
        """A rule of a reading."""
        return Rule(head, body, f"{self.label}/{part}", self.owner.span, self.owner)

    def _aggregates(self, literal: Comparison) -> list[Aggregate]:
        """The aggregates of a comparison that range over relations with undefined facts."""
        found = (each for term in literal_terms(literal) for each in body_aggregates(term))
        return [each for each in found if any(a.predicate in self.unsure for a in atoms(all_literals(each.body or ())))]

    def _doubt(self, aggregate: Aggregate) -> Atom:
        """The atom that holds for groups of an aggregate with an undefined row."""
        if aggregate not in self._doubts:
            number, owner = len(self._doubts) + 1, self.owner
            group = tuple(map(Var, sorted(aggregate_names(aggregate) & rule_names(owner))))
            head = self._doubts[aggregate] = Atom(f"{DOUBT}{self.label}_{number}", group)
            bodies = self.unsure_bodies(aggregate.body or ())
            self.rules += (self.derive(head, body, f"doubt{number}_{i}") for i, body in enumerate(bodies, 1))
        return self._doubts[aggregate]


def read_undefined(rules: Sequence[Rule], known: Uncertainty, cyclic: frozenset[str]) -> tuple[list[Rule], list[Rule]]:
    r"""The rules in their true reading, those of cyclic relations unchanged, and the rules of undefined facts.

    >>> from tidelog.program.graph.undefined_readers import uncertainty
    >>> from tidelog.syntax import parse_program, print_rule
    >>> rules = parse_program("p(X) :- a(X), !p(X). r1: q(X) :- b(X), p(X), !p(1).").rules
    >>> cycles = frozenset(["p"])
    >>> true, more = read_undefined(rules, uncertainty(rules, [cycles]), cycles)
    >>> print(*map(print_rule, [*true[1:], *more]), sep="\n")
    r1: q(X) :- b(X), p(X), !p(1), !__undefined_p(1).
    r1/undefined1: __maybe_q(X) :- b(X), __undefined_p(X), !p(1).
    r1/undefined2: __maybe_q(X) :- b(X), p(X), !p(1), __undefined_p(1).
    r1/undefined3: __maybe_q(X) :- b(X), __undefined_p(X), !p(1), __undefined_p(1).
    q/undefined: __undefined_q(V1) :- __maybe_q(V1), !q(V1).
    """
    true, more, shown = list[Rule](), list[Rule](), dict[str, Rule]()
    pools = {_pool(rule) for rule in rules if rule.head.predicate not in cyclic and known.is_unsure(rule)}
    for place, rule in enumerate(rules):
        name = rule.head.predicate
        if name in cyclic or id(rule) in known.opaque or _pool(rule) not in pools:
            true.append(rule)
            continue
        readings = readings_of(rule, known, place)
        if head_aggregates(rule):
            changed = _aggregated(readings)
        else:
            changed = rule if (body := readings.sure(rule.body)) == rule.body else replace(rule, body=body, plans=())
            if not is_hidden(name):
                _add_undefined(readings)
        true.append(changed)
        more += readings.rules
        if not is_hidden(name):
            shown.setdefault(name, rule)
    return true, [*dict.fromkeys(more), *(_shown(*pair) for pair in shown.items())]


def readings_of(rule: Rule, known: Uncertainty, place: int) -> Readings:
    """The readings of one of the rules of a program, at this place."""
    name = rule.head.predicate
    return Readings(known.relations, rule, rule.label or f"{name}.{place}", known.recursion.get(name, NO_RECURSION))


def _pool(rule: Rule) -> tuple[str, str | int]:
    """What rules that are read alike share: the head and shape of a pool; otherwise the rule alone."""
    pool = pool_of(rule)
    return rule.head.predicate, id(rule) if pool is None else pool


def _add_undefined(readings: Readings) -> None:
    rule = readings.owner
    head = replace(rule.head, predicate=f"{MAYBE}{rule.head.predicate}")
    bodies = readings.unsure_bodies(rule.body)
    readings.rules += (readings.derive(head, body, f"undefined{i}") for i, body in enumerate(bodies, 1))


def _aggregated(readings: Readings) -> Rule:
    """The rule that aggregates true rows; its results are divided into true and undefined ones."""
    rule, over, pool = readings.owner, head_aggregates(readings.owner), pool_of(readings.owner)
    name, args = rule.head.predicate, rule.head.args
    key, columns = readings.label if pool is None else f"{name}/{pool}", variables(len(args))
    group = tuple(arg for i, arg in enumerate(args) if i not in over)
    doubt, doubted = (
        Atom(f"{DOUBT}{key}", each) for each in (group, tuple(v for i, v in enumerate(columns) if i not in over))
    )
    sure, most = Atom(f"{SURE}{key}", columns), Atom(f"{MOST}{key}", columns)
    head, maybe = Atom(name, columns), Atom(f"{MAYBE}{name}", columns)
    bodies = readings.unsure_bodies(rule.body)
    readings.rules += (readings.derive(doubt, body, f"doubt{i}") for i, body in enumerate(bodies, 1))
    possible = (*readings.possible(rule.body), doubt)
    readings.rules.append(readings.derive(replace(rule.head, predicate=most.predicate), possible, "most"))
    parts: dict[str, tuple[Atom, Body]] = {
        "sure": (head, (sure, Negation(doubted))),
        "maybe": (maybe, (sure, doubted)),
        "possible": (maybe, (most,)),
    }
    readings.rules += (Rule(to, body, f"{key}/{part}", rule.span, rule) for part, (to, body) in parts.items())
    return replace(rule, head=replace(rule.head, predicate=sure.predicate), body=readings.sure(rule.body), plans=())


def _shown(name: str, rule: Rule) -> Rule:
    """The rule of a relation's undefined facts."""
    columns = variables(len(rule.head.args))
    body = (Atom(f"{MAYBE}{name}", columns), Negation(Atom(name, columns)))
    return Rule(Atom(f"{UNDEFINED}{name}", columns), body, f"{name}/undefined", rule.span, rule)


def true_reading(body: Sequence[Literal], relations: Container[str]) -> Body:
    """A body outside the program, in which negations also exclude undefined facts."""
    made: list[Literal] = []
    for literal in body:
        if isinstance(literal, Disjunction):
            literal = replace(literal, branches=tuple(true_reading(branch, relations) for branch in literal.branches))
        made.append(literal)
        if isinstance(literal, Negation) and (name := f"{UNDEFINED}{literal.atom.predicate}") in relations:
            made.append(replace(literal, atom=replace(literal.atom, predicate=name)))
    return tuple(made)


def variables(width: int) -> tuple[Var, ...]:
    """Variables for the columns of a relation."""
    return tuple(Var(f"V{i}") for i in range(1, width + 1))


def _alternatives(body: Sequence[Literal]) -> list[Body]:
    """The conjunctions of which a body is the disjunction."""
    options = [
        [made for branch in literal.branches for made in _alternatives(branch)]
        if isinstance(literal, Disjunction)
        else [(literal,)]
        for literal in body
    ]
    return [tuple(part for chosen in choice for part in chosen) for choice in product(*options)]


def _ranging(literal: Comparison, bodies: dict[Aggregate, Body]) -> Comparison:
    """The comparison with other bodies for some aggregates."""
    return replace(literal, left=_with_bodies(literal.left, bodies), right=_with_bodies(literal.right, bodies))


def _with_bodies(term: Term, bodies: dict[Aggregate, Body]) -> Term:
    if isinstance(term, Aggregate) and term in bodies:
        return replace(term, body=bodies[term])
    if isinstance(term, Call):
        return replace(term, args=tuple(_with_bodies(arg, bodies) for arg in term.args))
    return term
