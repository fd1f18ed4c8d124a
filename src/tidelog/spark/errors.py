"""What can go wrong with Spark, as values.

Law: whatever Spark, Java or the network does, a caller of this package sees a `SparkError` that says what to do. Errors
cross processes as their class, arguments and attributes (`resident.wire`).

    TidelogError
    └── SparkError            anything about Spark that the user or the operator can mend
        ├── PreflightError    a session on which the resident stage cannot run; nothing was started
        ├── StageError        the resident stage did not start, or is used before its start or after its end
        ├── PartitionLost     a task, worker or executor went away; a new start may help
        ├── NoAnswer          a call took longer than its limit; the partition is there
        └── ResidentError     an error of a resident that cannot be sent as itself
"""

from __future__ import annotations

from tidelog.errors import TidelogError


class SparkError(TidelogError):
    """Root of the errors about Spark."""


class PreflightError(SparkError):
    """A session on which the resident stage cannot run; the text names the setting and what to do."""


class StageError(SparkError):
    """The resident stage did not start, or is used outside its life."""


class PartitionLost(SparkError):
    """A partition's task went away. ``number`` is the first partition that was found missing.

    >>> print(PartitionLost(1, "connection reset"))
    partition 1 is lost: connection reset
    """

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(number, reason)
        self.number = number
        self.reason = reason

    def __str__(self) -> str:
        return f"partition {self.number} is lost: {self.reason}"


class NoAnswer(SparkError):
    """A call that took longer than its limit.

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
    """An error of a resident whose own type cannot cross processes: its name, text and traceback."""
