"""How many rows every epoch changes in every relation, for the plot of a view.

Law: an engine with a state folder has these counts in its log. For an engine in memory they are counted from the
moment that a session uses it, and for no other engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidelog.engine.engine import Engine, core_of
from tidelog.engine.write.epoch import Epoch
from tidelog.explain.history import ViewHistory, view_history

Counts = Mapping[str, tuple[int, int]]


class EpochRecorder:
    """Counts the changes of an engine; `stop` ends it."""

    def __init__(self, db: Engine) -> None:
        self._db, self._core = db, core_of(db)
        self._epochs: list[tuple[int, Counts]] = []
        self._listens = self._core.opened.lasting is None and self._core.runtime.session is None
        if self._listens:
            self._core.listeners.append(self._note)

    def stop(self) -> None:
        """Count no more."""
        if self._listens:
            self._core.listeners.remove(self._note)
            self._listens = False

    def history(self, view: str) -> ViewHistory:
        """How a view changed, epoch by epoch."""
        size = len(self._db[view])
        return view_history(view, size, self._db.epoch_number, self._counts(view))

    def _counts(self, view: str) -> Iterator[tuple[int, int, int]]:
        for epoch, changed in self._epochs if self._listens else self._logged():
            yield epoch, *changed.get(view, (0, 0))

    def _logged(self) -> Iterator[tuple[int, Counts]]:
        last = self._db.epoch_number
        return ((entry.epoch, entry.changed) for entry in self._db.log() if entry.epoch <= last)

    def _note(self, epoch: Epoch) -> None:
        if epoch.number is not None:
            counts = {name: (len(each.inserted), len(each.deleted)) for name, each in epoch.changes.items()}
            self._epochs.append((epoch.number, counts))
