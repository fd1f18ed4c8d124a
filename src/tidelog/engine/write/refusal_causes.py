"""The causes of an epoch that a constraint refuses: the changes behind its first violation, in the text of the error.

Law: the error is raised whatever happens here. Finding the cause of a violation requires running the epoch again; an
epoch that took long, or that has much input, is refused without a cause, which `Epoch.blame` still finds on request.
"""

from __future__ import annotations

from tidelog.blame import Blame
from tidelog.engine.core.core import Core
from tidelog.engine.write.epoch import Epoch
from tidelog.errors import ConstraintError, TidelogError

TRIALS = 32
LONG = 0.5  # seconds


def with_causes(core: Core, epoch: Epoch, error: ConstraintError, seconds: float) -> ConstraintError:
    """The error with the causes of the first violation; ``seconds`` is the time that the epoch took."""
    first = error.violations[0].first
    if not first or seconds > LONG or epoch.collected.arrivals:
        return error
    try:
        found = core.find_causes(core, epoch, first[0], TRIALS)
    except TidelogError:
        return error
    if not isinstance(found, Blame) or not found.changes:
        return error
    heading = "because" if sum(violated.count for violated in error.violations) == 1 else "the first one because"
    causes = tuple(map(str, found.changes))
    with_causes = error.reworded("\n".join([str(error), heading, *(f"  {cause}" for cause in causes)]))
    with_causes.causes = causes
    return with_causes
