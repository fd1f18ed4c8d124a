"""What is kept about one fact: presence, rank and the two counts of supports.

    I1, exact count.    ``all`` is the number of supports of the fact over the present facts.
    I2, well-founded.   ``low`` counts exactly the supports whose body facts of the same stratum all have a smaller rank
                        than the fact; a present fact has ``low`` > 0.

Law: by induction on stratum and rank I2 makes every present fact derivable; I1 with "absent means all = 0" closes the
facts under the rules. Together they say that the present facts are the least model.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.lab.semantics.ranked.rank import Rank


@dataclass(slots=True)
class Support:
    """The entry of one fact at its owner. A fact that is not present and not suspended has no entry."""

    rank: Rank
    all: int = 0
    low: int = 0
    present: bool = False

    def lose(self, body_rank: Rank) -> bool:
        """One support less; True when the fact has just lost its last support of lower rank."""
        self.all -= 1
        if body_rank < self.rank:
            self.low -= 1
        return self.present and self.low == 0

    def gain(self, body_rank: Rank) -> None:
        """One support more; a fact that is not present counts ``low`` when it enters."""
        self.all += 1
        if body_rank < self.rank:
            self.low += 1

    def enter(self, rank: Rank) -> None:
        """Present, with a rank above the bodies of all supports, so ``low`` needs no search."""
        self.rank, self.low, self.present = rank, self.all, True
