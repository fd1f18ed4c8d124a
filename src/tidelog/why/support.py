"""One support of a present fact: the one to follow.

Law (I2): a present fact has a support whose body facts of the same stratum all have a lower rank than the fact itself.
Among the first supports of lower rank that are found, the one with the lowest maximum rank is chosen; ranks decrease at
every step, so that a proof ends. A min or max is supported by the candidate that its group shows, or by a row with the
best value; a count, sum or mean by all rows of its group, which come from a lower stratum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from tidelog.partition.code.fold import Fold
from tidelog.partition.code.gather import Gather
from tidelog.partition.reading.fact_pages import FactPattern
from tidelog.plan.plan_rule import aggregate_of, group_columns
from tidelog.program import Aggregate, Atom, Rule, Var
from tidelog.why.join import Binding, Join, Question
from tidelog.why.ledger import FactKey, Ledger

DECIDED = ("min", "max", "any", "all")  # aggregates whose value is that of one row
COMPARED = 256  # supports of lower rank that are compared before the lowest is chosen


@dataclass(frozen=True, slots=True)
class Support:
    """A ground core rule: the facts its atoms are matched with, by position in the body."""

    rule: Rule
    question: Question
    binding: Binding
    facts: tuple[tuple[int, FactKey], ...]
    rank: int


@dataclass(frozen=True, slots=True)
class GroupSupport:
    """An aggregate rule for one group: the common cells and the number of its rows, and the deciding row, if any."""

    rule: Rule
    aggregate: Aggregate
    source: str
    known: Mapping[int, int]
    size: int
    decided: FactKey | None
    rank: int = 0


class Supports:
    """Finds supports over a ledger, one fact at a time."""

    def __init__(self, ledger: Ledger, join: Join) -> None:
        self.ledger = ledger
        self.join = join

    def lowest(self, key: FactKey) -> Support | GroupSupport | None:
        """The support of a present fact to follow; None if it has none by rules."""
        rank = self.ledger.rank(key)
        best: Support | GroupSupport | None = None
        for found in islice(self._lower(key, rank), COMPARED):
            if best is None or found.rank < best.rank:
                best = found
            if best.rank == 0:
                break
        return best

    def each(self, key: FactKey) -> Iterator[Support | GroupSupport]:
        """All supports of a present fact."""
        return self._lower(key, self.ledger.rank(key))

    def ahead(self, keys: Iterable[FactKey]) -> None:
        """Request together what `lowest` reads first for each of some facts."""
        if not self.ledger.pages.far:
            return
        known = list(dict.fromkeys(keys))
        self.ledger.pages.ahead(self.ledger.whole(key) for key in (*known, *map(self.ledger.asserted_as, known)))
        derived = [key for key in known if self.ledger.has(key) and not self.ledger.is_asserted(key)]
        self.ledger.pages.ahead(wanted for key in derived for wanted in self._first_looks(key))

    def _first_looks(self, key: FactKey) -> Iterator[FactPattern]:
        rank = self.ledger.rank(key)
        for rule in self.ledger.by_head.get(key[0], ()):
            if aggregate_of(rule) is None:
                question = self.join.prepare(rule, range(len(key[1])))
                start = question.start(dict(enumerate(key[1])), self.join.encode)
                if not isinstance(start, int):
                    yield from self.join.looks(question, start, rank)

    def _lower(self, key: FactKey, rank: int) -> Iterator[Support | GroupSupport]:
        for rule in self.ledger.by_head.get(key[0], ()):
            if aggregate_of(rule) is None:
                yield from self._plain(rule, key, rank)
            else:
                group = self.group(rule, key)
                if group is not None and group.rank < rank:
                    yield group

    def _plain(self, rule: Rule, key: FactKey, below: int) -> Iterator[Support]:
        question = self.join.prepare(rule, range(len(key[1])))
        start = question.start(dict(enumerate(key[1])), self.join.encode)
        if isinstance(start, int):
            return
        for frame in self.join.solve(question, start, below):
            yield Support(rule, question, frame.binding, frame.facts, frame.rank)

    def group(self, rule: Rule, key: FactKey) -> GroupSupport | None:
        """The group behind a fact of an aggregate rule; None if the rule does not derive this fact."""
        aggregate, source = aggregate_of(rule), rule.body[0]
        assert aggregate is not None
        assert isinstance(source, Atom)
        if self.ledger.code(rule).choice is not None:
            return self._chosen(rule, aggregate, source, key)
        return self._folded(rule, aggregate, source, key)

    def in_group(self, rule: Rule, cells: tuple[int, ...]) -> dict[int, int]:
        """The cells that all source rows of a group have in common, by column, for a head fact of an aggregate rule."""
        source = rule.body[0]
        assert isinstance(source, Atom)
        known = dict(zip(rule.head.args, cells, strict=True))
        return {i: known[source.args[i]] for i in group_columns(rule) if source.args[i] in known}

    def _chosen(self, rule: Rule, aggregate: Aggregate, source: Atom, key: FactKey) -> GroupSupport | None:
        known = {_column_variable(arg): cell for arg, cell in zip(rule.head.args, key[1], strict=True)}
        candidate = (source.predicate, tuple(known[_column_variable(arg)] for arg in source.args))
        rank = self.ledger.shown(rule, candidate)
        if rank is None:
            return None
        own = self.ledger.same_stratum(rule.head.predicate, source.predicate)
        group = self.in_group(rule, key[1])
        size = self.ledger.count(source.predicate, group)
        return GroupSupport(rule, aggregate, source.predicate, group, size, candidate, rank if own else 0)

    def _folded(self, rule: Rule, aggregate: Aggregate, source: Atom, key: FactKey) -> GroupSupport | None:
        fold, group = self.ledger.code(rule).fold, self.in_group(rule, key[1])
        assert isinstance(fold, Fold | Gather)
        size = self.ledger.weight(source.predicate, group)
        if not size:
            return None
        if len(self.ledger.by_head[key[0]]) > 1:  # another rule may derive the fact: compare the result
            cells, weights = self.ledger.pages.all_cells(self.ledger.pattern(source.predicate, group))
            found = fold.results(cells, weights) if isinstance(fold, Fold) else fold.results(cells)
            if found.tolist() != [list(key[1])]:
                return None
        decided = self._best_row(aggregate, source, group, rule, key) if aggregate.kind in DECIDED else None
        return GroupSupport(rule, aggregate, source.predicate, group, size, decided)

    def _best_row(
        self, aggregate: Aggregate, source: Atom, group: Mapping[int, int], rule: Rule, key: FactKey
    ) -> FactKey | None:
        """A row of a group that has the best value."""
        cell = key[1][rule.head.args.index(aggregate)]
        best = {**group, source.args.index(aggregate.measured[0]): cell}
        return next(self.ledger.keys(source.predicate, best), None)


def _column_variable(term: object) -> str:
    """The variable of a column of an aggregate rule: of the group, or of the value."""
    inner = term.value if isinstance(term, Aggregate) else term
    assert isinstance(inner, Var)
    return inner.name
