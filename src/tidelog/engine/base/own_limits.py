"""Limits of one query, or of one epoch that a client requests.

Law: they are in force while it runs, instead of those of the engine, and their memory limit is counted from what the
engine held before. The thread that sets them has the turn (`turn`), so that nothing else runs under them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from tidelog.partition.base.limits import Limits
from tidelog.runtime.protocol.runtime import Runtime


def beyond(limits: Limits | None, runtime: Runtime) -> Limits | None:
    """The limits with a memory limit that is counted from what a runtime holds."""
    if limits is None or limits.memory is None:
        return limits
    return replace(limits, memory=limits.memory + runtime.facts.memory)


@contextmanager
def within(runtime: Callable[[], Runtime], limits: Limits | None) -> Iterator[None]:
    """A context with these limits, if any; afterwards the previous ones apply, to whichever runtime is then in use."""
    before = runtime().limits
    own = beyond(limits, runtime())
    if own is not None:
        runtime().set_limits(own)
    try:
        yield
    finally:
        if own is not None:
            runtime().set_limits(before)
