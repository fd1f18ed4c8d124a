"""Semi-naive maintenance over sets (LAM 2010, Algorithm 1): tables are sets, and so are the updates of an iteration.

Every relation has a set of insertions and a set of deletions. An iteration fires the delta rules of all of them, reads
the tables of the iteration before without ν and those of this one with ν, and collects what they derive as the sets of
the next iteration. Between iterations a table becomes (table ∪ insertions) ∖ deletions: a deletion wins over an
insertion of the same fact, and one whose fact is not there changes nothing. Unlike the commands of Figure 2, nothing is
picked, so nothing can be stuck.

Law: where every fact has one derivation at most the tables at the end are those of evaluation from scratch. A fact with
two derivations is removed with the first of them: that is the limit stated in the text.
The text starts with two equal copies of the view. Read to the letter the first iteration then does not see one inserted
fact when it fires another, and a rule that joins the two derives nothing; ``as_printed`` shows it. The tables with ν
have to hold the first updates already, as they do in every later iteration.
The text has no aggregates; programs that select a least or greatest value are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import ClassVar

from tidelog.lab.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.lab.semantics.annotation import PLAIN
from tidelog.lab.semantics.configuration import check_precondition, without_selections
from tidelog.lab.semantics.delta import axioms, fire_rules
from tidelog.lab.semantics.fact import INSERT, Fact, Occurrence, Update
from tidelog.lab.semantics.mail import Mail, MessageCounts
from tidelog.lab.semantics.network import Network, prepare
from tidelog.lab.semantics.state import State
from tidelog.program import Program


class SetSemiNaive(MessageCounts):
    """Iterations over sets of insertions and deletions; each step is one iteration."""

    name: ClassVar[str] = "sn-lam"

    def __init__(self, *, central: bool = False, as_printed: bool = False) -> None:
        super().__init__()
        self._central, self._as_printed = central, as_printed

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; every base fact is an insertion of the first iteration."""
        self.network = without_selections(prepare(program, central=self._central), self.name)
        self._state, self._mail = State(), Mail()
        self._base: Counter[Fact] = Counter()
        self._fresh = True
        self._mail.send(self.network, None, axioms(self.network, PLAIN))
        self.apply(Update(INSERT, fact) for fact in (*self.network.facts, *facts))

    def apply(self, changes: Iterable[Update]) -> None:
        """Changes join the sets of the next iteration; a deletion without its fact is a `DataError`."""
        updates = list(changes)
        self._base = check_precondition(self._base, updates)
        self._fresh = True
        self._mail.send(self.network, None, updates)

    def pending(self) -> tuple[Message, ...]:
        """The updates of the next iteration."""
        return self._mail.pending()

    def step(self, schedule: Schedule) -> Event:
        """One iteration: fire all updates in the order of the schedule, then change the tables."""
        taken: list[Message] = []
        while self._mail.waiting:
            message = schedule.choose(self.pending())
            self._mail.take(message)
            taken.append(message)
        updates = {message.update: message for message in reversed(taken)}
        before, after = self._state, changed(self.network, self._state, updates)
        with_nu = before if self._as_printed and self._fresh else after
        sent: list[Message] = []
        for update, message in updates.items():
            derived = dict.fromkeys(fire_rules(self.network, PLAIN, update, before, with_nu))
            sent += self._mail.send(self.network, message.target, derived)
        self._state, self._fresh = after, False
        return Event("deliver", taken[0] if len(taken) == 1 else None, tuple(sent), ", ".join(map(str, taken)))

    def quiescent(self) -> bool:
        """No update is left."""
        return not self._mail.waiting

    def tables(self) -> Tables:
        """The tables, every fact once."""
        return self._state.tables()

    def canonical(self) -> Hashable:
        """Tables and updates."""
        return self._state, self._fresh, self._mail.canonical()


def changed(network: Network, state: State, updates: Iterable[Update]) -> State:
    """(table ∪ insertions) ∖ deletions, for all tables."""
    facts = {occurrence for _, occurrence, _ in state.occurrences()}
    inserted, deleted = ({Occurrence(u.fact) for u in updates if u.sign == sign} for sign in (1, -1))
    return State.of(network, (facts | inserted) - deleted)
