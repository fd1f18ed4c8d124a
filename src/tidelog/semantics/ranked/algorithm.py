"""Ranked support over nodes with Lamport clocks: Tidelog's maintenance algorithm, one message at a time.

An epoch takes the strata in order, each in two phases with a barrier: *retract* suspends what loses its last support of
lower rank, *assert* revives what still has supports and takes in what is new. Messages are changes of support: sign,
head, and the highest rank of the body's facts of the head's stratum. Inside a phase they may arrive in any order.

Law: I1 and I2 (`support`) hold between epochs. The barrier matters: reviving before retraction is quiet would let two
facts support each other for ever. The rank of a present fact never changes, so the losing side computes the same body
rank that the gaining side saw. Facts of lower strata count as rank 0; between the phases those strata stand at what
their old and new state have in common. A node's clock is above every rank it has seen, its own and those of messages.

Base facts are sets and an epoch sums the signs of its changes (D3). Rules do not change here (the engine's do).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from tidelog.program import Program
from tidelog.semantics.algorithm import Event, Message, Schedule, Tables
from tidelog.semantics.annotation import PLAIN
from tidelog.semantics.delta import Derivation, axioms, chosen, derivations
from tidelog.semantics.fact import DELETE, INSERT, Fact, Node, Occurrence, Update
from tidelog.semantics.groups import Groups
from tidelog.semantics.mail import Mail, Mailing
from tidelog.semantics.network import Network, components, prepare
from tidelog.semantics.ranked.support import Support
from tidelog.semantics.state import State

IDLE, RETRACT, ASSERT, CLEAN, RESTORE = "idle", "retract", "assert", "clean up", "restore"


class Ranked(Mailing):
    """Tidelog's ranked support."""

    name = "ranked"

    def __init__(self, *, central: bool = False) -> None:
        super().__init__()
        self._central = central

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; the base facts are the changes of the first epoch."""
        self.network: Network = prepare(program, central=self._central)
        self.strata = _strata(self.network)
        self.visible = State()
        self.supports: dict[Fact, Support] = {}
        self.asserted: set[Fact] = set()
        self.clock: Counter[Node] = Counter()
        self.barriers = self.suspensions = 0
        self._mail, self._groups = Mail(), Groups(self.network)
        self._phase, self._stratum = IDLE, len(self.strata)
        self._incoming: Counter[Fact] = Counter()
        self._axioms = Counter(update.fact for update in axioms(self.network, PLAIN))
        self._seeds: list[Update] = []
        self._removed: list[Fact] = []
        self._added: list[Fact] = []
        self._before: dict[Fact, bool] = {}
        self._suspended: list[Fact] = []
        self.apply(Update(INSERT, fact) for fact in (*self.network.facts, *facts))

    def apply(self, changes: Iterable[Update]) -> None:
        """Changes of the next epoch."""
        for update in changes:
            self.network.node_of(update.fact)
            self._incoming[update.fact] += update.sign

    def pending(self) -> tuple[Message, ...]:
        """All messages of the phase."""
        return self._mail.pending()

    def quiescent(self) -> bool:
        """No epoch runs and none is due."""
        return self._phase == IDLE and not self._incoming and not self._axioms

    def step(self, schedule: Schedule) -> Event:
        """Deliver a message, or, when the phase is quiet, begin the next one."""
        if not self._mail.waiting:
            return self._barrier()
        message = schedule.choose(self.pending())
        self._mail.take(message)
        before = self._mail.next_number
        if message.update.sign < 0:
            self._lose(message)
        else:
            self._gain(message)
        return Event("deliver", message, self._mail.since(before), self._phase)

    # Phases

    def _barrier(self) -> Event:
        before = self._mail.next_number
        self.barriers += 1
        if self._phase == IDLE:
            self._begin_epoch()
        elif self._phase == RETRACT:
            self._begin_assert(ASSERT)
        elif self._phase == ASSERT and self._groups.stale:
            self._begin_clean_up()
        elif self._phase == CLEAN:
            self._begin_assert(RESTORE)
        else:
            self._finish_stratum()
        note = self._phase if self._phase == IDLE else f"{self._phase} {','.join(self.strata[self._stratum])}"
        return Event("barrier", None, self._mail.since(before), note)

    def _begin_epoch(self) -> None:
        incoming, self._incoming = self._incoming, Counter()
        self._seeds = [Update(INSERT, fact, 0) for fact, n in self._axioms.items() for _ in range(n)]
        self._axioms = Counter()
        for fact, total in incoming.items():
            if total > 0 and fact not in self.asserted:
                self.asserted.add(fact)
                self._seeds.append(Update(INSERT, fact, 0))
            elif total < 0 and fact in self.asserted:
                self.asserted.discard(fact)
                self._seeds.append(Update(DELETE, fact, 0))
        self._removed, self._added = [], []
        self._stratum = -1
        self._next_stratum()

    def _next_stratum(self) -> None:
        self._stratum += 1
        while self._stratum < len(self.strata) and not self._concerned():
            self._stratum += 1
        if self._stratum == len(self.strata):
            self._phase = IDLE
            return
        self._phase, self._before, self._suspended = RETRACT, {}, []
        for fact in self._added:
            self._hide(fact)
        for fact in self._removed:
            self._show(fact)
        for fact in self._removed:
            self._fire(DELETE, fact)
            self._hide(fact)
        self._post(DELETE)

    def _concerned(self) -> bool:
        names = set(self.strata[self._stratum])
        changed = {fact.relation for fact in (*self._removed, *self._added)}
        reads = {atom.predicate for rule in self.network.rules if rule.head.predicate in names for atom in rule.atoms}
        return bool(changed & reads) or any(update.fact.relation in names for update in self._seeds)

    def _post(self, sign: int) -> None:
        names = self.strata[self._stratum]
        own = [u for u in self._seeds if u.sign == sign and u.fact.relation in names]
        self._mail.send(self.network, None, own)

    def _begin_assert(self, phase: str) -> None:
        self._phase = phase
        suspended, self._suspended = self._suspended, []
        for fact in sorted(suspended, key=lambda f: self.supports[f].rank):
            if self.supports[fact].all > 0:
                self._enter(fact)
            else:
                del self.supports[fact]
        for candidate in self._groups.refill(self._present_candidates()):
            self._expose(INSERT, candidate)
        if phase == ASSERT:
            for fact in self._added:
                self._show(fact)
                self._fire(INSERT, fact)
            self._post(INSERT)

    def _present_candidates(self) -> list[Fact]:
        return [o.fact for _, o, _ in self.visible.occurrences() if o.fact.relation in self.network.choice_of]

    def _begin_clean_up(self) -> None:
        self._phase = CLEAN
        for candidate in self._groups.begin_clean_up():
            self._expose(DELETE, candidate)

    def _finish_stratum(self) -> None:
        if self._phase == RESTORE:
            self._groups.end_clean_up()
        for fact, was in self._before.items():
            if was != self._sees(fact):
                (self._removed if was else self._added).append(fact)
        self._next_stratum()

    # Supports

    def _lose(self, message: Message) -> None:
        fact, body_rank = message.update.fact, _rank(message.update)
        if self.supports[fact].lose(body_rank):
            self._suspend(fact)

    def _suspend(self, fact: Fact) -> None:
        """A suspended fact stays visible until its own losses have fired; its rank is kept until the barrier."""
        self.supports[fact].present = False
        self.suspensions += 1
        self._suspended.append(fact)
        self._before.setdefault(fact, True)
        self._fire(DELETE, fact)
        self._hide(fact)
        if fact.relation in self.network.choice_of and self._groups.hide(fact):
            self._expose(DELETE, fact)

    def _gain(self, message: Message) -> None:
        fact, body_rank = message.update.fact, _rank(message.update)
        self.clock[message.target] = max(self.clock[message.target], body_rank)
        entry = self.supports.setdefault(fact, Support(0))
        if entry.present:
            entry.gain(body_rank)
        else:
            entry.all += 1
            self._before.setdefault(fact, False)
            self._enter(fact)

    def _enter(self, fact: Fact) -> None:
        node = self.network.node_of(fact)
        self.clock[node] += 1
        self.supports[fact].enter(self.clock[node])
        self._show(fact)
        self._fire(INSERT, fact)
        if fact.relation in self.network.choice_of and self._groups.offer(fact):
            self._expose(INSERT, fact)

    def _expose(self, sign: int, candidate: Fact) -> None:
        fact = chosen(self.network.choice_of[candidate.relation], candidate)
        self._mail.send(self.network, self.network.node_of(candidate), [Update(sign, fact, self.rank_of(candidate))])

    # Tables and rules

    def _fire(self, sign: int, fact: Fact) -> None:
        """Send the change of every support of this stratum in which the fact takes part; the fact is visible."""
        node = self.network.node_of(fact)
        with_it, without = self.visible, self.visible.minus(node, Occurrence(fact))
        old, new = (with_it, without) if sign < 0 else (without, with_it)
        found = derivations(self.network, Update(sign, fact), node, old, new)
        heads = [
            Update(sign, instance.head, self.body_rank(instance))
            for instance in found
            if instance.head.relation in self.strata[self._stratum]
            for _ in range(instance.copies)
        ]
        self._mail.send(self.network, node, heads)

    def body_rank(self, instance: Derivation) -> int:
        """The highest rank of the body's facts of the head's stratum; facts of lower strata count as 0."""
        names = next(group for group in self.strata if instance.head.relation in group)
        return max((self.rank_of(o.fact) for o in instance.body if o.fact.relation in names), default=0)

    def rank_of(self, fact: Fact) -> int:
        """The rank a fact has, or had when it was suspended."""
        return self.supports[fact].rank

    def _show(self, fact: Fact) -> None:
        self.visible = self.visible.plus(self.network.node_of(fact), Occurrence(fact))

    def _hide(self, fact: Fact) -> None:
        self.visible = self.visible.minus(self.network.node_of(fact), Occurrence(fact))

    def _sees(self, fact: Fact) -> bool:
        return self.visible.holds(self.network.node_of(fact), Occurrence(fact))

    # What others read

    def shown_candidates(self) -> list[Fact]:
        """The candidates that choices show."""
        return list(self._groups.shown.values())

    def tables(self) -> Tables:
        """The present facts, each once."""
        return self.visible.tables()

    def canonical(self) -> Hashable:
        """Everything the future depends on."""
        supports = frozenset((f, s.rank, s.all, s.low, s.present) for f, s in self.supports.items())
        changes = (frozenset(self._incoming.items()), tuple(self._removed), tuple(self._added), tuple(self._seeds))
        place = (self._phase, self._stratum, tuple(self._suspended), frozenset(self._before.items()))
        clocks = frozenset(self.clock.items())
        return supports, self.visible, clocks, changes, place, self._groups.canonical(), self._mail.canonical()


def _rank(update: Update) -> int:
    assert isinstance(update.note, int), "a change of support carries its body rank"
    return update.note


def _strata(network: Network) -> list[list[str]]:
    """The strata, with every choice in the stratum of its candidates."""
    needs = network.depends_on()
    for choice in network.choices:
        needs[choice.candidates].add(choice.relation)
    return components(needs)
