"""Questions whose answers need much that other work does not: imported with the first of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidelog.blame import Blame, ViewBlame
    from tidelog.engine.ask import Fact
    from tidelog.engine.core import Core
    from tidelog.engine.what_if import Alternative, Alternatives, Trial


def blame(
    core: Core, fact: Fact, epoch: int | None = None, *, since: int | None = None, trials: int = 1000
) -> Blame | ViewBlame:
    """Why a fact came, went or changed its value in an epoch: the last one that changed it, or the one given.

    A relation's name alone asks about all of its changes, grouped by cause. With ``since`` all epochs after that one
    are asked about together. At most so many ``trials`` are made, in each of which some changes are undone.
    """
    from tidelog.engine.blame import blame as answer

    return answer(core, fact, epoch, since=since, trials=trials)


def what_if(core: Core, changes: Trial | Mapping[str, Trial]) -> Alternative | Alternatives:
    """Try changes out without committing: what views, blame and cost would be.

    ``changes`` is the text of a change script of one epoch, an epoch in the making, or a function that fills one; or a
    mapping of names to these, which are told side by side.
    """
    from tidelog.engine.what_if import what_if as answer

    return answer(core, changes)
