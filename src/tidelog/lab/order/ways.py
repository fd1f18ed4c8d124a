"""Ways to run the same changes: batches, partitions, deliveries, repetitions and restarts, drawn by a seed.

Law: a way makes the same net changes as the story, one epoch of the story after the other, so that its last state must
be the same. Within an epoch of the story the order of changes does not matter (D3), so that they may arrive in any
batches, unless the program has constraints (D27), which are checked for whole epochs. A batch of facts that is sent
twice with one offset counts once; a restart resumes from the state folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from random import Random

from tidelog.runtime.many.local import Message
from tidelog.syntax import Change, FactChange, print_change

Batch = tuple[Change, ...]
Story = tuple[Batch, ...]
MOST_PARTITIONS = 4


@dataclass(frozen=True, slots=True)
class Way:
    """How the changes come: the batches in order, each an epoch; ``delivery`` seeds the order of messages."""

    batches: Story
    partitions: int = 1
    delivery: int | None = None
    repeated: frozenset[int] = frozenset()
    restarted: frozenset[int] = frozenset()

    def __str__(self) -> str:
        parts = [f"{len(self.batches)} {'epoch' if len(self.batches) == 1 else 'epochs'}"]
        parts += [f"{self.partitions} partitions"] if self.partitions > 1 else []
        parts += [f"messages in the order of seed {self.delivery}"] if self.delivery is not None else []
        parts += [f"{len(self.repeated)} of them sent twice"] if self.repeated else []
        parts += [f"a restart after {len(self.restarted)} of them"] if self.restarted else []
        return ", ".join(parts)

    def plainer(self) -> Iterator[Way]:
        """The same batches with less around them."""
        yield replace(self, partitions=1, delivery=None, repeated=frozenset(), restarted=frozenset())
        yield replace(self, restarted=frozenset())
        yield replace(self, repeated=frozenset())
        yield replace(self, delivery=None)
        yield replace(self, partitions=1, delivery=None)


def net(batch: Batch) -> Batch:
    """The changes of an epoch, those of one fact summed (D3)."""
    sums: dict[object, tuple[FactChange, int]] = {}
    for change in batch:
        if isinstance(change, FactChange):
            sums[change.atom] = (change, sums.get(change.atom, (change, 0))[1] + change.sign)
    facts = [replace(change, sign=1 if total > 0 else -1) for change, total in sums.values() if total]
    return (*facts, *(change for change in batch if not isinstance(change, FactChange)))


def random_way(story: Story, rng: Random, *, whole: bool = False) -> Way:
    """A way that the generator draws; ``whole`` leaves the epochs of the story as they are."""
    batches = tuple(batch for epoch in story for batch in _split(net(epoch), rng, whole))
    count = rng.randint(1, MOST_PARTITIONS)
    facts = [i for i, batch in enumerate(batches) if all(isinstance(change, FactChange) for change in batch)]
    some = [i for i in facts if rng.random() < 0.15]
    again = [i for i in range(len(batches)) if rng.random() < 0.15]
    return Way(
        batches,
        count,
        rng.randrange(1 << 30) if count > 1 and rng.random() < 0.7 else None,
        frozenset(some),
        frozenset(again[:3]) if rng.random() < 0.3 else frozenset(),
    )


def _split(batch: Batch, rng: Random, whole: bool) -> Iterator[Batch]:
    changes = list(batch)
    rng.shuffle(changes)
    while changes:
        size = len(changes) if whole else rng.choice((1, 2, len(changes)))
        yield tuple(changes[:size])
        changes = changes[size:]


def all_orders(story: Story, most: int) -> list[Way] | None:
    """Every order of single changes, if there are at most ``most``; None if there are more."""
    ways: list[Story] = [()]
    for epoch in story:
        changes = net(epoch)
        if len(changes) > 8:
            return None
        orders = [tuple((change,) for change in order) for order in permutations(changes)]
        if len(ways) * len(orders) > most:
            return None
        ways = [(*before, *order) for before in ways for order in orders]
    return [Way(batches) for batches in ways]


def unkindly(rng: Random) -> Callable[[list[Message]], tuple[list[Message], list[Message]]]:
    """Every row is a separate message; some arrive now, in any order, and the others are held back."""

    def choose(messages: list[Message]) -> tuple[list[Message], list[Message]]:
        single = [(to, name, rows[i : i + 1]) for to, name, rows in messages for i in range(len(rows))]
        rng.shuffle(single)
        count = rng.randint(1, len(single))
        return single[:count], single[count:]

    return choose


def show_batches(batches: Sequence[Batch], convention: str) -> list[str]:
    """The batches as text, one line each."""
    return [" ".join(print_change(change, convention) for change in batch) for batch in batches]
