"""The magic-set rewrite: rules of demanded relations derive what is demanded, and further rules derive the demand.

Law: let D be the demanded relations. Afterwards every relation outside D holds the same facts; a relation of D holds
facts that it held before, including all that match a value demanded of it; both under any change of facts and rules,
since demands are facts of relations with rules, like any others. For ``sg`` asked with its first column known (the
pattern ``bf``) and the rule r2 of it:

    r2/bf:             sg(X, Y) :- __wanted_sg/bf(X), par(X, P), sg(P, Q), par(Y, Q).
    r2/bf/asks1bf/0:   __wanted_sg/bf(P) :- __wanted_sg/bf(X), par(X, P).

An aggregate over only some of its rows would have a different value, so only the columns of its group are demanded, and
its rows are restricted to demanded groups: ``__part_``. Relations that are demanded as a whole are evaluated as before,
and so are those that the rewrite would put into a recursion through negation or an aggregate, and those at locations:
`Demand.whole` has the reasons. Labels include everything that a generated rule depends on besides its original rule, so
equal labels mean equal rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from tidelog.program import Aggregate, Atom, Call, Comparison, Literal, Rule, Term
from tidelog.program.graph.choice import choice_of
from tidelog.program.graph.dependency import POSITIVE, Edge, dependencies
from tidelog.program.graph.strata import strata_of_edges
from tidelog.program.graph.well_founded import model_of, model_sources
from tidelog.program.values.scope import atoms
from tidelog.rewrite.core import is_aggregate_rule
from tidelog.rewrite.demand.pass_demand import BOUND, Askable, DemandedAtom, asks, is_weaker, known_args
from tidelog.rewrite.names import WANTED, WANTED_ROWS
from tidelog.rewrite.scope import FreshVariables, rule_terms

LOCATED = "its facts have locations"
IN_MIN_MAX = "it is in a recursion through min or max"
CHOSEN = "its choices depend on all candidates and on the past"
MODELLED = "its rules depend on their own negation"
ASKED_WHOLE = "all its facts are demanded"
UNSTRATIFIED = "its demand would depend on it through a negation or an aggregate"


@dataclass(frozen=True, slots=True)
class Demand:
    """A program restricted to what is demanded.

    ``rules`` are all rules by label, ``labels`` the labels of the rules made from each original rule, ``patterns``
    the patterns in which each relation is demanded, ``whole`` the relations that are not restricted, with the reason.
    """

    rules: Mapping[str, Rule]
    labels: Mapping[str, tuple[str, ...]]
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    whole: Mapping[str, str] = field(default_factory=dict)


def restrict_to_demand(rules: Mapping[str, Rule], demanded: Iterable[str]) -> Demand:
    """Restrict the demanded relations among core rules to their demanded facts.

    >>> from tidelog.syntax import parse_program, print_rule
    >>> text = "r1: p(X, Y) :- e(X, Y). r2: p(X, Z) :- e(X, Y), p(Y, Z). r3: out(Y) :- p(1, Y)."
    >>> for rule in restrict_to_demand({r.label: r for r in parse_program(text).rules}, ["p"]).rules.values():
    ...     print(print_rule(rule))
    r1/bf: p(X, Y) :- __wanted_p/bf(X), e(X, Y).
    r2/bf: p(X, Z) :- __wanted_p/bf(X), e(X, Y), p(Y, Z).
    r2/bf/asks1bf/0: __wanted_p/bf(Y) :- __wanted_p/bf(X), e(X, Y).
    r3: out(Y) :- p(1, Y).
    r3/asks0bf: __wanted_p/bf(1).
    """
    derived = {rule.head.predicate for rule in rules.values()}
    wanted = [name for name in dict.fromkeys(demanded) if name in derived]
    unfit = _unfit(rules)
    whole = {name: unfit[name] for name in wanted if name in unfit}
    while True:
        restriction = _Restriction(rules, frozenset(wanted) - whole.keys())
        found = restriction.demanded_whole() or restriction.unstratified()
        if not found:
            return restriction.result(whole)
        whole.update(found)


def _unfit(rules: Mapping[str, Rule]) -> dict[str, str]:
    """The relations that are never restricted: at locations, in a recursion through min or max, or chosen from."""
    found = {
        atom.predicate: LOCATED
        for rule in rules.values()
        for atom in (rule.head, *atoms(rule.body))
        if any(each.location is not None for each in (rule.head, *atoms(rule.body)))
    }
    for relations, _ in _impure(rules.values()):
        found.update(dict.fromkeys(relations, IN_MIN_MAX))
    for rule in rules.values():
        if choice_of(rule) is not None:
            found.update((atom.predicate, CHOSEN) for atom in (rule.head, *atoms(rule.body)))
        if model_of(rule) is not None:
            names = (rule.head.predicate, *(atom.predicate for atom in atoms(rule.body)), *model_sources(rule))
            found.update(dict.fromkeys(names, MODELLED))
    return found


def _impure(rules: Iterable[Rule]) -> Iterator[tuple[frozenset[str], list[Edge]]]:
    """The strata with a negation or an aggregate inside, and their edges."""
    rules = list(rules)
    edges = dependencies(rules)
    strata = strata_of_edges(rules, edges)
    home = {name: i for i, stratum in enumerate(strata) for name in stratum.relations}
    inside: dict[int, list[Edge]] = {}
    for edge in edges:
        if edge.kind != POSITIVE and home.get(edge.source, -1) == home[edge.target]:
            inside.setdefault(home[edge.target], []).append(edge)
    return ((frozenset(strata[i].relations), found) for i, found in inside.items())


@dataclass
class _Restriction:
    """One attempt, in which these relations are restricted."""

    rules: Mapping[str, Rule]
    demanded: frozenset[str]
    askable: dict[str, Askable] = field(default_factory=dict)
    patterns: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.askable = {name: Askable(_folded(self.rules.values(), name)) for name in self.demanded}
        settled = False
        while not settled:
            self.patterns = self._follow()
            weakest = {name: _weakest(self.askable[name].patterns | found) for name, found in self.patterns.items()}
            settled = all(weakest[name] == self.askable[name].patterns for name in self.demanded)
            self.askable = {name: replace(self.askable[name], patterns=found) for name, found in weakest.items()}

    def _follow(self) -> dict[str, set[str]]:
        """The patterns in which relations are asked, starting with the rules that always hold."""
        patterns: dict[str, set[str]] = {name: set() for name in self.demanded}
        steps: list[tuple[Rule, str | None]] = [
            (rule, None) for rule in self.rules.values() if rule.head.predicate not in self.demanded
        ]
        while steps:
            rule, pattern = steps.pop()
            for ask in self._asks(rule, pattern):
                known = patterns[ask.atom.predicate]
                if ask.pattern not in known:
                    known.add(ask.pattern)
                    steps += [(r, ask.pattern) for r in self.rules.values() if r.head.predicate == ask.atom.predicate]
        return patterns

    def demanded_whole(self) -> dict[str, str]:
        """The relations that are demanded without a known value."""
        return {name: ASKED_WHOLE for name, found in self.patterns.items() if any(BOUND not in p for p in found)}

    def unstratified(self) -> dict[str, str]:
        """Relations to evaluate whole, so that negation and aggregates do not come to lie in recursions.

        A recursion through min or max without restricted relations existed before.
        """
        made = [rule for rules in self._rewritten_rules().values() for rule in rules]
        found: set[str] = set()
        for relations, edges in _impure(made):
            ends = {end for edge in edges for end in (edge.source, edge.target)}
            found |= ends & self.demanded or relations & self.demanded
        return dict.fromkeys(sorted(found), UNSTRATIFIED)

    def result(self, whole: Mapping[str, str]) -> Demand:
        """The rules as they are now."""
        made = self._rewritten_rules()
        rules = {rule.label or "": rule for found in made.values() for rule in found}
        asked = {name: tuple(sorted(found)) for name, found in sorted(self.patterns.items())}
        return Demand(
            rules, {label: tuple(r.label or "" for r in found) for label, found in made.items()}, asked, whole
        )

    def _rewritten_rules(self) -> dict[str, list[Rule]]:
        """The rules made from each rule."""
        made: dict[str, list[Rule]] = {}
        for label, rule in self.rules.items():
            if rule.head.predicate not in self.demanded:
                made[label] = [rule, *self._asking(rule, None)]
                continue
            patterns = sorted(self.patterns[rule.head.predicate])
            made[label] = [
                new for pattern in patterns for new in (*self._guarded(rule, pattern), *self._asking(rule, pattern))
            ]
        return made

    def _guard(self, rule: Rule, pattern: str | None) -> tuple[Atom | None, list[Literal]]:
        """The atom that holds if a rule is asked, and equations for the computations in its head."""
        if pattern is None:
            return None, []
        fresh, equations = FreshVariables(rule_terms(rule)), list[Literal]()
        values: list[Term] = []
        for value in known_args(rule.head.args, pattern):
            if isinstance(value, Call):
                variable = fresh.variable()
                equations.append(Comparison("=", variable, value, value.span))
                value = variable
            values.append(value)
        return Atom(demand_relation(rule.head.predicate, pattern), tuple(values)), equations

    def _guarded(self, rule: Rule, pattern: str) -> list[Rule]:
        """The rule, guarded by the demand in this pattern."""
        guard, equations = self._guard(rule, pattern)
        assert guard is not None
        label = f"{rule.label}/{pattern}"
        if not is_aggregate_rule(rule):
            return [replace(rule, body=(guard, *rule.body, *equations), label=label, origin=rule)]
        (source,) = rule.body
        assert isinstance(source, Atom)
        part = Atom(f"{WANTED_ROWS}{label}", source.args)
        return [
            Rule(part, (guard, source), f"{label}/part", rule.span, rule),
            replace(rule, body=(part,), label=label, origin=rule),
        ]

    def _asks(self, rule: Rule, pattern: str | None) -> list[DemandedAtom]:
        return asks(rule, self._guard(rule, pattern)[0], self.askable)

    def _asking(self, rule: Rule, pattern: str | None) -> list[Rule]:
        """The rules that derive the demand of a rule."""
        guard, _ = self._guard(rule, pattern)
        before = () if guard is None else (guard,)
        prefix = f"{rule.label}" if pattern is None else f"{rule.label}/{pattern}"
        made = []
        for ask in self._asks(rule, pattern):
            through = "".join(f"/{place}" for place in ask.through)
            head = Atom(demand_relation(ask.atom.predicate, ask.pattern), ask.values)
            body = (*before, *(rule.body[place] for place in ask.through))
            if head not in body:
                made.append(Rule(head, body, f"{prefix}/asks{ask.place}{ask.pattern}{through}", rule.span, rule))
        return made


def _weakest(patterns: Set[str]) -> frozenset[str]:
    """The patterns for which none of the others is weaker."""
    return frozenset(p for p in patterns if not any(q != p and is_weaker(q, p) for q in patterns))


def _folded(rules: Iterable[Rule], name: str) -> frozenset[int]:
    """The columns that hold values of aggregates, which are not known in advance."""
    heads = (rule.head for rule in rules if rule.head.predicate == name)
    return frozenset(i for head in heads for i, arg in enumerate(head.args) if isinstance(arg, Aggregate))


def demand_relation(relation: str, pattern: str) -> str:
    """The relation of the values that are demanded of a relation in a pattern.

    >>> demand_relation("sg", "bf")
    '__wanted_sg/bf'
    """
    return f"{WANTED}{relation}/{pattern}"


def demanded_by_name(name: str) -> tuple[str, str] | None:
    """The relation and the pattern whose demanded values a relation holds; None if it holds none.

    >>> demanded_by_name("__wanted_sg/bf"), demanded_by_name("sg")
    (('sg', 'bf'), None)
    """
    if not name.startswith(WANTED):
        return None
    relation, _, pattern = name.removeprefix(WANTED).rpartition("/")
    return relation, pattern
