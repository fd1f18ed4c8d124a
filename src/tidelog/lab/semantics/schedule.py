"""Schedules: which of the messages under way is delivered next.

Law: a schedule chooses only among what is pending and reads nothing but messages, so that the same seed yields the same
run. Except for `Starve`, which is bounded by what else there is to do, none of them can hold a message back for ever in
a run that ends.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.lab.semantics import semantics_failures as failures
from tidelog.lab.semantics.algorithm import Message, Schedule
from tidelog.lab.semantics.fact import Node, order


class Fifo:
    """The oldest message first, over the whole network."""

    def choose(self, pending: Sequence[Message]) -> Message:
        """The first."""
        return pending[0]


class NewestFirst:
    """The youngest message first: a stack, the worst reordering."""

    def choose(self, pending: Sequence[Message]) -> Message:
        """The last."""
        return pending[-1]


class DeletionsFirst:
    """Deletions overtake insertions."""

    def choose(self, pending: Sequence[Message]) -> Message:
        """The oldest deletion, else the oldest insertion."""
        return min(pending, key=lambda message: (message.update.sign, message.number))


class InsertionsFirst:
    """Insertions overtake deletions."""

    def choose(self, pending: Sequence[Message]) -> Message:
        """The oldest insertion, else the oldest deletion."""
        return min(pending, key=lambda message: (-message.update.sign, message.number))


@dataclass
class Starve:
    """One node is served only when no other node has anything to do."""

    node: Node

    def choose(self, pending: Sequence[Message]) -> Message:
        """The oldest message to another node, if there is one."""
        return min(pending, key=lambda message: (message.target == self.node, message.number))


@dataclass
class Random:
    """Any message, by seed."""

    seed: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def choose(self, pending: Sequence[Message]) -> Message:
        """A uniform choice."""
        return self._random.choice(pending)


@dataclass
class RandomLinks:
    """Any link, and on it the oldest message: channels are first in, first out, and otherwise free."""

    seed: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def choose(self, pending: Sequence[Message]) -> Message:
        """The oldest message of a link chosen by seed."""
        oldest: dict[tuple[Node | None, Node], Message] = {}
        for message in pending:
            oldest.setdefault((message.source, message.target), message)
        return self._random.choice(list(oldest.values()))


@dataclass
class LinkDelays:
    """Every link has its delay, and every message some jitter on top: jitter above zero reorders a link.

    Time is counted in messages sent. ``delays`` has the delays of single links, ``delay`` bounds those drawn by seed
    for all others.
    """

    seed: int = 0
    delay: int = 10
    jitter: int = 0
    delays: Mapping[tuple[Node | None, Node], int] = field(default_factory=dict)

    def choose(self, pending: Sequence[Message]) -> Message:
        """The message that arrives first."""
        return min(pending, key=lambda message: (self.arrival(message), message.number))

    def arrival(self, message: Message) -> int:
        """When the message arrives."""
        if message.local:
            return message.number
        link = (message.source, message.target)
        drawn = random.Random(f"{self.seed}:{link}").randint(0, self.delay)
        jitter = random.Random(f"{self.seed}:{message.number}").randint(0, self.jitter)
        return message.number + self.delays.get(link, drawn) + jitter


@dataclass
class Script:
    """The messages in the order of a list of texts such as ``-q at 3``; then the oldest first."""

    wanted: Sequence[str]
    _next: int = field(default=0, init=False)

    def choose(self, pending: Sequence[Message]) -> Message:
        """The message that the script names next; one that is not pending is an `EngineError`."""
        if self._next >= len(self.wanted):
            return pending[0]
        text = self.wanted[self._next]
        self._next += 1
        for message in pending:
            if text in (str(message), str(message.update)):
                return message
        raise failures.NOT_PENDING.error(text=text, pending=", ".join(map(str, pending)))


@dataclass
class Lexical:
    """The first update in the order of its text: a fixed order that does not depend on who sent what when."""

    def choose(self, pending: Sequence[Message]) -> Message:
        """The least message."""
        return min(pending, key=lambda message: (order(message.update), message.number))


_MAKERS: Mapping[str, Callable[[int, str], Schedule]] = {
    "fifo": lambda seed, rest: Fifo(),
    "random": lambda seed, rest: Random(seed),
    "links": lambda seed, rest: RandomLinks(seed),
    "newest": lambda seed, rest: NewestFirst(),
    "deletions": lambda seed, rest: DeletionsFirst(),
    "insertions": lambda seed, rest: InsertionsFirst(),
    "lexical": lambda seed, rest: Lexical(),
    "starve": lambda seed, rest: Starve(int(rest) if rest.lstrip("-").isdigit() else rest),
    "delay": lambda seed, rest: LinkDelays(seed, _number(rest, 10)),
    "reorder": lambda seed, rest: LinkDelays(seed, _number(rest, 10), _number(rest, 10)),
}
SCHEDULES = tuple(_MAKERS)
"""The names that `schedule_by_name` knows; ``starve``, ``delay`` and ``reorder`` take a parameter after a colon."""


def schedule_by_name(text: str, seed: int = 0) -> Schedule:
    """The schedule that a user names: ``fifo``, ``random``, ``starve:b``, ``delay:20``, ...

    >>> schedule_by_name("starve:b")
    Starve(node='b')
    """
    name, _, rest = text.partition(":")
    if name not in _MAKERS:
        raise failures.UNKNOWN_SCHEDULE.error(name=name, known=", ".join(SCHEDULES))
    return _MAKERS[name](seed, rest)


def _number(text: str, default: int) -> int:
    if text and not text.isdigit():
        raise failures.NOT_A_DELAY.error(text=text)
    return int(text) if text else default
