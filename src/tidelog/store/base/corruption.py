"""What is wrong with bytes that are read back: never completed, altered, or such as no writer writes.

Law: whatever lies in a folder, reading it gives what was written or a StateError that names the file.
"""

from __future__ import annotations

from tidelog.errors import StateError
from tidelog.store.base import store_failures as failures


class TornError(Exception):
    """The frame was never completed."""


class AlteredError(Exception):
    """The bytes are not those that were written; says what does not fit."""


class ImpossibleError(AlteredError):
    """The checksums fit, and yet no writer writes such content; says what cannot be."""


def damage(file: str, what: Exception) -> StateError:
    """The error for a file with something wrong in it."""
    entry = failures.IMPOSSIBLE if isinstance(what, ImpossibleError) else failures.DAMAGED
    return entry.error(file=file, what=what)
