"""The errors of the simulator.

Law: a step that is not legal and a run that cannot continue raise different errors.
"""

from __future__ import annotations

from tidelog.errors import TidelogError


class IllegalStep(TidelogError):
    """A command whose precondition does not hold."""


class StuckError(TidelogError):
    """The remaining updates can never be picked: deletions of facts that no pending update will insert."""
