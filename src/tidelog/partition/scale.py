"""Whether a retraction is dearer than building its stratum again.

Law (D26): an epoch costs at most about 1.3 times a rebuild of the strata that it touches. A retraction is weighed
between slices: the supports it has lost, and those that the facts still on its queue will lose at the same rate,
against the supports that the rules of the stratum hold. What is weighed are estimates; which way is taken changes the
cost, never the facts or ``all``. A retraction that visits few rows is never weighed, and costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tidelog.kernel import layout as at
from tidelog.kernel.cells import Cells
from tidelog.partition.journal import Items
from tidelog.partition.records import all_counts, asserted
from tidelog.partition.stratum import RuleCode, Stratum
from tidelog.program import Atom

if TYPE_CHECKING:
    from tidelog.partition.partition import Partition

SHARE = 0.5  # of a stratum's supports: to lose so many and give back some is dearer than to find all again
FEW = 1 << 14  # rows that a retraction may visit before it is weighed
SAMPLE = 64  # facts fired before the rest is expected to lose as much as they did


class Scale:
    """Weighs the retraction of one stratum."""

    __slots__ = ("_direct", "_held", "_partition", "_stratum", "budget", "reason")

    def __init__(self, partition: Partition, stratum: Stratum) -> None:
        self._partition, self._stratum = partition, stratum
        self._direct = 0  # supports lost before the queue was fired
        self._held = -1
        self.budget = FEW  # rows to visit before it is weighed again
        self.reason = ""

    @property
    def held(self) -> int:
        """About how many supports the rules of the stratum held before the retraction."""
        if self._held < 0:
            find_supports(self._partition, self._stratum)
            self._held = sum(code.supports for code in self._stratum.rules.values())
        return self._held

    def lost(self) -> int:
        """The supports that the rules of the stratum lost so far."""
        numbers = [code.number for code in self._stratum.rules.values()]
        return int(self._partition.machine.losses[numbers].sum())

    def tips(self) -> bool:
        """Whether building again is cheaper than to go on, as far as one can see."""
        lost = self.lost()
        self.budget = max(FEW, int(self.held * SHARE) >> 2)
        return self._weigh(max(lost, self._expected(lost)))

    def tips_at_once(self, deleted: Sequence[Cells], changes: Mapping[int, Items]) -> bool:
        """Whether that is plain before anything is retracted: so much of what the rules read is gone."""
        if sum(map(len, deleted)) < SAMPLE or self.held == 0:
            return False
        relations = self._partition.relations
        gone = {
            relations.names[n]: len(change.deleted) / max(1, relations.live(n)) for n, change in changes.items()
        }  # of each relation the share
        expected = 0.0
        for code in self._stratum.rules.values():
            expected += code.supports * max((gone.get(name, 0.0) for name in _read(code)), default=0.0)
        return self._weigh(int(expected))

    def _expected(self, lost: int) -> int:
        """What will be lost if the facts that wait lose as much as those before them."""
        state = self._partition.machine.state
        fired = int(state[at.ITEM])
        if fired < SAMPLE:
            return lost
        if state[at.PHASE] == at.RETRACT_LOWER:
            self._direct = lost
            return int(lost * int(state[at.END]) / fired)
        return self._direct + int((lost - self._direct) * int(state[at.QTAIL]) / fired)

    def _weigh(self, lost: int) -> bool:
        if lost <= self.held * SHARE:
            return False
        self.reason = f"about {lost:,} of {self.held:,} supports would be lost"
        return True


def find_supports(partition: Partition, stratum: Stratum) -> None:
    """The rules of a state that was read do not know how many supports they hold: the facts they derive do."""
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
    """The relations that the body of a rule asks for."""
    return (literal.predicate for literal in code.rule.body if isinstance(literal, Atom))
