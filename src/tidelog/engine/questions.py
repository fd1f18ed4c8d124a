"""Questions whose answers need much that other work does not: imported with the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.blame import Blame, ViewBlame
    from tidelog.engine.ask import Fact
    from tidelog.engine.core import Core


def blame(
    core: Core, fact: Fact, epoch: int | None = None, *, since: int | None = None, trials: int = 300
) -> Blame | ViewBlame:
    """Why a fact came, went or changed its value in an epoch: the last one that changed it, or the one given.

    A relation's name alone asks about all of its changes, grouped by cause. With ``since`` all epochs after that one
    are asked about together. At most so many ``trials`` are made, in each of which some changes are undone.
    """
    from tidelog.engine.blame import blame as answer

    return answer(core, fact, epoch, since=since, trials=trials)
