"""Sources of the engine in addition to requests, such as a followed database.

Law: a source is started when the server is ready, and stopped before the engine is closed; its state is part of the
statistics. It commits epochs with its own source name and offsets.
"""

from __future__ import annotations

from typing import Any, Protocol

from tidelog.engine.engine import Engine


class ServerSource(Protocol):
    """A source, which runs on separate threads."""

    @property
    def name(self) -> str:
        """The name in statistics."""

    def check(self, engine: Engine) -> None:
        """Raise an error for anything to be fixed before it can run; nothing is changed."""

    def start(self, engine: Engine) -> None:
        """Start in the background."""

    def stop(self) -> None:
        """Stop; returns when all its threads have ended."""

    def health(self) -> dict[str, Any]:
        """The state as plain values: at least `state`, such as `running` or `failed`, and `detail`."""

    def quarantine(self) -> list[dict[str, Any]]:
        """By table with rows in quarantine: `relation`, `table`, the number of `rows`, the `first` ones in detail."""
