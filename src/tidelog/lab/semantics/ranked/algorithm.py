"""Ranked support over nodes: Tidelog's maintenance algorithm, one message at a time.

An epoch takes the strata in order, each in two phases with a barrier: *retract* suspends what loses its last support of
lower rank, *assert* revives what still has supports and takes in what is new. Messages are changes of support: sign,
head, and the highest rank of the body's facts of the head's stratum. Inside a phase they may arrive in any order.

Law: I1 and I2 (`support`) hold between epochs. The barrier matters: reviving before retraction is quiet would let two
facts support each other for ever. The rank of a present fact never changes, so the losing side computes the same body
rank that the gaining side saw. Ranks are assigned as in the engine: a new fact is one deeper than the body of its first
support, a revived fact one deeper than everything its node has seen (`clock`). Facts of lower strata count as `GROUND`;
between the phases those strata stand at what their old and new state have in common.

Base facts are sets and an epoch sums the signs of its changes (D3). Rules do not change here (the engine's do).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from tidelog.lab.semantics.algorithm import Message
from tidelog.lab.semantics.delta import Derivation
from tidelog.lab.semantics.epochs import IDLE, EpochAlgorithm
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Update
from tidelog.lab.semantics.ranked.clock import Clock
from tidelog.lab.semantics.ranked.rank import GROUND, Rank
from tidelog.lab.semantics.ranked.strata import Strata
from tidelog.lab.semantics.ranked.supports import Supports
from tidelog.program import Program

RETRACT, ASSERT, CLEAN, RESTORE = "retract", "assert", "clean up", "restore"


class RankedAlgorithm(EpochAlgorithm):
    """Tidelog's ranked support."""

    name = "ranked"

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables; the base facts are the changes of the first epoch."""
        super().load(program, facts)
        self.strata, self.supports, self.clock = Strata(self.network), Supports(), Clock()
        self.suspensions = 0

    # Phases

    def _barrier(self) -> str:
        if self._phase == IDLE:
            self._begin_epoch()
        elif self._phase == RETRACT:
            self._begin_assert(ASSERT)
        elif self._phase == ASSERT and self._groups.stale:
            self._phase = CLEAN
            self._expose(DELETE, self._groups.begin_clean_up())
        elif self._phase == CLEAN:
            self._begin_assert(RESTORE)
        elif self._phase == RESTORE and self._groups.reopen():
            self._begin_assert(ASSERT, again=True)
        else:
            self._finish_stratum()
        return IDLE if self._phase == IDLE else f"{self._phase} {','.join(self.strata.names)}"

    def _begin_epoch(self) -> None:
        axioms = [Update(INSERT, fact, GROUND) for fact in self.asserted.take_axioms().elements()]
        changes = [Update(sign, fact, GROUND) for sign, fact, _ in self.asserted.take_changes()]
        self.strata.begin([*axioms, *changes])
        self._next_stratum()

    def _next_stratum(self) -> None:
        if not self.strata.advance():
            self._phase = IDLE
            return
        self._phase = RETRACT
        for fact in self.strata.added:
            self.visible.hide(fact)
        for fact in self.strata.removed:
            self.visible.show(fact)
        for fact in self.strata.removed:
            self._fire(DELETE, fact)
            self.visible.hide(fact)
        self._mail.send(self.network, None, self.strata.changes(DELETE))

    def _begin_assert(self, phase: str, *, again: bool = False) -> None:
        self._phase = phase
        tops = {node: rank.depth for node, rank in self.clock.items()}
        for fact in self.supports.release():
            self._enter(fact, tops[self.network.node_of(fact)])
        self._expose(INSERT, self._groups.refill(self.visible.candidates()))
        if phase == ASSERT and not again:
            for fact in self.strata.added:
                self.visible.show(fact)
                self._fire(INSERT, fact)
            self._mail.send(self.network, None, self.strata.changes(INSERT))

    def _finish_stratum(self) -> None:
        if self._phase == RESTORE:
            self._groups.end_clean_up()
        self.strata.finish(self.visible.holds)
        self._next_stratum()

    # Supports

    def _deliver(self, message: Message) -> None:
        sign, fact, body_rank = message.update
        assert isinstance(body_rank, Rank), "a change of support carries its body rank"
        if sign < 0:
            if self.supports.lose(fact, body_rank):
                self._suspend(fact)
            return
        self.clock.see(message.target, body_rank)
        if self.supports.gain(fact, body_rank):
            self.strata.note(fact, visible=False)
            self._enter(fact, body_rank.depth)

    def _suspend(self, fact: Fact) -> None:
        """A suspended fact stays visible until its own losses have fired."""
        self.suspensions += 1
        self.strata.note(fact, visible=True)
        self._fire(DELETE, fact)
        self.visible.hide(fact)
        if self._groups.hide(fact):
            self._expose(DELETE, [fact])

    def _enter(self, fact: Fact, depth: int) -> None:
        """Make a fact present, one deeper than ``depth``, which no support of it exceeds."""
        self.supports[fact].enter(self.clock.rank_above(self.network.node_of(fact), depth))
        self.visible.show(fact)
        self._fire(INSERT, fact)
        if self._groups.offer(fact):
            self._expose(INSERT, [fact])

    def _expose(self, sign: int, candidates: Iterable[Fact]) -> None:
        for candidate in candidates:
            update = Update(sign, self._groups.chosen(candidate), self.rank_of(candidate))
            self._mail.send(self.network, self.network.node_of(candidate), [update])

    def _fire(self, sign: int, fact: Fact) -> None:
        """Send the change of every support of this stratum in which the fact takes part; the fact is visible."""
        heads = [
            Update(sign, instance.head, self.body_rank(instance))
            for instance in self.visible.derivations(sign, fact)
            if instance.head.relation in self.strata.names
            for _ in range(instance.copies)
        ]
        self._mail.send(self.network, self.network.node_of(fact), heads)

    # What others read

    def body_rank(self, instance: Derivation) -> Rank:
        """The highest rank of the body's facts of the head's stratum; facts of lower strata count as `GROUND`."""
        names = self.strata.of(instance.head.relation)
        return max((self.rank_of(o.fact) for o in instance.body if o.fact.relation in names), default=GROUND)

    def rank_of(self, fact: Fact) -> Rank:
        """The rank a fact has, or had when it was suspended."""
        return self.supports[fact].rank

    def shown_candidates(self) -> list[Fact]:
        """The candidates that choices show."""
        return list(self._groups.shown.values())

    def canonical(self) -> Hashable:
        """Everything the future depends on."""
        clock = frozenset(self.clock.items())
        return super().canonical(), self.supports.canonical(), clock, self.strata.canonical()
