"""What feeds the engine beside requests: a database that is followed, a table that is kept.

Law: a source is started when the server is ready, and stopped before the engine is closed; its state is part of the
statistics. It commits epochs with its own source name and offsets.
"""

from __future__ import annotations

from typing import Any, Protocol

from tidelog.engine.engine import Engine


class Source(Protocol):
    """Something that runs beside the server, on separate threads."""

    name: str

    def check(self, engine: Engine) -> None:
        """Raise what has to be mended before it can run; nothing is changed."""

    def start(self, engine: Engine) -> None:
        """Begin; returns soon."""

    def stop(self) -> None:
        """End; returns when nothing of it runs any more."""

    def health(self) -> dict[str, Any]:
        """How it is, as plain values: at least `state`, such as `running` or `failed`, and `detail`."""

    def quarantine(self) -> list[dict[str, Any]]:
        """By table with rows that cannot become facts: `relation`, `table`, how many `rows`, the `first` in detail."""
