"""Positions in PostgreSQL's log: a number, which the database writes as two hexadecimal numbers.

Law: reading and writing are each other's inverse.
"""

from __future__ import annotations

from tidelog.follow import follow_failures as failures


def lsn_text(place: int) -> str:
    """A position as PostgreSQL writes it.

    >>> lsn_text(0x16B374D848)
    '16/B374D848'
    """
    return f"{place >> 32:X}/{place & 0xFFFFFFFF:X}"


def read_lsn(text: str) -> int:
    """Parse a position as PostgreSQL writes it.

    >>> read_lsn("16/B374D848") == 0x16B374D848
    True
    """
    high, slash, low = text.partition("/")
    try:
        if not slash:
            raise ValueError(text)
        return int(high, 16) << 32 | int(low, 16)
    except ValueError:
        raise failures.MALFORMED.error(what=f"`{text[:40]}` is not a log position") from None
