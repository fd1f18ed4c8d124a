"""Messages of a partition: those that a batch sends, and among them those that are to be sent to other partitions.

Law: a message is wide enough for the widest relation; messages of one width leave before the width changes. The state
of the machine contains address, capacity and number of both arrays. Messages that leave are merged by fact and rank;
when they fill the window, they leave before the batch is done.
"""

from __future__ import annotations

import numpy as np

from tidelog.kernel import layout as at
from tidelog.kernel import route
from tidelog.kernel.cells import Cells, address
from tidelog.partition.memory.relations import Relations

MESSAGES = 2048
NARROWEST = 2  # columns
WINDOW = 8 << 20  # bytes of messages that are merged before they leave
NO_ROWS: Cells = np.zeros((0, 0), np.int64)
NO_CELLS: Cells = np.zeros(0, np.int64)
MOST_CLEARED = 64  # places of the table that are cleared for a message


class Messages:
    """The two arrays of messages."""

    def __init__(self, state: Cells) -> None:
        self._state = state
        self.window = WINDOW
        self._set(NARROWEST)

    def fit(self, arity: int) -> None:
        """Make messages wide enough for facts of this arity."""
        if arity + at.M_COLS > self._sent.shape[1]:
            self._set(arity)

    def _set(self, arity: int) -> None:
        assert not self._state[at.AWAYN], "messages of another width still wait to leave"
        self._sent: Cells = np.zeros((MESSAGES, at.M_COLS + arity), np.int64)
        self._state[at.OUT], self._state[at.OUTCAP] = address(self._sent), MESSAGES
        self._state[at.STRIDE] = at.M_COLS + arity
        self.forget_leaving()

    def forget_leaving(self) -> None:
        """Release the memory of messages that leave, and drop them. Nothing is allocated: an epoch ends with this."""
        self.leaving, self._table = NO_ROWS, NO_CELLS
        self._state[[at.AWAYN, at.AWAYCAP, at.AWAYMASK]] = 0

    @property
    def waiting(self) -> int:
        """The number of messages that wait to leave."""
        return self._state.item(at.AWAYN)

    @property
    def is_full(self) -> bool:
        """Whether the messages that wait fill the window."""
        return self.waiting > 0 and len(self.leaving) * 8 * (self._state.item(at.STRIDE) + 3) >= self.window

    def grow_leaving(self, relations: Relations) -> None:
        """Make room for the messages that are about to leave."""
        state = self._state
        count = self.waiting
        needed = count + int(state[at.OUTN] * state[at.PARTITIONS])
        room = 1 << (2 * needed - 1).bit_length() if count else needed
        grown = np.empty((room, int(state[at.STRIDE]) + 1), np.int64)
        if count:
            grown[:count] = self.leaving[:count]
        self.leaving, self._table = grown, np.zeros(2 << room.bit_length(), np.int64)
        state[at.AWAY], state[at.AWAYCAP] = address(grown), room
        state[at.AWAYTAB], state[at.AWAYMASK] = address(self._table), len(self._table) - 1
        if count:
            route.find_again(relations.directory, state)

    def take_leaving(self, relations: Relations) -> list[tuple[int, int, Cells]]:
        """Outgoing messages: (partition, relation, rows of (body rank, supports, columns))."""
        count = self.waiting
        if not count:
            return []
        left = self.leaving[:count]
        ends = (left[:, at.A_TO] << 32) | left[:, at.A_REL]
        found = []
        for end in np.unique(ends).tolist():
            to, number = end >> 32, end & at.LOW32
            last = at.A_COLS + int(relations.directory[number, at.ARITY])
            found.append((to, number, np.ascontiguousarray(left[ends == end, at.A_RANK : last])))
        if len(self._table) > MOST_CLEARED * count:
            self.forget_leaving()
        else:
            self._table.fill(0)
            self._state[at.AWAYN] = 0
        return found
