"""The number of rows that every epoch changed in every relation, for the plot of a view.

Law: an engine with a state folder has these counts in its log. An engine in memory counts only on request, from that
moment on, because counting reads the changed rows of every epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tidelog.engine.read.look_up import size

if TYPE_CHECKING:
    from tidelog.engine.core.core import Core
    from tidelog.explain.history import ViewHistory
    from tidelog.store.folder.durable import Durable

Counts = Mapping[str, tuple[int, int]]  # inserted and deleted rows, by relation


class EpochCounts:
    """The counts of every epoch after the one at which counting started."""

    def __init__(self, since: int) -> None:
        self.since = since
        self.epochs: list[tuple[int, Counts]] = []

    def note(self, epoch: Any) -> None:
        """Count the changes of a committed epoch."""
        if epoch.number is not None:
            counts = {name: (len(each.inserted), len(each.deleted)) for name, each in epoch.changes.items()}
            self.epochs.append((epoch.number, counts))


def start_counting(core: Core) -> bool:
    """Count from now on, unless a log has the counts; returns whether this call started it."""
    if core.durable is not None or core.counts is not None:
        return False
    _counted(core)
    return True


def stop_counting(core: Core) -> None:
    """Stop counting, and forget what was counted."""
    if core.counts is not None:
        core.listeners.remove(core.counts.note)
        core.counts = None


def history_of(core: Core, view: str) -> ViewHistory:
    """How a view changed, epoch by epoch, as far back as the log or the counts go."""
    from tidelog.explain.history import view_history

    with core.writing:
        core.must_be_open()
        epochs, since = _known_epochs(core)
        counts = [(epoch, *changed.get(view, (0, 0))) for epoch, changed in epochs]
        return view_history(view, size(core, view), core.number, counts, since)


def _known_epochs(core: Core) -> tuple[list[tuple[int, Counts]], int]:
    """The counts of every known epoch, and the last epoch before them."""
    if core.durable is None:
        counted = _counted(core)
        return counted.epochs, counted.since
    logged = _logged(core.durable, core.number)
    return logged, logged[0][0] - 1 if logged else core.number


def _counted(core: Core) -> EpochCounts:
    """The counts of an engine in memory, which start with the first call."""
    if core.counts is None:
        with core.writing:
            core.counts = EpochCounts(core.number)
            core.listeners.append(core.counts.note)
    found: EpochCounts = core.counts
    return found


def _logged(durable: Durable, last: int) -> list[tuple[int, Counts]]:
    from tidelog.store.folder.history import log_entries

    return [(entry.epoch, entry.changed) for entry in log_entries(durable) if entry.epoch <= last]
