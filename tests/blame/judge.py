"""The judge of blame: base facts and rules with the named changes undone, evaluated from scratch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tidelog.blame import Blame, Change, FactChanged, RuleChanged
from tidelog.engine.ask.search_causes import group_columns
from tidelog.errors import TidelogError
from tidelog.plan.ruleset import Ruleset
from tidelog.program.check import check_program
from tidelog.testing import State

Row = tuple[object, ...]
Rows = frozenset[Row]


def undone(state: State, changes: Collection[Change]) -> State:
    """The state after an epoch with some of its changes undone."""
    facts, rules = set(state.facts), {rule.label: rule for rule in state.program.rules}
    for change in changes:
        if isinstance(change, FactChanged):
            if change.new is not None:
                facts.remove((change.relation, change.new))  # type: ignore[arg-type]  # values
            if change.old is not None:
                assert (change.relation, change.old) not in facts
                facts.add((change.relation, change.old))  # type: ignore[arg-type]  # values
        else:
            assert isinstance(change, RuleChanged)
            if change.new is not None:
                del rules[change.label]
            if change.old is not None:
                rules[change.label] = change.old
    return State(replace(state.program, rules=tuple(rules.values())), frozenset(facts))


class Judge:
    """One epoch, or several, from outside: the states before and after, and the rule sets of the engine then."""

    def __init__(self, before: State, after: State, rules: Sequence[Ruleset]) -> None:
        self.before, self.after, self.rules = before, after, rules
        self.model = before.model()

    def _group(self, blame: Blame, relation: str, row: Row, model: Mapping[str, Rows]) -> Rows:
        """The rows of the group of a fact in a model."""
        whole = group_columns(self.rules, relation, len(row))
        columns = whole if blame.before and blame.after else range(len(row))
        key = [row[column] for column in columns]
        return frozenset(r for r in model.get(relation, ()) if [r[column] for column in columns] == key)

    def restores(self, blame: Blame, relation: str, row: Row, changes: Collection[Change]) -> bool:
        """Whether undoing changes alone gives the fact, or its group, back as it was."""
        try:
            state = undone(self.after, changes)
            check_program(state.program, known={name: len(values) for name, values in state.facts})
            model = state.model()
        except TidelogError:
            return False
        return self._group(blame, relation, row, model) == self._group(blame, relation, row, self.model)

    def check(self, blame: Blame, relation: str, row: Row) -> None:
        """Undoing all causes restores the fact, undoing all but one does not; each of the others does, too."""
        assert blame.exact, blame
        assert blame.minimal, blame
        assert self.restores(blame, relation, row, blame.changes), f"undoing these does not undo it:\n{blame}"
        for change in blame.changes:
            rest = [other for other in blame.changes if other is not change]
            assert not self.restores(blame, relation, row, rest), f"{change} can be left out:\n{blame}"
        for change in blame.instead:
            assert self.restores(blame, relation, row, [change]), f"{change} alone does not undo it:\n{blame}"
