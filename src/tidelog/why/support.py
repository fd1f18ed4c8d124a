"""One support of a present fact: the one to follow.

Law (I2): a present fact has a support whose body facts of the same stratum all have a smaller rank than its own.
Among the first supports of lower rank that are found, the one with the lowest highest rank is taken; following it,
ranks fall at every step, so that a proof ends. A min or max is supported by the candidate that its group shows, a
count, sum or mean by all rows of its group, which come from a lower stratum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tidelog.kernel.cells import Cells
from tidelog.partition.fold import Fold
from tidelog.partition.records import shown_row
from tidelog.partition.stratum import RuleCode
from tidelog.plan.build import aggregate_of, group_columns
from tidelog.program import Aggregate, Atom, Rule, Var
from tidelog.why.join import Binding, Join, Question
from tidelog.why.ledger import FactKey, Ledger

COMPARED = 256  # supports of lower rank that are compared before the lowest is taken


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
    """An aggregate rule for one group: its source relation, the group's rows, and the one that decided, if any did."""

    rule: Rule
    aggregate: Aggregate
    source: str
    rows: Cells
    decided: FactKey | None
    rank: int = 0


class Supports:
    """Finds supports over a ledger, one fact at a time."""

    def __init__(self, ledger: Ledger, join: Join) -> None:
        self.ledger = ledger
        self.join = join

    def lowest(self, key: FactKey) -> Support | GroupSupport | None:
        """The support of a present fact to follow; None if it has none by rules."""
        rank = self.ledger.rank(key[0], self.ledger.row_of(key))
        best: Support | GroupSupport | None = None
        for found in islice(self._lower(key, rank), COMPARED):
            if best is None or found.rank < best.rank:
                best = found
            if best.rank == 0:
                break
        return best

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
        """The group behind a fact of an aggregate rule; None if the rule does not give this fact."""
        code = self.ledger.partition.rules.codes[rule.label or ""]
        if code.choice is not None:
            return self._chosen(rule, code, key)
        return self._folded(rule, code, key)

    def group_rows(self, rule: Rule, cells: tuple[int, ...]) -> Cells:
        """The source rows of the group that a head fact of an aggregate rule belongs to."""
        source = rule.body[0]
        assert isinstance(source, Atom)
        known = dict(zip(rule.head.args, cells, strict=True))
        group = group_columns(rule)
        return self.ledger.rows(source.predicate, {i: known[source.args[i]] for i in group if source.args[i] in known})

    def _chosen(self, rule: Rule, code: RuleCode, key: FactKey) -> GroupSupport | None:
        source, aggregate, choice = rule.body[0], aggregate_of(rule), code.choice
        assert isinstance(source, Atom)
        assert aggregate is not None
        assert choice is not None
        known = {_column_variable(arg): cell for arg, cell in zip(rule.head.args, key[1], strict=True)}
        candidate = (source.predicate, tuple(known[_column_variable(arg)] for arg in source.args))
        row = self.ledger.row_of(candidate)
        if row < 0:
            return None
        group = [candidate[1][i] for i in group_columns(rule)]
        if shown_row(self.ledger.relations, choice.shown, group) != row:
            return None
        own = self.ledger.same_stratum(rule.head.predicate, source.predicate)
        rank = self.ledger.rank(source.predicate, row) if own else 0
        return GroupSupport(rule, aggregate, source.predicate, self.group_rows(rule, key[1]), candidate, rank)

    def _folded(self, rule: Rule, code: RuleCode, key: FactKey) -> GroupSupport | None:
        fold, aggregate, source = code.fold, aggregate_of(rule), rule.body[0]
        assert isinstance(fold, Fold)
        assert aggregate is not None
        assert isinstance(source, Atom)
        rows = self.group_rows(rule, key[1])
        if not len(rows):
            return None
        number = self.ledger.relations.numbers[source.predicate]
        if len(self.ledger.by_head[key[0]]) > 1:  # another rule may give the fact: compare the result
            cells = self.ledger.relations.records(number)[rows, : len(source.args)]
            found = fold.rows(fold.totals(cells).items()).tolist()
            if found != [list(key[1])]:
                return None
        return GroupSupport(rule, aggregate, source.predicate, rows, None)


def _column_variable(term: object) -> str:
    """The variable of a column of an aggregate rule: of the group, or of the value."""
    inner = term.value if isinstance(term, Aggregate) else term
    assert isinstance(inner, Var)
    return inner.name
