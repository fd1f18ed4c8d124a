"""Why something changed in an epoch: trials on a bench, guided by proofs, until a minimal set of changes is found.

Law: a set of changes is blamed if a trial has shown that undoing it alone undoes the change in question. Proofs only
suggest where to look first, so that few trials are needed: where they lead nowhere, all changes that the relation may
depend on are tried by halves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tidelog.blame.answer import Blame, CauseGroup, ViewBlame
from tidelog.blame.change import Cause, Change, Origin, Row, RuleChanged, order_of
from tidelog.blame.search import OutOfTrialsError, Search, UndoneChanges
from tidelog.blame.trace import ProofTracer
from tidelog.engine.ask.trial_bench import Bench, Cells, Fact
from tidelog.io.fact_text import FactWriter
from tidelog.plan.ruleset import Ruleset
from tidelog.program import Aggregate
from tidelog.program.graph.keys import key_columns
from tidelog.why import Bounds, Proof

ROUNDS = 8  # proofs of an added fact that are followed in turn, before all changes are tried
EXAMPLES = 3
OTHERS = 8  # changes that are tried alone once a minimal set is known
HISTORY = "the result depends on more than base facts and rules: undoing all changes does not restore it"
SPENT = "the maximum number of trials was reached: some of these changes may not be needed"


@dataclass(frozen=True, slots=True)
class Case:
    """How a relation changed in an epoch, and a bench for trials."""

    bench: Bench
    relation: str
    inserted: Sequence[Row]
    deleted: Sequence[Row]
    origin: Origin
    rules: Sequence[Ruleset]  # before and after

    @property
    def everything(self) -> UndoneChanges:
        """All changes that the relation may depend on."""
        return frozenset(self.bench.changes)

    @property
    def writer(self) -> FactWriter:
        """What writes the facts of the relation."""
        known = next((rules for rules in reversed(self.rules) if self.relation in rules.schema), None)
        return self.bench.core.fact_writer(self.relation, known)

    def tracing(self) -> ProofTracer:
        """Proofs in the scenes of the bench."""
        return ProofTracer(self.bench.scene, self.bench.changes, self.everything)


def blame_fact(case: Case, values: Row, trials: int, text: str | None = None) -> Blame | None:
    """Why a fact changed; None if it did not. If its group has another row than before, why the row changed."""
    columns = group_columns(case.rules, case.relation, len(values))
    before, after = _in_group(case.deleted, values, columns), _in_group(case.inserted, values, columns)
    if not (before and after):
        columns = range(len(values))
        before, after = _in_group(case.deleted, values, columns), _in_group(case.inserted, values, columns)
    if not (before or after):
        return None
    return _Question(case, values, columns, before, after, trials, text).answer()


def _in_group(rows: Iterable[Row], values: Row, columns: Sequence[int]) -> list[Row]:
    """The rows with the same values in some columns."""
    wanted = [values[column] for column in columns]
    return [row for row in rows if [row[column] for column in columns] == wanted]  # as lists: NaN is itself


class _Question:
    """One fact, or the row of one group."""

    def __init__(
        self,
        case: Case,
        values: Row,
        columns: Sequence[int],
        before: Sequence[Row],
        after: Sequence[Row],
        trials: int,
        text: str | None = None,
    ) -> None:
        self.case, self.name, self._text = case, case.relation, text
        self.fact = self._fact_text((self.name, values))
        cells = case.bench.cells((self.name, values))
        self.group = {column: cells[column] for column in columns}
        self.before: list[Fact] = [(self.name, row) for row in before]
        self.after: list[Fact] = [(self.name, row) for row in after]
        self._old = frozenset(map(case.bench.cells, self.before))
        self._new = frozenset(map(case.bench.cells, self.after))
        self.search = Search(self._undoes, trials)
        self.tracing = case.tracing()
        self.named: set[Change] = set()  # by proofs

    def _undoes(self, undone: UndoneChanges) -> bool:
        """Whether the group is as it was before."""
        found = self.case.bench.trial(undone, self.name, self.group)
        if found is None:
            return False
        stays = (self._old, self._new) if self.case.bench.is_after else (frozenset[Cells](), frozenset[Cells]())
        return (found.inserted, found.deleted) == stays

    def _fact_text(self, fact: Fact) -> str:
        return self.case.writer(fact[1]) if self._text is None else self._text

    def answer(self) -> Blame:
        """The causes, and the paths to them."""
        found, minimal, exact = self.causes()
        causes = tuple(Cause(change, self._path(change, found)) for change in found)
        note = "" if exact and minimal else SPENT if exact else HISTORY
        return Blame(
            self.fact,
            tuple(map(self._fact_text, self.before)),
            tuple(map(self._fact_text, self.after)),
            self.case.origin,
            causes,
            self._instead(found) if exact else (),
            self._proof(frozenset(), self.after),
            self._proof(frozenset(found), self.before),
            self.tracing.missing(self.before[0]) if self.before and not self.after else None,
            self.search.trials,
            len(self.case.bench.changes),
            minimal,
            exact,
            note,
        )

    def causes(self) -> tuple[tuple[Change, ...], bool, bool]:
        """Changes, whether they are minimal, and whether undoing them undoes the change."""
        everything = self.case.everything
        try:
            start = self._start()
            if not self.search.does(start):
                return tuple(sorted(start, key=order_of)), False, False
        except OutOfTrialsError:
            return tuple(sorted(everything, key=order_of)), False, True
        found, minimal = self.search.reduced(start)
        return found, minimal, True

    def _start(self) -> Collection[Change]:
        """A set that undoes the change: the changes that occur in proofs, or else all changes."""
        everything = self.case.everything
        if len(everything) == 1:
            return everything
        chosen = self.tracing.candidates(self.before, self.after)
        self.named = set(chosen)
        for _ in range(ROUNDS):
            if chosen and self.search.does(chosen):
                return chosen
            more = self._further(chosen)
            if not more:
                break
            chosen |= more
        return everything

    def _further(self, chosen: set[Change]) -> set[Change]:
        """The changes in another proof of the new facts, after these changes are undone."""
        proofs = (self.tracing.proof(chosen, fact) for fact in self.after)
        return {change for proof in proofs if proof for change in self.tracing.named_in(proof)} - chosen

    def _instead(self, causes: Sequence[Change]) -> tuple[Change, ...]:
        """Other changes in proofs, each of which alone undoes the change: a proof breaks with any of its premises."""
        others = sorted(self.named - set(causes), key=order_of)[:OTHERS]
        try:
            return tuple(change for change in others if self.search.does((change,)))
        except OutOfTrialsError:
            return ()

    def _path(self, change: Change, causes: Sequence[Change]) -> tuple[str, ...]:
        path = self.tracing.path(change, frozenset(causes), self.before, self.after)
        refusal = "" if path else self.case.bench.refusal(frozenset(causes) - {change})
        return path or ((f"undoing the others without this one is refused: {refusal}",) if refusal else ())

    def _proof(self, undone: UndoneChanges, facts: Sequence[Fact]) -> Proof | None:
        return self.tracing.proof(undone, facts[0], Bounds()) if facts else None


def blame_view(case: Case, trials: int) -> ViewBlame:
    """Why a whole view changed: causes in turn, each with all the changes that undoing it undoes."""
    return _View(case, trials).answer()


class _View:
    """The changes of a view whose cause is not known yet."""

    def __init__(self, case: Case, trials: int) -> None:
        self.case, self.left = case, trials
        signed = ((1, case.inserted), (-1, case.deleted))
        rows = [(sign, row) for sign, part in signed for row in sorted(part, key=repr)]
        self.open = {(sign, case.bench.cells((case.relation, row))): row for sign, row in rows}
        self.groups: list[CauseGroup] = []

    def answer(self) -> ViewBlame:
        """Try rules first, each alone, then find the causes of the remaining changes in turn."""
        self._try_rules()
        while self.open and self.left > 0:
            sign, row = next(iter((sign, row) for (sign, _), row in self.open.items()))
            question = _Question(self.case, row, range(len(row)), *self._alone(sign, row), self.left)
            found, _, exact = question.causes()
            self.left -= question.search.trials + 1
            if not exact or not self._take(found):
                break
        inserted = sum(sign > 0 for sign, _ in self.open)
        groups = sorted(self.groups, key=lambda group: -(group.inserted + group.deleted))
        spent = self.case.bench.runs
        return ViewBlame(
            self.case.relation, self.case.origin, tuple(groups), inserted, len(self.open) - inserted, spent
        )

    def _alone(self, sign: int, row: Row) -> tuple[list[Row], list[Row]]:
        return ([], [row]) if sign > 0 else ([row], [])

    def _try_rules(self) -> None:
        for change in sorted(self.case.everything, key=order_of):
            if isinstance(change, RuleChanged) and self.left > 0 and self.open:
                self.left -= 1
                self._take((change,))

    def _take(self, changes: Sequence[Change]) -> bool:
        """Assign to these causes the changes of the view that undoing them undoes; False if there are none."""
        found = self.case.bench.trial(frozenset(changes), self.case.relation, {})
        if found is None:
            return False
        closed = [place for place in self.open if self._is_undone(place, found.inserted, found.deleted)]
        if not closed:
            return False
        rows = [self.open.pop(place) for place in closed]
        signs = [sign for sign, _ in closed]
        examples = tuple(map(self.case.writer, rows[:EXAMPLES]))
        self.groups.append(CauseGroup(tuple(changes), signs.count(1), signs.count(-1), examples))
        return True

    def _is_undone(self, place: tuple[int, Cells], inserted: frozenset[Cells], deleted: frozenset[Cells]) -> bool:
        sign, cells = place
        if self.case.bench.is_after:
            return cells in (deleted if sign > 0 else inserted)
        return cells not in (inserted if sign > 0 else deleted)


def group_columns(rules: Iterable[Ruleset], relation: str, width: int) -> Sequence[int]:
    """The columns that identify a row: the key, the group of an aggregate that all rules have, or all columns."""
    places: set[frozenset[int]] = set()
    for each in rules:
        keys = key_columns(each.program)
        if relation in keys:
            return keys[relation]
        heads = (rule.head for rule in each.program.rules if rule.head.predicate == relation)
        places |= {frozenset(i for i, arg in enumerate(head.args) if isinstance(arg, Aggregate)) for head in heads}
    valued = places.pop() if len(places) == 1 else frozenset[int]()
    return [column for column in range(width) if column not in valued]
