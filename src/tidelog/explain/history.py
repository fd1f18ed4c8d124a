"""How a view changed, epoch by epoch: rows inserted, rows deleted, and its size.

Law: sizes follow from the current size and the counts of each epoch, so the last step has the current size of the view,
and every size is that of the step before plus the inserted and minus the deleted rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from tidelog.explain.draw_history import draw_history
from tidelog.explain.epoch_step import EpochStep

SHOWN = 40  # epochs in the text


@dataclass(frozen=True, slots=True)
class ViewHistory:
    """The epochs that changed a view, oldest first; a table by ``str``, a plot in notebooks and by `svg`.

    ``start`` is the size before the first of them, ``last`` the last epoch of the engine. Epochs up to ``since`` are
    not known: the state folder no longer keeps them, or the engine did not count yet.
    """

    view: str
    start: int
    last: int
    steps: tuple[EpochStep, ...] = field(repr=False)
    since: int = 0

    @property
    def none_shown(self) -> str:
        """What is shown instead of epochs, if there are none."""
        return f"no epoch after {self.since} has changed it" if self.since else "no epoch has changed it"

    def svg(self) -> str:
        """The plot, as the text of an SVG file."""
        return draw_history(self.view, self.start, self.last, self.steps, self.none_shown)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'

    def to_json(self) -> dict[str, Any]:
        """Plain values for `json`."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        size = self.steps[-1].size if self.steps else self.start
        yield f"{self.view}: {size:,} {'fact' if size == 1 else 'facts'} after epoch {self.last}"
        if not self.steps:
            yield self.none_shown
            return
        yield f"{'epoch':>8}{'inserted':>12}{'deleted':>12}{'facts':>12}"
        if len(self.steps) > SHOWN:
            yield f"{'...':>8}"
        for step in self.steps[-SHOWN:]:
            yield f"{step.epoch:>8}{f'+{step.inserted:,}':>12}{f'-{step.deleted:,}':>12}{step.size:>12,}"


def view_history(
    view: str, size: int, last: int, counts: Iterable[tuple[int, int, int]], since: int = 0
) -> ViewHistory:
    """The history of a view of this size; ``counts`` are the epochs with their inserted and deleted rows.

    >>> print(view_history("reach", 3, 2, [(1, 3, 0), (2, 1, 1)]))
    reach: 3 facts after epoch 2
       epoch    inserted     deleted       facts
           1          +3          -0           3
           2          +1          -1           3
    """
    steps: list[EpochStep] = []
    for epoch, inserted, deleted in reversed([each for each in counts if each[1] or each[2]]):
        steps.append(EpochStep(epoch, inserted, deleted, size))
        size -= inserted - deleted
    return ViewHistory(view, size, last, tuple(reversed(steps)), since)
