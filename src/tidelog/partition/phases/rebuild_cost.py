"""Estimate whether a retraction costs more than rebuilding its stratum.

Law (D26): an epoch costs at most about 1.3 times a rebuild of the strata that it touches. A retraction is weighed
between slices: the supports it has lost, with those that the facts still on its queue will lose at the same rate, and
those that these will suspend, against the supports that the rules of the stratum hold. These are estimates, trusted
only once a tenth of the supports is lost: many retractions fan out at first and end soon after. The choice changes the
cost, never the facts or ``all``. A retraction that visits few rows is never weighed, and costs nothing extra.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.code.stratum import RuleCode, Stratum
from tidelog.partition.memory.journal import Items
from tidelog.partition.memory.records import all_counts, asserted
from tidelog.program import Atom

if TYPE_CHECKING:
    from tidelog.partition.phases.partition import Partition

SHARE = 0.4  # of a stratum's supports: losing one costs about as much as finding 2.5, so losing so much costs a build
BELOW = 0.25  # the same for losses from below, which are known in advance, unlike their consequences
FOLLOWS = 1.4  # the least cost of a loss from below, including its consequences
LEAST = 0.1  # of a stratum's supports that must be lost before the estimate is trusted: they cost a quarter of a build
STEEPEST = 0.95  # the most facts suspended by each suspended fact that an estimate assumes
FEW = 1 << 14  # rows that a retraction may visit before it is weighed
SAMPLE = 64  # facts fired before the rest is extrapolated from them


class RebuildCost:
    """Weighs the retraction of one stratum."""

    __slots__ = ("_direct", "_first", "_held", "_partition", "_stratum", "budget", "reason")

    def __init__(self, partition: Partition, stratum: Stratum) -> None:
        self._partition, self._stratum = partition, stratum
        self._direct = self._first = 0  # supports lost and facts suspended before the queue was fired
        self._held = -1
        self.budget = FEW  # rows to visit before it is weighed again
        self.reason = ""

    @property
    def held(self) -> int:
        """The approximate number of supports that the rules of the stratum had before the retraction."""
        if self._held < 0:
            find_supports(self._partition, self._stratum)
            self._held = sum(code.supports for code in self._stratum.rules.values())
        return self._held

    def lost(self) -> int:
        """The number of supports that the rules of the stratum have lost so far."""
        numbers = [code.number for code in self._stratum.rules.values()]
        return int(self._partition.machine.losses[numbers].sum())

    def tips(self) -> bool:
        """Whether a rebuild is estimated to be cheaper than continuing."""
        lost = self.lost()
        self.budget = max(FEW, self.held >> 5)
        if self._partition.machine.state[at.PHASE] == at.RETRACT_LOWER:
            return self._weigh(self._from_below(lost), BELOW)
        return lost >= self.held * LEAST and self._weigh(self._expected(lost), SHARE)

    def begin_queue(self) -> None:
        """Note that all losses from below are applied; their consequences follow."""
        self._first = int(self._partition.machine.state[at.QTAIL])
        self._direct = self.lost() if self._first > SAMPLE else 0

    def tips_at_once(self, deleted: Sequence[Cells], changes: Mapping[int, Items]) -> bool:
        """Whether that is clear before anything is retracted, since much of what the rules read was deleted."""
        if sum(map(len, deleted)) < SAMPLE or self.held == 0:
            return False
        relations = self._partition.relations
        gone = {
            relations.names[n]: len(change.deleted) / max(1, relations.live(n)) for n, change in changes.items()
        }  # the share of each relation
        expected = 0.0
        for code in self._stratum.rules.values():
            expected += code.supports * max((gone.get(name, 0.0) for name in _read(code)), default=0.0)
        return self._weigh(expected * FOLLOWS, BELOW)

    def _from_below(self, lost: int) -> float:
        """The losses to expect if the remaining deleted facts below cause as many as those before them."""
        fired, end = self._partition.machine.position
        return FOLLOWS * lost * end / max(SAMPLE, fired)

    def _expected(self, lost: int) -> float:
        """The losses to expect if the waiting facts cause as many as those before them."""
        state = self._partition.machine.state
        (fired, _), suspended = self._partition.machine.position, int(state[at.QTAIL])
        if fired < SAMPLE:
            return lost
        each = min(STEEPEST, (suspended - self._first) / fired) if 4 * fired > self._first else 0.0
        return lost + (lost - self._direct) / fired * (suspended - fired) / (1 - each)

    def _weigh(self, lost: float, share: float) -> bool:
        if lost <= self.held * share:
            return False
        self.reason = f"about {min(int(lost), self.held):,} of {self.held:,} supports would be lost"
        return True


def find_supports(partition: Partition, stratum: Stratum) -> None:
    """Count the supports of rules in a state that was read, from the facts that they derive."""
    relations, losses = partition.relations, partition.machine.losses
    heads: dict[str, list[RuleCode]] = {}
    for code in stratum.rules.values():
        if code.supports < 0:
            heads.setdefault(code.rule.head.predicate, []).append(code)
    for name, codes in heads.items():
        records = relations.records(relations.numbers[name])
        counted = int(all_counts(records[asserted(records) | (all_counts(records) > 0)]).sum())
        for code in codes:
            code.supports = 0
        codes[0].supports = counted + int(losses[[code.number for code in codes]].sum())


def _read(code: RuleCode) -> Iterable[str]:
    """The relations that the body of a rule reads."""
    return (literal.predicate for literal in code.rule.body if isinstance(literal, Atom))
