"""The facts of relations that depend on their own count, sum or mean, found again from the facts held.

Law (`graph.bundles`): the facts held are those that the rules derive if aggregates range over the facts held, and all
other atoms over what is derived so far, from nothing. The instances of the rules are certified before, and no bundle
depends on its own aggregate in them; then no other facts have this property. If all rules are monotone, bundles may
depend on their own aggregates, and the facts are those of the least model, found in rounds from nothing. Nothing of the
engine's evaluation is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tidelog.program import Aggregate, Atom, Literal, Rule
from tidelog.program.graph.bundles import not_monotone, value_columns
from tidelog.program.graph.well_founded import TRUE_FACT, TRUTH, model_of
from tidelog.program.values.rule import rule_of
from tidelog.program.values.term import GroundRule
from tidelog.verify.folds import fold, is_better
from tidelog.verify.normal import Clause, to_clause
from tidelog.verify.relations import LOWEST, Relation, Row
from tidelog.verify.report import NOT_CLOSED, UNFOUNDED, Ground, Violation, label_of
from tidelog.verify.solve import Context, Scope, Step, contribution, solver
from tidelog.verify.strata import components
from tidelog.verify.terms import Overloads, Registers, Schema

OVER = "over "  # begins the names under which aggregates read relations
ROUNDS = 1 << 20
Ranks = Mapping[str, Mapping[Row, int]]


class Bundles:
    """The facts of the components of a program whose facts are computed in bundles, each checked once."""

    def __init__(self, ranks: Ranks, schema: Schema, functions: Overloads) -> None:
        self._ranks, self._schema, self._functions = ranks, schema, functions
        self._found: dict[tuple[GroundRule, ...], Violation | dict[str, set[Row]]] = {}

    def wrong_facts(self, clause: Clause, held: Iterable[Row]) -> Violation | None:
        """The first error in the facts held for a relation, if any."""
        model = model_of(clause.rule)
        assert model is not None
        found = self._found.get(model.ground)
        if found is None:
            found = self._found[model.ground] = self._model(model.ground)
        if isinstance(found, Violation):
            return found
        relation = clause.rule.head.predicate.removeprefix(TRUTH)
        wanted, shown = {(*row, TRUE_FACT) for row in found[relation]}, set(held)
        for row in wanted - shown:
            return Violation(NOT_CLOSED, (relation, row[:-1]), label_of(clause.rule))
        for row in shown - wanted:
            return Violation(UNFOUNDED, (relation, row[:-1]), detail="is not computed from the facts held")
        return None

    def _held(self, relation: str) -> Mapping[Row, int]:
        return {row[:-1]: LOWEST for row in self._ranks.get(f"{TRUTH}{relation}", {})}

    def _model(self, grounds: Sequence[GroundRule]) -> Violation | dict[str, set[Row]]:
        """The facts that must be held: if bundles depend on their own aggregates, those of the least model."""
        own = {ground.head for ground in grounds}
        cycle = self._cycle(grounds)
        if cycle is None:
            return self._derived(grounds, {name: self._held(name) for name in own})
        rules = [rule_of(ground.formula) for ground in grounds if ground.formula is not None]
        if not_monotone(rules, value_columns(rules, frozenset(own))) is not None:
            return cycle
        found: dict[str, set[Row]] = {name: set() for name in own}
        for _ in range(ROUNDS):
            before, held = found, {name: dict.fromkeys(rows, LOWEST) for name, rows in found.items()}
            found = self._derived(grounds, held)
            if found == before:
                break
        return found

    def _derived(self, grounds: Sequence[GroundRule], held: Ranks) -> dict[str, set[Row]]:
        """What the rules derive if their aggregates range over these facts."""
        own = {ground.head for ground in grounds}
        facts = {f"{OVER}{name}": held[name] for name in own}
        schema = {**self._schema, **{f"{OVER}{name}": self._schema.get(name, ()) for name in own}}
        rules = [rule_of(ground.formula) for ground in grounds if ground.formula is not None]
        folding = [to_clause(_over(rule, own)) for rule in rules if _folds(rule)]
        plain = [to_clause(rule) for rule in rules if not _folds(rule)]
        found: dict[str, set[Row]] = {name: set() for name in own}
        context = Context(_Facts(self._ranks, facts), schema, self._functions)
        pools: dict[Any, dict[Row, list[Any]]] = {}
        for clause in folding:
            _fold(clause, context, found[clause.rule.head.predicate], pools)
        for name, group, row in _best(pools):
            found[name].add(_placed(group, row))
        for _ in range(ROUNDS):
            size = sum(map(len, found.values()))
            current = {name: dict.fromkeys(rows, LOWEST) for name, rows in found.items()}
            context = Context(_Facts(self._ranks, current), schema, self._functions)
            for clause in plain:
                _add(clause, context, found[clause.rule.head.predicate])
            if sum(map(len, found.values())) == size:
                break
        return found

    def _cycle(self, grounds: Iterable[GroundRule]) -> Violation | None:
        """An instance by which a bundle depends on its own aggregate, if there is one."""
        numbers: dict[Ground, int] = {}
        graph: dict[int, set[int]] = {}
        folded: list[tuple[int, int]] = []
        for ground in grounds:
            assert ground.formula is not None
            is_folded = _folds(rule_of(ground.formula))
            for row in self._ranks.get(ground.relation, ()):
                head, at = _numbered(numbers, graph, (ground.head, row[: ground.width])), ground.width
                for name, _, width in ground.literals:
                    lower = _numbered(numbers, graph, (name, row[at : at + width]))
                    graph[head].add(lower)
                    folded += [(head, lower)] if is_folded else []
                    at += width
        home = {bundle: i for i, component in enumerate(components(graph)) for bundle in component}
        names = list(numbers)
        for head, lower in folded:
            if home[head] == home[lower]:
                return Violation(UNFOUNDED, names[head], detail="depends on its own aggregate")
        return None


class _Facts:
    """The facts that rules read: those of the component as given, others as held."""

    def __init__(self, ranks: Ranks, own: Ranks) -> None:
        self._ranks, self._own = ranks, own
        self._relations: dict[str, Relation] = {}

    def source(self, name: Any) -> Any:
        """The relation."""
        if name not in self._relations:
            self._relations[name] = Relation(dict(self._own.get(name, self._ranks.get(name, {}))))
        return self._relations[name]

    def is_ranked(self, name: Any) -> bool:
        """Whether the ranks of these facts are used: they are not."""
        return False


def _numbered(numbers: dict[Ground, int], graph: dict[int, set[int]], bundle: Ground) -> int:
    number = numbers.setdefault(bundle, len(numbers))
    graph.setdefault(number, set())
    return number


def _folds(rule: Rule) -> bool:
    return any(isinstance(arg, Aggregate) for arg in rule.head.args)


def _over(rule: Rule, own: set[str]) -> Rule:
    def renamed(literal: Literal) -> Literal:
        if isinstance(literal, Atom) and literal.predicate in own:
            return replace(literal, predicate=f"{OVER}{literal.predicate}")
        return literal

    return replace(rule, body=tuple(map(renamed, rule.body)))


def _add(clause: Clause, context: Context, into: set[Row]) -> None:
    """Add the heads of a rule."""

    def finish(frame: Scope) -> Step:
        terms = [frame.term(arg) for arg in clause.head]
        return lambda registers, _: into.add(tuple([term(registers) for term in terms]))

    for items in clause.body.alternatives:
        solver(items, (), {}, context, finish)(())


def _fold(clause: Clause, context: Context, into: set[Row], pools: dict[Any, dict[Row, list[Any]]]) -> None:
    """Add the results of a rule's aggregates; the best values of min and max are collected for all rules."""
    folded = clause.folded
    groups: dict[Row, list[set[Any]]] = {}
    types: list[str | None] = [None] * len(folded)

    def finish(frame: Scope) -> Step:
        key = [frame.term(arg) for i, arg in enumerate(clause.head) if i not in folded]
        values = [contribution(aggregate, frame) for aggregate in folded.values()]
        counted = [frame.slots[name] for name in clause.body.counted]
        for i, aggregate in enumerate(folded.values()):
            types[i] = types[i] or (frame.type(aggregate.measured[0]) if aggregate.measured else None)

        def gather(registers: Registers, _: int) -> None:
            group = groups.setdefault(tuple([term(registers) for term in key]), [set() for _ in values])
            valuation = tuple([registers[slot] for slot in counted])
            for members, value in zip(group, values, strict=True):
                members.add((valuation, value(registers)))

        return gather

    for items in clause.body.alternatives:
        solver(items, (), {}, context, finish)(())
    kinds = tuple((i, aggregate.kind) for i, aggregate in folded.items())
    pool = (
        pools.setdefault((clause.rule.head.predicate, kinds), {}) if {k for _, k in kinds} <= {"min", "max"} else None
    )
    for group, members in groups.items():
        results = [
            fold(aggregate, [value for _, value in own], type_)
            for aggregate, own, type_ in zip(folded.values(), members, types, strict=True)
        ]
        if pool is not None:
            pool.setdefault(group, []).append(results)
        elif None not in results:
            into.add(_placed(group, dict(zip(folded, results, strict=True))))


def _best(pools: Mapping[Any, Mapping[Row, Sequence[Sequence[Any]]]]) -> Iterable[tuple[str, Row, dict[int, Any]]]:
    """The best values of every group of min and max."""
    for (name, kinds), groups in pools.items():
        for group, offered in groups.items():
            shown = list(offered[0])
            for values in offered:
                for i, (_, kind) in enumerate(kinds):
                    if is_better((kind,), (values[i],), (shown[i],)):
                        shown[i] = values[i]
            yield name, group, {place: value for (place, _), value in zip(kinds, shown, strict=True)}


def _placed(group: Row, results: Mapping[int, Any]) -> Row:
    plain = iter(group)
    return tuple([results[i] if i in results else next(plain) for i in range(len(group) + len(results))])
