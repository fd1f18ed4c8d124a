"""The fact counts of the relations of a state folder, for an editor that shows them.

Law: no request waits for sizes. They are those of a committed epoch; when the folder has changed, they are read again
in the background, and the old ones are shown until then. A folder that cannot be read has no sizes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from tidelog.engine.engine import Engine
from tidelog.errors import TidelogError

_LAST = -1


class StateSizes:
    """The sizes of a state folder, or none if there is no folder."""

    def __init__(self, state: str | None) -> None:
        self.state = state
        self._known: Mapping[str, int] = {}
        self._seen: float | None = None
        self._reader: threading.Thread | None = None
        self.now()

    def now(self) -> Mapping[str, int]:
        """The number of facts of every relation, if known."""
        if self.state is not None and (self._reader is None or not self._reader.is_alive()):
            changed = _last_change(Path(self.state))
            if changed != self._seen:
                self._seen = changed
                self._reader = threading.Thread(target=self._read, args=(self.state,), daemon=True)
                self._reader.start()
        return self._known

    def wait(self) -> None:
        """Wait until the sizes have been read, if they are being read."""
        if self._reader is not None:
            self._reader.join()

    def _read(self, state: str) -> None:
        try:
            with Engine(path=state, at=_LAST) as db:
                self._known = {name: len(db[name]) for name in db.relations}
        except TidelogError:
            self._known = {}


def _last_change(folder: Path) -> float | None:
    try:
        return max(path.stat().st_mtime for path in folder.rglob("*"))
    except (OSError, ValueError):
        return None
