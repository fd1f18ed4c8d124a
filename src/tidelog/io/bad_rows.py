"""Bad rows of a file: the whole file is checked, and the first ten are reported.

Law: a single bad row is reported as it is; of several, the first ten are reported with their places, and the number
of the others.
"""

from __future__ import annotations

from tidelog.errors import DataError

MOST = 10
ENDING = "; nothing was read"


class BadRows:
    """Collects the errors of the rows of a file."""

    def __init__(self) -> None:
        self._errors: list[DataError] = []
        self._more = 0

    def add(self, error: DataError) -> None:
        """Add the error of a row."""
        if len(self._errors) < MOST:
            self._errors.append(error)
        else:
            self._more += 1

    def raise_if_any(self) -> None:
        """Raise if a row was bad."""
        if not self._errors:
            return
        first = self._errors[0]
        if len(self._errors) == 1:
            raise first
        lines = [str(error).removesuffix(ENDING) for error in self._errors]
        more = f"and {self._more:,} more" if self._more else f"{len(lines)} rows do not fit"
        raise first.reworded("\n  ".join([*lines, more]) + ENDING)
