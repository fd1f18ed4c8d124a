"""What can go wrong between Tidelog and PostgreSQL, as values.

Law: whatever goes wrong in the database or the network, a caller of this package gets a `FollowError` that says what to
do, and whose message contains no password.

    TidelogError
    └── FollowError          a problem with a followed database
        ├── Unreachable      no connection, or a broken one: retrying may help
        ├── OutOfStep        the stream does not continue the known state: a new snapshot helps
        └── BadRow           a row cannot be converted to a fact, and following stops at such rows
"""

from __future__ import annotations

from tidelog.errors import TidelogError


class FollowError(TidelogError):
    """Root of the errors about followed databases. Raised itself for errors that a retry does not fix."""


class Unreachable(FollowError):
    """The database cannot be reached, or the connection was lost."""


class OutOfStep(FollowError):
    """The stream does not continue the facts that were read; the tables have to be read again."""


class BadRow(FollowError):
    """A row cannot be converted to a fact, and following stops at such rows until the row is changed."""
