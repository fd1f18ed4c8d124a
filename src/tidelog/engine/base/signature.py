"""Who makes an epoch, and why: set when the epoch begins, kept in the log of the state folder.

Law (D33): a signature does not affect facts; two epochs that differ only in their signatures do the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.program.functions.arguments import must_be


@dataclass(frozen=True, slots=True)
class Signature:
    """The author of an epoch and a note about it; either may be missing."""

    author: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        must_be(self.author, (str, type(None)), "author", "the name of the author, or None")
        must_be(self.note, (str, type(None)), "note", "a string, or None")


UNSIGNED = Signature()
