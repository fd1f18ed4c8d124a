"""What can be wrong with bytes that are read back: never completed, altered, or never written by any writer.

Law: whatever a folder contains, reading it returns what was written or raises a StateError that names the file.
"""

from __future__ import annotations

from tidelog.errors import StateError
from tidelog.store.base import store_failures as failures


class TornError(Exception):
    """The frame was never completed."""


class AlteredError(Exception):
    """The bytes are not those that were written; the text describes the mismatch."""


class ImpossibleError(AlteredError):
    """The checksums match, but no writer produces such content; the text describes what is impossible."""


def damage(file: str, what: Exception) -> StateError:
    """The error for a damaged file."""
    entry = failures.IMPOSSIBLE if isinstance(what, ImpossibleError) else failures.DAMAGED
    return entry.error(file=file, what=what)
