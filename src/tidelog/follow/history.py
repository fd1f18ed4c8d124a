"""The history of an engine: which epochs changed a view, and whether two histories are the same.

Law: the mark of an epoch identifies it and all before it, so that a table with the mark of an epoch of this history
can be brought up to date by the changes since. Without a state folder there is no history.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tidelog.engine.engine import core_of
from tidelog.errors import StateError
from tidelog.store.base.header import COLUMNS

if TYPE_CHECKING:
    from tidelog.engine.engine import Engine

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ViewChange:
    """The rows that an epoch inserts into a view and deletes from it."""

    epoch: int
    plus: list[Row]
    minus: list[Row]


class History:
    """The committed epochs of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._core = core_of(engine)

    @property
    def mark(self) -> str:
        """The mark of the last epoch; a caller that needs number and mark of the same epoch must have the turn."""
        lasting = self._core.durable if self._core.opened.lasting is not None else None
        return "" if lasting is None else f"{lasting.checksum:016x}"

    def has(self, epoch: int, mark: str) -> bool:
        """Whether this history contains an epoch with this mark and all epochs after it."""
        durable = self._core.durable
        if durable is None or not self.mark or not mark or epoch > durable.epoch:
            return False
        if epoch == durable.epoch:
            return mark == self.mark
        try:
            headers = [(frame.previous, COLUMNS in frame.header) for frame in durable.frames(epoch)]
        except StateError:
            return False
        if any(changed for _, changed in headers):  # rows before are not those of the current view
            return False
        first = headers[0][0] if headers else None
        return first is not None and f"{first:016x}" == mark

    def net(self, view: str, since: int, until: int) -> ViewChange:
        """The combined changes of a view in the epochs after ``since``, up to ``until``."""
        signs: dict[Row, int] = {}
        for change in self._engine.changes(view, since) if since < until else ():
            if change.epoch <= until:
                signs[change.fact] = signs.get(change.fact, 0) + change.sign
        plus, minus = ([row for row, total in signs.items() if total == sign] for sign in (1, -1))
        return ViewChange(until, plus, minus)
