"""Which candidate each group of a choice shows (min and max, also in recursion).

Law: a candidate is a fact like any other, ranked and supported. Of the present candidates of a group one is *shown*; to
show it is a support of the chosen fact, whose body rank is the candidate's. In the retract phase a group whose shown
candidate is suspended shows nothing: showing the next best already here would count upwards without end. In the assert
phase the best present candidate is shown if it improves on what is shown; the value improved upon turns *stale* and
stays until the clean-up, in which a group may show only what it showed before. With witnesses a group may lose what it
showed: then it shows the next best, and the phases begin again, until nothing is left to clean up.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeAlias

from tidelog.lab.semantics.delta import best, chosen
from tidelog.lab.semantics.fact import Fact, Occurrence, Row, order
from tidelog.lab.semantics.network import Choice, Network
from tidelog.lab.semantics.semantics_failures import NOT_MONOTONE

Group: TypeAlias = tuple[str, Row]


class Groups:
    """The groups of all choices of a network."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.shown: dict[Group, Fact] = {}
        self.stale: list[Fact] = []
        self._empty: set[Group] = set()
        self._frozen: dict[Group, Fact] | None = None

    def group(self, candidate: Fact) -> Group:
        """The group of a candidate."""
        return candidate.relation, self._choice(candidate).group(candidate.row)

    def chosen(self, candidate: Fact) -> Fact:
        """The fact that represents a candidate when its group shows it."""
        return chosen(self._choice(candidate), candidate)

    def hide(self, fact: Fact) -> bool:
        """A fact has been suspended; True if it is a candidate and its group showed it."""
        if not self._is_candidate(fact) or self.shown.get(group := self.group(fact)) != fact:
            return False
        del self.shown[group]
        self._empty.add(group)
        return True

    def offer(self, fact: Fact) -> bool:
        """A fact is present; True if it is a candidate and its group now shows it."""
        return self._is_candidate(fact) and self._offer(fact)

    def _offer(self, candidate: Fact) -> bool:
        group = self.group(candidate)
        if self._frozen is not None and self._frozen.get(group) != candidate:
            return False
        shown = self.shown.get(group)
        pair = [Occurrence(fact) for fact in (shown, candidate) if fact is not None]
        if shown is not None and best(self._choice(candidate), pair) != Occurrence(candidate):
            return False
        if shown is not None:
            self.stale.append(shown)
        self.shown[group] = candidate
        return True

    def refill(self, present: Iterable[Fact]) -> list[Fact]:
        """The candidates that the empty groups show now, of those that are present."""
        offered: dict[Group, list[Occurrence]] = {group: [] for group in sorted(self._empty, key=order)}
        self._empty = set()
        for fact in present:
            if (group := self.group(fact)) in offered:
                offered[group].append(Occurrence(fact))
        winners: list[Fact] = []
        for group, candidates in offered.items():
            winner = best(self._network.choice_of[group[0]], candidates)
            if winner is not None and self._offer(winner.fact):
                winners.append(winner.fact)
        return winners

    def take_stale(self) -> list[Fact]:
        """The candidates that were improved upon; each is given once."""
        stale, self.stale = self.stale, []
        return stale

    def begin_clean_up(self) -> list[Fact]:
        """The stale candidates; from here on a group may show only what it shows now."""
        self._frozen = dict(self.shown)
        return self.take_stale()

    def reopen(self) -> bool:
        """True if groups with witnesses lost what they showed; evaluation then continues with the next best."""
        lost = [group for group, fact in (self._frozen or {}).items() if self.shown.get(group) != fact]
        open_again = [group for group in lost if self._network.choice_of[group[0]].ties]
        if open_again:
            self._frozen = None
            self._empty.update(lost)
        return bool(open_again)

    def end_clean_up(self) -> None:
        """Every group has to show again what it showed before clean-up: else a rule gave a better value than its inputs
        allow, and the result would depend on the schedule."""
        missing = sorted(str(fact) for group, fact in (self._frozen or {}).items() if self.shown.get(group) != fact)
        self._frozen = None
        if missing:
            raise NOT_MONOTONE.error(missing=", ".join(missing))

    def canonical(self) -> Hashable:
        """A value that decides what the groups will do."""
        frozen = None if self._frozen is None else frozenset(self._frozen.items())
        return frozenset(self.shown.items()), tuple(self.stale), frozenset(self._empty), frozen

    def _is_candidate(self, fact: Fact) -> bool:
        return fact.relation in self._network.choice_of

    def _choice(self, candidate: Fact) -> Choice:
        return self._network.choice_of[candidate.relation]
