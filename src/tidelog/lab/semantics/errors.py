"""The simulator's own errors.

Law: whoever runs an algorithm can tell a step that is not legal from a run that cannot go on.
"""

from __future__ import annotations

from tidelog.errors import TidelogError


class IllegalStep(TidelogError):
    """A command whose precondition does not hold."""


class StuckError(TidelogError):
    """Updates are left that may never be picked: deletions of facts that no pending update will insert."""
