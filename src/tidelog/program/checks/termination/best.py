"""Best values of groups: recursion through min and max that settles.

Law: if no rule of a recursion through min (or max) derives a value better than those it reads, the best value of a
group is derived along a path that visits no group twice; so it is found after as many steps as there are groups, and
the column of best values is finite. The same holds if an epoch with a better step is refused (`order`). If the sign of
a step is known only from data, it is the condition under which the program ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidelog.program.checks.monotone import graded_rules, head_aggregates, recursion_of
from tidelog.program.checks.order import has_witnesses
from tidelog.program.checks.termination.linear import above, sum_of
from tidelog.program.checks.termination.ways import Position, Way
from tidelog.program.checks.value_use import Recursion
from tidelog.program.graph.dependency import AGGREGATE, rule_dependencies
from tidelog.program.graph.strata import Stratum
from tidelog.program.types.assign import Schema
from tidelog.program.values.term import Aggregate, Call, Const, Term, Var


@dataclass(frozen=True, slots=True)
class BestColumns:
    """The columns of best values that are finite, and the condition on the data for that."""

    limited: frozenset[Position] = frozenset()
    conditions: tuple[str, ...] = ()


def best_values(stratum: Stratum, ways: Sequence[Way], schema: Schema) -> BestColumns:
    """The finite columns of a stratum that recurs through min or max; empty if it does not."""
    if not _aggregates_itself(stratum):
        return BestColumns()
    recursion = recursion_of(stratum, schema)
    positions = frozenset(_positions(stratum))
    graded = graded_rules(stratum, recursion)
    if has_witnesses(stratum) or all(entry.grade.modest for entry in graded):
        return BestColumns(positions)
    immodest = {id(entry.rule) for entry in graded if not entry.grade.modest}
    conditions = [_condition(way, recursion) for way in ways if id(way.rule) in immodest]
    if None in conditions:
        return BestColumns()
    return BestColumns(positions, tuple(dict.fromkeys(text for text in conditions if text)))


def _aggregates_itself(stratum: Stratum) -> bool:
    own = set(stratum.relations)
    return any(
        edge.kind == AGGREGATE and edge.source in own for rule in stratum.rules for edge in rule_dependencies(rule)
    )


def _positions(stratum: Stratum) -> Iterator[Position]:
    """The columns that hold best values, and those that accompany them."""
    for rule in stratum.rules:
        for _, column in head_aggregates(rule):
            aggregate = rule.head.args[column]
            assert isinstance(aggregate, Aggregate)
            yield (rule.head.predicate, column)
            yield from ((rule.head.predicate, tie) for tie, _ in aggregate.ties)


def _condition(way: Way, recursion: Recursion) -> str | None:
    """The condition on data under which no step makes a value better: None if there is none, "" if it always holds."""
    column = recursion.columns[way.rule.head.predicate]
    if all(
        _is_worse(way, way.head[column], atom.args[recursion.columns[atom.predicate]], recursion) for atom in way.atoms
    ):
        return ""
    if recursion.kind != "min":
        return None
    made = way.resolve(way.head[column])
    for atom in way.atoms:
        read = atom.args[recursion.columns[atom.predicate]]
        step = sum_of(made).plus(sum_of(read), -1)
        if not step.times or step.constant < 0 or any(count < 0 for count in step.times.values()):
            return None
        if read not in step.times:
            return " and ".join(map(never_negative, step.times))
    return f"`{_text(made)}` is never less than the value that it is computed from"


def _is_worse(way: Way, result: Term, read: Term, recursion: Recursion) -> bool:
    return above(way, result, read) if recursion.kind == "min" else above(way, read, result)


def never_negative(term: Term) -> str:
    """The condition that a value of the data is not below zero."""
    return f"`{_text(term)}` is never negative"


def _text(term: Term) -> str:
    """A term as it is written in the text."""
    if isinstance(term, Var | Const | Call) and term.span is not None:
        return " ".join(term.span.text.split())
    return term.name if isinstance(term, Var) else "the step"
