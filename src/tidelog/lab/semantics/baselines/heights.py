"""Heights with synchronisation (MELD, as PPDP 2011, section 7 describes it).

A fact that becomes present gets a height: one more than the greatest height in the body that derived it; asserting a
base fact has height 0. Heights alone do not distinguish a cycle from a late message, so the deletions that follow from
one base deletion form a *wave* during which nothing else happens: every deletion that crosses a link is acknowledged,
and the network continues only when all of them are.

A node keeps for every fact how many supports it has of which height. In a wave a lost support is subtracted; a fact
with no support left that is as low as the fact itself is suspended and its own consequences are lost in turn. At the
end of the wave a suspended fact with supports left is inserted again, with the least of their heights.

Law: the supports of a present fact that are as low as it is rest on facts that are lower, so that at quiescence every
present fact is derivable; supports are counted exactly, so that every derivable fact is present. The price: one wave
per base deletion, and an acknowledgement for every deletion.
`UnsynchronisedHeights` omits the waves: a fact that has supports left is inserted again at once. Around a cycle this
counts to infinity: each support is a little higher than the one it replaces, and no node can detect that all of them
depend on each other (named test). The law fails; it is there to show why the waves are needed.
Programs that select a least or greatest value are refused: a selection loses and gains a value at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar

from tidelog.lab.semantics.algorithm import Event, Message, Schedule
from tidelog.lab.semantics.annotation import Annotation, PlainAnnotation
from tidelog.lab.semantics.baselines.baseline import Baseline
from tidelog.lab.semantics.configuration import check_precondition, without_selections
from tidelog.lab.semantics.delta import fire_rules
from tidelog.lab.semantics.fact import DELETE, INSERT, Fact, Node, Occurrence, Update, order
from tidelog.lab.semantics.network import Network
from tidelog.program import Program

ACKNOWLEDGED = "ack"


class Height(PlainAnnotation):
    """The annotation: one more than the greatest height of the body."""

    def derived(self, label: str, head: Fact, body: Sequence[Occurrence]) -> Hashable | None:
        """The height of a support; a rule without body is as low as a base fact."""
        return 1 + max(map(_height, body)) if body else 0


def _height(item: Occurrence | Update) -> int:
    assert isinstance(item.note, int), "every occurrence of this algorithm carries its height"
    return item.note


class Heights(Baseline):
    """Counts of supports by height; deletions in synchronised waves."""

    name = "heights"
    annotation: ClassVar[Annotation] = Height()

    def load(self, program: Program, facts: Iterable[Fact] = ()) -> None:
        """Start from empty tables, with no wave under way."""
        self._supports: dict[Fact, Counter[int]] = {}
        self._heights: dict[Fact, int] = {}
        self._suspended: dict[Fact, Node] = {}
        self._deletions: list[Update] = []
        self._in_wave = False
        super().load(program, facts)

    def fitting(self, network: Network) -> Network:
        """Programs without selections."""
        return without_selections(network, self.name)

    def apply(self, changes: Iterable[Update]) -> None:
        """Insertions are sent at once; deletions wait for their wave."""
        updates = list(changes)
        self._base = check_precondition(self._base, updates)
        insertions = [self.asserted(update) for update in updates if update.sign > 0]
        self._mail.send(self.network, None, insertions)
        self._deletions += [update for update in updates if update.sign < 0]

    def asserted(self, update: Update) -> Update:
        """Asserting a base fact is a support of height 0."""
        return update._replace(note=0)

    def step(self, schedule: Schedule) -> Event:
        """Deliver a message; when none is under way, end the wave or begin the next."""
        if self._mail.waiting:
            return super().step(schedule)
        return self._end_wave() if self._in_wave else self._begin_wave()

    def receive(self, node: Node, update: Update) -> tuple[list[Update], str]:
        """A support gained or lost; an acknowledgement only ends its own waiting."""
        if update.note == ACKNOWLEDGED:
            return [], "acknowledged"
        return (self._gain if update.sign > 0 else self._lose)(node, update), ""

    def answer(self, message: Message) -> tuple[Message, ...]:
        """Deletions that crossed a link are acknowledged."""
        update, source = message.update, message.source
        if source is None or message.local or update.sign > 0 or update.note == ACKNOWLEDGED:
            return ()
        return (self._mail.send_to(source, message.target, Update(DELETE, update.fact, ACKNOWLEDGED)),)

    def quiescent(self) -> bool:
        """No message is under way, no wave is open and no deletion waits for one."""
        return not self._mail.waiting and not self._in_wave and not self._deletions

    def canonical(self) -> Hashable:
        """What the future depends on."""
        supports = frozenset((fact, frozenset(counts.items())) for fact, counts in self._supports.items())
        return super().canonical(), supports, frozenset(self._suspended), tuple(self._deletions), self._in_wave

    def _begin_wave(self) -> Event:
        update = self._deletions.pop(0)
        self._in_wave = True
        sent = self._mail.send(self.network, None, [self.asserted(update)])
        return Event("barrier", None, sent, f"wave for {update}")

    def _end_wave(self) -> Event:
        self._in_wave = False
        sent: list[Message] = []
        for fact, node in sorted(self._suspended.items(), key=lambda item: order(item[0])):
            if self._supports[fact]:
                sent += self._mail.send(self.network, node, self._appear(node, fact))
        self._suspended.clear()
        return Event("barrier", None, tuple(sent), "wave ended")

    def _gain(self, node: Node, update: Update) -> list[Update]:
        self._supports.setdefault(update.fact, Counter())[_height(update)] += 1
        return [] if update.fact in self._heights else self._appear(node, update.fact)

    def _appear(self, node: Node, fact: Fact) -> list[Update]:
        height = min(self._supports[fact])
        self._heights[fact] = height
        return self._changed(node, Update(INSERT, fact, height))

    def _lose(self, node: Node, update: Update) -> list[Update]:
        supports = self._supports.setdefault(update.fact, Counter())
        supports[_height(update)] -= 1
        self._supports[update.fact] = +supports
        height = self._heights.get(update.fact)
        if height is None or any(low <= height for low in self._supports[update.fact]):
            return []
        self._suspended[update.fact] = node
        del self._heights[update.fact]
        return self._changed(node, Update(DELETE, update.fact, height))

    def _changed(self, node: Node, update: Update) -> list[Update]:
        before = self._state
        enter = before.plus if update.sign > 0 else before.minus
        self._state = enter(node, update.occurrence)
        return fire_rules(self.network, self.annotation, update, before, self._state)


class UnsynchronisedHeights(Heights):
    """Heights without synchronisation: deletions are sent, and facts with supports left are reinserted, at once."""

    name = "heights-alone"

    def apply(self, changes: Iterable[Update]) -> None:
        """All changes are sent at once."""
        Baseline.apply(self, changes)

    def answer(self, message: Message) -> tuple[Message, ...]:
        """Nobody waits for an acknowledgement."""
        return ()

    def _lose(self, node: Node, update: Update) -> list[Update]:
        lost = super()._lose(node, update)
        self._suspended.clear()
        if lost or update.fact not in self._heights:
            lost += self._appear(node, update.fact) if self._supports[update.fact] else []
        return lost
