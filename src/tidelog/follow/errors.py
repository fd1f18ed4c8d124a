"""What can go wrong between Tidelog and PostgreSQL, as values.

Law: whatever the database or the network does, a caller of this package sees a `FollowError` that says what to do, and
no text of one has a password in it.

    TidelogError
    └── FollowError          anything about a database that is followed
        ├── Unreachable      no connection, or one that broke: trying again may help
        ├── OutOfStep        what comes cannot be joined to what is there: a new snapshot helps
        └── BadRow           a row cannot become a fact, and following stops at such rows
"""

from __future__ import annotations

from tidelog.errors import TidelogError


class FollowError(TidelogError):
    """Root of the errors about databases that are followed; by itself one that trying again does not mend."""


class Unreachable(FollowError):
    """The database is not there, or went away."""


class OutOfStep(FollowError):
    """The stream cannot be joined to the facts that were read; the tables have to be read once more."""


class BadRow(FollowError):
    """A row cannot become a fact, and following stops at such rows; a new snapshot helps once the row was changed."""
