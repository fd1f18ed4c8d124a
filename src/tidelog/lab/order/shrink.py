"""Reducing a counter-example.

Law: the result still differs; without any one fact, or any one thing around the batches, it no longer does (as far as
one more trial shows: an impure function may differ in one call and not in the next).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tidelog.lab.order.ways import Story, Way
from tidelog.syntax import Change

MOST = 2000
Pair = tuple[Way, Way]


def shrink(pair: Pair, differs: Callable[[Pair], bool], most: int = MOST) -> Pair:
    """A smaller pair of ways that still differ, after at most ``most`` trials."""
    tried = 0
    while True:
        for smaller in _smaller(pair):
            tried += 1
            if tried > most:
                return pair
            if differs(smaller):
                pair = smaller
                break
        else:
            return pair


def _smaller(pair: Pair) -> Iterator[Pair]:
    first, other = pair
    changes = list(dict.fromkeys(change for batch in other.batches for change in batch))
    for size in (len(changes) // 2, len(changes) // 4, 1):
        for start in range(0, len(changes), size) if size else ():
            gone = set(changes[start : start + size])
            if len(gone) < len(changes):
                yield _without(first, gone), _without(other, gone)
    yield from ((first, plain) for plain in other.plainer() if plain != other)
    yield from ((first, replace(other, batches=merged)) for merged in _merged(other.batches))


def _without(way: Way, gone: set[Change]) -> Way:
    """The way without some changes; what refers to batches by their number is adjusted."""
    kept = [(i, tuple(change for change in batch if change not in gone)) for i, batch in enumerate(way.batches)]
    left = [(i, batch) for i, batch in kept if batch]
    numbers = {i: new for new, (i, _) in enumerate(left)}
    return replace(
        way,
        batches=tuple(batch for _, batch in left),
        repeated=frozenset(numbers[i] for i in way.repeated if i in numbers),
        restarted=frozenset(numbers[i] for i in way.restarted if i in numbers),
    )


def _merged(batches: Story) -> Iterator[Story]:
    """The batches with two neighbours as one."""
    for i in range(len(batches) - 1):
        yield (*batches[:i], (*batches[i], *batches[i + 1]), *batches[i + 2 :])
