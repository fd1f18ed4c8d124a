"""The requests that partitions make to each other during an epoch, and their answers.

Law: all partitions take the same steps: a step ends with a request that every partition makes at the same place, and
the next one begins with the answer, which is the same for all.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TypeVar

from tidelog.errors import TidelogError
from tidelog.partition.base.demanded_groups import Due, first_due


class NodeLost(TidelogError):
    """A partition was lost; its contents are in the state folder."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"partition {number} was lost: {reason}")
        self.number, self.reason = number, reason


@dataclass(frozen=True, slots=True)
class Mail:
    """How many rows of messages a partition has sent to each since the epoch began, and how many it has received."""

    sent: tuple[int, ...] = ()
    received: int = 0


NO_MAIL = Mail()


Answer = int | frozenset[str] | Due | None


@dataclass(frozen=True, slots=True)
class Request:
    """A question to all partitions; values are joined as ``flow`` (bits), ``highest``, ``union`` or ``first_due``.

    ``flow``: the partition is idle until messages arrive, or until none are under way. ``facts`` and
    ``bytes`` are what the epoch has used so far on this partition, ``mail`` what it has sent and received.
    """

    kind: str
    value: Answer
    facts: int = 0
    bytes: int = 0
    stratum: tuple[str, ...] = ()  # the relations that are being evaluated
    mail: Mail = NO_MAIL


def join_answers(requests: Sequence[Request]) -> Answer:
    """The answer to requests that all partitions made at the same place.

    >>> join_answers([Request("flow", 1), Request("flow", 2)])
    3
    >>> join_answers([Request("highest", 1), Request("highest", 2)])
    2
    >>> join_answers([Request("first_due", Due(1, is_stale=False)), Request("first_due", None)])
    Due(level=1, is_stale=False)
    """
    kinds = {request.kind for request in requests}
    assert len(kinds) == 1, f"partitions are at different places: {sorted(kinds)}"
    values = [request.value for request in requests]
    if kinds == {"union"}:
        return frozenset().union(*(value for value in values if isinstance(value, frozenset)))
    if kinds == {"first_due"}:
        return first_due(value for value in values if isinstance(value, Due))
    numbers = [value for value in values if isinstance(value, int)]
    return max(numbers) if kinds == {"highest"} else reduce(or_, numbers)


T = TypeVar("T")


Steps = Generator[Request, Answer, T]  # the work of a partition, with a request wherever it waits for the others
