"""Messages of a partition: those that a batch sends, and among them those that are to be sent to other partitions.

Law: a message is wide enough for the widest relation; messages of one width leave before the width changes. The state
of the machine contains address, capacity and number of both arrays.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import route
from tidelog.kernel.cells import Cells, address
from tidelog.partition.memory.relations import Relations

MESSAGES = 2048
NARROWEST = 2  # columns


class Messages:
    """The two arrays of messages."""

    def __init__(self, state: Cells) -> None:
        self._state = state
        self._set(NARROWEST)

    def fit(self, arity: int) -> None:
        """Make messages wide enough for facts of this arity."""
        if arity + at.M_COLS > self._sent.shape[1]:
            self._set(arity)

    def _set(self, arity: int) -> None:
        assert not self._state[at.AWAYN], "messages of another width still wait to leave"
        self._leaving: Cells = np.zeros((0, 0), np.int64)
        self._state[at.AWAYCAP] = 0
        self._sent: Cells = np.zeros((MESSAGES, at.M_COLS + arity), np.int64)
        self._state[at.OUT], self._state[at.OUTCAP] = address(self._sent), MESSAGES
        self._state[at.STRIDE] = at.M_COLS + arity

    def grow_leaving(self) -> None:
        """Make room for the messages that are about to leave."""
        state = self._state
        needed = int(state[at.AWAYN] + state[at.OUTN] * state[at.PARTITIONS])
        grown = np.empty((2 * needed, int(state[at.STRIDE]) + 1), np.int64)
        count = int(state[at.AWAYN])
        if count:
            grown[:count] = self._leaving[:count]
        self._leaving = grown
        state[at.AWAY], state[at.AWAYCAP] = address(grown), len(grown)

    def take_leaving(self, relations: Relations) -> list[tuple[int, int, Cells]]:
        """Outgoing messages: (partition, relation, rows of (body rank, count, columns)), combined per fact and rank."""
        count = int(self._state[at.AWAYN])
        if not count:
            return []
        self._state[at.AWAYN] = 0
        table = np.zeros(1 << (2 * count).bit_length(), np.int64)
        left = self._leaving[: route.combine(relations.directory, self._leaving, count, table)]
        ends = (left[:, at.A_TO] << 32) | left[:, at.A_REL]
        found = []
        for end in np.unique(ends).tolist():
            to, number = end >> 32, end & at.LOW32
            last = at.A_COLS + int(relations.directory[number, at.ARITY])
            found.append((to, number, np.ascontiguousarray(left[ends == end, at.A_RANK : last])))
        return found
