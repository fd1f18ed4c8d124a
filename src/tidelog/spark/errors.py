"""What can go wrong with Spark, as values.

Law: whatever goes wrong in Spark, Java or the network, callers of this package receive a `SparkError` that says what to
do. Errors are sent between processes as their class, arguments and attributes (`resident.wire`).

    TidelogError
    └── SparkError            a problem with Spark that the user or the operator can fix
        ├── PreflightError    the resident stage cannot run on this session; nothing was started
        ├── StageError        the resident stage did not start, or is used before its start or after its end
        ├── PartitionLost     a task, worker or executor was lost; restarting may help
        ├── NoAnswer          a call exceeded its time limit; the partition is still running
        └── ResidentError     an error of a partition that cannot be sent unchanged
"""

from __future__ import annotations

from tidelog.errors import TidelogError


class SparkError(TidelogError):
    """Root of the errors about Spark."""


class PreflightError(SparkError):
    """The resident stage cannot run on this session; the message names the setting and what to do."""


class StageError(SparkError):
    """The resident stage did not start, or is used before its start or after its end."""


class PartitionLost(SparkError):
    """The task of a partition was lost. ``number`` is the first partition that was found missing.

    >>> print(PartitionLost(1, "connection reset"))
    partition 1 was lost: connection reset
    """

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(number, reason)
        self.number = number
        self.reason = reason

    def __str__(self) -> str:
        return f"partition {self.number} was lost: {self.reason}"


class NoAnswer(SparkError):
    """A call that exceeded its time limit.

    >>> print(NoAnswer(0, "call", 2.0))
    partition 0 did not answer `call` within 2 s
    """

    def __init__(self, number: int, what: str, seconds: float) -> None:
        super().__init__(number, what, seconds)
        self.number = number

    def __str__(self) -> str:
        number, what, seconds = self.args
        return f"partition {number} did not answer `{what}` within {seconds:g} s"


class ResidentError(SparkError):
    """An error of a partition whose type cannot be sent between processes: its name, text and traceback."""
