"""What needs much that other work does not, and is imported when it is first asked for: questions, and a new shape."""

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


def repartition(core: Core, partitions: int) -> str:
    """Give the engine another number of partitions, in an epoch of its own that changes no fact; tells what was done.

    Relations that lie unevenly, since many of their facts have one value in the column by which they are placed, are
    placed by another column where they have one; with the number that there is already, nothing else happens. It costs
    about one pass over the state. With a state folder it is durable when it returns.
    """
    from tidelog.engine.repartition import repartition as act

    return act(core, partitions)
