"""Engines in a forked child of their process: every call is refused there (D38).

Law: an engine belongs to the process that opened it. A child has a copy of its memory, but none of its threads, no lock
on its state folder and no separate connection to Spark; so every call of an engine, and of the views, queries and
epochs that it returned, raises there. `close` does nothing, and what the parent uses is never collected in the child.
This costs nothing while an engine works: engines are marked once, when the child is forked.
"""

from __future__ import annotations

import os
from typing import Any

from tidelog.engine.base import engine_failures as failures
from tidelog.engine.core.core import CORES, Core

_LEFT: list[Core] = []  # of the parent; collecting them here would end what the parent uses, on Spark for example
_process = os.getpid()


class ForkedCore(Core):
    """What a core becomes in a child."""

    def __getattribute__(self, name: str) -> Any:
        """Refuse every use of the engine, except closing it."""
        if name in ("close", "closed", "maker", "__class__", "__dict__"):
            return object.__getattribute__(self, name)
        raise failures.FORKED.error(maker=self.maker, here=os.getpid())

    @property
    def maker(self) -> int:
        """The process that opened the engine."""
        return int(self.__dict__["_maker"])

    @property
    def closed(self) -> bool:
        """Always true: there is nothing to close."""
        return True

    def close(self) -> None:
        """Leave everything to the process that opened the engine."""


def _leave_all() -> None:
    """In a process that was just forked, leave all engines to the parent."""
    global _process
    parent, _process = _process, os.getpid()
    for core in tuple(CORES):
        core.__dict__["_maker"] = parent
        core.__class__ = ForkedCore
        _LEFT.append(core)
    CORES.clear()


os.register_at_fork(after_in_child=_leave_all)
