"""Limits of requests per second, by token.

Law: over any time a token makes at most one second's requests more than its rate allows; other tokens are not affected.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tidelog.serve.grants import Grant

MANY = 10_000  # tokens


class Rates:
    """When the requests of each token would be paid for; only used on the server's loop."""

    def __init__(self) -> None:
        self.clock: Callable[[], float] = time.monotonic
        self._paid: dict[str | None, float] = {}

    def wait(self, grant: Grant) -> float:
        """Count a request; returns the seconds until it is allowed, 0 if it is allowed now."""
        assert grant.rate is not None
        now, cost = self.clock(), 1 / grant.rate
        if len(self._paid) > MANY:  # users of identity providers come and go
            self._paid = {name: paid for name, paid in self._paid.items() if paid > now - 1}
        paid = max(self._paid.get(grant.name, 0.0), now - max(1.0, cost)) + cost
        if paid <= now:
            self._paid[grant.name] = paid
        return max(0.0, paid - now)
