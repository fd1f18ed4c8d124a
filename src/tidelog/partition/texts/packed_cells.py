"""The entry of a record or variant in a dictionary: the cells of its parts.

Law: it is a value among the entries like a list, and is kept and sent as a JSON object, which no list is.
"""

from __future__ import annotations

KEY = "cells"


class PackedStructure(tuple[int, ...]):
    """The cells of the parts of one structure."""

    __slots__ = ()

    def to_json(self) -> dict[str, list[int]]:
        """The stored form of the entry.

        >>> PackedStructure((1, 0)).to_json()
        {'cells': [1, 0]}
        """
        return {KEY: list(self)}
